"""Runs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import _native
from ._boards import Board
from ._drive import Drive
from ._jobs import Jobs, load
from ._policy import Policy, Told, told_of
from ._progress import LongPreparation, RunBar
from ._result import Result
from .errors import DriveError, FirmamentWarning, InputError, interrupted

#: Called with what is done, the share of it that is done, picoseconds of virtual time, and requests a second.
Watch = Callable[[str, float, int, float], object]
#: What a run is done on: a board, of which it gets a new drive, or a drive that stays.
On = Board | Drive | str | os.PathLike[str] | None


@dataclass(frozen=True)
class Settings:
    """What the native part is told of a run."""

    seed: int
    seeds: int | None
    payload: str | None
    precondition: str | None
    until: str | None
    from_snapshot: str | None
    keep: bool
    logs: bool
    monitor: str | None
    timeline: str | None
    requests: bool
    policy: Told | None

    @classmethod
    def of(
        cls,
        *,
        from_snapshot: str | os.PathLike[str] | None,
        save: str | os.PathLike[str] | None,
        monitor: bool | str,
        timeline: bool | str,
        policy: Policy | None = None,
        **plain: Any,
    ) -> "Settings":
        """Settings as the arguments of :func:`run` say them. Those that are ``plain`` are taken as they are."""
        return cls(
            from_snapshot=None if from_snapshot is None else os.fspath(from_snapshot),
            keep=save is not None,
            monitor=told(monitor, "1ms"),
            timeline=told(timeline, "0..2ms"),
            policy=told_of(policy),
            **plain,
        )


def run(
    board: On,
    jobs: Jobs,
    *,
    seed: int = 1,
    seeds: int | None = None,
    precondition: str | None = None,
    payload: str | None = None,
    until: str | None = None,
    from_snapshot: str | os.PathLike[str] | None = None,
    save: str | os.PathLike[str] | None = None,
    requests: bool = False,
    monitor: bool | str = False,
    timeline: bool | str = False,
    logs: bool = True,
    policy: Policy | None = None,
    progress: bool | Watch | None = None,
) -> Result:
    """Runs jobs on a drive, and returns what was measured.

    Board, jobs and seed decide every figure: the report is that of ``firmament run`` with the same input, to the byte.
    Other threads go on meanwhile. Ctrl-C ends the run with an :class:`Interrupted`, whose ``result`` is what was done. If
    preconditioning is going to take more than ten seconds, a :class:`FirmamentWarning` says so once one has passed.

    :param board: a :class:`Board`, or its name or path; ``None`` is the default board, or the one of a snapshot. Or a
        :class:`Drive`, which the run goes on with.
    :param jobs: a :class:`Job`, a list of them that run side by side, or a job file.
    :param seed: of every random choice.
    :param seeds: runs with so many seeds, from that one on, and tells means over them: :attr:`Result.over_seeds`.
    :param precondition: what a new drive holds: none, sequential, random, steady or steady-run.
    :param payload: what stands for user data: stamp or full.
    :param until: ends the jobs once their figures are known, such as ``"converged:error=2%"``.
    :param from_snapshot: begins with the drive that this file keeps.
    :param save: keeps the drive, as the run leaves it, in this file.
    :param requests: keeps every measured request, for :attr:`Result.requests`.
    :param monitor: reads the operation monitor, each millisecond of virtual time or as often as ``"250us"`` says.
    :param timeline: records what buses and chips do, in the first 2 ms or in a window such as ``"1ms..1.5ms"``. Or around what
        is only known once the run is over, for which it is done twice: ``"slowest"``, a percentile such as ``"p99.9"``,
        ``"collection"``, or a time such as ``"1.5ms"``.
    :param logs: whether logs that the jobs ask for, as with ``write_lat_log``, are written.
    :param policy: has functions in Python decide in place of the board's policies. It is slow.
    :param progress: shows a bar, or does not; in a terminal and in a notebook if nothing is said. A function is
        called in place of it.
    :raises InputError: for what cannot be used, before anything runs.
    :raises DriveError: if the drive fails, or a job ends with an error; the exception has the result then.
    """
    settings = Settings.of(
        seed=seed,
        seeds=seeds,
        payload=payload,
        precondition=precondition,
        until=until,
        from_snapshot=from_snapshot,
        save=save,
        logs=logs,
        monitor=monitor,
        timeline=timeline,
        requests=requests,
        policy=policy,
    )
    return do(board, lambda native, watch: _native.run((native, load(jobs)), settings, watch), save, progress)


def native_of(board: On) -> "_native.Board | _native.Drive | None":
    """What the native part calls a drive."""
    if board is None:
        return None
    if isinstance(board, Drive):
        return board._native
    return (board if isinstance(board, Board) else Board(board))._native


def do(
    board: On,
    begin: Callable[["_native.Board | _native.Drive | None", Watch], "_native.Outcome"],
    save: str | os.PathLike[str] | None,
    progress: bool | Watch | None,
) -> Result:
    """Does a run that ``begin`` begins with a native drive and something to tell progress to."""
    native = native_of(board)
    with RunBar(None if callable(progress) else progress, is_off=callable(progress)) as bar:
        try:
            # The warning is of the line that calls the package: from the watch it is six calls up.
            watch = LongPreparation(progress if callable(progress) else bar.show, stacklevel=6)
            outcome = begin(native, watch)
        except DriveError as error:
            error.result = _done(error)
            raise
        except KeyboardInterrupt as error:
            raise interrupted(error, _done(error)) from None
    result = Result(outcome)
    for line in result.warnings:
        warnings.warn(line, FirmamentWarning, stacklevel=3)
    if save is not None:
        snapshot = outcome.snapshot()
        if snapshot is not None:
            write_whole(save, snapshot)
    return result


def _done(error: BaseException) -> Result | None:
    """What was done of a run until the native part raised an error."""
    outcome = getattr(error, "outcome", None)
    return None if outcome is None else Result(outcome)


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a file that takes its place when all of it is there."""
    path = os.fspath(path)
    beside = f"{path}.new"
    try:
        with open(beside, "wb") as file:
            file.write(content)
        os.replace(beside, path)
    except OSError as error:
        raise InputError(f"{path}: found {error.strerror}, expected a path that can be written") from error


def told(asked: bool | str, usual: str) -> str | None:
    """What is asked for by a text, or as usual by ``True``."""
    if isinstance(asked, bool):
        return usual if asked else None
    return asked
