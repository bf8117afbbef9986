"""What goes wrong, as exceptions. The text of each is the one line that the program prints, in which arguments stand for
options.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._linux import LinuxResult
    from ._result import Result
    from ._sweep import SweepResult


class FirmamentError(Exception):
    """Anything that Firmament refuses, or that fails in a run: ``str()`` of it is one line."""


class InputError(FirmamentError, ValueError):
    """Something that cannot be used: the line says what was found and what was expected."""


class DriveError(FirmamentError):
    """The drive failed: wrong data, no answer, or a job that ended with I/O errors."""

    #: What was measured until then; ``None`` if the run gave nothing.
    result: "Result | None" = None


class Interrupted(KeyboardInterrupt):
    """Ctrl-C has ended a run, a sweep, or whatever else takes long: what was done until then is its result.

    Of a run it is what was measured, of a sweep the points that are done, of Linux the seeds that are done. A study has no
    result before all its runs are done, and a drive none before it is in its state.
    """

    #: What was done until then; ``None`` if nothing was that is of use by itself.
    result: "Result | SweepResult | LinuxResult | None" = None


def interrupted(error: KeyboardInterrupt, result: "Result | SweepResult | LinuxResult | None") -> Interrupted:
    """What is raised in place of Ctrl-C, with what was done."""
    new = Interrupted(*error.args)
    new.result = result
    return new


class FirmamentWarning(UserWarning):
    """Something that was accepted, and that is worth knowing."""
