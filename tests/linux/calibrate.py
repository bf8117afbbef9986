#!/usr/bin/env python3
"""What this machine's processor takes for what `firmament linux --cpu` charges: as far as a program without rights can measure it.

Two of the four constants show in programs: a switch from one task to another, and a task that is woken. Each is the difference of two
loops that are the same but for it, on one processor; the quickest of many rounds counts, as others' work only makes a round longer.
The other two, a request issued and a request completed, pass in the kernel between a block device and its driver. Nothing that a program
may do without rights shows them alone, so that they are stated as 0.

Exit codes: 0 when both were measured, 3 where the system does not let a program choose its processor.
"""

import argparse
import os
import sys
import time

# A round is short, so that some are not interrupted.
PASSES = 400


def quickest(rounds, once):
    """Nanoseconds of one pass in the quickest round."""
    best = None
    for _ in range(rounds):
        began = time.perf_counter_ns()
        for _ in range(PASSES):
            once()
        took = (time.perf_counter_ns() - began) / PASSES
        best = took if best is None else min(best, took)
    return best


class Other:
    """A process on the same processor that does one thing over and over."""

    def __init__(self, act):
        self.process = os.fork()
        if self.process == 0:
            try:
                while True:
                    act()
            finally:
                os._exit(0)

    def end(self):
        os.kill(self.process, 9)
        os.waitpid(self.process, 0)


def yields(rounds):
    """A pass with nobody else to yield to, and one that comes back from another process: a second pass and two switches more."""
    alone = quickest(rounds, os.sched_yield)
    other = Other(os.sched_yield)
    try:
        return alone, quickest(rounds, os.sched_yield)
    finally:
        other.end()


def pipes(rounds):
    """A byte through two pipes in one process, and one that another process sends back: two switches and two wake-ups more."""
    there, back = os.pipe(), os.pipe()

    def echo():
        os.write(back[1], os.read(there[0], 1))

    def alone():
        os.write(there[1], b"x")
        echo()
        os.read(back[0], 1)

    def both():
        os.write(there[1], b"x")
        os.read(back[0], 1)

    own = quickest(rounds, alone)
    other = Other(echo)
    try:
        return own, quickest(rounds, both)
    finally:
        other.end()


def costs(rounds):
    """Nanoseconds of a switch and of a wake-up. A loop that is the quicker of both, which only noise makes it, counts as 0."""
    alone, shared = yields(rounds)
    switch = max(shared - 2 * alone, 0) / 2
    own, echoed = pipes(rounds)
    return switch, max((echoed - own) / 2 - switch, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=400, help="rounds of which the quickest counts")
    arguments = parser.parse_args()
    try:
        processors = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {max(processors)})
    except (AttributeError, OSError) as error:
        print(f"calibrate: cannot run: found {error}, expected a processor to choose", file=sys.stderr)
        return 3
    switch, wake = costs(arguments.rounds)
    print("a request issued     not measured   needs a block device and the right to trace its driver")
    print("a request completed  not measured   needs the same")
    print(f"a switch of tasks    {switch:6.0f} ns      sched_yield between two processes of one processor, less both calls alone")
    print(f"a task woken         {wake:6.0f} ns      a byte that another process sends back through pipes, less the same in one process and its switches")
    print(f"--cpu 0,0,{switch:.0f},{wake:.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
