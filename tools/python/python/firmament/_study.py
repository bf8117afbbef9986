"""Studies: published figures beside those of this drive."""

from __future__ import annotations

import os
from collections.abc import Callable

from . import _native
from ._progress import STEPS, new_bar
from ._table import Table
from .errors import interrupted


class StudyResult:
    """What came out of a study. In a notebook it shows itself."""

    def __init__(self, native: "_native.Study"):
        """A result of the native part.

        :param native: the result there.
        """
        self._native = native

    @property
    def name(self) -> str:
        """Its name."""
        return self._native.name

    @property
    def title(self) -> str:
        """What it is about."""
        return self._native.title

    @property
    def paper(self) -> str:
        """Authors, title, venue and year of the paper."""
        return self._native.paper

    @property
    def table(self) -> Table:
        """A row for each published value, claim and summary.

        Columns: experiment, id, conditions, relation, published, measured, interval (half of the 95 % interval of measured),
        unit, error_percent, tolerance_percent, evidence, role, status (within, outside, reported) and reason.
        """
        return Table(self._native.table())

    def text(self) -> str:
        """The study as ``firmament study`` prints it."""
        return self._native.text()

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Writes the files that ``firmament study`` writes: ``result.csv``, figures and pages.

        :param folder: where to.
        """
        self._native.write(os.fspath(folder))

    def _repr_html_(self) -> str:
        return self.table._repr_html_()

    def __repr__(self) -> str:
        status = list(self.table["status"])
        judged = sum(one != "reported" for one in status)
        return f"<Study {self.name}: {status.count('within')} of {judged} rows within tolerance>"


def studies(folder: str | os.PathLike[str] | None = None) -> dict[str, str]:
    """The studies that there are, each with its title.

    :param folder: of studies; the built-in ones if absent.
    """
    return dict(_native.studies(None if folder is None else os.fspath(folder)))


def study(
    name: str,
    *,
    folder: str | os.PathLike[str] | None = None,
    quick: bool = False,
    seeds: int = 5,
    workers: int | None = None,
    progress: bool | Callable[[float], object] | None = None,
) -> StudyResult:
    """Runs a study, as ``firmament study`` does.

    :param name: of the study, as :func:`studies` lists them.
    :param folder: of studies; the built-in ones if absent.
    :param quick: runs a smaller part of it, with one seed.
    :param seeds: most seeds of each run: further ones are run until what is judged is known well enough.
    :param workers: runs side by side; as many as there are cores if absent.
    :param progress: as that of :func:`run`; a function is called with the share that is done.
    :raises Interrupted: at Ctrl-C, once the runs that are under way are done; without a result, since runs of all experiments are
        under way side by side.
    :raises InputError: for what cannot be used.
    :raises DriveError: if a run fails.
    """
    where = (name, None if folder is None else os.fspath(folder))
    bar = None if callable(progress) else new_bar(STEPS, "", progress)

    def show(fraction: float) -> None:
        if bar is not None:
            bar.n = int(fraction * STEPS)
            bar.refresh()

    try:
        return StudyResult(_native.study(where, (quick, seeds), workers, progress if callable(progress) else show))
    except KeyboardInterrupt as error:
        raise interrupted(error, None) from None
    finally:
        if bar is not None:
            bar.close()
