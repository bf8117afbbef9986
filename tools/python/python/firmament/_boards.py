"""Boards: drives, described by keys and values."""

from __future__ import annotations

import os
import tomllib
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from . import _native
from .errors import FirmamentWarning, InputError

#: What a key of a board may be set to.
Value = bool | int | float | str | list[Any] | tuple[Any, ...]


class Ceiling(NamedTuple):
    """The most that one part of a board permits."""

    #: What is limited, such as ``"sequential read"``.
    of: str
    #: Unit of the amount.
    unit: str
    #: The part that sets the limit.
    part: str
    #: The limit.
    amount: float


class Board(Mapping[str, object]):
    """A drive: a built-in board by its name, or a board file by its path, with values replaced.

    A board is a mapping of keys to values, and does not change: :meth:`set` gives another. A notebook, or a shell of IPython,
    completes names of boards and keys between quotes.

    >>> import firmament as fm
    >>> board = fm.Board("cosmos-plus").set("geometry.ways", 4)
    >>> board["geometry.ways"], fm.Board("cosmos-plus")["geometry.ways"]
    (4, 8)
    """

    __slots__ = ("_native", "_values")

    def __init__(self, name: str | os.PathLike[str] = "cosmos-plus", set: Mapping[str, Value] | None = None):
        """The board of this name or path, with the values of ``set`` laid over it.

        :param name: of a built-in board, or the path of a board file.
        :param set: values by key, in the place of those that the board has.
        :raises InputError: if there is none, or a value in it cannot be used.
        """
        changes = [(key, written(value)) for key, value in (set or {}).items()]
        self._make(os.fspath(name), changes)

    def _make(self, name: str, changes: list[tuple[str, str]]) -> None:
        self._native = _native.Board(name, changes)
        self._values: dict[str, str] | None = None
        unused = self._native.unused()
        if unused and changes:
            warnings.warn(unused, FirmamentWarning, stacklevel=3)

    def set(self, key: str | Mapping[str, Value], value: Value | None = None) -> "Board":
        """Another board with a value replaced, or with all values of a mapping.

        :param key: the name of the value, such as ``"geometry.ways"``; or a mapping of names to values.
        :param value: the new value, where ``key`` is a name.
        :raises InputError: if there is no such key, or the value does not suit the board.
        """
        pairs: Mapping[str, Value | None] = key if isinstance(key, Mapping) else {key: value}
        changes = list(self._native.overrides)
        for name, new in pairs.items():
            if new is None:
                raise InputError(f"{name}: found None, expected a value")
            changes.append((name, written(new)))
        board = Board.__new__(Board)
        board._make(self._native.given, changes)
        return board

    @property
    def name(self) -> str:
        """Its name: that of the built-in board, or the stem of its file."""
        return self._native.name

    @property
    def description(self) -> str:
        """A line about it."""
        return self._native.description

    @property
    def sha256(self) -> str:
        """Checksum of all its values; equal for boards that are the same drive."""
        return self._native.sha256

    @property
    def capacity_bytes(self) -> int:
        """Bytes that the host sees."""
        return self._native.capacity_bytes

    @property
    def block_bytes(self) -> int:
        """Bytes of a logical block."""
        return self._native.block_bytes

    def toml(self) -> str:
        """The board as a board file that inherits nothing, each number with its source."""
        return self._native.toml()

    def ceilings(self) -> list[Ceiling]:
        """What its parts permit at the most, worked out from its values."""
        return [Ceiling(*row) for row in self._native.ceilings()]

    def _written(self) -> dict[str, str]:
        if self._values is None:
            self._values = dict(self._native.values())
        return self._values

    def __getitem__(self, key: str) -> object:
        return tomllib.loads(f"value = {self._written()[key]}")["value"]

    def __iter__(self) -> Iterator[str]:
        return iter(self._written())

    def __len__(self) -> int:
        return len(self._written())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and self.sha256 == other.sha256

    def __hash__(self) -> int:
        return hash(self.sha256)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._native.given, self._native.overrides)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        changes = "".join(f".set({key!r}, {value!r})" for key, value in self._native.overrides)
        return f"Board({self._native.given!r}){changes}"


def _again(name: str, changes: list[tuple[str, str]]) -> Board:
    board = Board.__new__(Board)
    board._make(name, changes)
    return board


def boards() -> dict[str, str]:
    """The built-in boards, the default first, each with a line about it.

    >>> import firmament as fm
    >>> next(iter(fm.boards()))
    'cosmos-plus'
    """
    return dict(_native.boards())


def written(value: Value) -> str:
    """A value as a board file or the command line has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(f'"{one}"' if isinstance(one, str) else written(one) for one in value) + "]"
    return str(value)
