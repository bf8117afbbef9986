"""Programs: loads that see what becomes of their requests."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import _native
from ._policy import Policy, name_of, text_of
from ._result import Result
from ._run import On, Settings, Watch, do
from .errors import InputError


@dataclass(frozen=True, slots=True)
class Request:
    """A request to the drive, as :func:`read`, :func:`write`, :func:`trim` and :func:`flush` make it."""

    #: ``"read"``, ``"write"``, ``"trim"`` or ``"flush"``.
    kind: str
    #: First byte, 0 for a flush.
    offset: int = 0
    #: Bytes, 0 for a flush.
    size: int = 0
    #: Whatever is to come back with the completion.
    tag: Any = None


@dataclass(frozen=True, slots=True)
class Wait:
    """What :func:`wait` gives."""

    #: When the program goes on at the latest, in nanoseconds of virtual time from the start of the run.
    until: int


class Completion(NamedTuple):
    """What became of a request. Times are nanoseconds of virtual time from the start of the run, rounded down."""

    #: What the request was given as its tag.
    tag: Any
    #: ``"read"``, ``"write"``, ``"trim"`` or ``"flush"``.
    kind: str
    #: First byte of the request.
    offset: int
    #: Bytes of the request.
    size: int
    #: When the doorbell was rung.
    submitted_ns: int
    #: When the host saw that it had completed.
    completed_ns: int
    #: From one to the other, which is the ``clat`` of results.
    latency_ns: int
    #: ``"success"``, or what NVMe calls the failure.
    status: str

    @property
    def ok(self) -> bool:
        """Whether it succeeded."""
        return self.status == "success"


class DriveView:
    """What a program knows of its drive."""

    __slots__ = ("block_bytes", "capacity_bytes", "iodepth", "max_bytes", "now_ns", "random", "seed")

    #: Bytes that it holds.
    capacity_bytes: int
    #: Offsets and sizes are multiples of this.
    block_bytes: int
    #: Most bytes of a read or a write.
    max_bytes: int
    #: Requests under way at the most.
    iodepth: int
    #: Seed of the run.
    seed: int
    #: Random numbers that are the same in each run with this seed.
    random: random.Random
    #: Virtual time from the start of the run, in nanoseconds, rounded down.
    now_ns: int

    def __init__(self, capacity_bytes: int, block_bytes: int, max_bytes: int, iodepth: int, seed: int):
        self.capacity_bytes = capacity_bytes
        self.block_bytes = block_bytes
        self.max_bytes = max_bytes
        self.iodepth = iodepth
        self.seed = seed
        self.random = random.Random(seed)
        self.now_ns = 0


#: What a program yields, and what it is sent.
Talk = Generator[Sequence[Request | Wait], list[Completion], object]


@dataclass(frozen=True)
class Load:
    """What the native part is told of a program."""

    name: str
    text: str
    function: Callable[[DriveView], Talk]
    iodepth: int
    max_bytes: int


def read(offset: int, size: int, tag: Any = None) -> Request:
    """A read.

    :param offset: first byte, a multiple of the drive's ``block_bytes``.
    :param size: bytes, whole blocks.
    :param tag: comes back with the completion.
    """
    return Request("read", offset, size, tag)


def write(offset: int, size: int, tag: Any = None) -> Request:
    """A write. Which bytes it writes is not the program's to say: whatever is read is checked against them.

    :param offset: first byte, a multiple of the drive's ``block_bytes``.
    :param size: bytes, whole blocks.
    :param tag: comes back with the completion.
    """
    return Request("write", offset, size, tag)


def trim(offset: int, size: int, tag: Any = None) -> Request:
    """Tells the drive that these bytes are needed no more.

    :param offset: first byte, a multiple of the drive's ``block_bytes``.
    :param size: bytes, whole blocks.
    :param tag: comes back with the completion.
    """
    return Request("trim", offset, size, tag)


def flush(tag: Any = None) -> Request:
    """Makes durable what has been written. It holds nothing back: what is under way beside it may not be.

    :param tag: comes back with the completion.
    """
    return Request("flush", 0, 0, tag)


def wait(*, until: int) -> Wait:
    """Lets the program go on at a time, if nothing has completed before.

    :param until: the time, in nanoseconds of virtual time from the start of the run.
    """
    return Wait(until)


def host(
    board: On,
    program: Callable[[DriveView], Talk],
    *,
    iodepth: int = 32,
    max_bytes: int = 128 * 1024,
    seed: int = 1,
    precondition: str | None = None,
    payload: str | None = None,
    until: str | None = None,
    from_snapshot: str | os.PathLike[str] | None = None,
    save: str | os.PathLike[str] | None = None,
    requests: bool = False,
    monitor: bool | str = False,
    timeline: bool | str = False,
    policy: Policy | None = None,
    progress: bool | Watch | None = None,
) -> Result:
    """Runs a program on a drive: a generator that yields requests and is sent their completions.

    >>> import firmament as fm
    >>> def chain(drive):
    ...     for nth in range(100):
    ...         [done] = yield [fm.read(nth * 4096, 4096)]
    >>> fm.host("small", chain).read.requests
    100

    :param board: a :class:`Board`, or its name or path; ``None`` is the default board, or the one of a snapshot. Or a
        :class:`Drive`, which the program goes on with.
    :param program: a function that is given a :class:`DriveView`, and yields lists of requests. Each yield gives the list
        of requests that have completed since the last one, at least one. What does not fit in ``iodepth`` is issued as
        soon as it does. A list may have a :func:`wait` in it; then the yield ends at that time at the latest, with an
        empty list if nothing has completed. The program ends when it returns, or yields an empty list with nothing
        under way. What it raises ends the run and is raised here.
    :param iodepth: requests under way at the most.
    :param max_bytes: most bytes of a read or a write.

    All else is as for :func:`run`. A request that fails is told by its ``status``, and the program goes on; one that
    fails after the program has ended is a :class:`DriveError`.

    :raises InputError: for what cannot be used. A request that cannot be issued raises it at its yield.
    """
    if not callable(program):
        raise InputError(f"program: found {type(program).__name__}, expected a function that yields requests")
    settings = Settings.of(
        seed=seed,
        seeds=None,
        payload=payload,
        precondition=precondition,
        until=until,
        from_snapshot=from_snapshot,
        save=save,
        logs=False,
        monitor=monitor,
        timeline=timeline,
        requests=requests,
        policy=policy,
    )
    load = Load(name_of(program), text_of(program), program, iodepth, max_bytes)
    return do(board, lambda native, watch: _native.run_program((native, load), settings, watch), save, progress)
