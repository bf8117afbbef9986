"""What system calls waited for: the report beside what fio saw, and beside what the drive counted."""

import json
import tempfile

WRITES = 400
FSYNC_EVERY = 4
# fio looks at the clock before and after a call; each look takes 256 ns.
CLOCKS_NS = 1_500
JOB = (
    "mkfs.ext4 -q -E nodiscard /dev/nvme0n1 && mount /dev/nvme0n1 /mnt && fio --clocksource=clock_gettime --directory=/mnt --name=synced "
    f"--rw=randwrite --bs=4k --size=2m --number_ios={WRITES} --fsync={FSYNC_EVERY} --output-format=json --output=/share/fio.json"
)


def rows(report, process, call):
    calls = report["firmament"]["waits"]["calls"]
    return [row for row in calls if (row["process"], row["call"]) == (process, call)]


def adds_up(row):
    """Linux and the drive's causes are all of a row's time."""
    return all(
        abs(waited["total_ns"] - waited["linux_ns"] - sum(waited["causes_ns"].values())) < 1 for waited in (row["all"], row["slowest"])
    )


def as_fio_saw(linux):
    """fio's fsyncs: as many as fio counts, as long as fio measures, and for the most part commands."""
    with tempfile.TemporaryDirectory() as share:
        ran = linux.run("--share", share, "--command", JOB)
        if not linux.ended("waits-run", ran):
            return
        with open(f"{share}/fio.json") as file:
            seen = json.load(file)["jobs"][0]["sync"]["lat_ns"]
    told = [row for row in rows(ran.report(), "fio", "fsync") if row["file"] == "synced.0.0"]
    calls = told[0]["all"]["calls"] if told else 0
    counts = len(told) == 1 and calls == seen["N"] > WRITES // FSYNC_EVERY - 5
    linux.verdict("waits-count-as-fio-does", counts, f"fsync: fio {seen['N']}, report {calls}")
    if not counts:
        return
    row = told[0]
    mean_ns = row["latency_ns"]["mean"]
    linux.verdict(
        "waits-last-as-fio-saw-them",
        0 <= seen["mean"] - mean_ns <= CLOCKS_NS,
        f"fsync: fio {seen['mean'] / 1e3:.2f} us, report {mean_ns / 1e3:.2f} us",
    )
    share = 1 - row["all"]["linux_ns"] / row["all"]["total_ns"]
    commands = row["all"]["commands"] / calls
    # ext4 writes data, log and commit one after the other, and flushes; Linux's own processor takes no time.
    passed = adds_up(row) and share > 0.9 and commands >= 3
    linux.verdict("waits-are-commands", passed, f"{100 * share:.1f} % in the drive, {commands:.2f} commands one after the other")


def above_commands(trace, calls):
    """Whether each call of a timeline lies over its command: the arrow begins within the call, and ends at the command's first step before the call does."""
    events = trace["traceEvents"]
    spans = [(event["ts"], event["ts"] + event["dur"]) for event in events if event["ph"] == "X" and event["name"] == "pread"]
    ends = {event["id"]: event["ts"] for event in events if event["ph"] == "f" and event["name"] == "system call"}
    begins = {event["id"]: event["ts"] for event in events if event["ph"] == "s" and event["name"] == "system call"}
    covered = sum(any(start <= at <= ends[id] <= end for start, end in spans) for id, at in begins.items())
    return len(spans) >= calls and begins.keys() == ends.keys() and covered >= calls, len(spans), covered


def direct_reads(linux):
    """Reads past the page cache, one at a time: each is one command."""
    reads = 300
    job = f"--rw=randread --bs=4k --direct=1 --ioengine=psync --size=64m --number_ios={reads} --filename=/dev/nvme0n1"
    command = f"fio --clocksource=clock_gettime --name=reads {job} >/dev/null"
    with tempfile.TemporaryDirectory() as folder:
        window = ["--timeline", f"{folder}/timeline", "--timeline-window", "0..100s"]
        ran = linux.run("--precondition", "sequential", *window, "--command", command)
        if not linux.ended("waits-direct-run", ran):
            return
        with open(f"{folder}/timeline") as file:
            passed, calls, covered = above_commands(json.load(file), reads)
    linux.verdict("timeline-has-calls-above-commands", passed, f"{calls} calls, {covered} arrows within them")
    told = rows(ran.report(), "fio", "pread")
    (row,) = [row for row in told if row["file"] == "nvme0n1"] or [None]
    passed = row is not None and adds_up(row) and row["all"]["calls"] == row["all"]["commands"] == reads
    linux.verdict("waits-of-direct-reads", passed, f"{row and row['all']['calls']} calls, {row and row['all']['commands']} commands")


def measure(linux):
    as_fio_saw(linux)
    direct_reads(linux)
