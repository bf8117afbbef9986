#!/usr/bin/env python3
"""Power losses under SQLite: what the program was told is durable is there afterwards, and file system and table are whole.

Exit codes: 0 when nothing was lost, and the cache that lies was found; 1 if not; 3 when Linux was not built.
"""

import argparse
import os
import random
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# Without a log a drive does not find its data again.
LOG = ["--set", "recovery.log_entries=8"]
# The power goes somewhere in this span of virtual time, in microseconds: SQLite begins its transactions within the first tenth.
SPAN_US = (100_000, 1_500_000)
# Each is checked by its own program.
FILE_SYSTEMS = ("ext4", "xfs", "f2fs", "btrfs")
# Cuts between two lines of progress.
STEP = 20

# What makes SQLite's transactions durable, by journal mode: with FULL alone the last one before a power loss may be undone where it
# ends by the removal of a file, as the folder is not synced (SQLite's documentation of PRAGMA synchronous).
DURABLE = {"DELETE": "EXTRA", "WAL": "FULL"}


class Cut:
    """A run with a power loss, and what came of it."""

    def __init__(self, linux, at_us, journal, lies=False, file_system="ext4"):
        with tempfile.TemporaryDirectory() as share:
            with open(f"{share}/pragmas", "w") as file:
                file.write(f"PRAGMA journal_mode={journal}; PRAGMA synchronous={DURABLE[journal]};")
            with open(f"{share}/file-system", "w") as file:
                file.write(file_system)
            if lies:
                open(f"{share}/lie", "w").close()
            scripts = ["--script", f"{HERE}/scripts/transactions.sh", "--then", f"{HERE}/scripts/recovered.sh"]
            self.ran = linux.run(*LOG, *scripts, "--share", share, "--cut-at", f"{at_us}us")
            self.told = told(f"{share}/told")
        self.at_us = at_us

    def show(self):
        """What was found where something was lost."""
        print(self.ran.console()[-2000:], f"cut at {self.at_us} us: {self.ran.said}", sep="\n")


class Count:
    """What came of many cuts."""

    def __init__(self):
        self.cuts = self.deep = self.transactions = self.lost = 0

    def take(self, cut):
        self.cuts += 1
        self.deep += cut.told > 0
        self.transactions += cut.told
        self.lost += cut.ran.code != 0

    def text(self):
        return f"{self.cuts} cuts, {self.deep} among {self.transactions} transactions, {self.lost} lost something"


def told(path):
    """The last transaction that SQLite said is durable; 0 if it came not so far."""
    try:
        with open(path) as file:
            return int(file.read().split()[-1])
    except (OSError, IndexError):
        return 0


def cuts(linux, count, journal, lies=False, file_system="ext4", progress=None):
    """What came of so many runs, each cut at a moment of its own. The first of few cuts are the first of many."""
    moments, counted = random.Random(f"{file_system} {journal} {lies}"), Count()
    for nth in range(1, count + 1):
        cut = Cut(linux, moments.randint(*SPAN_US), journal, lies, file_system)
        counted.take(cut)
        if cut.ran.code != 0 and not lies:
            cut.show()
        if progress and (nth % STEP == 0 or nth == count):
            progress(counted)
    return counted


def measure(linux, count):
    """Verdicts: nothing is lost in either journal mode, and a cache that is said to keep what it holds loses something."""
    for journal in DURABLE:
        made = cuts(linux, count, journal)
        linux.verdict(f"power-cuts-{journal.lower()}", made.lost == 0 and made.deep > 0, made.text())
    lied = cuts(linux, count, "DELETE", lies=True)
    linux.verdict("a-cache-that-lies-is-found", lied.lost > 0, f"{lied.lost} of {count} cuts lost something")


def many(linux, count, file_systems):
    """So many cuts under each file system, by turns of both journal modes, and a tenth of them under a cache that lies."""
    for file_system in file_systems:
        for nth, journal in enumerate(DURABLE):
            half = (count + 1 - nth) // 2
            name = f"power-cuts-{file_system}-{journal.lower()}"
            made = cuts(linux, half, journal, False, file_system, lambda so_far, name=name: linux.tell(f"      {name}  {so_far.text()}"))
            linux.verdict(name, made.lost == 0 and made.deep > 0, made.text())
        lied = cuts(linux, max(count // 10, 1), "DELETE", True, file_system)
        linux.verdict(f"a-cache-that-lies-is-found-{file_system}", lied.lost > 0, lied.text())


def main():
    # Both need each other: that program makes few cuts, and this one runs Linux as that program does.
    import linux as runs

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--firmament", required=True, help="the program")
    parser.add_argument("--target", required=True, help="folder in which make linux-vt builds Linux")
    parser.add_argument("--cuts", type=int, default=1000, help="power losses under each file system")
    parser.add_argument("--file-systems", default=",".join(FILE_SYSTEMS), help="which, with commas between them")
    arguments = parser.parse_args()
    directory = os.path.abspath(arguments.target)
    if not runs.world.is_there(directory):
        runs.say("not run: Linux is not built, or of other sources than today's; make linux-vt builds it, in some minutes")
        return 3
    # A thousand cuts are for the background, where each may wait for a processor.
    runs.LIMIT = 3600
    linux, began = runs.Linux(os.path.abspath(arguments.firmament), directory), time.monotonic()
    many(linux, arguments.cuts, arguments.file_systems.split(","))
    runs.say(f"{linux.passed} passed, {linux.failed} failed, {time.monotonic() - began:.0f} s")
    return 1 if linux.failed else 0


if __name__ == "__main__":
    sys.exit(main())
