"""How results look in a notebook: plain HTML and SVG, without scripts, so that they are there in whatever shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._result import Result

CELL = 16
CHART_WIDTH, CHART_HEIGHT = 360, 120


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
        return f"{cell:.4g}"
    if isinstance(cell, list):
        return escape("[" + ", ".join(shown(one) for one in cell) + "]")
    return escape(str(cell))


def result(run: "Result") -> str:
    """A result: a row for each job and direction, its latencies drawn, and the map of ways."""
    columns: dict[str, list[Any]] = {
        key: [] for key in ("job", "direction", "IOPS", "MB/s", "mean us", "p50 us", "p99 us", "p99.9 us")
    }
    curves = []
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
            curves.append((f"{job.name} {way}", percentiles))
    waf = run.write_amplification
    about = f"{escape(run.board)}, seed {run.seed}" + ("" if waf is None else f", write amplification {waf:.3f}")
    return f"<div><p><b>{about}</b></p>{rows(columns)}{percentile_curves(curves)}{map_of_ways(run)}</div>"


def percentile_curves(curves: Sequence[tuple[str, Mapping[float, int]]]) -> str:
    """Completion latency by percentile, both axes stretched so that the tail is seen."""
    import math

    curves = [(name, sorted(points.items())) for name, points in curves if len(points) > 1]
    if not curves:
        return ""
    top = max(value for _, points in curves for _, value in points)
    least = max(1, min(value for _, points in curves for _, value in points))
    span = math.log(max(top / least, 1.01))

    def x(percent: float) -> float:
        return 40 + (CHART_WIDTH - 50) * min(-math.log10(max(1 - percent / 100, 1e-4)), 4) / 4

    def y(value: float) -> float:
        return 10 + (CHART_HEIGHT - 30) * (1 - math.log(max(value, least) / least) / span)

    parts = []
    for nth, (name, points) in enumerate(curves):
        colour = COLOURS[nth % len(COLOURS)]
        line = " ".join(f"{x(percent):.1f},{y(value):.1f}" for percent, value in points)
        title = escape(name)
        parts.append(f"<polyline points='{line}' fill='none' stroke='{colour}'><title>{title}</title></polyline>")
    for percent in (0, 90, 99, 99.9):
        place = f"x='{x(percent):.1f}' y='{CHART_HEIGHT - 4}'"
        parts.append(f"<text {place} font-size='9' fill='currentColor' text-anchor='middle'>p{percent:g}</text>")
    for value in (least, top):
        parts.append(f"<text x='2' y='{y(value) + 3:.1f}' font-size='9' fill='currentColor'>{value / 1e3:.4g}</text>")
    return f"<p>Completion latency (us) by percentile</p><svg width='{CHART_WIDTH}' height='{CHART_HEIGHT}'>{''.join(parts)}</svg>"


#: Colours that people who see colours differently tell apart.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


def map_of_ways(run: "Result") -> str:
    """A square for each way, the darker the busier its chip was; a row is a channel."""
    ways = run.ways.to_dict()
    if not ways["busy"]:
        return ""
    squares = "".join(
        f"<rect x='{way * CELL}' y='{channel * CELL}' width='{CELL - 1}' height='{CELL - 1}' fill='#0072b2' "
        f"fill-opacity='{0.05 + 0.95 * busy:.3f}'><title>channel {channel}, way {way}: {busy:.1%} busy</title></rect>"
        for channel, way, busy in zip(ways["channel"], ways["way"], ways["busy"])
    )
    width, height = ((max(ways[key]) + 1) * CELL for key in ("way", "channel"))
    return f"<p>Use of the ways</p><svg width='{width}' height='{height}'>{squares}</svg>"
