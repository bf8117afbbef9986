"""Policies of the firmware as functions in Python, for teaching."""

from __future__ import annotations

import inspect
import random
import reprlib
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .errors import InputError


#: What a function has returned, in a line.
SHORT = reprlib.Repr()
SHORT.maxother = SHORT.maxstring = 100


class BlockView(NamedTuple):
    """A block that collection may choose, as the policies of the firmware see it: a superblock where a way has several planes."""

    #: Its number in its way.
    number: int
    #: Mapping units of it that hold data, which would have to be moved.
    valid: int
    #: Mapping units of it that are free once it is erased, at least one.
    invalid: int
    #: How long it did not change: mapping units of its way that became invalid since.
    age: int
    #: How often it was erased; of a superblock, its most worn block.
    erases: int


class WayView:
    """What a function that chooses a victim knows of the way that is short of pages. It stays the same object in a run."""

    __slots__ = ("blocks", "kept", "number", "random", "units")

    #: Number of the way in the drive, from 0.
    number: int
    #: Mapping units of a block.
    units: int
    #: The blocks that can be chosen, at least one: those with the most invalid units first, and of equals those that did
    #: not change for the longest time.
    blocks: Sequence[BlockView]
    #: Random numbers of this way that are the same in each run with this seed.
    random: random.Random
    #: Whatever the function keeps between its calls for this way, empty when a run begins.
    kept: dict[Any, Any]

    def __init__(self, number: int, units: int, seed: int):
        self.number = number
        self.units = units
        self.blocks = ()
        self.random = random.Random(f"{seed} {number}")
        self.kept = {}


#: Chooses one of the blocks of a way.
Victim = Callable[[WayView], BlockView]


@dataclass(frozen=True)
class Policy:
    """Decisions of the firmware that functions in Python take, for teaching and for a first try: it is slow.

    >>> import firmament as fm
    >>> def greedy(way):
    ...     return max(way.blocks, key=lambda block: block.invalid)
    >>> job = fm.Job(rw="randwrite", bs="16k", iodepth=4, io_size="16m")
    >>> ours = fm.run("small", job, policy=fm.Policy(victim=greedy))
    >>> ours.write_amplification == fm.run("small", job).write_amplification
    True

    The function is asked once for each collection, in the way that is short of pages, and answers with one of ``way.blocks``.
    The same board, jobs, seed and function give the same bytes, if the function keeps what it counts in ``way.kept`` and draws
    from ``way.random``. Blocks that are collected because their bits go wrong or for the sake of wear are not asked for.
    """

    #: Chooses what is collected next: one of ``blocks`` of the :class:`WayView` that it is given.
    victim: Victim

    def __post_init__(self) -> None:
        if not callable(self.victim):
            expected = "a function that is given a way and returns one of its blocks"
            raise InputError(f"policy: victim: found {type(self.victim).__name__}, expected {expected}")


class Asker:
    """Asks the function of a policy in one run."""

    def __init__(self, victim: Victim, seed: int):
        self.victim = victim
        self.seed = seed
        self.ways: dict[int, WayView] = {}

    def __call__(self, number: int, units: int, rows: list[tuple[int, int, int, int, int]]) -> int:
        way = self.ways.get(number)
        if way is None:
            way = self.ways[number] = WayView(number, units, self.seed)
        blocks = way.blocks = tuple(map(BlockView._make, rows))
        try:
            chosen = self.victim(way)
        except Exception as error:
            error.add_note(f"in {name_of(self.victim)}, which chooses the victim in way {number}")
            raise
        if not isinstance(chosen, BlockView) or chosen not in blocks:
            found = f"{SHORT.repr(chosen)} of {name_of(self.victim)} in way {number}"
            raise InputError(f"policy: victim: found {found}, expected one of the {len(blocks)} blocks in way.blocks")
        return chosen.number


@dataclass(frozen=True)
class Told:
    """What the native part is told of a policy."""

    name: str
    text: str
    begin: Callable[[int], Asker]


def told_of(policy: Policy | None) -> Told | None:
    """What the native part is told of the argument ``policy``."""
    if policy is None:
        return None
    if not isinstance(policy, Policy):
        raise InputError(f"policy: found {type(policy).__name__}, expected such as fm.Policy(victim=function)")
    victim = policy.victim
    return Told(name_of(victim), text_of(victim), lambda seed: Asker(victim, seed))


def name_of(function: object) -> str:
    """The name of a function, or what stands for one."""
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__


def text_of(function: Callable[..., object]) -> str:
    """The text of a function, empty if Python does not know it."""
    try:
        return textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return ""
