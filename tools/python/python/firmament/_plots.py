"""Plots of results by Altair or matplotlib, whichever the user has or asks for.

What is drawn is worked out here once, as lines or bars of numbers; each library draws the same.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from .errors import InputError

if TYPE_CHECKING:
    from ._result import Result

#: What can be drawn.
Kind = Literal["latency", "rate", "causes"]
#: What draws it.
Library = Literal["altair", "matplotlib"]


@dataclass
class Drawing:
    """What is to be drawn."""

    title: str
    x: str
    y: str
    #: Names of lines, each with its places and values; or of parts of bars.
    lines: dict[str, tuple[list[Any], list[float]]] = field(default_factory=dict)
    #: Whether places are names, whose bars are stacked.
    is_bars: bool = False
    #: Whether values stay as they are until the next place.
    has_steps: bool = False
    #: Whether the axis of places is logarithmic.
    is_log: bool = False


def latency(run: "Result") -> Drawing:
    """The share of requests that took at most so long, of all samples: it rises at each latency that came up."""
    drawing = Drawing("", "completion latency, us", "requests that took at most so long, %", has_steps=True, is_log=True)
    for job, direction in _active(run):
        table = run.latencies(direction, job)
        latencies = [one / 1e3 for one in table["latency_ns"]]
        shares = [100 * share for share in table["share"]]
        drawing.lines[f"{job} {direction}"] = ([latencies[0], *latencies], [0.0, *shares])
    return drawing


def rate(run: "Result") -> Drawing:
    """Requests a second over virtual time."""
    drawing = Drawing("", "virtual time, ms", "requests a second", has_steps=True)
    series = run.series
    begin, end = list(series["begin_ps"]), list(series["end_ps"])
    for direction in ("read", "write", "trim"):
        if f"{direction}_requests" not in series:
            continue
        counts = list(series[f"{direction}_requests"])
        rates = [count * 1e12 / (to - at) if to > at else 0.0 for count, at, to in zip(counts, begin, end)]
        drawing.lines[direction] = ([at / 1e9 for at in begin], rates)
    return drawing


def causes(run: "Result") -> Drawing:
    """The mean latency of each job and direction, by cause."""
    drawing = Drawing("", "", "mean completion latency, us", is_bars=True)
    for row in run.causes.rows():
        if row["mean_ns"] > 0:
            places, values = drawing.lines.setdefault(row["name"], ([], []))
            places.append(f"{row['job']} {row['direction']}")
            values.append(row["mean_ns"] / 1e3)
    return drawing


def _active(run: "Result") -> list[tuple[str, str]]:
    ways = ("read", "write", "trim")
    return [(job.name, way) for job in run.jobs for way in ways if getattr(job, way) is not None]


DRAWINGS: dict[str, Callable[["Result"], Drawing]] = {"latency": latency, "rate": rate, "causes": causes}


def plot(run: "Result", kind: str, library: str | None) -> Any:
    """A chart of Altair, or a figure of matplotlib."""
    if kind not in DRAWINGS:
        raise InputError(f"plot: found {kind!r}, expected one of {', '.join(DRAWINGS)}")
    if library is not None and library not in BY:
        raise InputError(f"library: found {library!r}, expected one of {', '.join(BY)}")
    for name in [library] if library else BY:
        try:
            package = importlib.import_module("matplotlib.figure" if name == "matplotlib" else name)
        except ImportError:
            continue
        return BY[name](package, DRAWINGS[kind](run))
    wanted = library or "altair or matplotlib"
    raise InputError(f"plot: found no package {wanted}, expected it (pip install {library or 'altair'})")


def by_altair(altair: Any, drawing: Drawing) -> Any:
    """A chart of Altair."""
    rows = [
        {"x": place, "y": value, "of": name, "nth": nth}
        for name, (places, values) in drawing.lines.items()
        for nth, (place, value) in enumerate(zip(places, values))
    ]
    data = altair.Data(values=rows)
    y = altair.Y("y:Q", title=drawing.y)
    colour = altair.Color("of:N", title=None, sort=list(drawing.lines))
    if drawing.is_bars:
        chart = altair.Chart(data).mark_bar()
        return chart.encode(x=altair.X("x:N", title=None, sort=None), y=y, color=colour, tooltip=["of:N", "y:Q"])
    scale = altair.Scale(type="log") if drawing.is_log else altair.Undefined
    mark = altair.Chart(data).mark_line(interpolate="step-after" if drawing.has_steps else "linear")
    x = altair.X("x:Q", title=drawing.x, scale=scale)
    return mark.encode(x=x, y=y, color=colour, order="nth:Q")


def by_matplotlib(library: Any, drawing: Drawing) -> Any:
    """A figure of matplotlib, which needs no window."""
    figure = library.Figure(layout="constrained")
    axes = figure.subplots()
    if drawing.is_bars:
        heights: dict[str, float] = {}
        for name, (places, values) in drawing.lines.items():
            axes.bar(places, values, bottom=[heights.get(place, 0.0) for place in places], label=name)
            for place, value in zip(places, values):
                heights[place] = heights.get(place, 0.0) + value
    else:
        for name, (places, values) in drawing.lines.items():
            axes.plot(places, values, drawstyle="steps-post" if drawing.has_steps else "default", label=name)
        if drawing.is_log:
            axes.set_xscale("log")
    axes.set_xlabel(drawing.x)
    axes.set_ylabel(drawing.y)
    axes.legend()
    return figure


BY: dict[str, Callable[[Any, Drawing], Any]] = {"altair": by_altair, "matplotlib": by_matplotlib}
