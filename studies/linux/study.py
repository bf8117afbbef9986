#!/usr/bin/env python3
"""Studies of applications in Linux in virtual time. Each prints a table and draws a picture of what system calls waited for.

Exit codes: 0 when the study ran, 1 when a run failed, 3 when Linux was not built.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../hosts/linux/world"))
sys.path.insert(0, os.path.join(HERE, "../../tests/guest"))

import bars
import world

BOARD = "cosmos-plus-log"
CAPACITOR_MILLIJOULES = 400
CACHES = {
    "write-back cache": [],
    "write-through cache": ["ftl.cache=write-through"],
    "capacitor": [f"power_loss.capacitor_millijoules={CAPACITOR_MILLIJOULES}"],
}
TRANSACTIONS = [
    ("DELETE", "NORMAL"),
    ("DELETE", "FULL"),
    ("DELETE", "EXTRA"),
    ("WAL", "NORMAL"),
    ("WAL", "FULL"),
]
# What the picture of SQLite shows is per transaction, and this many are made.
COUNT = 500
SYNCED = 2000
EXT4 = "ext4 mkfs.ext4 -q -E nodiscard"
JOURNALS = [
    ("data=ordered", EXT4, "data=ordered"),
    ("data=writeback", EXT4, "data=writeback"),
    ("data=journal", EXT4, "data=journal"),
    ("fast_commit", f"{EXT4} -O fast_commit", "data=ordered"),
    ("no journal", f"{EXT4} -O ^has_journal", "defaults"),
]
FILE_SYSTEMS = [
    ("ext4", EXT4, "defaults"),
    ("XFS", "xfs mkfs.xfs -q -f -K", "defaults"),
    ("f2fs", "f2fs mkfs.f2fs -q -f -t 0", "defaults"),
    ("btrfs", "btrfs mkfs.btrfs -q -f -K", "defaults"),
]
# A drive that is soon full: these replace what the board has. XFS takes no drive of less than 300 MiB.
FULL_BOARD = "small"
FULL = ["geometry.channels=4", "geometry.ways=4", "recovery.log_entries=8"]
STORE = [*FULL, "geometry.blocks_per_way=32"]
AGED = [*FULL, "geometry.blocks_per_way=64"]
POLICIES = ["greedy", "cost-benefit", "random"]
# Keys of the store, the share of the drive that it and a file beside it fill, and updates in batches.
STORED = {"keys": 400_000, "percent": 90, "batches": 30, "updates": 2000}
# How full file systems are, how often that was written, and writes that are measured.
USED = {"percent": 80, "times": 2, "count": 1000}


class Failed(Exception):
    """A run that did not end well; what it said."""


class Linux:
    """Runs `firmament linux`, and gives the report of what system calls waited for."""

    def __init__(self, arguments):
        self.program = os.path.abspath(arguments.firmament)
        self.world = os.path.abspath(arguments.target)
        self.board = arguments.board

    def run(self, script, told, keys):
        """The report of a script on a new drive. `told` is what the script finds in /share."""
        return self.go(script, told, [self.board, *settings(keys)])

    def twice(self, scripts, told, keys):
        """The reports of two scripts on the same drive, which is small: the second finds what the first has left."""
        with tempfile.TemporaryDirectory() as folder:
            drive = f"{folder}/drive"
            first = self.go(scripts[0], told, [FULL_BOARD, *settings(keys), "--save", drive])
            return first, self.go(scripts[1], told, ["--from", drive])

    def go(self, script, told, on):
        with tempfile.TemporaryDirectory() as share:
            for name, said in told.items():
                with open(f"{share}/{name}", "w") as file:
                    file.write(f"{said}\n")
            command = [self.program, "linux", *on, "--world", self.world, "--script", f"{HERE}/{script}"]
            command += ["--share", share, "--json", f"{share}/json", "--console", f"{share}/console"]
            ran = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if ran.returncode != 0:
                console = open(f"{share}/console").read()[-2000:] if os.path.exists(f"{share}/console") else ""
                raise Failed(f"{' '.join(command)}\n{console}{ran.stderr}")
            with open(f"{share}/json") as file:
                return json.load(file)["firmament"]


def settings(keys):
    """Values of a board as options."""
    return [word for key in keys for word in ("--set", key)]


def total(rows):
    """What all calls of some rows waited for."""
    sums = {"calls": 0, "commands": 0, "total_ns": 0, "linux_ns": 0, "causes_ns": {}}
    for row in rows:
        for key in ("calls", "commands", "total_ns", "linux_ns"):
            sums[key] += row["all"][key]
        for cause, ns in row["all"]["causes_ns"].items():
            sums["causes_ns"][cause] = sums["causes_ns"].get(cause, 0) + ns
    return sums


def rows_of(report, process, *calls):
    return [row for row in report["waits"]["calls"] if row["process"] == process and (not calls or row["call"] in calls)]


def largest(waited):
    """The cause that took most, with its share of all time."""
    causes = {**waited["causes_ns"], "Linux": waited["linux_ns"]}
    name = max(causes, key=causes.get)
    said = bars.CAUSES[name][0] if name in bars.CAUSES else name
    return f"{said} {100 * causes[name] / max(waited['total_ns'], 1):.0f} %"


def sqlite(linux, out):
    """Journal modes of SQLite over the drive's caches."""
    print("| Journal | `synchronous` | Cache of the drive | A transaction | Transactions a second | Syncs of a transaction | In the drive | Most of it |")
    print("|---|---|---|---|---|---|---|---|")
    groups = []
    for cache, keys in CACHES.items():
        drawn = []
        for journal, synchronous in TRANSACTIONS:
            pragmas = f"PRAGMA journal_mode={journal}; PRAGMA synchronous={synchronous};"
            report = linux.run("transactions.sh", {"pragmas": pragmas, "count": COUNT}, keys)
            waited = total(rows_of(report, "sqlite3"))
            syncs = total(rows_of(report, "sqlite3", "fsync", "fdatasync"))["calls"]
            mean_ns = waited["total_ns"] / COUNT
            in_drive = 1 - waited["linux_ns"] / max(waited["total_ns"], 1)
            print(
                f"| {journal} | {synchronous} | {cache} | {mean_ns / 1e3:.1f} us | {1e9 / mean_ns:.0f} | {syncs / COUNT:.2f} "
                f"| {100 * in_drive:.1f} % | {largest(waited)} |",
                flush=True,
            )
            drawn.append((f"{journal}, {synchronous}", waited, COUNT))
        groups.append((cache, drawn))
    bars.draw(f"{out}/sqlite.svg", "What a transaction of SQLite waits for", groups)


def synced(linux, out, cases, name, title):
    """Writes that are made durable at once, one after the other."""
    print("| | Write and fsync, as fio saw them | fsync: mean | Median | 99 % | 99.9 % | Commands | In the drive | Most of it | Most of the slowest hundredth |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    groups = []
    for label, mkfs, options in cases:
        report = linux.run("synced.sh", {"mkfs": mkfs, "options": options, "count": SYNCED}, [])
        # The first fsync ends the file's making and has a thread of its own.
        (row, *_) = sorted(rows_of(report, "fio", "fsync"), key=lambda row: -row["all"]["calls"])
        latency, waited = row["latency_ns"], row["all"]
        percentile = [latency["percentile"][f"{of:.6f}"] / 1e3 for of in (50, 99, 99.9)]
        whole = total(rows_of(report, "fio"))
        drive = 1 - waited["linux_ns"] / max(waited["total_ns"], 1)
        print(
            f"| {label} | {whole['total_ns'] / waited['calls'] / 1e3:.1f} us | {latency['mean'] / 1e3:.1f} us | {percentile[0]:.1f} us "
            f"| {percentile[1]:.1f} us | {percentile[2]:.1f} us | {waited['commands'] / waited['calls']:.2f} | {100 * drive:.1f} % "
            f"| {largest(waited)} | {largest(row['slowest'])} |",
            flush=True,
        )
        slow = row["slowest"]
        groups.append((label, [("all", waited, waited["calls"]), ("slowest hundredth", slow, slow["calls"])]))
    bars.draw(f"{out}/{name}.svg", title, groups)


def store(linux, out):
    """Policies of collection under a store of keys on a drive that is nearly full."""
    print("| Collection | Updates a second | Written by Linux | Bytes programmed a byte written | Blocks collected | A batch's sync: mean | Longest | Most of it |")
    print("|---|---|---|---|---|---|---|---|")
    drawn = []
    for policy in POLICIES:
        _, report = linux.twice(["store-fill.sh", "store-update.sh"], STORED, [*STORE, f"ftl.victim={policy}"])
        waited = total(rows_of(report, "sync"))
        latency = rows_of(report, "sync")[0]["latency_ns"]
        updates = STORED["batches"] * STORED["updates"]
        print(
            f"| {policy} | {1e9 * updates / waited['total_ns']:.0f} | {report['host_bytes_written'] / 1e6:.0f} MB "
            f"| {report['write_amplification']:.2f} | {report['garbage_collections']} | {latency['mean'] / 1e6:.0f} ms "
            f"| {latency['max'] / 1e6:.0f} ms | {largest(waited)} |",
            flush=True,
        )
        drawn.append((policy, waited, waited["calls"]))
    bars.draw(f"{out}/store.svg", "What a batch of updates waits for, by the policy of collection", [("LMDB", drawn)])


def aging(linux, out):
    """Writes that are made durable at once, on file systems that are new and that were used."""
    print("| | Used | fsync: mean | Median | 99 % | Commands | Bytes programmed a byte written, then and before | Most of it |")
    print("|---|---|---|---|---|---|---|---|")
    groups = []
    for label, mkfs, _ in FILE_SYSTEMS:
        drawn = []
        for use, percent, times in (("new", 1, 1), (f"{USED['times']} times", USED["percent"], USED["times"])):
            told = {"mkfs": mkfs, "percent": percent, "times": times, "count": USED["count"]}
            before, report = linux.twice(["aged.sh", "used.sh"], told, AGED)
            (row, *_) = sorted(rows_of(report, "fio", "fsync"), key=lambda row: -row["all"]["calls"])
            latency, waited = row["latency_ns"], row["all"]
            percentile = [latency["percentile"][f"{of:.6f}"] / 1e3 for of in (50, 99)]
            print(
                f"| {label} | {use} | {latency['mean'] / 1e3:.0f} us | {percentile[0]:.0f} us | {percentile[1]:.0f} us "
                f"| {waited['commands'] / waited['calls']:.2f} | {report['write_amplification']:.2f}, {before['write_amplification']:.2f} "
                f"| {largest(waited)} |",
                flush=True,
            )
            drawn.append((use, waited, waited["calls"]))
        groups.append((label, drawn))
    bars.draw(f"{out}/aging.svg", "What fsync waits for, on new file systems and on used ones", groups)


STUDIES = {
    "sqlite": sqlite,
    "journals": lambda linux, out: synced(linux, out, JOURNALS, "journals", "What fsync waits for, by the journal of ext4"),
    "store": store,
    "aging": aging,
    "file-systems": lambda linux, out: synced(linux, out, FILE_SYSTEMS, "file-systems", "What fsync waits for, by file system"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--firmament", default="target/release/firmament", help="the program")
    parser.add_argument("--target", default="target/linux-vt", help="folder in which make linux-vt builds Linux")
    parser.add_argument("--board", default=BOARD)
    parser.add_argument("--out", default="out/linux", help="folder for the picture")
    arguments = parser.parse_args()
    if not world.is_there(os.path.abspath(arguments.target)):
        print("linux: not run: Linux is not built, or of other sources than today's; make linux-vt builds it", file=sys.stderr)
        return 3
    os.makedirs(arguments.out, exist_ok=True)
    try:
        STUDIES[arguments.study](Linux(arguments), arguments.out)
    except Failed as reason:
        print(reason, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
