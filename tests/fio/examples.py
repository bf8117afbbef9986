"""Puts fio's example jobs, of Debian's package, below a folder; prints where they are.

Ends with 3 and one line where they cannot be had: without network, or on a system without Debian's packages.
"""

import argparse
import glob
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "guest"))
import packages  # noqa: E402

# The table of the test is about this version.
SUITES = ["bookworm"]
PACKAGE = "fio-examples=3.33-3"


def examples(directory):
    """The folder with the examples, fetched if it is not there."""
    folder = f"{directory}/root/usr/share/doc/fio/examples"
    if not glob.glob(f"{folder}/*.fio"):
        apt = packages.Apt(os.path.abspath(f"{directory}/apt"), SUITES)
        apt.update()
        apt.run("apt-get", "-qq", "download", PACKAGE, where=apt.archives)
        packages.unpack(glob.glob(f"{apt.archives}/fio-examples_*.deb"), f"{directory}/root")
    return folder


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("directory", help="where to keep what is fetched")
    directory = arguments.parse_args().directory
    try:
        folder = examples(directory)
    except (packages.CannotRun, subprocess.CalledProcessError, OSError) as error:
        print(f"fio's examples: {error}; their test is left out", file=sys.stderr)
        sys.exit(3)
    print(os.path.abspath(folder))


main()
