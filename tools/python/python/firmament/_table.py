"""Tables, which other libraries read where they are."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .errors import InputError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from . import _native


class Table:
    """Columns of equal length, in Arrow's format.

    pyarrow, polars and whatever else knows Arrow's PyCapsule interface take it as it is, and read its columns where they
    lie: ``pyarrow.table(table)``, ``polars.DataFrame(table)``. Without any of them, ``table["name"]`` is a list.
    """

    __slots__ = ("_native",)

    def __init__(self, native: "_native.Table"):
        self._native = native

    @property
    def column_names(self) -> list[str]:
        """Names of its columns, in order."""
        return self._native.names

    def __len__(self) -> int:
        """Number of its rows."""
        return self._native.rows

    def __getitem__(self, name: str) -> list[Any]:
        """A column as a list, ``None`` in empty places.

        :param name: of the column.
        """
        return self._native.column(name)

    def to_dict(self) -> dict[str, list[Any]]:
        """All columns as lists."""
        return {name: self[name] for name in self.column_names}

    def to_pyarrow(self) -> "pyarrow.Table":
        """As a table of pyarrow.

        :raises InputError: if there is no pyarrow.
        """
        return _library("pyarrow").table(self)

    def to_polars(self) -> "polars.DataFrame":
        """As a frame of polars.

        :raises InputError: if there is no polars.
        """
        return _library("polars").DataFrame(self)

    def to_pandas(self) -> "pandas.DataFrame":
        """As a frame of pandas, by pyarrow.

        :raises InputError: if one of them is not there.
        """
        _library("pandas")
        return self.to_pyarrow().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def _repr_html_(self) -> str:
        from ._display import rows

        shown = min(len(self), 10)
        table = {name: self[name][:shown] for name in self.column_names}
        more = f"<p>{len(self):,} rows</p>" if len(self) > shown else ""
        return rows(table) + more

    def __repr__(self) -> str:
        return f"<Table of {len(self)} rows: {', '.join(self.column_names)}>"


def _library(name: str) -> Any:
    """A package that tables are given to."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(f"table: found no package {name}, expected it (pip install {name})") from error
