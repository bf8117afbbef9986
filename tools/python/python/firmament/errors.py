"""What goes wrong, as exceptions. The text of each is the one line that the program prints, in which arguments stand for
options.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    """Ctrl-C has ended a run or a sweep: what was done until then is its result."""

    #: What was measured until then; ``None`` if nothing was.
    result: "Result | SweepResult | None" = None


class FirmamentWarning(UserWarning):
    """Something that was accepted, and that is worth knowing."""
