"""Tables of what a JSON report tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _table
from ._table import Table

#: Directions, in the order in which reports have them.
DIRECTIONS = ("read", "write", "trim")
#: Percentiles that tables of causes have.
PERCENTILES = {"50.000000": "p50_ns", "99.000000": "p99_ns", "99.900000": "p99_9_ns"}
#: Parts of the drive by their keys in the report.
PARTS = {"host_interface_ns": "host interface", "firmware_ns": "firmware", "storage_ns": "storage"}
#: Objects of the report that are tables with a name of their own here, or that say how a run came about.
ELSEWHERE = ("jobs", "causes", "provenance", "data", "over_time", "latency_over_time", "blocks", "queues", "channels")


def causes(told: Mapping[str, Any]) -> Table:
    """Where the time of requests went: a row for each job, direction and cause."""
    own = told["firmament"]
    rows = []
    for job, direction, split in _splits(told):
        for key, time in split["causes_ns"].items():
            first = {"job": job, "direction": direction, "cause": key, "name": own["causes"][key]["name"]}
            rows.append(first | _spread(time))
    return _rows(rows, ("job", "direction", "cause", "name"))


def parts(told: Mapping[str, Any]) -> Table:
    """The same by part of the drive."""
    rows = []
    for job, direction, split in _splits(told):
        for key, name in PARTS.items():
            rows.append({"job": job, "direction": direction, "part": name} | _spread(split[key]))
    return _rows(rows, ("job", "direction", "part"))


def _splits(told: Mapping[str, Any]) -> list[tuple[str, str, Mapping[str, Any]]]:
    jobs = told["firmament"]["jobs"]
    return [(job["jobname"], way, job[way]) for job in jobs for way in DIRECTIONS if way in job]


def _spread(time: Mapping[str, Any]) -> dict[str, Any]:
    """How a time is spread over requests."""
    percentiles = time.get("percentile", {})
    named = {name: percentiles.get(key) for key, name in PERCENTILES.items()}
    return {"share": time["share"], "mean_ns": time["mean"], **named, "max_ns": time["max"]}


def _rows(rows: Sequence[Mapping[str, Any]], words: Sequence[str]) -> Table:
    """A table of rows that has its columns even if there are none."""
    numbers = ("share", "mean_ns", *PERCENTILES.values(), "max_ns")
    return _table.of_rows(rows) if rows else _table.made({name: [] for name in (*words, *numbers)})


def depths(told: Mapping[str, Any]) -> Table:
    """How many requests were outstanding, and how many came at once: a row for each job, what it is of, and bound."""
    kinds = {"outstanding": "iodepth_level", "submitted": "iodepth_submit", "completed": "iodepth_complete"}
    rows = [
        {"job": job["jobname"], "of": kind, "requests": bound, "percent": percent}
        for job in told["jobs"]
        for kind, key in kinds.items()
        for bound, percent in job[key].items()
    ]
    return _table.of_rows(rows)


def series(told: Mapping[str, Any]) -> Table:
    """What completed over virtual time, a row a step."""
    kept = told["firmament"]["data"]["series"]
    width, end = kept["bin_width_ps"], kept["end_ps"]
    bins = kept["bins"]
    columns: dict[str, list[Any]] = {
        "begin_ps": [nth * width for nth in range(len(bins))],
        "end_ps": [min((nth + 1) * width, max(end, nth * width)) for nth in range(len(bins))],
    }
    for nth, way in enumerate(DIRECTIONS):
        if not any(one["ios"][nth] for one in bins):
            continue
        requests = [one["ios"][nth] for one in bins]
        columns[f"{way}_requests"] = requests
        columns[f"{way}_bytes"] = [one["bytes"][nth] for one in bins]
        sums = [one["latency_ps"][nth] for one in bins]
        columns[f"{way}_mean_ps"] = [total / count if count else None for total, count in zip(sums, requests)]
        columns[f"{way}_longest_ps"] = [one["longest_ps"][nth] if one["ios"][nth] else None for one in bins]
    return _table.made(columns)


def over_time(told: Mapping[str, Any]) -> Table | None:
    """The drive over time, a row a step; what the report tells by cause is a column a cause."""
    kept = told["firmament"].get("over_time")
    if kept is None:
        return None
    columns: dict[str, Any] = {}
    for key, values in kept.items():
        if key == "write_amplification_by_cause":
            columns |= {f"write_amplification_{cause}": shares for cause, shares in values.items()}
        else:
            columns[key] = values
    return _table.made(columns)


def latency_over_time(told: Mapping[str, Any]) -> Table | None:
    """Latencies of what completed over time, a row a step of equal length."""
    kept = told["firmament"].get("latency_over_time")
    if kept is None:
        return None
    step_s = kept["step_s"]
    by_way = {way: kept[way] for way in DIRECTIONS if way in kept}
    steps = max(len(own["requests"]) for own in by_way.values())
    columns: dict[str, list[Any]] = {
        "from_s": [nth * step_s for nth in range(steps)],
        "to_s": [(nth + 1) * step_s for nth in range(steps)],
    }
    for way, own in by_way.items():
        columns |= {f"{way}_{key.replace('.', '_')}": values for key, values in own.items()}
    return _table.made(columns)


def queues(told: Mapping[str, Any]) -> Table | None:
    """What went through each submission queue: a row for each queue and direction."""
    kept = told["firmament"].get("queues")
    if kept is None:
        return None
    rows = []
    for queue in kept:
        for way in DIRECTIONS:
            if own := queue.get(way):
                time = own["latency_ns"]
                counted = {"requests": time["N"], "bytes": own["bytes"], "mean_ns": time["mean"]}
                spread = {name: time["percentile"].get(key) for key, name in PERCENTILES.items()}
                first = {"queue": queue["id"], "jobs": queue["jobs"], "direction": way}
                rows.append(first | counted | spread | {"max_ns": time["max"]})
    return _table.of_rows(rows)


def channels(told: Mapping[str, Any]) -> Table:
    """What went over each channel: a row a channel."""
    own = told["firmament"]
    busy = own["channel_utilization"]
    counted = own.get("channels") or [{} for _ in busy]
    rows = [{"channel": nth, "busy": share} | counts for nth, (share, counts) in enumerate(zip(busy, counted))]
    return _table.of_rows([{name.replace(".", "_"): value for name, value in row.items()} for row in rows])


def blocks(told: Mapping[str, Any]) -> Table | None:
    """Blocks at the end of the run by kind: a row a kind."""
    kept = told["firmament"].get("blocks")
    if kept is None:
        return None
    return _table.made({"kind": list(kept["by_kind"]), "blocks": list(kept["by_kind"].values())})


def blocks_by_valid_share(told: Mapping[str, Any]) -> Table | None:
    """Closed blocks by the share of their data that is valid: a row a twentieth."""
    kept = told["firmament"].get("blocks")
    if kept is None:
        return None
    counts = kept["closed_by_valid_share"]
    bounds = [nth / len(counts) for nth in range(len(counts) + 1)]
    return _table.made({"from_share": bounds[:-1], "to_share": bounds[1:], "blocks": counts})


def blocks_by_erases(told: Mapping[str, Any]) -> Table | None:
    """Blocks that can hold data by how often they were erased: a row a step."""
    kept = told["firmament"].get("blocks")
    if kept is None:
        return None
    begin = kept["by_erases"]["from"]
    step = begin[1] - begin[0]
    return _table.made(
        {"least_erases": begin, "most_erases": [one + step - 1 for one in begin], "blocks": kept["by_erases"]["blocks"]}
    )


def others(told: Mapping[str, Any]) -> dict[str, Table]:
    """Whatever else in the report's ``firmament`` object has the form of a table: objects in a list, or equally long lists in an
    object. Objects within objects become columns with both names.
    """
    found = {}
    for key, value in told["firmament"].items():
        if key in ELSEWHERE:
            continue
        if table := _formed(value):
            found[key] = table
    return found


def _formed(value: Any) -> Table | None:
    if isinstance(value, list) and value and all(isinstance(row, Mapping) for row in value):
        rows = [_table.flat(row) for row in value]
        names = dict.fromkeys(name for row in rows for name in row)
        columns = {name: [row.get(name) for row in rows] for name in names}
    elif isinstance(value, Mapping) and value:
        columns = _table.flat(value)
        # What is said once stands for all rows.
        lists = [column for column in columns.values() if isinstance(column, list)]
        if not lists or any(len(column) != len(lists[0]) for column in lists):
            return None
        rows_there = len(lists[0])
        columns = {name: column if isinstance(column, list) else [column] * rows_there for name, column in columns.items()}
    else:
        return None
    try:
        return _table.made(columns)
    except (ValueError, TypeError):
        # Lists of unequal length, or lists of objects: no column.
        return None
