"""fio in Linux beside the same requests of `firmament replay`, on the same drive."""

import json
import subprocess
import tempfile

# Engine and depth.
CASES = [("psync", 1), ("libaio", 1), ("libaio", 8), ("libaio", 64), ("io_uring", 1), ("io_uring", 8), ("io_uring", 64)]
# Both sides have the same requests, so that few do. Other offsets alone change a mean by 3 % and more.
REQUESTS = 3_000
# What the drive does has to be the same, in percent.
TOLERANCE = 1.0
# Doorbells and interrupts on their way are between host and drive. Without them both sides mean the same by the drive's time.
EDGES = ["host.doorbell_latency_us=0", "host.interrupt_latency_us=0"]
OPTIONS = {"filename": "/dev/nvme0n1", "direct": "1", "rw": "randread", "bs": "4k", "size": "256m", "number_ios": str(REQUESTS)}


def options(engine, depth):
    return {**OPTIONS, "ioengine": engine, "iodepth": str(depth)}


def board():
    return [word for edge in EDGES for word in ("--set", edge)] + ["--precondition", "sequential"]


def drive_us(report, is_replay):
    """The mean that the drive takes, from doorbell to completion entry, without what the host of a replay takes."""
    read = report["firmament"]["jobs"][0]["read"]
    parts = sum(read[f"{part}_ns"]["mean"] for part in ("host_interface", "firmware", "storage"))
    waited = read["causes_ns"].get("wait_host", {"mean": 0, "N": 0})
    own = waited["mean"] * waited["N"] / read["host_interface_ns"]["N"] if is_replay else 0
    return (parts - own) / 1000


def inside(linux, case):
    """fio in Linux: what the drive took, and what fio saw."""
    words = " ".join(f"--{name}={value}" for name, value in options(*case).items())
    with tempfile.TemporaryDirectory() as share:
        command = f"fio --name=job --thread --clocksource=clock_gettime {words} --output-format=json --output=/share/fio.json"
        ran = linux.run(*board(), "--share", share, "--command", command)
        if ran.code != 0:
            raise RuntimeError(ran.said or ran.console())
        with open(f"{share}/fio.json") as file:
            fio = json.load(file)
    lat_us = fio["jobs"][0]["read"]["lat_ns"]["mean"] / 1000
    return drive_us(ran.report(), False), lat_us, ran


def outside(linux, depth, trace, board_words):
    """What Linux asked of the drive, from a host that is a model: what the drive took, and what that host saw."""
    with tempfile.TemporaryDirectory() as work:
        with open(f"{work}/trace", "wb") as file:
            file.write(trace)
        command = [linux.program, "replay", *board_words, *board(), f"{work}/trace", f"--depth={depth}", "--json", f"{work}/json"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(f"{work}/json") as file:
            report = json.load(file)
    return drive_us(report, True), report["jobs"][0]["read"]["lat_ns"]["mean"] / 1000


def measure(linux, board_words):
    """Prints the table; a verdict for each of its rows."""
    rows = []
    for case in CASES:
        drive, program, ran = inside(linux, case)
        other, job = outside(linux, case[1], ran.files["trace"], board_words)
        rows.append((case, drive, other, program, job, REQUESTS / ran.seconds))
    print("| Engine | Depth | Drive, fio in Linux | Drive, replay | Difference | fio in Linux | Host of the replay | Commands a second |")
    print("|---|---|---|---|---|---|---|---|")
    for (engine, depth), drive, other, program, job, speed in rows:
        difference = 100 * (drive / other - 1)
        print(
            f"| {engine} | {depth} | {drive:.2f} us | {other:.2f} us | {difference:+.2f} % | {program:.2f} us | {job:.2f} us | {speed:.0f} |"
        )
    for (engine, depth), drive, other, *_ in rows:
        difference = 100 * (drive / other - 1)
        linux.verdict(f"drive-{engine}-{depth}", abs(difference) <= TOLERANCE, f"{difference:+.2f} %")
