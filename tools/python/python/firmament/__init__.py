"""Firmament: an SSD, simulated whole, from Python.

>>> import firmament as fm
>>> result = fm.run("small", fm.Job(rw="randread", bs="4k", iodepth=4, size="1m"), precondition="sequential")
>>> result.read.requests
256
"""

from ._boards import Board, Ceiling, boards
from ._compare import Comparison, compare
from ._completion import register as _register
from ._drive import Drive, precondition
from ._host import Completion, DriveView, Request, Wait, flush, host, read, trim, wait, write
from ._jobs import Job, JobFile, fio_options
from ._linux import LinuxResult, linux
from ._native import COMMIT, VERSION
from ._policy import BlockView, Policy, WayView
from ._replay import replay
from ._result import DirectionResult, JobResult, Latency, Result, load
from ._run import run
from ._study import StudyResult, studies, study
from ._sweep import SweepResult, sweep
from ._table import Column, Table
from .errors import DriveError, FirmamentError, FirmamentWarning, InputError, Interrupted

__version__ = VERSION
_register()

__all__ = [
    "COMMIT",
    "VERSION",
    "BlockView",
    "Board",
    "Ceiling",
    "Column",
    "Comparison",
    "Completion",
    "DirectionResult",
    "Drive",
    "DriveError",
    "DriveView",
    "FirmamentError",
    "FirmamentWarning",
    "InputError",
    "Interrupted",
    "Job",
    "JobFile",
    "JobResult",
    "Latency",
    "LinuxResult",
    "Policy",
    "Request",
    "Result",
    "StudyResult",
    "SweepResult",
    "Table",
    "Wait",
    "WayView",
    "boards",
    "compare",
    "fio_options",
    "flush",
    "host",
    "linux",
    "load",
    "precondition",
    "read",
    "replay",
    "run",
    "studies",
    "study",
    "sweep",
    "trim",
    "wait",
    "write",
]
