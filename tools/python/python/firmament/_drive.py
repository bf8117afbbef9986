"""Drives that stay between runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _native
from ._boards import Board
from .errors import InputError, interrupted

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._host import DriveView, Talk
    from ._jobs import Jobs
    from ._result import Result
    from ._run import Watch


class Drive:
    """A drive in memory that keeps its state: each run goes on where the one before has left it.

    >>> import firmament as fm
    >>> drive = fm.precondition("small", "random")
    >>> job = fm.Job(rw="randwrite", bs="4k", size="4m")
    >>> worn = drive.copy()
    >>> first, second = worn.run(job), worn.run(job)
    >>> worn.runs, drive.runs
    (2, 0)
    """

    __slots__ = ("_native",)

    _native: "_native.Drive"

    def __init__(self, board: Board | str | os.PathLike[str] | None = None, state: str | None = None, *, seed: int = 1):
        """A new drive, as :func:`precondition` makes it.

        :param board: a :class:`Board`, or its name or path; ``None`` is the default board.
        :param state: what it holds: none, sequential, random, steady or steady-run; sequential if absent.
        :param seed: of its chips, and of what is random in its state.
        :raises Interrupted: at Ctrl-C, without a result.
        :raises InputError: for what cannot be used.
        """
        self._native = precondition(board, state, seed=seed)._native

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Drive":
        """The drive that a file keeps, as ``firmament run --save FILE`` and :meth:`save` write it.

        :param path: of the snapshot.
        :raises InputError: if it is no undamaged snapshot.
        """
        return of(_native.Drive.open(os.fspath(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Keeps the drive in a file, from which :meth:`load`, ``fm.run(from_snapshot=...)`` and the program go on.

        :param path: of the snapshot.
        :raises DriveError: if the drive is not at rest, because work of its own is under way.
        """
        from ._run import write_whole

        write_whole(path, self._native.snapshot())

    def copy(self) -> "Drive":
        """Another drive in the same state. What neither of them has written to since, they have in common."""
        return of(self._native.copied())

    def run(self, jobs: "Jobs", *, seed: int | None = None, **more: Any) -> "Result":
        """Runs jobs on the drive, which goes on from there.

        If the run fails, the drive is as it was. After Ctrl-C it is as the part that was done has left it.

        :param jobs: as for :func:`firmament.run`.
        :param seed: of every random choice of the jobs; the drive's own if absent.
        :param more: as for :func:`firmament.run`.
        """
        from ._run import run

        return run(self, jobs, seed=self.seed if seed is None else seed, **more)

    def host(self, program: "Callable[[DriveView], Talk]", *, seed: int | None = None, **more: Any) -> "Result":
        """Runs a program on the drive, which goes on from there.

        :param program: as for :func:`firmament.host`.
        :param seed: that the program's random numbers follow from; the drive's own if absent.
        :param more: as for :func:`firmament.host`.
        """
        from ._host import host

        return host(self, program, seed=self.seed if seed is None else seed, **more)

    @property
    def board(self) -> str:
        """Name of its board."""
        return self._native.board

    @property
    def seed(self) -> int:
        """Seed of its chips, and of what was random in its state."""
        return self._native.seed

    @property
    def state(self) -> str:
        """The state that it was brought into when it was new."""
        return self._native.precondition

    @property
    def runs(self) -> int:
        """How many runs it has seen since it is in memory."""
        return self._native.runs

    @property
    def now_ps(self) -> int:
        """Virtual time since it was made, in picoseconds."""
        return self._native.now_ps

    @property
    def capacity_bytes(self) -> int:
        """Bytes that the host sees."""
        return self._native.capacity_bytes

    def toml(self) -> str:
        """Its board as a board file that inherits nothing."""
        return self._native.toml

    def __copy__(self) -> "Drive":
        return self.copy()

    def __deepcopy__(self, memo: object) -> "Drive":
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (self._native.snapshot(),)

    def __repr__(self) -> str:
        return f"<Drive {self.board}, {self.state}, seed {self.seed}, after {self.runs} runs>"


def of(native: "_native.Drive") -> Drive:
    """A drive of the native part."""
    drive = Drive.__new__(Drive)
    drive._native = native
    return drive


def restored(snapshot: bytes) -> Drive:
    """The drive of a snapshot's bytes."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="firmament-") as folder:
        path = f"{folder}/drive.snap"
        with open(path, "wb") as file:
            file.write(snapshot)
        return Drive.load(path)


def precondition(
    board: Board | str | os.PathLike[str] | None = None,
    state: str | None = None,
    *,
    seed: int = 1,
    payload: str | None = None,
    progress: "bool | Watch | None" = None,
) -> Drive:
    """A new drive in a state, to run on again and again.

    The first run with the drive's seed gives what :func:`run` gives with ``precondition=state``, to the byte. If it is
    going to take more than ten seconds, a :class:`FirmamentWarning` says so once one has passed.

    :param board: a :class:`Board`, or its name or path; ``None`` is the default board.
    :param state: what it holds: none, sequential, random, steady or steady-run; sequential if absent.
    :param seed: of its chips, and of what is random in its state.
    :param payload: what stands for user data: stamp or full.
    :param progress: as that of :func:`run`.
    :raises Interrupted: at Ctrl-C, without a result: a drive that is not in its state yet is none to run on.
    :raises InputError: for what cannot be used.
    """
    from ._progress import LongPreparation, RunBar
    from ._run import Settings, native_of

    if isinstance(board, Drive):
        raise InputError("board: found a drive, expected a board: drive.copy() is a drive in the same state")
    settings = Settings.of(
        seed=seed,
        seeds=None,
        payload=payload,
        precondition=state,
        until=None,
        from_snapshot=None,
        save=None,
        logs=False,
        monitor=False,
        timeline=False,
        requests=False,
    )
    native = native_of(board)
    assert not isinstance(native, _native.Drive)
    with RunBar(None if callable(progress) else progress, is_off=callable(progress)) as bar:
        try:
            watch = LongPreparation(progress if callable(progress) else bar.show, stacklevel=4)
            return of(_native.precondition(native, settings, watch))
        except KeyboardInterrupt as error:
            raise interrupted(error, None) from None
