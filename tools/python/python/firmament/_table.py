"""Tables, which other libraries read where they are."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast, overload

from . import _native
from .errors import InputError

if TYPE_CHECKING:
    import numpy
    import pandas
    import polars
    import pyarrow

_T = TypeVar("_T", bound="Table")


class Column:
    """A column of a table: its values in order, ``None`` in empty places.

    ``list(column)`` is a list of them. NumPy, pyarrow, polars and pandas take a column as it is.
    """

    __slots__ = ("_name", "_table", "_values")

    def __init__(self, table: "_native.Table", name: str):
        """A column of this name.

        :param table: of which it is a column.
        :param name: of the column.
        """
        self._table = table
        self._name = name
        self._values: list[Any] | None = None

    def tolist(self) -> list[Any]:
        """The values as a list."""
        if self._values is None:
            self._values = self._table.column(self._name)
        return list(self._values)

    def _list(self) -> list[Any]:
        if self._values is None:
            self._values = self._table.column(self._name)
        return self._values

    def __len__(self) -> int:
        return self._table.rows

    def __iter__(self) -> Iterator[Any]:
        return iter(self._list())

    def __contains__(self, value: object) -> bool:
        return value in self._list()

    @overload
    def __getitem__(self, place: int) -> Any: ...

    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...

    def __getitem__(self, place: int | slice) -> Any:
        """A value, or a list of them.

        :param place: of the value, or which values.
        """
        return self._list()[place]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Column):
            return self._list() == other._list()
        if isinstance(other, (list, tuple)):
            return self._list() == list(other)
        return NotImplemented

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> "numpy.ndarray[Any, Any]":
        import numpy

        plain = self._table.numbers(self._name)
        if plain is None:
            values = self._list()
            if values and isinstance(values[0], list):
                # A value of such a column is a list, not a row of a matrix.
                rows: numpy.ndarray[Any, Any] = numpy.empty(len(values), dtype=object)
                rows[:] = values
                return rows
            return numpy.array(values, dtype=dtype)
        kind, content = plain
        numbers: numpy.ndarray[Any, Any] = numpy.frombuffer(content, dtype=kind)
        return numbers if dtype is None else numbers.astype(dtype)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return self._table.column_capsules(self._name)

    def __repr__(self) -> str:
        return repr(self._list())


class Table(dict[str, Column]):
    """Columns of equal length, in Arrow's format: a mapping of names to columns that does not change.

    ``list(table)`` is the names, ``"clat_ps" in table`` tells whether there is one, and ``table["clat_ps"]`` is a column.
    ``len(table)`` is the number of rows, as that of a frame. pandas, polars, pyarrow and whatever else knows Arrow's PyCapsule
    interface take a table as it is: ``pandas.DataFrame(table)``, ``polars.DataFrame(table)``, ``pyarrow.table(table)``.
    Newer versions of polars make a series of structs of it in ``polars.from_arrow(table)``, as of all that has that interface;
    ``polars.from_arrow(table.to_pyarrow())`` is a frame with any version.
    """

    __slots__ = ("_native",)

    def __init__(self, native: "_native.Table"):
        """A table of the native part.

        :param native: the table there.
        """
        super().__init__((name, Column(native, name)) for name in native.names)
        self._native = native

    @property
    def columns(self) -> list[str]:
        """Names of its columns, in order."""
        return self._native.names

    @property
    def column_names(self) -> list[str]:
        """The same, as pyarrow calls them."""
        return self._native.names

    def __len__(self) -> int:
        """Number of its rows."""
        return self._native.rows

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and dict.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def head(self, rows: int = 5) -> "Table":
        """The first rows.

        :param rows: how many at the most.
        """
        return Table(self._native.head(max(rows, 0)))

    def to_dict(self) -> dict[str, list[Any]]:
        """All columns as lists."""
        return {name: column.tolist() for name, column in self.items()}

    def rows(self) -> list[dict[str, Any]]:
        """All rows, each as values by name of the column."""
        names, columns = list(self), [column.tolist() for column in self.values()]
        return [dict(zip(names, row)) for row in zip(*columns)]

    def to_pyarrow(self) -> "pyarrow.Table":
        """As a table of pyarrow.

        :raises InputError: if there is no pyarrow.
        """
        library = _library("pyarrow")
        return cast("pyarrow.Table", library.RecordBatchReader.from_stream(self).read_all())

    def to_polars(self) -> "polars.DataFrame":
        """As a frame of polars.

        :raises InputError: if there is no polars.
        """
        return cast("polars.DataFrame", _library("polars").DataFrame(self))

    def to_pandas(self) -> "pandas.DataFrame":
        """As a frame of pandas, by pyarrow.

        :raises InputError: if one of them is not there.
        """
        _library("pandas")
        return cast("pandas.DataFrame", self.to_pyarrow().to_pandas())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (self._native.stored(),)

    def __copy__(self: _T) -> _T:
        return self

    def __deepcopy__(self: _T, memo: object) -> _T:
        return self

    def _ipython_key_completions_(self) -> list[str]:
        return self.columns

    def _repr_html_(self) -> str:
        from ._display import rows

        shown = min(len(self), 10)
        more = f"<p>{len(self):,} rows</p>" if len(self) > shown else ""
        return rows(self.head(shown).to_dict()) + more

    def __repr__(self) -> str:
        return f"<Table of {len(self)} rows: {', '.join(self.columns)}>"

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("a table does not change: dict(table) is a mapping that does")

    if not TYPE_CHECKING:
        __setitem__ = __delitem__ = __ior__ = update = pop = popitem = clear = setdefault = _refuse


def restored(stored: bytes) -> Table:
    """The table of these bytes."""
    return Table(_native.Table.restored(stored))


def made(columns: Mapping[str, Sequence[Any]]) -> Table:
    """A table of lists."""
    return Table(_native.Table.made([(name, list(values)) for name, values in columns.items()]))


def of_rows(rows: Sequence[Mapping[str, Any]]) -> Table:
    """A table of rows, whose keys become columns; what a row does not have is an empty place."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return made({name: [row.get(name) for row in rows] for name in names})


def flat(row: Mapping[str, Any], within: str = "") -> dict[str, Any]:
    """A row of plain values: those of objects in it get the name of the object before their own."""
    plain: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, Mapping):
            plain |= flat(value, f"{within}{key}_")
        else:
            plain[within + key] = value
    return plain


def _library(name: str) -> Any:
    """A package that tables are given to."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(f"table: found no package {name}, expected it (pip install {name})") from error
