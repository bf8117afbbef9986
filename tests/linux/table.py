"""fio in Linux beside the same requests of `firmament replay`, on the same drive; and what the program sees beyond the drive."""

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
NO_WAY = ["--set", "host.doorbell_latency_us=0", "--set", "host.interrupt_latency_us=0"]
# Round numbers, so that a reader sees what they come to: a microsecond each of a request issued and completed, half a microsecond
# each of a switch and a wake-up.
CPU = ["--cpu", "1000,1000,500,500"]
OPTIONS = {"filename": "/dev/nvme0n1", "direct": "1", "rw": "randread", "bs": "4k", "size": "256m", "number_ios": str(REQUESTS)}


def options(engine, depth):
    return {**OPTIONS, "ioengine": engine, "iodepth": str(depth)}


def drive_us(report, is_replay):
    """The mean that the drive takes, from doorbell to completion entry, without what the host of a replay takes."""
    read = report["firmament"]["jobs"][0]["read"]
    parts = sum(read[f"{part}_ns"]["mean"] for part in ("host_interface", "firmware", "storage"))
    waited = read["causes_ns"].get("wait_host", {"mean": 0, "N": 0})
    own = waited["mean"] * waited["N"] / read["host_interface_ns"]["N"] if is_replay else 0
    return (parts - own) / 1000


class Inside:
    """fio in Linux: what the drive took, and what fio saw."""

    def __init__(self, linux, case, board):
        words = " ".join(f"--{name}={value}" for name, value in options(*case).items())
        with tempfile.TemporaryDirectory() as share:
            command = f"fio --name=job --thread --clocksource=clock_gettime {words} --output-format=json --output=/share/fio.json"
            ran = linux.run("--precondition", "sequential", *board, "--share", share, "--command", command)
            if ran.code != 0:
                raise RuntimeError(ran.said or ran.console())
            with open(f"{share}/fio.json") as file:
                fio = json.load(file)
        self.program_us = fio["jobs"][0]["read"]["lat_ns"]["mean"] / 1000
        self.drive_us = drive_us(ran.report(), False)
        self.beyond_us = self.program_us - self.drive_us
        self.trace = ran.files["trace"]


def outside(linux, depth, trace, board_words):
    """What Linux asked of the drive, from a host that is a model: what the drive took."""
    with tempfile.TemporaryDirectory() as work:
        with open(f"{work}/trace", "wb") as file:
            file.write(trace)
        board = [*board_words, *NO_WAY, "--precondition", "sequential"]
        command = [linux.program, "replay", *board, f"{work}/trace", f"--depth={depth}", "--json", f"{work}/json"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(f"{work}/json") as file:
            return drive_us(json.load(file), True)


class Row:
    """A job three times: with nothing between host and drive; with doorbells and interrupts on their way; and with a processor that
    takes time for the block layer. What fio sees beyond the drive grows from each to the next."""

    def __init__(self, linux, case, board_words):
        self.case = case
        plain = Inside(linux, case, NO_WAY)
        self.drive_us, self.program_us, self.clock_us = plain.drive_us, plain.program_us, plain.beyond_us
        self.other_us = outside(linux, case[1], plain.trace, board_words)
        self.way_us = Inside(linux, case, []).beyond_us - self.clock_us
        self.block_us = Inside(linux, case, CPU).beyond_us - self.clock_us - self.way_us
        self.percent = 100 * (self.drive_us / self.other_us - 1)

    def text(self):
        engine, depth = self.case
        figures = [f"{us:.2f} us" for us in (self.drive_us, self.other_us)]
        figures += [f"{self.percent:+.2f} %", f"{self.program_us:.2f} us"]
        figures += [f"{us:.2f} us" for us in (self.clock_us, self.way_us, self.block_us)]
        return f"| {engine} | {depth} | {' | '.join(figures)} |"


def measure(linux, board_words):
    """Prints the table; a verdict for each of its rows."""
    rows = [Row(linux, case, board_words) for case in CASES]
    print(
        "| Engine | Depth | Drive, fio in Linux | Drive, replay | Difference | fio in Linux | Model: clock | Interrupt and doorbell | "
        "Block layer |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        print(row.text())
    for row in rows:
        name = "-".join(str(word) for word in row.case)
        linux.verdict(f"drive-{name}", abs(row.percent) <= TOLERANCE, f"{row.percent:+.2f} %")
