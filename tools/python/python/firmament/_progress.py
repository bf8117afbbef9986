"""How far a run or a sweep has come: a bar in a terminal or in a notebook."""

from __future__ import annotations

import sys
import warnings
from types import TracebackType
from typing import Any

#: Parts that a whole run is shown in.
STEPS = 1000


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
