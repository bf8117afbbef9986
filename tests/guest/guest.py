#!/usr/bin/env python3
"""Boots an unmodified Linux on a served drive and lets it live there; each check has a verdict line.

Exit codes: 0 when every check passed, 1 when one failed, 3 when the guest cannot run on this machine.
"""

import argparse
import os
import sys
import time

import doorbells
import initramfs
import kills
import machine
import packages

HERE = os.path.dirname(os.path.abspath(__file__))
# A gigabyte in few chips, so that collection sets in.
BOARD = ["small", "--set", "geometry.blocks_per_way=512"]
# Those that stand for other systems: what schedules, and what the medium is, differ.
SYSTEMS = ["ozone", "ocowfc", "bluessd", "openexpress"]

IDENTIFY = [
    "driver-binds",
    "pci-capabilities",
    "nvme-list",
    "id-ctrl",
    "id-ns",
    "smart-log",
    "error-log",
    "fw-log",
    "effects-log",
    "identifiers",
    "get-feature",
    "queues-and-vectors",
]
COMMANDS = [
    "discard",
    "write-zeroes",
    "compare",
    "verify",
    "flush",
    "unknown-opcodes",
    "out-of-range-lbas",
    "wrong-fields",
]
VERIFY = ["fio-verify-random", "fio-verify-sequential"]
SHORT = [
    *IDENTIFY,
    "ext4",
    *VERIFY,
    *COMMANDS,
    "kernel-has-no-complaints",
    "controller-reset-during-io",
    "no-time-outs",
]
FULL = [
    *IDENTIFY,
    "ext4",
    "xfs",
    "fstrim",
    *VERIFY,
    *COMMANDS,
    "format-512",
    "fio-verify-512-to-1m",
    "fio-verify-odd-buffers",
    "format-4096",
    "kernel-has-no-complaints",
    "controller-reset-during-io",
    "function-level-reset",
    "rebind-during-io",
    "no-time-outs",
    "reboot-keeps-data",
]
SYSTEM = [
    *IDENTIFY,
    "ext4",
    *VERIFY,
    "discard",
    "compare",
    "verify",
    "flush",
    "kernel-has-no-complaints",
    "controller-reset-during-io",
    "no-time-outs",
]
# A drive whose data are placed by its host: commands that Linux passes through.
CHUNKS = [
    "open-channel-drive",
    "open-channel-geometry",
    "open-channel-chunk-report",
    "open-channel-write-and-read",
    "open-channel-order",
    "open-channel-copy",
    "open-channel-reset",
    "kernel-has-no-complaints",
    "open-channel-controller-reset",
    "no-time-outs",
]
# A drive of logical blocks whose host places its data.
PLACED_BOARD = ["small", "--set", "ftl.streams=by-handle", "--set", "ftl.overprovision_percent=25", "--set", "geometry.blocks_per_way=256"]
PLACED = [
    "fdp-configuration",
    "fdp-usage",
    "fdp-writes",
    "fdp-update-and-events",
    "ext4",
    "fio-verify-random",
    "kernel-has-no-complaints",
    "controller-reset-during-io",
    "no-time-outs",
]
# A drive with a namespace of zones.
ZONED_BOARD = ["cosmos-plus-zns", "--set", "geometry.blocks_per_way=128"]
ZONED = [
    "zoned-device",
    "zoned-writes-in-order",
    "zoned-append",
    "zoned-fio-verify",
    "zoned-btrfs",
    "kernel-has-no-complaints",
    "zoned-management",
    "zoned-controller-reset",
    "no-time-outs",
]
# A firmware of 400 lines, which has no collector: in a gigabyte of flash there is room for all that is written.
TINY_BOARD = ["small", "geometry.blocks_per_way=512"]
TINY = [
    *IDENTIFY,
    "ext4",
    *VERIFY,
    "flush",
    "kernel-has-no-complaints",
    "controller-reset-during-io",
    "no-time-outs",
]
# A drive in hardware, two channels of two ways, with chips that take as little time as a controller can use.
HARDWARE = [
    "small",
    "--body=rtl",
    "--set=flash.t_read_slc_us=20",
    "--set=flash.t_program_slc_us=60",
    "--set=flash.t_erase_us=100",
    "--set=flash.read_deviation_us=1",
    "--set=flash.program_deviation_us=1",
    "--set=flash.erase_deviation_us=1",
    "--set=flash.die_deviation_us=0",
]
RTL = [
    *IDENTIFY,
    *VERIFY,
    *COMMANDS,
    "kernel-has-no-complaints",
    "controller-reset-during-io",
    "function-level-reset",
    "no-time-outs",
    "ext4",
    "fstrim",
    "reboot-keeps-data",
]
# Seconds that a phase may take under plain emulation on a slow machine.
LIMITS = {"rtl": 1200, "short": 240, "board": 240, "full": 1500, "kept": 90, "pair": 90, "paced": 240, "rings": 240, "chunks": 240, "placed": 240, "zoned": 360, "tiny": 240}
# The guest's clock goes on while a cycle of hardware is simulated: a command may take longer than the 30 s of Linux.
PATIENCE = "nvme_core.io_timeout=300 nvme_core.admin_timeout=300"


class Guest:
    """The virtual machine, the verdicts so far, and the drives."""

    def __init__(self, firmament, target):
        self.firmament = firmament
        self.directory = target
        self.failed = 0
        self.passed = 0
        self.measured = {}
        os.makedirs(target, exist_ok=True)
        self.log = open(f"{target}/console.log", "w")
        say(f"the console goes to {self.log.name}")
        root = packages.guest_root(target)
        qemu = packages.qemu(target)
        self.kernel = initramfs.kernel(root)
        self.initramfs = f"{target}/initramfs.gz"
        initramfs.build(root, HERE, self.initramfs)
        accelerator = machine.accelerator(qemu, self.kernel, self.initramfs, self.log)
        self.machine = machine.Machine(qemu, accelerator, self.log)
        say(f"{os.path.basename(self.kernel)}, QEMU with {accelerator}")

    def verdict(self, name, passed, detail):
        self.passed += passed
        self.failed += not passed
        say(f"{'pass' if passed else 'FAIL'}  {name}  {detail}")

    def drive(self, name, arguments):
        return machine.Drive(self.firmament, self.directory, name, arguments)

    def phase(self, name, checks, drives, words="", seconds=None):
        """Runs a phase to its end. A check without a verdict has failed."""
        words = f"phase={name} {words}"
        command = self.machine.command(self.kernel, self.initramfs, words, drives)
        missing = list(checks)
        context = []
        ended = False
        seconds = seconds or LIMITS[name]
        for line in self.machine.run(command, seconds):
            if line is None:
                say(f"{name}: out of time after {seconds} s")
                break
            parts = line.split()
            if parts[:1] == ["VERDICT"] and len(parts) == 5:
                passed = parts[1] == "pass"
                if not passed:
                    print("\n".join(context[-25:]))
                self.verdict(parts[2], passed, f"{float(parts[4]) - float(parts[3]):.1f} s")
                if parts[2] in missing:
                    missing.remove(parts[2])
                context = []
            elif parts[:1] == ["MEASURED"] and len(parts) == 3:
                self.measured[parts[1]] = float(parts[2])
            else:
                context.append(line)
            ended = ended or line == f"END {name}"
        for check in missing:
            self.verdict(check, False, "no verdict")
        if not ended:
            print("\n".join(context[-15:]))
            self.verdict(f"{name}-ends", False, "the guest did not come to its end")


def check_report(guest, report, log):
    """The drive's own report, as the guest's load left it."""
    job, drive = report["jobs"][0], report["firmament"]
    wanted = {
        "read commands": job["read"]["total_ios"],
        "written bytes": job["write"]["io_bytes"],
        "deallocations": job["trim"]["total_ios"],
        "flushes": job["sync"]["total_ios"],
        "flash pages": drive["flash_pages_programmed"],
        "write amplification": drive["write_amplification"] or 0,
        "interrupts": drive["interrupts"],
    }
    for name, value in wanted.items():
        if not value > 0:
            return False, f"{name}: found {value}, expected more"
    if drive["uncorrectable_reads"]:
        return False, f"found {drive['uncorrectable_reads']} uncorrectable reads, expected none"
    if "internal error" in log:
        return False, log.strip().splitlines()[-1]
    amplification = drive["write_amplification"]
    return True, f"{job['read']['total_ios']} reads, write amplification {amplification:.2f}"


def live(guest, phase, checks):
    """One drive through a phase, and then another virtual machine on it."""
    drive = guest.drive(phase, [*BOARD, "--pace", "fast"])
    try:
        guest.phase(phase, checks, [drive])
        guest.phase("kept", ["reconnect-keeps-data"], [drive])
        guest.verdict("report", *check_report(guest, drive.end(), drive.log()))
    finally:
        drive.kill()


def hardware(guest, processor):
    """A drive in hardware, simulated cycle by cycle."""
    drive = guest.drive("rtl", [*HARDWARE, f"--processor={processor}"])
    try:
        seconds = LIMITS["rtl"] * (3 if processor == "ibex" else 1)
        guest.phase("rtl", RTL, [drive], PATIENCE, seconds)
        guest.verdict("report", *check_report(guest, drive.end(), drive.log()))
        say(drive.log().strip().splitlines()[-1].removeprefix("firmament: "))
    finally:
        drive.kill()


def systems(guest):
    """Each board of another system with a guest of its own."""
    for board in SYSTEMS:
        say(f"the board {board}")
        drive = guest.drive(board, [board, "--pace", "fast"])
        try:
            guest.phase("board", SYSTEM, [drive])
            drive.end()
        finally:
            drive.kill()


def pair(guest):
    """Two drives in one guest."""
    drives = [guest.drive(name, ["small", "--pace", "fast"]) for name in ("one", "two")]
    try:
        guest.phase("pair", ["two-drives"], drives)
        for drive in drives:
            drive.end()
    finally:
        for drive in drives:
            drive.kill()


def chunks(guest):
    """An open-channel drive, and a Linux that knows nothing of such drives."""
    drive = guest.drive("chunks", ["cosmos-plus-ocssd", "--pace", "fast"])
    try:
        guest.phase("chunks", CHUNKS, [drive])
        drive.end()
    finally:
        drive.kill()


def placed(guest):
    """A drive whose host places its data, and nvme-cli."""
    drive = guest.drive("placed", [*PLACED_BOARD, "--pace", "fast"])
    try:
        guest.phase("placed", PLACED, [drive])
        handles = drive.end()["firmament"]["placement_handles"]
        written = [own["bytes_written"] for own in handles]
        guest.verdict("report", len(written) == 5 and all(written[:4]), f"bytes by handle: {written[:4]}")
    finally:
        drive.kill()


def zoned(guest):
    """A drive with zones, which Linux knows as such."""
    drive = guest.drive("zoned", [*ZONED_BOARD, "--pace", "fast"])
    try:
        guest.phase("zoned", ZONED, [drive])
        drive.end()
    finally:
        drive.kill()


def tiny(guest, program):
    """A drive with the firmware of examples/tiny-firmware."""
    drive = machine.TinyDrive(program, guest.directory, "tiny", TINY_BOARD)
    try:
        guest.phase("tiny", TINY, [drive])
        amplification = [line.strip() for line in drive.end().splitlines() if "Write amplification:" in line]
        guest.verdict("report", len(amplification) == 1, " ".join(amplification))
    finally:
        drive.kill()


def paced(guest):
    """In real time reads are no faster for the guest than for the drive. Percentiles are within 1 %."""
    drive = guest.drive("paced", ["small", "--pace", "real"])
    try:
        guest.phase("paced", ["reads-in-real-time"], [drive])
        report = drive.end()
    finally:
        drive.kill()
    median = "50.000000"
    job, drift = report["jobs"][0]["read"]["clat_ns"], report["firmament"]["drift_ns"]
    seen = [guest.measured.get(name, 0) / 1000 for name in ("mean-ns", "median-ns")]
    own = [value / 1000 for value in (job["mean"], job["percentile"][median])]
    late = [value / 1000 for value in (drift["mean"], drift["percentile"][median])]
    told = [f"{name} {mean:.0f}/{mid:.0f} us" for name, (mean, mid) in
            (("guest", seen), ("drive", own), ("drift", late))]
    passed = seen[0] >= own[0] > 0 and seen[1] >= 0.99 * own[1]
    guest.verdict("not-faster-than-the-drive", passed, f"{', '.join(told)} (mean/median)")


def say(line):
    print(f"guest: {line}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("form", choices=["short", "full", "rtl", "systems", "chunks", "placed", "zoned", "doorbells", "kills", "tiny"])
    parser.add_argument("--firmament", required=True, help="the program; for tiny, tiny-drive")
    parser.add_argument("--rounds", type=int, help="kills under each load, 20 if absent")
    parser.add_argument("--loads", default=",".join(kills.LOADS), help="what writes when it is killed")
    parser.add_argument("--target", required=True, help="directory for all that is fetched and made")
    parser.add_argument("--processor", default="board", help="what the firmware of hardware runs on")
    arguments = parser.parse_args()
    began = time.monotonic()
    try:
        guest = Guest(os.path.abspath(arguments.firmament), os.path.abspath(arguments.target))
    except packages.CannotRun as reason:
        say(f"cannot run: {reason}")
        return 3
    if arguments.form == "short":
        live(guest, "short", SHORT)
        kills.run(guest, 1, kills.BRIEF)
    elif arguments.form == "rtl":
        hardware(guest, arguments.processor)
    elif arguments.form == "systems":
        systems(guest)
    elif arguments.form == "chunks":
        chunks(guest)
    elif arguments.form == "placed":
        placed(guest)
    elif arguments.form == "zoned":
        zoned(guest)
    elif arguments.form == "tiny":
        tiny(guest, guest.firmament)
    elif arguments.form == "kills":
        kills.run(guest, arguments.rounds or 20, arguments.loads.split(","))
    elif arguments.form == "doorbells":
        doorbells.measure(guest)
    else:
        live(guest, "full", FULL)
        kills.run(guest, 1, kills.BRIEF)
        systems(guest)
        chunks(guest)
        placed(guest)
        zoned(guest)
        pair(guest)
        paced(guest)
    seconds = time.monotonic() - began
    say(f"{guest.passed} passed, {guest.failed} failed, {seconds:.0f} s")
    return 1 if guest.failed else 0


if __name__ == "__main__":
    sys.exit(main())
