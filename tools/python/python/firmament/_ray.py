"""Points of a sweep on a Ray cluster.

What a worker needs is put into Ray's object store once: the sweep's text, its job file, and the drive of its snapshot.
Points go out in handfuls. Ray gives those of a worker that is lost to another one, and rows are in the journal as soon as
they are back, so that neither a lost worker nor a lost driver costs more than what was under way.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import tempfile
import time
from collections.abc import Callable
from typing import Any

from . import _native
from .errors import InputError

#: Seconds that a handful of points is to take: long enough that handing it out costs little.
HANDFUL_S = 2.0
#: Points of the first handfuls, while nobody knows how long one takes, and the most of any.
FIRST, MOST = 1, 256
#: Handfuls that wait for each worker.
AHEAD = 2


def run(
    sweep: "_native.Sweep", journal: "_native.Journal", workers: int | None, watch: Callable[[int, int], object]
) -> tuple[float, float]:
    """Runs all points that have no row. Returns the seconds that it took, and those in points.

    :raises InputError: if there is no Ray, or workers cannot read what the sweep names.
    """
    try:
        ray = importlib.import_module("ray")
    except ImportError as error:
        raise InputError("engine: found no package ray, expected it (pip install ray)") from error
    if not ray.is_initialized():
        ray.init(num_cpus=workers, log_to_driver=False)
    began = time.monotonic()
    watch(journal.done, journal.failed)
    parcel = packed(sweep)
    # In a list, so that a worker gets it when it wants it, and not with each handful.
    where = (parcel["key"], [ray.put(parcel)])
    # Without end: what is lost with a computer is run again, on another one.
    task = ray.remote(num_cpus=1, max_retries=-1)(handful)
    side_by_side = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
    left = journal.left()
    in_points, size = 0.0, FIRST
    under_way: set[Any] = set()
    try:
        while left or under_way:
            while left and len(under_way) < side_by_side * AHEAD:
                under_way.add(task.remote(*where, left[:size]))
                left = left[size:]
            done, _ = ray.wait(list(under_way), num_returns=1, timeout=1.0)
            for one in done:
                under_way.discard(one)
                lines, took = _got(ray, one)
                journal.take(lines)
                in_points += took
                size = max(FIRST, min(MOST, round(HANDFUL_S * len(lines) / max(took, 1e-6))))
            watch(journal.done, journal.failed)
    except BaseException:
        for one in under_way:
            ray.cancel(one, force=False)
        raise
    return time.monotonic() - began, in_points


def _got(ray: Any, done: Any) -> tuple[list[str], float]:
    try:
        lines, took = ray.get(done)
        return lines, took
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        raise (cause if isinstance(cause, InputError) else error) from None


def packed(sweep: "_native.Sweep") -> dict[str, Any]:
    """A sweep with all files that it names."""
    files = {}
    key = hashlib.sha256(sweep.text.encode())
    for named, place in sweep.files:
        with open(place, "rb") as file:
            files[os.fspath(named)] = file.read()
        key.update(files[os.fspath(named)])
    return {"key": key.digest(), "name": sweep.name, "text": sweep.text, "files": files, "commit": _native.COMMIT}


#: The worker of this process, by the sweep that it is for: points of one sweep have drives in common.
_kept: dict[bytes, "_native.Worker"] = {}


def handful(key: bytes, parcel: list[Any], points: list[int]) -> tuple[list[str], float]:
    """Runs points, in a worker's process. Returns their rows, and the seconds that they took."""
    if key not in _kept:
        ray = importlib.import_module("ray")
        _kept.clear()
        _kept[key] = unpacked(ray.get(parcel[0]))
    return _kept[key].run(points)


def unpacked(parcel: dict[str, Any]) -> "_native.Worker":
    """The worker on a sweep that was packed elsewhere."""
    if parcel["commit"] != _native.COMMIT:
        found, expected = _native.COMMIT, parcel["commit"]
        raise InputError(f"worker: found firmament of commit {found}, expected {expected}, as the driver has")
    with tempfile.TemporaryDirectory(prefix="firmament-") as folder:
        places = {}
        for nth, (named, content) in enumerate(parcel["files"].items()):
            places[named] = f"{folder}/{nth}"
            with open(places[named], "wb") as file:
                file.write(content)
        sweep = _native.Sweep.parse(parcel["name"], parcel["text"], places)
    for board in sweep.boards:
        if board.endswith(".toml") and not os.path.isfile(board):
            raise InputError(f"board: found no {board} on {os.uname().nodename}, expected a path that each worker can read")
    return _native.Worker(sweep)
