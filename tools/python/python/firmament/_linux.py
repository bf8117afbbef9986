"""Linux in the drive's virtual time."""

from __future__ import annotations

import functools
import os
import tempfile
from dataclasses import dataclass
from typing import Any

from . import _native, _table
from ._boards import Board
from ._result import Result
from ._run import told, write_whole
from ._table import Table
from .errors import DriveError, InputError, interrupted

#: Where Linux is, as ``make linux-vt`` builds it in a clone.
WORLD = "target/linux-vt"


@dataclass(frozen=True)
class Settings:
    """What the native part is told of a run of Linux."""

    name: str
    script: str
    world: str
    console: str
    share: str | None
    root: str | None
    seed: int
    precondition: str | None
    from_snapshot: str | None
    keep: bool
    monitor: str | None
    cpu: str | None
    memory: int
    patience: int


class LinuxResult:
    """What Linux and the drive below it did, once for each seed."""

    def __init__(self, results: tuple[Result, ...], consoles: tuple[str, ...]):
        """Results in the order of seeds.

        :param results: the drive's reports.
        :param consoles: what each Linux printed.
        """
        #: The drive's reports, one for each seed.
        self.results = results
        #: What Linux printed, for each seed.
        self.consoles = consoles

    @property
    def result(self) -> Result:
        """The drive's report of the first seed."""
        return self.results[0]

    @property
    def console(self) -> str:
        """What Linux printed with the first seed."""
        return self.consoles[0]

    @functools.cached_property
    def calls(self) -> Table:
        """The side of programs: what system calls waited for, a row for each seed, program, call and file.

        Columns: seed, process, call, file; calls, and commands that they waited for; mean_us and p99_us of what the program saw;
        total_us of all calls, linux_us of it that no command covers, and the rest by the drive's cause, such as wait_die_us.
        """
        rows = [_called(result.seed, row) for result in self.results for row in _calls(result)]
        names = dict.fromkeys(name for row in rows for name in row)
        # Where a cause does not come up, it took no time.
        return _table.made({name: [row.get(name, 0.0) for row in rows] for name in names})

    @functools.cached_property
    def drive(self) -> Table:
        """The side of the drive: seed, direction, requests, bytes, mean_us and p99_us, a row for each seed and direction."""
        return _table.of_rows([row for result in self.results for row in _requests(result)])

    def __repr__(self) -> str:
        seeds = ", ".join(str(result.seed) for result in self.results)
        return f"<Linux on {self.result.board}, seed {seeds}: {len(self.calls)} rows of calls>"


def linux(
    board: Board | str | os.PathLike[str] | None = None,
    *,
    script: str | os.PathLike[str] | None = None,
    command: str | None = None,
    share: str | os.PathLike[str] | None = None,
    root: str | os.PathLike[str] | None = None,
    seed: int = 1,
    seeds: int = 1,
    precondition: str | None = None,
    from_snapshot: str | os.PathLike[str] | None = None,
    save: str | os.PathLike[str] | None = None,
    monitor: bool | str = False,
    cpu: str | None = None,
    memory: int = 768,
    patience: int = 60,
    world: str | os.PathLike[str] = WORLD,
) -> LinuxResult:
    """Boots Linux on a drive in the drive's virtual time, and runs a script there, as ``firmament linux`` does.

    Board, script and seed decide all that comes out. Other threads go on meanwhile. Ctrl-C ends it with an
    :class:`Interrupted`, whose ``result`` has the seeds that are done.

    :param board: a :class:`Board`, or its name or path; ``None`` is the default board, or the one of a snapshot.
    :param script: path of a shell script.
    :param command: shell script as a text, in place of ``script``.
    :param share: a folder that Linux sees as ``/share``.
    :param root: a folder with a root file system, whose programs the script sees in place of those of ``world``.
    :param seed: of every random choice, of the drive's and of Linux's.
    :param seeds: boots with so many seeds, from that one on, each on a drive of its own.
    :param precondition: what a new drive holds: none, sequential, random, steady or steady-run.
    :param from_snapshot: begins with the drive that this file keeps, whose data have to be bytes.
    :param save: keeps the drive, as Linux leaves it, in this file; with one seed.
    :param monitor: as that of :func:`run`.
    :param cpu: time of Linux's processor, as ``--cpu`` takes it: ``"none"``, or nanoseconds such as ``"900,1200,800,300"``;
        ``None`` for what the board states.
    :param memory: Linux's memory in MiB.
    :param patience: seconds of wall time for which Linux may run without looking at its clock.
    :param world: the folder in which ``make linux-vt`` has built Linux.
    :raises Interrupted: at Ctrl-C; its ``result`` is ``None`` if no seed is done.
    :raises InputError: for what cannot be used.
    :raises DriveError: if Linux cannot go on, or its script ends with another exit code than 0; the exception has the drive's
        report as its ``result`` then.
    """
    if (script is None) == (command is None):
        found = "neither" if script is None else "both"
        raise InputError(f"script: found {found} of script and command, expected one of both")
    if seeds < 1:
        raise InputError(f"seeds: found {seeds}, expected a whole number from 1")
    if save is not None and seeds > 1:
        raise InputError(f"save: found it beside {seeds} seeds, expected one seed, which leaves one drive")
    if not hasattr(_native, "linux"):
        raise InputError("linux: found another system, expected Linux: Linux in user mode runs there only")
    name, text = ("command", f"{command}\n") if script is None else (os.fspath(script), _read(script))
    native = None if board is None else (board if isinstance(board, Board) else Board(board))._native

    def once(seed: int) -> tuple[Result, str]:
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings(
                name=name,
                script=text,
                world=os.fspath(world),
                console=os.path.join(folder, "console"),
                share=None if share is None else os.fspath(share),
                root=None if root is None else os.fspath(root),
                seed=seed,
                precondition=precondition,
                from_snapshot=None if from_snapshot is None else os.fspath(from_snapshot),
                keep=save is not None,
                monitor=told(monitor, "1ms"),
                cpu=cpu,
                memory=memory,
                patience=patience,
            )
            outcome, status = _native.linux(native, settings)
            with open(settings.console, encoding="utf-8", errors="replace") as file:
                console = file.read()
        result = Result(outcome)
        snapshot = outcome.snapshot()
        if save is not None and snapshot is not None:
            write_whole(save, snapshot)
        if status != 0:
            found = "no status" if status is None else f"exit code {status}"
            last = (console.strip().splitlines() or ["nothing"])[-1]
            error = DriveError(f"linux: {name}: found {found}, expected 0; it printed {last!r} last")
            error.result = result
            raise error
        return result, console

    runs: list[tuple[Result, str]] = []
    try:
        for nth in range(seeds):
            runs.append(once(seed + nth))
    except KeyboardInterrupt as error:
        raise interrupted(error, _of_seeds(runs) if runs else None) from None
    return _of_seeds(runs)


def _of_seeds(runs: list[tuple[Result, str]]) -> LinuxResult:
    """What was done with each seed, as one result."""
    return LinuxResult(tuple(result for result, _ in runs), tuple(console for _, console in runs))


def _read(script: str | os.PathLike[str]) -> str:
    path = os.fspath(script)
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "bytes that are no text"
        raise InputError(f"{path}: found {reason}, expected a shell script") from error


def _calls(result: Result) -> list[dict[str, Any]]:
    """Rows of system calls of a report."""
    waits = result.drive.get("waits")
    return list(waits["calls"]) if waits else []


def _called(seed: int, row: dict[str, Any]) -> dict[str, Any]:
    """A row of a report as one of plain values."""
    waited, seen = row["all"], row["latency_ns"]
    plain: dict[str, Any] = {"seed": seed, **{key: row[key] for key in ("process", "call", "file")}}
    plain |= {"calls": waited["calls"], "commands": waited["commands"]}
    plain |= {"mean_us": seen["mean"] / 1e3, "p99_us": seen["percentile"]["99.000000"] / 1e3}
    plain |= {"total_us": waited["total_ns"] / 1e3, "linux_us": waited["linux_ns"] / 1e3}
    return plain | {f"{cause}_us": value / 1e3 for cause, value in waited["causes_ns"].items()}


def _requests(result: Result) -> list[dict[str, Any]]:
    """What the drive was asked for, by direction."""
    (job,) = result.jobs
    return [
        {
            "seed": result.seed,
            "direction": way,
            "requests": one.requests,
            "bytes": one.bytes,
            "mean_us": one.clat.mean_ns / 1e3,
            "p99_us": one.clat.percentile_ns(99) / 1e3,
        }
        for way in ("read", "write", "trim")
        if (one := getattr(job, way))
    ]
