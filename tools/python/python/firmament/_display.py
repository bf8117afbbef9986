"""How results look in a notebook: plain HTML and SVG, without scripts, so that they are there in whatever shows them.

Tables are made here. What is drawn comes from the native part, in the colours of reports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._result import Result


def rows(table: Mapping[str, Sequence[Any]]) -> str:
    """A table of columns."""
    head = "".join(f"<th>{escape(name)}</th>" for name in table)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:right'>{shown(cell)}</td>" for cell in row) + "</tr>"
        for row in zip(*table.values())
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def shown(cell: Any) -> str:
    """A cell."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.4g}" if abs(cell) < 10_000 else f"{cell:,.0f}"
    if isinstance(cell, list):
        return escape("[" + ", ".join(shown(one) for one in cell) + "]")
    return escape(str(cell))


def result(run: "Result") -> str:
    """A result: a row for each job and direction, its latencies drawn, and the map of ways."""
    columns: dict[str, list[Any]] = {
        key: [] for key in ("job", "direction", "IOPS", "MB/s", "mean us", "p50 us", "p99 us", "p99.9 us")
    }
    for job in run.jobs:
        for way in ("read", "write", "trim"):
            one = getattr(job, way)
            if one is None:
                continue
            percentiles = one.clat.percentiles_ns
            told = [percentiles.get(percent) for percent in (50.0, 99.0, 99.9)]
            cells = [job.name, way, f"{one.iops:,.0f}", one.bandwidth / 1e6, one.clat.mean_ns / 1e3]
            cells += [None if value is None else value / 1e3 for value in told]
            for column, cell in zip(columns.values(), cells):
                column.append(cell)
    waf = run.write_amplification
    about = f"{escape(run.board)}, seed {run.seed}" + ("" if waf is None else f", write amplification {waf:.3f}")
    return f"<div><p><b>{about}</b></p>{rows(columns)}{run._native.figures()}</div>"
