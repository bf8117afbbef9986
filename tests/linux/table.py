"""fio in Linux beside the same job of `firmament run`, on the same drive."""

import json
import subprocess
import tempfile

# Engine and depth.
CASES = [("psync", 1), ("libaio", 1), ("libaio", 8), ("libaio", 64), ("io_uring", 1), ("io_uring", 8), ("io_uring", 64)]
# Means of that many requests are within half a percent of those of as many others.
REQUESTS = 20_000
# What the drive does has to be the same, in percent.
TOLERANCE = 1.0
# Doorbells and interrupts on their way are between host and drive. Without them both sides mean the same by the drive's time.
EDGES = ["host.doorbell_latency_us=0", "host.interrupt_latency_us=0"]
OPTIONS = {"filename": "/dev/nvme0n1", "direct": "1", "rw": "randread", "bs": "4k", "size": "256m", "number_ios": str(REQUESTS)}


def options(engine, depth):
    return {**OPTIONS, "ioengine": engine, "iodepth": str(depth)}


def board():
    return [word for edge in EDGES for word in ("--set", edge)] + ["--precondition", "sequential"]


def drive_us(report, is_job):
    """The mean that the drive takes, from doorbell to completion entry, without what a job's own host takes."""
    read = report["firmament"]["jobs"][0]["read"]
    parts = sum(read[f"{part}_ns"]["mean"] for part in ("host_interface", "firmware", "storage"))
    waited = read["causes_ns"].get("wait_host", {"mean": 0, "N": 0})
    own = waited["mean"] * waited["N"] / read["host_interface_ns"]["N"] if is_job else 0
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
    return drive_us(ran.report(), False), fio["jobs"][0]["read"]["lat_ns"]["mean"] / 1000, ran.seconds


def outside(linux, case, board_words):
    """The same job of `firmament run`: what the drive took, and what the job saw."""
    with tempfile.TemporaryDirectory() as work:
        job = f"{work}/job.fio"
        with open(job, "w") as file:
            file.write("[job]\n" + "".join(f"{name}={value}\n" for name, value in options(*case).items()))
        command = [linux.program, "run", *board_words, *board(), job, "--json", f"{work}/json"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(f"{work}/json") as file:
            report = json.load(file)
    return drive_us(report, True), report["jobs"][0]["read"]["lat_ns"]["mean"] / 1000


def measure(linux, board_words):
    """Prints the table; a verdict for each of its rows."""
    rows = []
    for case in CASES:
        drive, program, seconds = inside(linux, case)
        other, job = outside(linux, case, board_words)
        rows.append((case, drive, other, program, job, REQUESTS / seconds))
    print("| Engine | Depth | Drive, fio in Linux | Drive, job of `run` | Difference | fio in Linux | job of `run` | Commands a second |")
    print("|---|---|---|---|---|---|---|---|")
    for (engine, depth), drive, other, program, job, speed in rows:
        difference = 100 * (drive / other - 1)
        print(
            f"| {engine} | {depth} | {drive:.2f} us | {other:.2f} us | {difference:+.2f} % | {program:.2f} us | {job:.2f} us | {speed:.0f} |"
        )
    for (engine, depth), drive, other, *_ in rows:
        difference = 100 * (drive / other - 1)
        linux.verdict(f"drive-{engine}-{depth}", abs(difference) <= TOLERANCE, f"{difference:+.2f} %")
