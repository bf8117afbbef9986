"""Power losses under SQLite: what the program was told is durable is there afterwards."""

import os
import random
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# Without a log a drive does not find its data again.
LOG = ["--set", "recovery.log_entries=8"]
# The power goes somewhere in this span of virtual time, in microseconds: SQLite begins its transactions within the first tenth.
SPAN_US = (100_000, 1_500_000)


# What makes SQLite's transactions durable, by journal mode: with FULL alone the last one before a power loss may be undone where it
# ends by the removal of a file, as the folder is not synced (SQLite's documentation of PRAGMA synchronous).
DURABLE = {"DELETE": "EXTRA", "WAL": "FULL"}


class Cut:
    """A run with a power loss, and what came of it."""

    def __init__(self, linux, at_us, journal, lies):
        with tempfile.TemporaryDirectory() as share:
            with open(f"{share}/pragmas", "w") as file:
                file.write(f"PRAGMA journal_mode={journal}; PRAGMA synchronous={DURABLE[journal]};")
            if lies:
                open(f"{share}/lie", "w").close()
            scripts = ["--script", f"{HERE}/scripts/transactions.sh", "--then", f"{HERE}/scripts/recovered.sh"]
            self.ran = linux.run(*LOG, *scripts, "--share", share, "--cut-at", f"{at_us}us")
            self.told = told(f"{share}/told")
        self.at_us = at_us


def told(path):
    """The last transaction that SQLite said is durable; 0 if it came not so far."""
    try:
        with open(path) as file:
            return int(file.read().split()[-1])
    except (OSError, IndexError):
        return 0


def cuts(linux, count, journal, lies=False):
    """So many runs, each cut at a moment of its own."""
    moments = random.Random(count)
    return [Cut(linux, moments.randint(*SPAN_US), journal, lies) for _ in range(count)]


def measure(linux, count):
    """Verdicts: nothing is lost in either journal mode, and a cache that is said to keep what it holds loses something."""
    for journal in DURABLE:
        made = cuts(linux, count, journal)
        for cut in made:
            if cut.ran.code != 0:
                print(cut.ran.console()[-2000:], f"cut at {cut.at_us} us: {cut.ran.said}", sep="\n")
        lost = sum(cut.ran.code != 0 for cut in made)
        transactions = sum(cut.told for cut in made)
        deep = sum(cut.told > 0 for cut in made)
        detail = f"{count} cuts, {deep} among {transactions} transactions, {lost} lost something"
        linux.verdict(f"power-cuts-{journal.lower()}", lost == 0 and deep > 0, detail)
    lied = cuts(linux, count, "DELETE", lies=True)
    lost = sum(cut.ran.code != 0 for cut in lied)
    linux.verdict("a-cache-that-lies-is-found", lost > 0, f"{lost} of {count} cuts lost something")
