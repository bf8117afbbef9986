"""Drives that go from Linux to Linux, and between Linux and jobs, in snapshots."""

import json
import subprocess
import tempfile

MADE = "mkfs.ext4 -q -E nodiscard /dev/nvme0n1 && mount /dev/nvme0n1 /mnt && seq 100000 >/mnt/numbers && date +%s >/mnt/when"
# Time of day has gone on, and time since the boot has begun anew; what was written is there; the file system is whole.
FOUND = (
    "mount /dev/nvme0n1 /mnt && seq 100000 | cmp - /mnt/numbers && [ $(date +%s) -gt $(cat /mnt/when) ] &&"
    " [ $(cut -d. -f1 /proc/uptime) -lt 5 ] && cat /mnt/numbers >/mnt/more && umount /mnt && e2fsck -f -n /dev/nvme0n1"
)


def told(linux, *words):
    """The exit code of another command of the program, and what it said."""
    ran = subprocess.run([linux.program, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return ran.returncode, ran.stderr.strip()


def without_origin(ran):
    """All that was written, but for the sum of the snapshot in the report."""
    report = json.loads(ran.same_bytes()["json"])
    report["firmament"]["provenance"].pop("from")
    return {**ran.same_bytes(), "json": report}


def measure(linux, board):
    """Verdicts on snapshots that Linux writes and begins with."""
    with tempfile.TemporaryDirectory() as work:
        kept, later = f"{work}/kept", f"{work}/later"
        linux.ended("a-drive-is-kept", linux.run("--command", MADE, "--save", kept))
        first = linux.run("--command", FOUND, "--from", kept, "--save", later)
        linux.ended("linux-goes-on-with-a-snapshot", first)
        again = linux.run("--command", FOUND, "--from", kept, "--save", f"{work}/again")
        linux.verdict("same-bytes-from-a-snapshot", first.same_bytes() == again.same_bytes(), f"{again.seconds:.1f} s")
        # Where Linux had its queues in memory depends on its process, and stands in a snapshot. The drives are the same.
        third, fourth = (without_origin(linux.run("--command", FOUND, "--from", path)) for path in (later, f"{work}/again"))
        linux.verdict("same-bytes-from-snapshots-of-the-same-run", third == fourth, f"{len(third['trace'].splitlines())} commands")
        waits(linux, kept)
        between(linux, board, work, later)


def waits(linux, kept):
    """What calls waited for is made of commands, although the drive is older than this Linux."""
    command = "mount /dev/nvme0n1 /mnt && fio --clocksource=clock_gettime --directory=/mnt --name=s --rw=write --bs=4k --size=256k --fsync=1"
    ran = linux.run("--command", command, "--from", kept)
    calls = ran.report()["firmament"]["waits"]["calls"] if ran.code == 0 else []
    syncs = [row for row in calls if row["call"] == "fsync"]
    total_ns, linux_ns = (sum(row["all"][key] for row in syncs) for key in ("total_ns", "linux_ns"))
    share = 1 - linux_ns / total_ns if total_ns else 0
    linux.verdict("waits-from-a-snapshot", share > 0.9, f"{100 * share:.1f} % of fsync in the drive")


def between(linux, board, work, later):
    """Jobs go on with Linux's drive, and Linux with that of jobs whose data are bytes."""
    job = ["--rw=randrw", "--bs=4k", "--size=64m", "--number_ios=500"]
    code = told(linux, "run", "--from", later, *job)
    linux.verdict("jobs-go-on-with-linux-s-drive", code[0] == 0, code[1])
    aged, stamps = f"{work}/aged", f"{work}/stamps"
    code = told(linux, "run", *board, *job, "--payload=full", "--save", aged)
    ran = linux.run("--command", MADE, "--from", aged)
    linux.verdict("linux-goes-on-with-a-drive-of-jobs", (code[0], ran.code) == (0, 0), code[1] or ran.said)
    told(linux, "run", *board, *job, "--save", stamps)
    ran = linux.run("--command", "true", "--from", stamps)
    expected = "--from: found a snapshot that keeps stamps, expected one of a run with --payload=full: Linux writes bytes"
    linux.verdict("a-drive-of-stamps-is-refused", (ran.code, ran.said) == (2, f"firmament: {expected}"), ran.said)
