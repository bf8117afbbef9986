"""What came out of a run."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._table import Table

if TYPE_CHECKING:
    from . import _native


@dataclass(frozen=True)
class Latency:
    """Latencies of many requests, in nanoseconds."""

    #: Requests.
    count: int
    #: Mean.
    mean_ns: float
    #: The shortest.
    min_ns: int
    #: The longest.
    max_ns: int
    #: Standard deviation.
    stddev_ns: float
    #: By percent, as the job asks for them; fio's if it does not.
    percentiles_ns: Mapping[float, int]

    def percentile_ns(self, percent: float) -> int:
        """A percentile that the job has.

        :param percent: which one, such as 99 or 99.9.
        """
        return self.percentiles_ns[float(percent)]

    @classmethod
    def _of(cls, told: dict[str, Any]) -> "Latency":
        """From fio's JSON."""
        percentiles = {float(percent): value for percent, value in told.get("percentile", {}).items()}
        return cls(told["N"], told["mean"], told["min"], told["max"], told["stddev"], percentiles)


@dataclass(frozen=True)
class DirectionResult:
    """Reads, writes or trims of one job."""

    #: Requests that completed.
    requests: int
    #: Bytes of them.
    bytes: int
    #: Requests a second of virtual time.
    iops: float
    #: Bytes a second of virtual time.
    bandwidth: float
    #: Milliseconds of virtual time during which the job did such requests.
    runtime_ms: int
    #: From the job's decision to the doorbell.
    slat: Latency
    #: From the doorbell until the job sees the completion.
    clat: Latency
    #: Both together.
    lat: Latency

    @classmethod
    def _of(cls, told: dict[str, Any]) -> "DirectionResult":
        """From fio's JSON."""
        slat, clat, lat = (Latency._of(told[key]) for key in ("slat_ns", "clat_ns", "lat_ns"))
        bandwidth = told["bw_bytes"]
        return cls(told["total_ios"], told["io_bytes"], told["iops"], bandwidth, told["runtime"], slat, clat, lat)


@dataclass(frozen=True)
class JobResult:
    """One job, or several that were added together by ``group_reporting``."""

    #: Its name.
    name: str
    #: Linux error number that ended it, 0 if none did.
    error: int
    #: Its reads, ``None`` if there were none.
    read: DirectionResult | None
    #: Its writes, ``None`` if there were none.
    write: DirectionResult | None
    #: Its trims, ``None`` if there were none.
    trim: DirectionResult | None
    #: The job's own options.
    options: Mapping[str, str]

    @classmethod
    def _of(cls, told: dict[str, Any]) -> "JobResult":
        """From fio's JSON."""
        ways = (told.get(way) for way in ("read", "write", "trim"))
        read, write, trim = (DirectionResult._of(way) if way and way["total_ios"] else None for way in ways)
        return cls(told["jobname"], told["error"], read, write, trim, told.get("job options", {}))


class Result:
    """What a run measured. In a notebook it shows itself."""

    def __init__(self, native: "_native.Outcome"):
        self._native = native

    @functools.cached_property
    def json(self) -> str:
        """The report as JSON: the bytes that ``firmament run --json FILE`` writes, but for the speed of the computer."""
        return self._native.json()

    @functools.cached_property
    def _told(self) -> dict[str, Any]:
        return json.loads(self.json)

    def to_dict(self) -> dict[str, Any]:
        """The report as Python's values, with the keys of the JSON report."""
        return json.loads(self.json)

    def html(self) -> str:
        """The report as a page of its own, with plots that can be zoomed."""
        return self._native.html()

    def text(self) -> str:
        """The report as ``firmament run`` prints it."""
        return self._native.text()

    @functools.cached_property
    def jobs(self) -> tuple[JobResult, ...]:
        """Results by job, in the order of the jobs."""
        return tuple(JobResult._of(job) for job in self._told["jobs"])

    def __getitem__(self, name: str) -> JobResult:
        """The job of this name.

        :param name: of a job.
        :raises KeyError: if there is none.
        """
        for job in self.jobs:
            if job.name == name:
                return job
        raise KeyError(name)

    @property
    def read(self) -> DirectionResult | None:
        """Reads of the only job."""
        return self._only().read

    @property
    def write(self) -> DirectionResult | None:
        """Writes of the only job."""
        return self._only().write

    def _only(self) -> JobResult:
        if len(self.jobs) != 1:
            names = ", ".join(job.name for job in self.jobs)
            raise ValueError(f"jobs: found {names}, expected one: name it, as in result[{self.jobs[0].name!r}]")
        return self.jobs[0]

    @property
    def drive(self) -> dict[str, Any]:
        """What no real drive tells: the ``firmament`` object of the report."""
        return self._told["firmament"]

    @property
    def board(self) -> str:
        """Name of the board."""
        return self.drive["board"]

    @property
    def seed(self) -> int:
        """Seed of every random choice."""
        return self.drive["seed"]

    @property
    def over_seeds(self) -> dict[str, Any] | None:
        """Means over seeds with their intervals, if there were several: ``seeds``, ``level`` and ``figures``."""
        return self.drive.get("over_seeds")

    @property
    def write_amplification(self) -> float | None:
        """Bytes programmed for each byte that the host wrote; ``None`` if it wrote none."""
        return self.drive["write_amplification"]

    @property
    def warnings(self) -> list[str]:
        """What was accepted, and is worth knowing."""
        return self._native.warnings

    @property
    def requests(self) -> Table | None:
        """Every measured request as it completed, if they were kept.

        Columns: job, direction, end_ps (from the start of the run), offset_bytes, length_bytes, slat_ps, clat_ps.
        """
        return _table(self._native.requests)

    @property
    def monitor(self) -> Table | None:
        """What the operation monitor read, a row an interval, if it was on."""
        return _table(self._native.monitor)

    @property
    def timeline(self) -> Table | None:
        """What buses, chips, firmware and DMA did when, a row a span, if it was recorded."""
        return _table(self._native.timeline)

    @property
    def ways(self) -> Table:
        """Map of the ways: channel, way, and the share of time that its chip was busy."""
        return Table(self._native.ways)

    def _repr_html_(self) -> str:
        from ._display import result

        return result(self)

    def __repr__(self) -> str:
        lines = [f"<Result on {self.board}, seed {self.seed}>"]
        for job in self.jobs:
            for way in ("read", "write", "trim"):
                one = getattr(job, way)
                if one:
                    lines.append(
                        f"  {job.name} {way}: {one.iops:.0f} IOPS, {one.bandwidth / 1e6:.1f} MB/s, "
                        f"mean {one.clat.mean_ns / 1e3:.2f} us, {tail(one.clat)}"
                    )
        return "\n".join(lines)


def tail(latency: Latency) -> str:
    """The highest percentile up to 99, in words."""
    below = [percent for percent in latency.percentiles_ns if percent <= 99]
    if not below:
        return f"max {latency.max_ns / 1e3:.2f} us"
    return f"p{max(below):g} {latency.percentiles_ns[max(below)] / 1e3:.2f} us"


def _table(native: "_native.Table | None") -> Table | None:
    return None if native is None else Table(native)
