"""Firmament: an SSD, simulated whole, from Python.

>>> import firmament as fm
>>> result = fm.run("small", fm.Job(rw="randread", bs="4k", iodepth=4, size="1m"), precondition="sequential")
>>> result.read.requests
256
"""

from ._boards import Board, Ceiling, boards
from ._host import Completion, Drive, Request, Wait, flush, host, read, trim, wait, write
from ._jobs import Job, JobFile
from ._native import COMMIT, VERSION
from ._result import DirectionResult, JobResult, Latency, Result
from ._run import run
from ._sweep import SweepResult, sweep
from ._table import Table
from .errors import DriveError, FirmamentError, FirmamentWarning, InputError

__version__ = VERSION

__all__ = [
    "COMMIT",
    "VERSION",
    "Board",
    "Ceiling",
    "Completion",
    "DirectionResult",
    "Drive",
    "DriveError",
    "FirmamentError",
    "FirmamentWarning",
    "InputError",
    "Job",
    "JobFile",
    "JobResult",
    "Latency",
    "Request",
    "Result",
    "SweepResult",
    "Table",
    "Wait",
    "boards",
    "flush",
    "host",
    "read",
    "run",
    "sweep",
    "trim",
    "wait",
    "write",
]
