"""Changes the firmware, one change at a time, and says which changes no test noticed.

Each change is tried with the firmware's own tests, and what they miss with whole drives too.
Fails where fewer than nine in ten were caught, or where one that was missed is not listed, with its
reason, in docs/mutants.md.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

LEAST_PERCENT = 90
DOCUMENT = pathlib.Path("docs/mutants.md")
# The unchanged firmware is known to pass; cargo-mutants would try it with the wrong package's tests.
WHOLE_DRIVES = [
    "--config=tests/mutants/drives.toml",
    "--baseline=skip",
    "--timeout=300",
    "--build-timeout=1500",
]
# What cargo-mutants exits with: all caught, some missed, some endless.
ENDED = (0, 2, 3)


def run(tool, out, arguments):
    """Runs cargo-mutants, one change at a time; returns its lists of changes, by name."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    code = subprocess.run([tool, "mutants", "--jobs=1", f"--output={out}", *arguments]).returncode
    if code not in ENDED:
        sys.exit(f"cargo-mutants: found exit code {code}, expected one of {ENDED}")
    names = ("caught", "missed", "timeout", "unviable")
    return {name: (out / f"mutants.out/{name}.txt").read_text().split("\n")[:-1] for name in names}


def only(mutants, diff):
    """Arguments for these mutants alone. Those that leave a field out heed no name, but lines they do:
    the file `diff` says that the lines of `mutants` have changed."""
    hunks = []
    for mutant in mutants:
        path, line = mutant.split(":")[:2]
        text = pathlib.Path(path).read_text().split("\n")[int(line) - 1]
        hunks.append(f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-\n+{text}\n")
    diff.write_text("".join(hunks))
    return [f"--in-diff={diff}", f"--re=^({'|'.join(map(re.escape, mutants))})$"]


def change(mutant):
    """A mutant without line and column, which move with every edit."""
    return re.sub(r":\d+:\d+:", ":", mutant)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the program cargo-mutants")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="where its lists go")
    parser.add_argument("--shard", required=True, help="K/N: every N-th change, from the K-th on")
    given = parser.parse_args()

    shard = [f"--shard={given.shard}", "--sharding=round-robin"]
    own = run(given.tool, given.out / "own", shard)
    missed = own["missed"]
    if missed:
        arguments = [*only(missed, given.out / "missed.diff"), *WHOLE_DRIVES]
        drives = run(given.tool, given.out / "drives", arguments)
        missed = [mutant for mutant in missed if mutant in drives["missed"]]

    # A change that makes a test wait for ever is noticed.
    judged = sum(len(own[name]) for name in ("caught", "missed", "timeout"))
    percent = 100 * (judged - len(missed)) / max(judged, 1)
    print(
        f"{judged} changes: {len(own['missed'])} missed by the firmware's own tests "
        f"({len(own['timeout'])} more were endless), {len(missed)} by those of whole drives too "
        f"({percent:.1f} % caught); {len(own['unviable'])} more do not compile"
    )
    listed = DOCUMENT.read_text()
    unlisted = [mutant for mutant in missed if f"`{change(mutant)}`" not in listed]
    for mutant in unlisted:
        print(f"missed, and not in {DOCUMENT}: {mutant}")
    if unlisted or percent < LEAST_PERCENT:
        sys.exit(1)


main()
