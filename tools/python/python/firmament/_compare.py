"""Results beside each other."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from . import _native
from ._result import Result, load
from ._table import Table
from .errors import InputError

#: A result, or the path of a JSON report.
Report = Result | str | os.PathLike[str]


class Comparison:
    """By how much results differ from the first one. In a notebook it shows itself."""

    def __init__(self, native: "_native.Compare"):
        """A comparison of the native part.

        :param native: the comparison there.
        """
        self._native = native

    @property
    def table(self) -> Table:
        """A row for each figure of each result but the first.

        Columns: result, figure (causes only where they are a hundredth of the mean latency in one of both), seeds that
        both have, first and value (means over these seeds, or the figures of single runs), change_percent,
        half_width_percent of its 95 % interval (``None`` with fewer than two seeds in common), and is_shown: whether the
        interval leaves out zero.
        """
        return Table(self._native.table)

    @property
    def settings(self) -> dict[str, list[str]]:
        """What was not the same, with the value of each result."""
        return dict(self._native.settings)

    def text(self) -> str:
        """The comparison as ``firmament compare`` prints it."""
        return self._native.text

    def html(self) -> str:
        """The comparison as a page of its own."""
        return self._native.html

    def _repr_html_(self) -> str:
        from ._display import rows

        return rows(self.table.to_dict())

    def __repr__(self) -> str:
        return self.text()


def compare(*results: Report | Mapping[str, Report] | Sequence[Report]) -> Comparison:
    """Compares results with the first one. With the same seeds, differences are taken seed by seed and have 95 % intervals.

    >>> import firmament as fm
    >>> job = fm.Job(rw="randwrite", bs="4k", size="1m")
    >>> greedy, fifo = (fm.run(fm.Board("small").set("ftl.replacement", name), job, seeds=3) for name in ("lru", "fifo"))
    >>> table = fm.compare({"lru": greedy, "fifo": fifo}).table
    >>> table["result"][0], table["seeds"][0]
    ('fifo', 3)

    :param results: two or more results or paths of JSON reports; a list of them; or a mapping of names to them.
    :raises InputError: if there are fewer than two, or one cannot be read.
    """
    named = _named(results)
    if len(named) < 2:
        raise InputError(f"compare: found {len(named)}, expected two results or more")
    loaded = [one if isinstance(one, Result) else load(one) for _, one in named]
    return Comparison(_native.compare([name for name, _ in named], [one._native for one in loaded]))


def _named(results: Sequence[Report | Mapping[str, Report] | Sequence[Report]]) -> list[tuple[str, Report]]:
    """Results with their names: those of a mapping, paths, or numbers."""
    named: list[tuple[str, Report]] = []
    for one in results:
        if isinstance(one, Mapping):
            named.extend(one.items())
        elif isinstance(one, (Result, str, os.PathLike)):
            named.append((f"result {len(named) + 1}" if isinstance(one, Result) else os.fspath(one), one))
        elif isinstance(one, Sequence):
            named += _named(one)
        else:
            raise InputError(f"compare: found {type(one).__name__}, expected results or paths of JSON reports")
    return named
