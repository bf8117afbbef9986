#!/usr/bin/env python3
"""Boots Linux in the drive's virtual time and lets it work there; each check has a verdict line.

Exit codes: 0 when every check passed, 1 when one failed, 3 when Linux cannot run on this machine or was not built.
"""

import argparse
import ctypes
import glob
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../hosts/linux/world"))
sys.path.insert(0, os.path.join(HERE, "../guest"))
sys.path.insert(0, os.path.join(HERE, "../../studies/linux"))

import bars
import cuts
import drives
import hardware
import namespaces
import processor
import roots
import snapshots
import struct
import table
import waits
import world

# A gigabyte in few chips.
BOARD = ["small", "--set", "geometry.blocks_per_way=512"]
# What stands in a report and only a wall clock tells.
SPEED = ["wall_s", "cpu_s", "requests_per_cpu_second"]
# Seconds of wall time that a run may take on a slow machine.
LIMIT = 300


def say(line):
    print(f"linux: {line}", flush=True)


class Ran:
    """A run that has ended, and what it wrote."""

    def __init__(self, code, seconds, said, files):
        self.code = code
        self.seconds = seconds
        self.said = said.strip()
        self.files = files

    def console(self):
        return self.files.get("console", b"").decode(errors="replace")

    def report(self):
        return json.loads(self.files["json"])

    def same_bytes(self):
        """All that was written, but the speed figures."""
        report = self.report()
        for own in (report, *report["firmament"].get("further_drives", [])):
            for key in SPEED:
                own["firmament"].pop(key)
        return {**self.files, "json": json.dumps(report).encode()}


class Linux:
    """Runs `firmament linux`, and counts verdicts."""

    def __init__(self, firmament, directory):
        self.program = firmament
        self.directory = directory
        self.passed = 0
        self.failed = 0
        self.writes_digest = False

    def command(self, arguments, work, board=BOARD):
        """The command line of a run that writes into the folder `work`."""
        files = {"json": f"{work}/json", "console": f"{work}/console", "trace": f"{work}/trace", "monitor": f"{work}/monitor"}
        words = [word for name, path in files.items() for word in (f"--{name}", path)]
        return [self.program, "linux", *board, "--world", self.directory, *words, *arguments]

    def run(self, *arguments, board=BOARD, **process):
        with tempfile.TemporaryDirectory() as work:
            began = time.monotonic()
            ran = subprocess.run(
                self.command(arguments, work, board),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                timeout=LIMIT,
                **process,
            )
            seconds = time.monotonic() - began
            files = {os.path.basename(path): open(path, "rb").read() for path in glob.glob(f"{work}/*")}
        return Ran(ran.returncode, seconds, ran.stderr, files)

    def script(self, name, *arguments):
        return self.run("--script", f"{HERE}/scripts/{name}.sh", *arguments)

    def tell(self, line):
        say(line)

    def verdict(self, name, passed, detail):
        self.passed += passed
        self.failed += not passed
        say(f"{'pass' if passed else 'FAIL'}  {name}  {detail}")
        return passed

    def ended(self, name, ran):
        """A verdict on whether a script ended well; shows what it printed if not."""
        if ran.code != 0:
            print(ran.console(), ran.said, sep="\n")
        return self.verdict(name, ran.code == 0, f"{ran.seconds:.1f} s")


class Busy:
    """Programs that leave no processor idle."""

    def __enter__(self):
        spin = [sys.executable, "-c", "while True: pass"]
        self.programs = [subprocess.Popen(spin) for _ in range(2 * os.cpu_count())]

    def __exit__(self, *_):
        for program in self.programs:
            program.kill()
            program.wait()


def same(linux, name, one, other):
    """A verdict on whether two runs wrote the same bytes."""
    ours, theirs = one.same_bytes(), other.same_bytes()
    differing = [file for file in sorted({*ours, *theirs}) if ours.get(file) != theirs.get(file)]
    detail = f"{len(ours['trace'].splitlines())} commands, {other.seconds:.1f} s"
    if differing:
        detail = f"{' and '.join(differing)} differ"
        for file in differing:
            show_difference(file, ours.get(file, b""), theirs.get(file, b""))
    linux.verdict(name, not differing and other.code == one.code, detail)


def show_difference(file, ours, theirs):
    """The first line in which a file differs."""
    pairs = zip(ours.split(b"\n"), theirs.split(b"\n"))
    for number, (one, other) in enumerate(pairs, 1):
        if one != other:
            print(f"{file}:{number}\n  {one[:200]!r}\n  {other[:200]!r}")
            return


def left_behind():
    """Processes and folders of guests on this machine."""
    folders = glob.glob(f"{tempfile.gettempdir()}/firmament-linux-*")
    return folders


def deterministic(linux):
    """Boot, ext4, fio, power off; and the same again on a busy machine, and with time told by messages."""
    first = linux.script("short")
    if not linux.ended("boots-formats-and-runs-fio", first):
        return
    as_written_down(linux, first)
    with Busy():
        same(linux, "same-bytes-on-a-busy-machine", first, linux.script("short"))
    same(linux, "same-bytes-by-messages", first, linux.script("short", "--scheduling", "messages"))
    other = linux.script("short", "--seed", "2")
    differs = other.code == 0 and other.files["trace"] != first.files["trace"]
    linux.verdict("another-seed-is-another-run", differs, f"{other.seconds:.1f} s")


# What Linux and its programs were, and the digest of the commands that they gave: the same on any machine.
DIGEST = f"{HERE}/digest"
VERSIONS = "uname -r; fio --version; mke2fs -V 2>&1"


def as_written_down(linux, ran):
    """The commands of a run are those of the machine on which they were written down, where Linux and its programs are the same."""
    built = world.digest(world.whole(linux.directory).made_of, linux.run("--command", VERSIONS).console())
    now = f"{built} {hashlib.sha256(ran.files['trace']).hexdigest()}"
    if linux.writes_digest:
        with open(DIGEST, "w", encoding="ascii") as file:
            file.write(now + "\n")
    with open(DIGEST, encoding="ascii") as file:
        written = file.read().strip()
    if written.split()[0] != built:
        say("same-bytes-as-written-down: not compared, Linux is another one; --write-digest writes the digest anew")
        return
    linux.verdict("same-bytes-as-written-down", now == written, "" if now == written else f"{now}, and not {written}; --write-digest")


def traps(linux):
    """What cannot go on ends, with one line that says why, and leaves nothing behind."""
    before = left_behind()
    code = linux.run("--command", "exit 7")
    expected = "firmament: linux: command: found exit code 7, expected 0"
    linux.verdict("exit-code-of-a-script", (code.code, code.said) == (1, expected), code.said)
    cannot_start(linux)
    polled = linux.run("--command", POLLED)
    linux.verdict("polling-waits-for-interrupts", polled.code == 0, f"{polled.seconds:.1f} s")
    stands_still(linux)
    interrupted(linux)
    linux.verdict("nothing-is-left-behind", left_behind() == before, " ".join(left_behind()))


# Without queues that are polled, Linux waits for an interrupt where a program asks it to poll.
POLLED = "fio --name=polled --filename=/dev/nvme0n1 --rw=read --bs=4k --size=64k --ioengine=pvsync2 --hipri"


def cannot_start(linux):
    """A machine on which Linux cannot start says why, in one line."""
    without_folder = linux.run("--command", "true", env={**os.environ, "TMPDIR": "/nonexistent"})
    without_ptrace = linux.run("--command", "true", preexec_fn=forbid_ptrace)
    for name, ran, expected in [
        ("without-a-folder-for-temporary-files", without_folder, "no folder for temporary files in /nonexistent"),
        ("without-ptrace", without_ptrace, "which needs ptrace"),
    ]:
        told = ran.code == 2 and "\n" not in ran.said and expected in ran.said
        linux.verdict(name, told, ran.said)
    with tempfile.TemporaryDirectory() as empty:
        build = [sys.executable, world.__file__, "--target", empty]
        ran = subprocess.run(build, env={**os.environ, "PATH": empty}, capture_output=True, text=True)
        told = ran.returncode == 3 and len(ran.stderr.strip().splitlines()) == 1
        linux.verdict("without-what-builds-it", told, ran.stderr.strip())


# linux/filter.h, linux/seccomp.h, linux/prctl.h: ptrace, number 101 of x86-64, ends with EPERM, and all else is allowed.
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER, PTRACE, EPERM = 22, 38, 2, 101, 1
FILTER = [(0x20, 0, 0, 0), (0x15, 0, 1, PTRACE), (0x06, 0, 0, 0x0005_0000 | EPERM), (0x06, 0, 0, 0x7FFF_0000)]


def forbid_ptrace():
    """The process that calls this, and those that it makes, may not trace others."""
    libc = ctypes.CDLL(None, use_errno=True)
    words = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *word) for word in FILTER))
    program = ctypes.create_string_buffer(struct.pack("HP", len(FILTER), ctypes.addressof(words)))
    for call in [(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0)]:
        if libc.prctl(*call) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


# Programs that let time stand still, and how the line begins that names them: a loop of the shell's own, which makes no system call;
# a program that took the shell's place; fio, which looks for completions in memory while a thread of the kernel polls.
STANDSTILLS = {
    "while :; do :; done": r"found sh \(process \d+ of Linux\), which computes,",
    "exec awk 'BEGIN { while (1) i++ }'": r"found awk \(process \d+ of Linux\), which computes,",
    "fio --name=polled --filename=/dev/nvme0n1 --rw=randread --bs=4k --size=1m --ioengine=io_uring --sqthread_poll=1": (
        r"found fio \(process \d+ of Linux\), which computes,"
    ),
}


def stands_still(linux):
    """Whoever lets time stand still is named, in one line."""
    for nth, (command, expected) in enumerate(STANDSTILLS.items(), 1):
        ran = linux.run("--patience", "3", "--command", command)
        told = ran.code == 1 and ran.said.count("\n") == 0 and re.search(f"time stands still: {expected}", ran.said)
        linux.verdict(f"time-that-stands-still-{nth}", bool(told), ran.said)


# What Linux does when Ctrl-C comes: it sleeps in virtual time, or it is never silent.
INTERRUPTED = {
    "ctrl-c-ends-all-processes": "while :; do sleep 1; date; done",
    "ctrl-c-is-heard-beside-a-busy-guest": "while :; do dd if=/dev/nvme0n1 of=/dev/null bs=4k count=100 iflag=direct; done",
}


def interrupted(linux):
    """Ctrl-C while Linux sleeps in virtual time, again and again, and while it reads."""
    for name, command in INTERRUPTED.items():
        ended, said = interrupted_while(linux, command)
        linux.verdict(name, ended, said)


def interrupted_while(linux, command):
    with tempfile.TemporaryDirectory() as work:
        command = linux.command(["--command", command], work)
        program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + LIMIT
        while not os.path.exists(f"{work}/console") or os.path.getsize(f"{work}/console") < 2000:
            if time.monotonic() > end or program.poll() is not None:
                break
            time.sleep(0.05)
        program.send_signal(signal.SIGINT)
        said = program.communicate(timeout=LIMIT)[1].strip()
        guests = subprocess.run(["pgrep", "-f", f"^{linux.directory}/linux "], capture_output=True, text=True).stdout.split()
    return program.returncode == 128 and "signal" in said and not guests, said


def file_systems(linux):
    """Each file system and SQLite, on a drive of its own; checked by its own fsck."""
    for name in ("xfs", "f2fs", "btrfs", "sqlite", "lmdb"):
        linux.ended(name, linux.script(name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("form", choices=["short", "full", "table", "hardware"])
    parser.add_argument("--firmament", required=True, help="the program")
    parser.add_argument("--target", required=True, help="folder in which make linux-vt builds Linux")
    parser.add_argument("--cuts", type=int, default=20, help="power losses of each kind in the full form")
    parser.add_argument("--write-digest", action="store_true", help="writes the digest of the commands of a run anew")
    arguments = parser.parse_args()
    directory = os.path.abspath(arguments.target)
    if not world.is_there(directory):
        say("not run: Linux is not built, or of other sources than today's; make linux-vt builds it, in some minutes")
        return 3
    linux = Linux(os.path.abspath(arguments.firmament), directory)
    linux.writes_digest = arguments.write_digest
    began = time.monotonic()
    if arguments.form == "table":
        table.measure(linux, BOARD)
        say(f"{linux.passed} passed, {linux.failed} failed, {time.monotonic() - began:.0f} s")
        return 1 if linux.failed else 0
    if arguments.form == "hardware":
        with tempfile.TemporaryDirectory() as work:
            hardware.measure(linux, same, f"{work}/job.fio")
        say(f"{linux.passed} passed, {linux.failed} failed, {time.monotonic() - began:.0f} s")
        return 1 if linux.failed else 0
    first = linux.run("--command", "uname -r")
    if first.code == 2:
        say(f"cannot run: {first.said}")
        return 3
    if linux.ended("boots", first):
        say(f"Linux {first.console().split()[0]}")
        deterministic(linux)
        traps(linux)
        processor.measure(linux)
        waits.measure(linux)
        snapshots.measure(linux, BOARD)
        namespaces.measure(linux)
        roots.measure(linux)
        hardware.refusals(linux)
        drives.measure(linux, same, by_messages=arguments.form == "full")
        linux.verdict("pictures-have-the-causes-of-reports", bars.is_as_reports(), "")
        if arguments.form == "short":
            cuts.measure(linux, 1)
        if arguments.form == "full":
            file_systems(linux)
            cuts.measure(linux, arguments.cuts)
            table.measure(linux, BOARD)
    say(f"{linux.passed} passed, {linux.failed} failed, {time.monotonic() - began:.0f} s")
    return 1 if linux.failed else 0


if __name__ == "__main__":
    sys.exit(main())
