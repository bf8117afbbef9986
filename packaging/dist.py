"""Makes the release archive: a directory with bin/ and share/ that runs wherever it is unpacked, on Debian 12 or newer.

The same program and the same sources give the same bytes. Wrong input ends with exit code 2 and one line.
"""

import argparse
import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What Debian 12 has: the version of its C library, and the libraries that libc6 and what it depends on install.
GLIBC = (2, 36)
LIBRARIES = {"ld-linux-x86-64.so.2", "libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0", "librt.so.1"}
# Beside the program: where it is kept here, and where in the archive.
DOCUMENTS = "share/doc/firmament"
FILES = ["LICENSE", "CHANGELOG.md"]
DIRECTORIES = ["jobs", "traces"]


class Wrong(Exception):
    """Something that keeps the archive from being made, as place, found, expected."""


def run(*command):
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode != 0:
        lines = ran.stderr.strip().splitlines() or [f"exit code {ran.returncode}"]
        raise Wrong(f"{command[0]}: found {lines[-1]!r}, expected it to succeed")
    return ran.stdout


def told(program):
    """Version, commit and target, as the program tells them."""
    text = run(program, "--version").strip()
    found = re.fullmatch(r"firmament (\S+) \(commit (\S+), (\S+)\)", text)
    if not found:
        raise Wrong(f"{program} --version: found {text!r}, expected version, commit and target")
    return found.groups()


def refuse_what_debian_lacks(program, most=GLIBC):
    """Fails if the program needs a library, or a version of the C library, that Debian 12 does not have."""
    needed = set(re.findall(r"^\s+NEEDED\s+(\S+)", run("objdump", "-p", program), re.MULTILINE))
    if needed - LIBRARIES:
        raise Wrong(f"{program}: found need of {', '.join(sorted(needed - LIBRARIES))}, expected libraries of a bare Debian 12")
    symbols = re.findall(r"\*UND\*.*\(?GLIBC_([0-9.]+)\)?\s+(\S+)$", run("objdump", "-T", program), re.MULTILINE)
    if not symbols:
        raise Wrong(f"{program}: found no symbol of the C library, expected a program linked to it")
    version, symbol = max((tuple(map(int, version.split("."))), symbol) for version, symbol in symbols)
    if version > most:
        text = ".".join(map(str, version))
        raise Wrong(f"{program}: found need of {symbol} of glibc {text}, expected at most {'.'.join(map(str, most))}")


def seconds():
    """The time that files of the archive carry: that of the commit, or none."""
    told = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True)
    return int(os.environ.get("SOURCE_DATE_EPOCH") or told.stdout.strip() or 0)


def fill(place, program):
    """Puts what the archive holds into a directory."""
    run(f"{ROOT}/packaging/install.sh", program, place)
    # What only debuggers read makes the download large.
    run("strip", "--strip-debug", f"{place}/bin/firmament")
    os.makedirs(f"{place}/{DOCUMENTS}")
    for file in FILES:
        shutil.copyfile(f"{ROOT}/{file}", f"{place}/{DOCUMENTS}/{file}")
    for directory in DIRECTORIES:
        shutil.copytree(f"{ROOT}/{directory}", f"{place}/{DOCUMENTS}/{directory}")


def pack(place, name, time):
    """The bytes of a compressed archive of a directory, which is called `name` inside."""

    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = time
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    out = io.BytesIO()
    # tarfile takes entries of directories in the order of their names.
    with gzip.GzipFile("", "wb", 6, out, mtime=time) as stream, tarfile.open(fileobj=stream, mode="w") as archive:
        archive.add(place, name, filter=plain)
    return out.getvalue()


def make(program, out, changed):
    """Writes archive and checksum into a directory; returns the archive's path."""
    version, commit, target = told(program)
    if not changed and not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise Wrong(f"{program}: found commit {commit}, expected a program built from a commit without changes")
    refuse_what_debian_lacks(program)
    name = f"firmament-{version}-{target}"
    with tempfile.TemporaryDirectory() as directory:
        place = f"{directory}/{name}"
        fill(place, program)
        packed = pack(place, name, seconds())
    os.makedirs(out, exist_ok=True)
    path = f"{out}/{name}.tar.gz"
    with open(path, "wb") as file:
        file.write(packed)
    with open(f"{path}.sha256", "w") as file:
        file.write(f"{hashlib.sha256(packed).hexdigest()}  {name}.tar.gz\n")
    return path


def main():
    arguments = argparse.ArgumentParser(description="Makes the release archive.")
    arguments.add_argument("--firmament", required=True, help="the program to pack")
    arguments.add_argument("--out", required=True, help="the directory that gets archive and checksum")
    arguments.add_argument("--changed", action="store_true", help="also if the sources were changed since their commit")
    given = arguments.parse_args()
    try:
        path = make(os.path.abspath(given.firmament), given.out, given.changed)
    except (OSError, Wrong) as wrong:
        print(f"dist: {wrong}", file=sys.stderr)
        return 2
    print(f"{path}: {os.path.getsize(path) / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
