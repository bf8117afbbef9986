"""The model of Linux's processor: what this machine measures for it, a board that states it, and what a report says of it."""

import subprocess
import tempfile

KEYS = ["issue_ns", "complete_ns", "switch_ns", "wake_ns"]
# Reads of the drive one after the other: each is issued and completed, and the reader sleeps and is woken.
READS = 200
JOB = f"dd if=/dev/nvme0n1 of=/dev/null bs=4k count={READS} iflag=direct 2>/dev/null"


def calibrated(linux):
    """What this machine prints of its processor: the numbers of its line for --cpu, and the lines for a board."""
    ran = subprocess.run([linux.program, "linux", "calibrate", "--rounds", "100"], capture_output=True, text=True)
    numbers, _, section = ran.stdout.partition("\n\n")
    words = (numbers.splitlines() or [""])[-1].split()
    costs = [int(word) for word in words[-1].split(",")] if ran.returncode == 0 else []
    # Without a device to read, nothing is known of its driver, and both lines say so.
    honest = numbers.count("not measured") == 2 and section.count('role = "assumed"') == 2 == section.count('role = "calibrated"')
    linux.verdict("costs-of-this-processor", len(costs) == 4 and costs[:2] == [0, 0] and costs[2] > 0 and honest, " ".join(words))
    return costs, section


def model(ran):
    """What the report says of the processor."""
    return ran.report()["firmament"]["guest_processor"]


def seconds(ran):
    return ran.report()["firmament"]["simulated_s"]


def measure(linux):
    """A board states what was measured; the report says so first, time goes by accordingly, and --cpu is stronger."""
    costs, section = calibrated(linux)
    plain = linux.run("--command", JOB)
    if not linux.ended("processor-that-takes-no-time", plain):
        return
    with tempfile.TemporaryDirectory() as work:
        board = f"{work}/calibrated.toml"
        with open(board, "w") as file:
            file.write(f'inherits = "small"\ndescription = "small, with the processor of this machine"\n{section}')
        board = [board, "--set", "geometry.blocks_per_way=512"]
        stated = linux.run("--command", JOB, board=board)
        other = linux.run("--command", JOB, "--cpu", "5000,5000,0,0", board=board)
        none = linux.run("--command", JOB, "--cpu", "none", board=board)
    expected = {"clock_ns": 256, "costs": {**dict(zip(KEYS, costs)), "stated_by": "the board"}}
    linux.verdict("processor-that-a-board-states", stated.code == 0 and model(stated) == expected, str(model(stated)))
    costs = model(other)["costs"]
    passed = model(plain)["costs"] is None is model(none)["costs"] and (costs["stated_by"], costs["issue_ns"]) == ("--cpu", 5000)
    linux.verdict("processor-of-the-command-line", passed, str(costs))
    # Each read is issued and completed once, 10 us together, and waits for both.
    longer_us = (seconds(other) - seconds(none)) * 1e6
    passed = seconds(stated) > seconds(plain) and longer_us >= 10 * READS and seconds(none) == seconds(plain)
    linux.verdict("processor-takes-its-time", passed, f"{longer_us / READS:.1f} us more a read for 10 us of --cpu")
