"""Sweeps: the same job on many drives, or many jobs on one, and a table of what came out."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from . import _native
from ._boards import Board
from ._jobs import Job, JobFile
from ._progress import new_bar
from ._table import Table, _library
from .errors import InputError, interrupted

if TYPE_CHECKING:
    import xarray

#: A value of a point.
Value = bool | int | float | str
#: A point: values by key.
Point = Mapping[str, Value]
#: Which points there are: lists of values by key, whose product is swept; points one by one; a function that gives them;
#: or a sweep's file.
Points = Mapping[str, Sequence[Value]] | Iterable[Point] | Callable[[], Iterable[Point]] | str | os.PathLike[str]
#: Called with the number of points that are done, and with how many of them have an error.
Watch = Callable[[int, int], object]


class SweepResult(Table):
    """The table of a sweep: a row a point, with the columns that ``firmament sweep`` writes."""

    __slots__ = ("name", "points", "failed", "seconds", "seconds_in_points", "keys_of_points")

    #: Name of the sweep.
    name: str
    #: Number of its points.
    points: int
    #: How many of them have an error in place of figures.
    failed: int
    #: Time from the first point to the last row, of those that ran now.
    seconds: float
    #: Time in those points, over all that ran them.
    seconds_in_points: float
    #: What points say: keys of boards, and options of jobs.
    keys_of_points: list[str]

    def __init__(self, journal: "_native.Journal", sweep: "_native.Sweep", seconds: tuple[float, float]):
        super().__init__(journal.table())
        self.name = sweep.name
        self.points = sweep.points
        self.failed = journal.failed
        self.seconds = seconds[0]
        self.seconds_in_points = seconds[1]
        self.keys_of_points = list(sweep.keys)

    def __reduce__(self) -> tuple[Any, ...]:
        kept = {name: getattr(self, name) for name in SweepResult.__slots__}
        return _restored, (self._native.stored(), kept)

    def to_xarray(self) -> "xarray.Dataset":
        """As a dataset of xarray: keys of points are its axes, with seeds behind them if there are several, and figures are
        variables. Points that were not swept, or have failed, are NaN.

        Seeds are an axis, so that ``table.to_xarray().mean("seed")`` is the mean over them.

        :raises InputError: if there is no xarray, or two points have the same values.
        """
        library, numpy = _library("xarray"), _library("numpy")
        columns = {name: column.tolist() for name, column in self.items()}
        axes = [key for key in self.keys_of_points]
        if len(set(columns["seed"])) > 1:
            axes.append("seed")
        labels = {axis: sorted(set(columns[axis]), key=_order) for axis in axes}
        place = {axis: {label: nth for nth, label in enumerate(labels[axis])} for axis in axes}
        where = [tuple(place[axis][label] for axis, label in zip(axes, row)) for row in zip(*(columns[axis] for axis in axes))]
        if len(set(where)) != len(where):
            raise InputError("sweep: found two points with the same values, expected axes that tell all points apart")
        variables = {}
        for name, values in columns.items():
            if name in ("point", "seed", "error", "board_sha256", *axes):
                continue
            cube = numpy.full([len(labels[axis]) for axis in axes], numpy.nan)
            for at, value in zip(where, values):
                cube[at] = numpy.nan if value is None else value
            variables[name] = (axes, cube)
        return cast("xarray.Dataset", library.Dataset(variables, coords=labels))


def sweep(
    points: Points,
    *,
    board: Board | str | os.PathLike[str] | None = None,
    job: Job | JobFile | None = None,
    set: Mapping[str, Value] | None = None,
    seeds: int | Sequence[int] | None = None,
    precondition: str | None = None,
    from_snapshot: str | os.PathLike[str] | None = None,
    name: str = "sweep",
    out: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    engine: Literal["local", "ray"] = "local",
    progress: bool | Watch | None = None,
) -> SweepResult:
    """Runs the same job on many drives, or many jobs, by the engine of ``firmament sweep``.

    Keys of points are a board's (``"geometry.ways"``), ``"board"``, ``"precondition"``, or options of the job. What a row
    holds depends on its point alone: not on how many workers there are, nor where they are, nor on how often the sweep was
    ended and begun again.

    :param points: lists of values by key; a list of points; a function that returns or yields them; or the path of a
        sweep's file, which says the rest, too.
    :param board: of points that name none.
    :param job: what is run: fio's options, or a job file in which ``${NAME}`` stands for a key of the points.
    :param set: values of the board that all points have.
    :param seeds: a number of seeds, from 1 on, or a list of them; each point runs with each.
    :param precondition: state of new drives.
    :param from_snapshot: the drive of all points, in the place of a board.
    :param name: names the sweep in errors.
    :param out: keeps rows and tables in this folder, where the same call goes on after it was ended. Nothing is kept if it
        is absent.
    :param workers: points that run side by side; as many as there are cores if absent.
    :param engine: ``"local"``, on this computer's cores; or ``"ray"``, on a Ray cluster, which is joined as
        ``ray.init()`` joins it unless it was joined already.
    :param progress: as that of :func:`run`.
    :raises Interrupted: at Ctrl-C; its ``result`` is the table of the points that are done.
    :raises InputError: for what cannot be used as a whole. What cannot be used at one point is in the column ``error``.
    """
    settings = (board, job, set, seeds, precondition, from_snapshot)
    if isinstance(points, (str, os.PathLike)):
        if any(setting is not None for setting in settings):
            raise InputError("sweep: found settings beside a sweep's file, expected them in the file")
        native = _native.Sweep.read(os.fspath(points))
    else:
        text = _native.toml_of(json.dumps(described(points, *settings)))
        native = _native.Sweep.parse(name, text, {})
    with _folder(out) as folder:
        journal = _native.Journal(folder, native)
        try:
            with _watched(native.points, progress) as watch:
                if engine == "local":
                    seconds = journal.run(workers, watch)
                elif engine == "ray":
                    from . import _ray

                    seconds = _ray.run(native, journal, workers, watch)
                else:
                    raise InputError(f"engine: found {engine!r}, expected 'local' or 'ray'")
        except KeyboardInterrupt as error:
            raise interrupted(error, SweepResult(journal, native, (float("nan"), float("nan")))) from None
        if out is not None:
            journal.write()
        return SweepResult(journal, native, seconds)


def _restored(stored: bytes, kept: dict[str, Any]) -> SweepResult:
    """The table of a sweep that was pickled."""
    native = _native.Table.restored(stored)
    result = SweepResult.__new__(SweepResult)
    Table.__init__(result, native)
    for name, value in kept.items():
        setattr(result, name, value)
    return result


def _order(label: object) -> tuple[int, Any]:
    """Numbers come before texts, and each in order."""
    if isinstance(label, (int, float)):
        return (0, label)
    return (1, str(label))


def described(
    points: Mapping[str, Sequence[Value]] | Iterable[Point] | Callable[[], Iterable[Point]],
    board: Board | str | os.PathLike[str] | None,
    job: Job | JobFile | None,
    set: Mapping[str, Value] | None,
    seeds: int | Sequence[int] | None,
    precondition: str | None,
    from_snapshot: str | os.PathLike[str] | None,
) -> dict[str, Any]:
    """What a sweep's file would say, without what is not said."""
    changes: dict[str, Value] = dict(set or {})
    if isinstance(board, Board):
        changes = {**dict(board._native.overrides), **changes}
        board = board._native.given
    said: dict[str, Any] = {
        "board": None if board is None else os.fspath(board),
        "precondition": precondition,
        "from": None if from_snapshot is None else os.fspath(from_snapshot),
        "seeds": seeds if seeds is None or isinstance(seeds, int) else list(seeds),
        "set": changes or None,
    }
    if isinstance(job, JobFile):
        said["job"] = job.path
    elif isinstance(job, Job):
        said["options"] = dict(job.options)
    elif job is not None:
        raise InputError(f"job: found {type(job).__name__}, expected a Job or a JobFile")
    if callable(points):
        points = points()
    if isinstance(points, Mapping):
        said["grid"] = {key: list(values) if _is_list(values) else values for key, values in points.items()}
    else:
        said["points"] = [dict(point) for point in points]
    return {key: value for key, value in said.items() if value is not None}


def _is_list(values: object) -> bool:
    return isinstance(values, Iterable) and not isinstance(values, (str, bytes))


@contextlib.contextmanager
def _folder(out: str | os.PathLike[str] | None) -> Iterator[str]:
    if out is None:
        with tempfile.TemporaryDirectory(prefix="firmament-") as folder:
            yield folder
        return
    try:
        os.makedirs(out, exist_ok=True)
    except OSError as error:
        raise InputError(f"{os.fspath(out)}: found {error.strerror}, expected a folder to write to") from error
    yield os.fspath(out)


@contextlib.contextmanager
def _watched(points: int, progress: bool | Watch | None) -> Iterator[Watch]:
    if callable(progress):
        yield progress
        return
    bar = new_bar(points, " points", progress)

    def show(done: int, failed: int) -> None:
        if bar is not None:
            if failed:
                bar.set_postfix_str(f"{failed} have failed", refresh=False)
            bar.update(done - bar.n)

    try:
        yield show
    finally:
        if bar is not None:
            bar.close()
