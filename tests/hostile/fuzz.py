"""Runs the targets of fuzz/ side by side, in turns, and prints what was run and found.

`make fuzz` calls it. Inputs and seconds are for each target; --split gives targets inputs of their own.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

# An input's memory is used again by the next: nothing goes back to the system in between.
MEMORY = "glibc.malloc.trim_threshold=1073741824:glibc.malloc.mmap_threshold=1073741824:glibc.malloc.tcache_count=127"
# Inputs are not weighed by how rare what they reach is, which takes libFuzzer a good part of the time of a drive.
FLAGS = ["-max_len=700", "-timeout=20", "-entropic=0", "-print_final_stats=1", "-verbosity=0"]
# One input in so many is guided by counters of edges. The others are of programs with counters of functions alone, of
# which a drive has most of the time; they begin from what the first have found, all of which is kept.
GUIDED = 10
BULK_FLAGS = ["-keep_seed=1", "-reduce_inputs=0"]
# What libFuzzer ends with when it is told to stop, which is no finding.
INTERRUPTED = 72
RUN = re.compile(r"stat::number_of_executed_units:\s*(\d+)")


class Target:
    def __init__(self, name, inputs):
        self.name, self.left = name, inputs
        self.inputs, self.seconds, self.cpu, self.findings = 0, 0.0, 0.0, 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=Path, required=True, help="where the targets' programs are")
    parser.add_argument("--bulk", type=Path, required=True, help="where those are that count functions alone")
    parser.add_argument("--work", type=Path, required=True, help="where corpus, findings and logs go")
    parser.add_argument("--corpus", type=Path, required=True, help="the corpus to begin with")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--inputs", type=int, default=0, help="for each target, in place of seconds")
    parser.add_argument("--split", default="", help="inputs of targets, as prps=5000000,commands=10000000")
    parser.add_argument("--rounds", type=int, default=1, help="turns that each target comes to its end in")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at once")
    parser.add_argument("--until", default="", help="a time as 09:30, after which no turn is begun")
    parser.add_argument("targets", nargs="+")
    return parser.parse_args()


def turn(options, target, nth):
    """One turn of a target: first programs that are guided by edges, then those that are fast."""
    rounds_left = options.rounds - nth
    if target.left:
        inputs = -(-target.left // rounds_left)
        guided, bulk = inputs // GUIDED, inputs - inputs // GUIDED
        limits = [f"-runs={-(-count // options.jobs)}" for count in (guided, bulk)]
    else:
        seconds = max(2, options.seconds // options.rounds)
        limits = [f"-max_total_time={part}" for part in (seconds // 2, seconds - seconds // 2)]
    side_by_side(options, target, (f"{nth}-guided", [options.programs / target.name, limits[0]]))
    side_by_side(options, target, (f"{nth}-bulk", [options.bulk / target.name, limits[1], *BULK_FLAGS]))


def side_by_side(options, target, what):
    """Runs a program as many times as there are to be at once; notes what was run and found."""
    name, (program, *flags) = what
    corpus = options.work / "corpus" / target.name
    found, logs = options.work / "found", options.work / "logs"
    for folder in (corpus, found, logs):
        folder.mkdir(parents=True, exist_ok=True)
    began, running = time.monotonic(), []
    for job in range(options.jobs):
        command = [program, corpus, options.corpus / target.name, *FLAGS, *flags]
        command.append(f"-artifact_prefix={found}/{target.name}-")
        path = logs / f"{target.name}-{name}-{job}.log"
        environment = {**os.environ, "GLIBC_TUNABLES": MEMORY}
        with open(path, "wb") as log:
            running.append((subprocess.Popen(command, stdout=log, stderr=log, env=environment), path))
    for process, path in running:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        target.cpu += used.ru_utime + used.ru_stime
        text = path.read_text(errors="replace")
        inputs = sum(int(count) for count in RUN.findall(text))
        target.inputs += inputs
        target.left = max(0, target.left - inputs)
        if process.returncode not in (0, INTERRUPTED):
            target.findings += 1
            print(f"{target.name}: {path}", flush=True)
            print("".join(text.splitlines(keepends=True)[-40:]), flush=True)
    target.seconds += time.monotonic() - began
    if any(process.returncode == INTERRUPTED for process, _ in running):
        raise KeyboardInterrupt


def table(targets):
    """What was run: seconds of the wall's clock, and what the processors spent, which others on the machine do not change."""
    rows = [("target", "inputs", "seconds", "a second", "CPU seconds", "a CPU second", "findings")]
    total = Target("all", 0)
    for t in targets:
        total.inputs += t.inputs
        total.seconds += t.seconds
        total.cpu += t.cpu
        total.findings += t.findings
    for t in [*targets, total]:
        rates = [f"{t.inputs / spent:.0f}" if spent else "0" for spent in (t.seconds, t.cpu)]
        rows.append((t.name, str(t.inputs), f"{t.seconds:.0f}", rates[0], f"{t.cpu:.0f}", rates[1], str(t.findings)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print(row[0].ljust(widths[0]), *cells, sep="  ")
    sys.stdout.flush()


def run(options, targets):
    counted = {target.name for target in targets if target.left}
    for nth in range(options.rounds):
        for target in targets:
            late = options.until and time.strftime("%H:%M") >= options.until
            if not late and (target.left or target.name not in counted):
                turn(options, target, nth)
        if nth + 1 < options.rounds:
            print(f"after turn {nth + 1}:")
            table(targets)


def main():
    options = arguments()
    split = dict(part.split("=") for part in options.split.split(",") if part)
    targets = [Target(name, int(split.get(name, options.inputs))) for name in options.targets]
    interrupted = False
    try:
        run(options, targets)
    except KeyboardInterrupt:
        interrupted = True
    table(targets)
    return 130 if interrupted else int(any(target.findings for target in targets))


if __name__ == "__main__":
    sys.exit(main())
