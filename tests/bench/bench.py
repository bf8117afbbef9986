"""How fast the simulator is: requests a CPU second, instructions a request, and peak memory.

`bench.py time` prints a table of the cases in cases.toml, of starts and of a sweep. `bench.py check` counts alone: instructions of a
request, of a start and of a point of a sweep, and bytes of memory. It fails where a count is over 1 % above the least that counts.csv
has. `--update` writes what fell into that file; what rose is written only with `--why`, and the reason stands in the row. `bench.py run`
runs each case of requests once and measures nothing: a program that counts its own branches is built to be run so.

Valgrind counts, and its counts do not depend on what else the machine does. Exit code 0: no count rose. 1: one did, or a run failed.
3: there is no Valgrind here.
"""

import argparse
import csv
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.relpath(f"{HERE}/counts.csv")
BOARD = "cosmos-plus"
# By how much a count may be above the least that it was. Compilers of the same version differ by less.
MOST_PERCENT = 1
# The size of the drives that are counted, unless a case names its own.
CHECKED = "32 GiB"
SWEEP_POINTS = 1000
# How many times as many requests `bench.py run` runs as are counted.
RUN_TIMES = 5
VALGRIND = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
# The highest heap of the run is told to the byte.
HEAP = ["valgrind", "--tool=massif", "--peak-inaccuracy=0.0"]
# What a case may count, and how the table calls it.
UNITS = {
    "request": "instructions a request",
    "start": "instructions a start",
    "point": "instructions a point of a sweep",
    "memory": "bytes of heap at the most",
}
# The C library copies memory with other instructions on other processors, unless it is told not to.
ALIKE = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX_Fast_Unaligned_Load,-AVX512F,-AVX512VL,-ERMS,-FSRM"}


class Failed(Exception):
    """A run that did not end as it should."""


class Firmament:
    """The program, and how it was compiled."""

    def __init__(self, program):
        self.program = os.path.abspath(program)
        # target/release or target/debug.
        self.profile = os.path.basename(os.path.dirname(self.program))

    def options(self, case, blocks_per_way, count):
        """Of a run of so many requests of the case, all jobs together."""
        # A job ends after its requests, however small the drive is.
        endless = ["--io_size=1p"]
        each = count * case["unit_bytes"] // request_bytes(case) // case.get("jobs", 1)
        return [self.program, "run", BOARD, "--set", f"geometry.blocks_per_way={blocks_per_way}",
                f"--precondition={case['precondition']}", *case["job"], f"--number_ios={each}", *endless]

    def run(self, case, blocks_per_way, count):
        """The JSON of a run, and the most memory that it had, in MiB."""
        with tempfile.TemporaryDirectory() as folder:
            report = f"{folder}/report.json"
            command = self.options(case, blocks_per_way, count)
            peak = peak_mib([*command, "--output-format=json", f"--output={report}"])
            return json.load(open(report)), peak

    def sweep(self, folder, blocks_per_way, count, more=()):
        """The command of a sweep of so many points of 500 reads, each with a seed of its own."""
        sweep = f"{folder}/sweep-{count}.toml"
        with open(sweep, "w") as file:
            file.write(f'board = "{BOARD}"\nseeds = {count}\n[set]\n"geometry.blocks_per_way" = {blocks_per_way}\n'
                       '[options]\nrw = "randread"\nbs = "4k"\niodepth = 16\nnumber_ios = 500\n')
        return [self.program, "sweep", sweep, "--out", f"{folder}/out-{count}", *more]

    def under(self, tool, command, case):
        """What a tool of Valgrind says of a whole run."""
        ran = subprocess.run([*tool, *command], capture_output=True, text=True, env=os.environ | ALIKE)
        if ran.returncode != 0:
            raise Failed(f"{case['name']}: {(ran.stderr.strip().splitlines() or ['no output'])[-1]}")
        return ran.stderr

    def instructions(self, command, case):
        """Instructions of a whole run."""
        found = re.search(r"I\s+refs:\s+([\d,]+)", self.under(VALGRIND, command, case))
        if not found:
            raise Failed(f"{case['name']}: found no instructions in what Valgrind says, expected them")
        return int(found.group(1).replace(",", ""))

    def heap(self, command, case):
        """Bytes of the heap at its highest, with what the allocator keeps beside them."""
        with tempfile.TemporaryDirectory() as folder:
            self.under([*HEAP, f"--massif-out-file={folder}/heap"], command, case)
            snapshots = open(f"{folder}/heap").read().split("snapshot=")[1:]
        bytes_of = lambda snapshot: sum(map(int, re.findall(r"^mem_heap(?:_extra)?_B=(\d+)", snapshot, re.M)))
        return max(map(bytes_of, snapshots))

    def count(self, case, sizes):
        """What the case counts. Requests and points are counted without the start: of twice as many, less of once as many."""
        own = case | (case.get("short", {}) if self.profile == "debug" else {})
        size, counted = sizes[own.get("size", CHECKED)], own.get("counted", 1)
        match counts(case):
            case "start":
                return self.instructions(self.options(case, size, 1), case)
            case "memory":
                return self.heap(self.options(case, size, counted), case)
            case "point":
                with tempfile.TemporaryDirectory() as folder:
                    runs = [self.sweep(folder, size, counted * times, ["--jobs=1"]) for times in (1, 2)]
                    once, twice = (self.instructions(command, case) for command in runs)
            case "request":
                once, twice = (self.instructions(self.options(case, size, counted * times), case) for times in (1, 2))
        return round((twice - once) / counted)


def counts(case):
    """What a case counts: a key of UNITS."""
    return case.get("counts", "request")


def request_bytes(case):
    """Bytes of a request of the job."""
    size = next(option for option in case["job"] if option.startswith("--bs="))
    return int(size.removeprefix("--bs=").removesuffix("k")) * 1024


def peak_mib(command):
    """Runs a command; the most memory that it had resident, in MiB."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise Failed(f"{' '.join(command[1:4])}: {(errors.strip().splitlines() or ['no output'])[-1]}")
    return usage.ru_maxrss / 1024


def time_case(firmament, case, size, blocks_per_way):
    """Prints a row of the table of cases."""
    report, peak = firmament.run(case, blocks_per_way, case["count"])
    own = report["firmament"]
    count = own["requests"] * request_bytes(case) / case["unit_bytes"]
    counted = firmament.count(case | {"size": size}, {size: blocks_per_way}) if shutil.which("valgrind") else "-"
    factor = own["write_amplification"]
    print(f"{case['name']:<17} {size:<8} {count:>9.0f} {own['cpu_s']:>8.2f} {count / own['cpu_s']:>13.0f} {counted:>13}"
          f" {'-' if factor is None else f'{factor:.2f}':>6} {peak:>9.0f}", flush=True)


def cpu_s(command, what):
    """CPU seconds, wall seconds and peak MiB of a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    peak = peak_mib(command)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{what:<40} {spent:>8.2f} {wall:>8.2f} {peak:>9.0f}", flush=True)


def time_starts(firmament, sizes):
    """Prints what a whole run of one request takes: reading the board, power-on, preconditioning, report."""
    print(f"\n{'a whole run':<40} {'CPU s':>8} {'wall s':>8} {'peak MiB':>9}")
    for size in sizes["timed"]["sizes"]:
        for state in ("none", "sequential", "random"):
            case = {"name": "start", "unit_bytes": 4096, "precondition": state, "job": ["--rw=randread", "--bs=4k"]}
            command = firmament.options(case, sizes["sizes"][size], 1)
            cpu_s(command, f"one read, {size}, {state}")
    with tempfile.TemporaryDirectory() as folder:
        command = firmament.sweep(folder, sizes["sizes"][CHECKED], SWEEP_POINTS)
        cpu_s(command, f"{SWEEP_POINTS} points of 500 reads, {CHECKED}")


def time_all(firmament, cases, only):
    """Prints all tables."""
    print(f"{'case':<17} {'size':<8} {'units':>9} {'CPU s':>8} {'a CPU second':>13} {'instructions':>13} {'WA':>6} {'peak MiB':>9}")
    for case in cases["case"]:
        if only in case["name"] and counts(case) == "request":
            for size in case.get("sizes", cases["timed"]["sizes"]):
                time_case(firmament, case, size, cases["sizes"][size])
    if only in "start":
        time_starts(firmament, cases)


def run_all(firmament, cases, only):
    """Runs each case of requests, with more of them than are counted, so that they outweigh the start."""
    for case in cases["case"]:
        if only in case["name"] and counts(case) == "request":
            firmament.run(case, cases["sizes"][CHECKED], RUN_TIMES * case["counted"])


def compiler():
    """The compiler's version: counts are its work too."""
    return subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]


def read_table():
    """Rows by profile and case."""
    if not os.path.exists(TABLE):
        return {}
    with open(TABLE, newline="") as file:
        return {(row["profile"], row["case"]): row for row in csv.DictReader(file)}


def write_table(table):
    """Writes the table in its order."""
    with open(TABLE, "w", newline="") as file:
        writer = csv.DictWriter(file, ["profile", "case", "count", "unit", "compiler", "why"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(table[key] for key in sorted(table))


def is_more(found, row):
    """Whether a count is more above that of a row than it may be."""
    return 100 * found > (100 + MOST_PERCENT) * int(row["count"])


class Ratchet:
    """The least count of each case, which only falls unless a reason is given."""

    def __init__(self, table, version):
        self.table, self.version = table, version

    def check(self, key, found, unit):
        """What there is to say of a count, and whether it may be."""
        before = self.table.get(key)
        if before is None:
            return f"{found} {unit}, found no figure for {key[0]} in {TABLE}, expected one (make bench-update)", False
        growth = found / int(before["count"]) - 1
        line = f"{found} {unit}, {growth:+.1%} from {before['count']}"
        if before["compiler"] != self.version:
            return f"{line}, of compiler {before['compiler']} where this is {self.version}: not compared", True
        if is_more(found, before):
            return f"{line}, expected at most {MOST_PERCENT} % more", False
        return f"{line}{'; make bench-update takes that in' if found < int(before['count']) else ''}", True

    def update(self, key, found, unit, why):
        """The same where the table is written: it keeps the least, unless there is a reason to take more."""
        before = self.table.get(key)
        same = before is not None and before["compiler"] == self.version
        least, rose = (int(before["count"]), is_more(found, before)) if same else (None, False)
        if rose and not why:
            return f"{found} {unit}, more than {least}: expected --why", False
        if same and not rose and least <= found:
            return f"{found} {unit}, {least} stay", True
        reason = why if rose else before["why"] if same else ""
        row = {"profile": key[0], "case": key[1], "count": found, "unit": unit, "compiler": self.version, "why": reason}
        self.table[key] = row
        return f"{found} {unit}, written", True


def check(firmament, cases, arguments):
    """Counts what the cases count and compares it with the table. True if nothing rose."""
    ratchet, good = Ratchet(read_table(), compiler()), True
    for case in cases["case"]:
        if arguments.only not in case["name"] or case.get("long") and firmament.profile == "debug":
            continue
        key, unit, found = (firmament.profile, case["name"]), UNITS[counts(case)], firmament.count(case, cases["sizes"])
        said, may = ratchet.update(key, found, unit, arguments.why) if arguments.update else ratchet.check(key, found, unit)
        good &= may
        print(f"bench: {case['name']}: {said}", file=sys.stdout if may else sys.stderr, flush=True)
    if arguments.update:
        write_table(ratchet.table)
    return good


def main():
    parser = argparse.ArgumentParser(description="How fast the simulator is.")
    parser.add_argument("what", choices=["time", "check", "run"])
    parser.add_argument("--firmament", required=True, help="the program")
    parser.add_argument("--only", default="", help="cases with this in their names")
    parser.add_argument("--update", action="store_true", help="check: writes what is found, if it fell")
    parser.add_argument("--why", default="", help="check --update: the reason to write what rose, which the table keeps")
    arguments = parser.parse_args()
    with open(f"{HERE}/cases.toml", "rb") as file:
        cases = tomllib.load(file)
    firmament = Firmament(arguments.firmament)
    if arguments.what == "time":
        return time_all(firmament, cases, arguments.only)
    if arguments.what == "run":
        return run_all(firmament, cases, arguments.only)
    if not shutil.which("valgrind"):
        print("bench: found no valgrind, expected it to count (apt install valgrind): not checked", file=sys.stderr)
        sys.exit(3)
    return sys.exit(not check(firmament, cases, arguments))


if __name__ == "__main__":
    try:
        main()
    except Failed as failure:
        print(f"bench: {failure}", file=sys.stderr)
        sys.exit(1)
