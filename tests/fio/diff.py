"""Whether generated jobs do in firmament run what they do in a fio that is installed.

Each job runs through fio's null engine, which moves no data, and on a small drive. Counts, bytes, flushes, offsets
and rates have to agree, but for what docs/fio.md lists under "What the comparison leaves out". Exit code 0: they do.
1: they do not. 3: there is no fio 3.33 here.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import generate  # noqa: E402

PAGE = os.path.join(HERE, "..", "..", "docs", "fio.md")
HEADING = "### What the comparison leaves out"
RELEASE = "fio-3.33"
WAYS = ["read", "write", "trim"]
LONGEST_S = 60


class Differs(Exception):
    """What one comparison found."""


def known_differences():
    """The names of the rows of the page's table."""
    text = open(PAGE).read()
    part = text.split(HEADING, 1)
    if len(part) < 2:
        raise SystemExit(f"fio-diff: docs/fio.md: found no heading {HEADING!r}")
    part = re.split(r"^#", part[1], maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(r"^\| `([a-z-]+)` \|", part, flags=re.MULTILINE)


# What a row of the page allows: jobs of which options, and the comparisons that are left out for these. The page has
# the same rows, or the comparison does not begin.
ALLOWED = {
    "drawn-lengths": (lambda job: not job.has_one_length, {"counts"}),
    "drawn-bytes": (lambda job: not job.has_one_length and job.ends_early, {"bytes"}),
    "cut-lengths": (lambda job: job.is_random and job.has_lengths, {"counts", "bytes", "places", "places-all", "mean"}),
    "part-of-the-places": (lambda job: job.is_random and job.ends_early, {"places-all"}),
    "fdatasync": (lambda job: "fdatasync" in job.values, {"flushes"}),
    "mixed-directions": (lambda job: job.is_mix, {"counts", "bytes"}),
    "end-fsync": (lambda job: "end_fsync" in job.values, {"flushes"}),
    "mixed-files": (lambda job: job.is_mix and job.files > 1, {"places"}),
    "random-order": (lambda job: job.is_random, {"order"}),
    "without-map": (lambda job: job.is_random and job.draws, {"places-all", "back"}),
    "runs": (lambda job: job.has_runs, {"places-all", "counts", "bytes"}),
    "file-at-random": (lambda job: "random" in job.get("file_service_type", ""), {"order"}),
    "part-of-the-files": (lambda job: "random" in job.get("file_service_type", "") and job.ends_early, {"places-all"}),
}


class Ran:
    """What one program did with a job."""

    def __init__(self, report, log):
        job = report["jobs"][0]
        self.told = [way for way in [*WAYS, "mixed", "sync"] if way in job]
        ways = [way for way in [*WAYS, "mixed"] if way in job]
        self.ios = {way: job[way]["total_ios"] for way in ways}
        self.bytes = {way: job[way]["io_bytes"] for way in ways}
        self.flushes = job["sync"]["total_ios"] if "sync" in job else None
        self.runtime_ms = max(job[way]["runtime"] for way in ways)
        self.depth = job["latency_depth"]
        self.requests = [request[1:] for request in log]
        self.times_us = [request[0] for request in log]

    def of(self, way):
        return [(offset, length) for action, offset, length in self.requests if action == way]


def read_log(path, base):
    """Requests of a log and their times, with offsets on a drive on which files lie as `base` says."""
    requests = []
    for line in open(path):
        cells = line.split()
        if len(cells) == 5 and cells[2] in WAYS:
            requests.append((int(cells[0]), cells[2], int(cells[3]) + base(cells[1]), int(cells[4])))
    return requests


def without_repeats(requests):
    """A log of fio's null engine, which has a request twice if it first found the queue full."""
    return [request for nth, request in enumerate(requests) if nth == 0 or request[1:] != requests[nth - 1][1:]]


def run(command, where):
    ran = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=LONGEST_S)
    if ran.returncode != 0:
        raise Differs(f"{os.path.basename(command[0])}: exit code {ran.returncode}: {(ran.stderr or ran.stdout).strip()[:300]}")
    return ran.stdout


def report_of(path):
    text = open(path).read()
    return json.loads(text[text.index("{"):])


def run_fio(fio, job, where):
    options = [f"--{key}={value}" if value else f"--{key}" for key, value in job.options]
    names = [] if job.files > 1 else ["--filename=/drive"]
    # fio adds to a log that it finds.
    if os.path.exists(f"{where}/fio.log"):
        os.remove(f"{where}/fio.log")
    common = ["--name=job", "--ioengine=null", "--write_iolog=fio.log", "--output=fio.json", "--output-format=json"]
    run([fio, *common, *names, *options], where)
    number = lambda name: int(name.rsplit(".", 1)[-1]) if job.files > 1 else 0  # noqa: E731
    log = read_log(f"{where}/fio.log", lambda name: number(name) * job.file_bytes)
    return Ran(report_of(f"{where}/fio.json"), without_repeats(log) if "iodepth" in job.values else log)


def run_firmament(firmament, job, where):
    options = [f"--{key}={value}" if value else f"--{key}" for key, value in job.options]
    common = ["--name=job", "--write_iolog=own.log", "--output=own.json", "--output-format=json"]
    run([firmament, "run", "small", *common, *options], where)
    return Ran(report_of(f"{where}/own.json"), read_log(f"{where}/own.log", lambda name: 0))


def told(ours, theirs):
    """How two lists, two counts of places or two other things differ."""
    if isinstance(ours, Counter):
        more, less = ours - theirs, theirs - ours
        return f"found {sum(more.values())} that fio has not, as {list(more)[:3]}, and not {list(less)[:3]}"
    if isinstance(ours, list):
        nth = next((n for n, pair in enumerate(zip(ours, theirs)) if pair[0] != pair[1]), min(len(ours), len(theirs)))
        return f"number {nth}: found {ours[nth:nth + 3]} of {len(ours)}, expected {theirs[nth:nth + 3]} of {len(theirs)}"
    return f"found {ours}, expected {theirs}"


def passes_of(places):
    """Places in their order, in lists that begin where an offset falls behind the one before."""
    passes = []
    for nth, place in enumerate(places):
        if nth == 0 or place[0] < places[nth - 1][0]:
            passes.append([])
        passes[-1].append(place)
    return passes


def compare(job, fio, own, left_out):
    """All that differs, as lines."""
    found = []

    def same(kind, what, ours, theirs):
        if kind not in left_out and ours != theirs:
            found.append(f"{what}: {told(ours, theirs)}")

    same("sections", "sections", own.told, fio.told)
    if job.searches:
        same("depth", "depth that was found", own.depth, fio.depth)
        return found
    if job.is_mix:
        # Which way each goes is drawn: all together have to agree.
        total = lambda counts: sum(counts.values())  # noqa: E731
        drawn = not job.has_one_length and job.ends_early
        if not drawn and not (job.has_lengths and job.is_random):
            limit = 0 if job.has_one_length else job.longest
            ours, theirs = total(own.bytes), total(fio.bytes)
            if abs(ours - theirs) > limit and not job.verifies:
                found.append(f"bytes of both directions: found {ours}, expected {theirs}")
    counted = [way for way in own.ios if way in fio.ios]
    counted = [way for way in counted if way not in ("read", "mixed") or not job.verifies or "back" not in left_out]
    same("counts", "requests", *[{way: ran.ios[way] for way in counted} for ran in (own, fio)])
    same("bytes", "bytes", *[{way: ran.bytes[way] for way in counted} for ran in (own, fio)])
    if not job.is_mix:
        same("flushes", "flushes", own.flushes, fio.flushes)
    for way in WAYS:
        ours, theirs = own.of(way), fio.of(way)
        if job.is_mix:
            if not job.is_random and job.has_one_length and not job.verifies:
                # When a pass ends depends on which way each request went. What is in a pass does not.
                for own_pass, fio_pass in zip(passes_of(ours), passes_of(theirs)):
                    shorter = min(len(own_pass), len(fio_pass))
                    same("places", f"{way}s in order", own_pass[:shorter], fio_pass[:shorter])
            continue
        if way == "read" and job.verifies and "back" in left_out:
            continue
        if "order" not in left_out and job.has_one_length:
            same("places", f"{way}s in order", ours, theirs)
        if "places-all" not in left_out and job.has_one_length:
            same("places", f"{way}s", Counter(ours), Counter(theirs))
        if theirs and ours:
            # Wherever places are drawn, both stay within the same bounds and use the same lengths.
            step = job.step
            outside = [place for place, _ in ours if (place - job.start) % step or not job.start <= place < job.end]
            if outside:
                found.append(f"{way}s outside of the job's places: found {outside[:3]}")
            if "mean" not in left_out and max(len(ours), len(theirs)) > 200:
                mean = lambda log: sum(length for _, length in log) / len(log)  # noqa: E731
                if abs(mean(ours) - mean(theirs)) > 0.15 * mean(theirs):
                    found.append(f"mean length of {way}s: found {mean(ours):.0f}, expected {mean(theirs):.0f}")
    return found


def pauses(job, ran):
    """The requests before which a job paused."""
    least = 0.95 * int(job.values["thinktime"])
    return [nth for nth in range(1, len(ran.times_us)) if ran.times_us[nth] - ran.times_us[nth - 1] >= least]


def compare_pauses(job, own, again):
    """fio may pause by accident where the machine is busy: one run of three has to agree."""
    ours = pauses(job, own)
    for _ in range(3):
        theirs = pauses(job, again())
        if ours == theirs:
            return []
    return [f"requests after a pause: {told(ours, theirs)}"]


def rate(ran):
    """Bytes a second: what `rate_iops` keeps to where lengths are drawn too."""
    return 1000 * sum(ran.bytes.values()) / max(ran.runtime_ms, 1)


def compare_rates(own, again):
    """fio keeps time by the wall, and may be late where the machine is busy: its fastest run of three counts."""
    theirs = []
    for _ in range(3):
        theirs.append(rate(again()))
        if abs(rate(own) - max(theirs)) <= 0.02 * max(theirs):
            return []
    return [f"bytes a second: found {rate(own):.1f}, expected {max(theirs):.1f}"]


def error_of(path):
    """The error with which a report says that its job ended; none without a report."""
    return report_of(path)["jobs"][0]["error"] if os.path.exists(path) and "{" in open(path).read() else None


def compare_errors(where):
    """Both failed: before the job began, or with one error."""
    ours, theirs = error_of(f"{where}/own.json"), error_of(f"{where}/fio.json")
    return [] if ours == theirs else [f"error of the job: {told(ours, theirs)}"]


def compare_flow(fio, firmament, seed, where):
    """Two jobs of one flow have requests by their weights, in both programs."""
    weights = [1 + seed % 4, 1 + seed // 4 % 3]
    common = ["--bs=4k", "--size=1m", "--rw=randread", "--norandommap", "--time_based", "--thinktime=200"]
    jobs = [part for name, weight in zip("ab", weights) for part in (f"--name={name}", f"--flow={weight}")]
    shutil.rmtree(where, ignore_errors=True)
    os.makedirs(where)
    found = []
    for program, engine in (([fio], ["--ioengine=null", "--runtime=1"]), ([firmament, "run", "small"], ["--runtime=200ms"])):
        run([*program, "--output-format=json", "--output=flow.json", "--name=global", *common, *engine, *jobs], where)
        first, second = [job["read"]["total_ios"] for job in report_of(f"{where}/flow.json")["jobs"]]
        if abs(first * weights[1] - second * weights[0]) > 0.1 * first * weights[1]:
            found.append(f"{os.path.basename(program[0])}: requests by weights {weights}: found {first} and {second}")
    return found


def explained(job):
    rules = {name for name, (applies, _) in ALLOWED.items() if applies(job)}
    return set().union(*(ALLOWED[name][1] for name in rules)) if rules else set()


def try_job(fio, firmament, job, where):
    shutil.rmtree(where, ignore_errors=True)
    os.makedirs(where)
    try:
        theirs = run_fio(fio, job, where)
    except Differs:
        theirs = None
    try:
        own = run_firmament(firmament, job, where)
    except Differs as reason:
        if theirs is not None:
            return [str(reason)]
        return compare_errors(where)
    if theirs is None:
        return ["fio refuses the job, and firmament runs it"]
    found = compare(job, theirs, own, explained(job))
    again = lambda: run_fio(fio, job, where)  # noqa: E731
    if job.is_paced:
        found += compare_rates(own, again)
    if "thinktime" in job.values and not job.is_mix:
        found += compare_pauses(job, own, again)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--firmament", required=True, help="the program")
    parser.add_argument("--target", required=True, help="directory for files")
    parser.add_argument("--jobs", type=int, default=100, help="jobs to generate")
    parser.add_argument("--seed", type=int, default=20261127, help="seed of the generator")
    parser.add_argument("--only", type=int, help="number of the one job to run")
    arguments = parser.parse_args()
    listed = known_differences()
    if sorted(listed) != sorted(ALLOWED):
        raise SystemExit(f"fio-diff: docs/fio.md lists {sorted(listed)}, and the comparison knows {sorted(ALLOWED)}")
    fio = shutil.which("fio")
    release = subprocess.run([fio, "--version"], capture_output=True, text=True).stdout.strip() if fio else "no fio"
    if release != RELEASE:
        print(f"fio-diff: not tested: found {release}, expected {RELEASE}")
        raise SystemExit(3)
    firmament = os.path.abspath(arguments.firmament)
    failed = 0
    for number in range(arguments.jobs):
        job = generate.job(arguments.seed, number)
        if arguments.only not in (None, number):
            continue
        for line in try_job(fio, firmament, job, os.path.abspath(f"{arguments.target}/job")):
            failed += 1
            print(f"fio-diff: job {number} of seed {arguments.seed}: {job}: {line[:600]}")
    if arguments.only is None:
        for line in compare_flow(fio, firmament, arguments.seed, os.path.abspath(f"{arguments.target}/flow")):
            failed += 1
            print(f"fio-diff: flow of seed {arguments.seed}: {line}")
    if failed:
        raise SystemExit(1)
    told = f"{arguments.jobs} jobs" if arguments.only is None else f"job {arguments.only}"
    print(f"fio-diff: {told} of seed {arguments.seed}: as in {RELEASE}")


main()
