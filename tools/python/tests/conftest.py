"""What all tests have."""

import os
import subprocess

import firmament as fm
import pytest


@pytest.fixture(scope="session")
def program():
    """Runs the program and returns what it did."""
    path = os.environ.get("FIRMAMENT")
    if not path:
        pytest.skip("FIRMAMENT does not name the program to compare with")

    def run(*arguments, where=None):
        return subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, cwd=where)

    return run


@pytest.fixture(scope="session")
def mixed():
    """A run that everything can be asked of."""
    job = fm.Job(rw="randrw", bs="4k", iodepth=4, size="1m")
    return fm.run("small", job, requests=True, monitor="100us", timeline="0..300us")


def bytes_but_speed(report):
    """A report without the lines that tell how fast this computer was."""
    speed = ('"wall_s"', '"cpu_s"', '"requests_per_cpu_second"')
    return [line for line in report.splitlines() if not line.strip().startswith(speed)]
