"""What came out of a run."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from . import _native, _report, _table
from ._table import Table
from .errors import InputError

#: Attributes of a result that are tables.
TABLES = (
    "causes",
    "parts",
    "depths",
    "series",
    "over_time",
    "latency_over_time",
    "queues",
    "channels",
    "blocks",
    "blocks_by_valid_share",
    "blocks_by_erases",
    "ways",
    "requests",
    "monitor",
    "timeline",
)


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
    """What a run measured. In a notebook it shows itself. It can be pickled, and so be handed from one process to another."""

    def __init__(self, native: "_native.Outcome"):
        """A result of the native part.

        :param native: the result there.
        """
        self._native = native

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.json, self.requests, self.timeline)

    @functools.cached_property
    def json(self) -> str:
        """The report as JSON: the bytes that ``firmament run --json FILE`` writes, but for the speed of the computer."""
        return self._native.json()

    @functools.cached_property
    def _told(self) -> dict[str, Any]:
        return cast(dict[str, Any], json.loads(self.json))

    def to_dict(self) -> dict[str, Any]:
        """The report as Python's values, with the keys of the JSON report."""
        return cast(dict[str, Any], json.loads(self.json))

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
        return cast(dict[str, Any], self._told["firmament"])

    @property
    def board(self) -> str:
        """Name of the board."""
        return str(self.drive["board"])

    @property
    def seed(self) -> int:
        """Seed of every random choice."""
        return int(self.drive["seed"])

    @property
    def over_seeds(self) -> dict[str, Any] | None:
        """Means over seeds with their intervals, if there were several: ``seeds``, ``level`` and ``figures``."""
        return self.drive.get("over_seeds")

    @property
    def write_amplification(self) -> float | None:
        """Bytes programmed for each byte that the host wrote; ``None`` if it wrote none."""
        return cast("float | None", self.drive["write_amplification"])

    @property
    def warnings(self) -> list[str]:
        """What was accepted, and is worth knowing."""
        return self._native.warnings

    @property
    def requests(self) -> Table | None:
        """Every measured request as it completed, if they were kept.

        Columns: job, direction, end_ps (from the start of the run), offset_bytes, length_bytes, slat_ps, clat_ps, and how much
        of clat_ps is of each cause that came up, such as wait_die_ps.
        """
        return _wrapped(self._native.requests)

    @property
    def monitor(self) -> Table | None:
        """What the operation monitor read, a row an interval, if it was on."""
        return _wrapped(self._native.monitor)

    @property
    def timeline(self) -> Table | None:
        """What buses, chips, firmware and DMA did when, a row a span, if it was recorded."""
        return _wrapped(self._native.timeline)

    @functools.cached_property
    def causes(self) -> Table:
        """Where the time of requests went: job, direction, cause, its name, its share of all time, and how it is spread."""
        return _report.causes(self._told)

    @functools.cached_property
    def parts(self) -> Table:
        """The same by part of the drive: host interface, firmware, storage."""
        return _report.parts(self._told)

    @functools.cached_property
    def depths(self) -> Table:
        """How deep queues were: how many requests were outstanding, and how many were submitted and completed at once.

        Columns: job; of, which is outstanding, submitted or completed; requests, in the words of fio, such as ``"4"`` for 4 to 7
        of those that were outstanding; and percent.
        """
        return _report.depths(self._told)

    @functools.cached_property
    def series(self) -> Table:
        """What completed over virtual time, a row a step: requests, bytes, mean and longest latency by direction."""
        return _report.series(self._told)

    @functools.cached_property
    def over_time(self) -> Table | None:
        """The drive over virtual time, a row a step; ``None`` if nobody looked at it.

        Columns: from_s and to_s, seconds from the start of the run; requests, erases, collections, wear_levellings, refreshes
        and read_retries of the step; outstanding, outstanding_in_drive, free_blocks and dirty_entries at its end;
        write_amplification, and how much of it is of each cause, such as write_amplification_host and
        write_amplification_collection, empty in steps without writes; channel_utilization and die_utilization, 0 to 1, and
        utilization_by_channel, a list of as many values as there are channels. What only the firmware could tell is missing
        where it tells nothing.
        """
        return _report.over_time(self._told)

    @functools.cached_property
    def latency_over_time(self) -> Table | None:
        """Latencies of what completed over virtual time, a row a step; ``None`` if nothing completed.

        Columns: from_s and to_s, seconds from the start of the run, all steps equally long; by direction, such as read_requests,
        the requests that completed, and read_mean_ns, read_p50_ns, read_p99_ns, read_p99_9_ns and read_longest_ns, empty in
        steps without requests. Percentiles lie within an eighth of what they are, the others are exact.
        """
        return _report.latency_over_time(self._told)

    @functools.cached_property
    def queues(self) -> Table | None:
        """Submission queues, a row for each queue and direction; ``None`` if there was one queue.

        Columns: queue, its identifier; jobs, how many have used it; direction; requests and bytes; mean_ns, p50_ns, p99_ns,
        p99_9_ns and max_ns of their completion latencies, a percentile empty if the jobs do not ask for it.
        """
        return _report.queues(self._told)

    @functools.cached_property
    def channels(self) -> Table:
        """Flash channels, a row each.

        Columns: channel; busy, the share of time that its bus was; pages_read and pages_programmed that crossed it; operations
        of commands, and how long they took on average, mean_queued_ns in the queue of their die and mean_served_ns from there
        to their end, with p50_ns, p99_ns and p99_9_ns of both together. Columns behind busy are missing where nobody asked for causes.
        """
        return _report.channels(self._told)

    @functools.cached_property
    def blocks(self) -> Table | None:
        """Blocks at the end of the run: kind, such as free or closed, and blocks, a row a kind.

        ``None``, as :attr:`blocks_by_valid_share` and :attr:`blocks_by_erases` are, where nobody can look into the firmware.
        """
        return _report.blocks(self._told)

    @functools.cached_property
    def blocks_by_valid_share(self) -> Table | None:
        """Closed blocks at the end of the run by the share of their data that is valid: from_share, to_share, blocks.

        A block is in the row whose from_share it reaches, and not its to_share; one that is all valid is in the last row.
        """
        return _report.blocks_by_valid_share(self._told)

    @functools.cached_property
    def blocks_by_erases(self) -> Table | None:
        """Blocks that can hold data by how often they were erased: least_erases and most_erases of a row, and blocks."""
        return _report.blocks_by_erases(self._told)

    @functools.cached_property
    def tables(self) -> dict[str, Table]:
        """All tables by name: those that are attributes, and whatever else in the report has the form of a table."""
        own = {name: getattr(self, name) for name in TABLES}
        return _report.others(self._told) | {name: table for name, table in own.items() if table is not None}

    def latencies(self, direction: str, job: str | None = None) -> Table:
        """All latencies of a job in a direction, from the shortest to the longest: the distribution of all samples.

        Columns: latency_ns, which are within 1 % of what was measured; requests that took so long; and share, 0 to 1, of
        those that took so long at the most.

        :param direction: ``"read"``, ``"write"`` or ``"trim"``.
        :param job: name of the job; the only one if absent.
        :raises KeyError: if there is no such job, or it had no such request.
        """
        names = [one.name for one in self.jobs]
        if job is None:
            self._only()
        nth = 0 if job is None else names.index(self[job].name)
        bins = self._native.latencies(nth, direction)
        if bins is None:
            raise KeyError(direction)
        latencies, requests = bins
        total, share, below = sum(requests), [], 0
        for count in requests:
            below += count
            share.append(below / total)
        return _table.made({"latency_ns": latencies, "requests": requests, "share": share})

    def plot(self, what: str = "latency", library: str | None = None) -> Any:
        """A plot: a chart of Altair, or a figure of matplotlib, which a notebook shows and either library changes and saves.

        :param what: ``"latency"``, the share of requests by latency, of all samples; ``"rate"``, requests a second over
            virtual time; or ``"causes"``, what mean latencies consist of.
        :param library: ``"altair"`` or ``"matplotlib"``; the first that is there if absent.
        :raises InputError: if it is not there.
        """
        from ._plots import plot

        return plot(self, what, library)

    @property
    def ways(self) -> Table:
        """Map of the ways: channel, way, and the share of time that its chip was busy."""
        return Table(self._native.ways)

    def _repr_html_(self) -> str:
        from ._display import result

        return result(self)

    def _ipython_key_completions_(self) -> list[str]:
        return [job.name for job in self.jobs]

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


def load(report: str | os.PathLike[str]) -> Result:
    """The result that a JSON report tells of, as ``firmament run --json FILE`` and :attr:`Result.json` write it.

    :param report: path of the file, or the text of the report.
    :raises InputError: if there is none, or another version of Firmament has written it.
    """
    text = os.fspath(report)
    place = ""
    if not text.lstrip().startswith("{"):
        place = f"{text}: "
        try:
            with open(text, encoding="utf-8") as file:
                text = file.read()
        except OSError as error:
            raise InputError(f"{place}found {error.strerror}, expected a JSON report") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{place}found bytes that are no text, expected a JSON report") from error
    try:
        return _again(text)
    except InputError as error:
        raise InputError(f"{place}{error}") from error


def _again(report: str, requests: Table | None = None, timeline: Table | None = None) -> Result:
    """The result of a report, with the tables that are in none."""
    tables = (None if table is None else table._native for table in (requests, timeline))
    return Result(_native.Outcome.of_report(report, *tables))


def tail(latency: Latency) -> str:
    """The highest percentile up to 99, in words."""
    below = [percent for percent in latency.percentiles_ns if percent <= 99]
    if not below:
        return f"max {latency.max_ns / 1e3:.2f} us"
    return f"p{max(below):g} {latency.percentiles_ns[max(below)] / 1e3:.2f} us"


def _wrapped(native: "_native.Table | None") -> Table | None:
    return None if native is None else Table(native)
