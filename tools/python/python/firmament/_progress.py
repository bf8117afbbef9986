"""How far a run or a sweep has come: a bar in a terminal or in a notebook."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Any

from .errors import FirmamentWarning

#: Parts that a whole run is shown in.
STEPS = 1000
#: Seconds after which it is measured how long preconditioning takes, and seconds that are long.
LOOK_S, LONG_S = 1.0, 10.0


def is_wanted(asked: bool | None) -> bool:
    """Whether to show a bar: as asked, or else in a notebook and where standard error is a terminal."""
    if asked is not None:
        return asked
    return in_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def in_notebook() -> bool:
    """Whether a notebook runs this."""
    shell = sys.modules.get("IPython")
    here = shell.get_ipython() if shell else None
    return type(here).__name__ == "ZMQInteractiveShell"


def new_bar(total: int, unit: str, asked: bool | None) -> Any:
    """A bar, or ``None`` where none is wanted or there is no tqdm."""
    if not is_wanted(asked):
        return None
    try:
        # Without ipywidgets a notebook gets a bar of text, and a warning that nobody can do anything about.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
    except ImportError:
        return None
    plain = "{l_bar}{bar}| [{elapsed}<{remaining}{postfix}]"
    return tqdm(total=total, unit=unit, leave=False, bar_format=plain if total == STEPS else None)


class RunBar:
    """The bar of a run. It vanishes at the end."""

    def __init__(self, asked: bool | None, is_off: bool = False):
        self._bar = None if is_off else new_bar(STEPS, "", asked)
        self._what = ""

    def __enter__(self) -> "RunBar":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def show(self, what: str, fraction: float, elapsed_ps: int, iops: float) -> None:
        """Takes what the native part tells some twenty times a second."""
        bar = self._bar
        if bar is None:
            return
        if what != self._what:
            self._what = what
            bar.reset()
            bar.set_description(what, refresh=False)
        if what == "running":
            bar.set_postfix_str(f"{elapsed_ps / 1e9:.1f} ms of virtual time, {iops:.0f} IOPS", refresh=False)
        # What is told comes seldom enough to be shown each time.
        bar.n = int(fraction * STEPS)
        bar.refresh()


class LongPreparation:
    """What a run tells goes on to a watch, with a warning before it, once, if preconditioning takes long."""

    def __init__(self, watch: Callable[[str, float, int, float], object], stacklevel: int):
        """Goes on to a watch.

        :param watch: called with what the native part tells.
        :param stacklevel: of the warning, as :func:`warnings.warn` counts it.
        """
        self._watch = watch
        self._stacklevel = stacklevel
        self._began_s: float | None = None
        self._is_told = False

    def __call__(self, what: str, fraction: float, elapsed_ps: int, iops: float) -> object:
        if what == "preconditioning" and not self._is_told:
            self._look(fraction, time.monotonic())
        return self._watch(what, fraction, elapsed_ps, iops)

    def _look(self, fraction: float, now_s: float) -> None:
        if self._began_s is None:
            self._began_s = now_s
        passed_s = now_s - self._began_s
        if passed_s < LOOK_S or fraction <= 0 or passed_s / fraction < LONG_S:
            return
        self._is_told = True
        text = (
            f"preconditioning takes up to {passed_s / fraction:.0f} s. Quicker: a drive of fm.precondition is run on again and "
            "again, and save= or Drive.save keeps it for runs with from_snapshot=; the state steady is drawn where the board "
            "allows it, and random or sequential writes the drive once; a board with fewer blocks (geometry.blocks_per_way)"
        )
        warnings.warn(text, FirmamentWarning, stacklevel=self._stacklevel)
