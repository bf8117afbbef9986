"""Runs the release archive in a bare Debian 12: its C library, shell and tar, unpacked from Debian's packages.

Nothing is installed and no root is needed. Ends with 3 where no Debian 12 can be fetched or entered.
"""

import argparse
import filecmp
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, f"{ROOT}/tests/guest")
sys.dont_write_bytecode = True
import packages  # noqa: E402

SUITE = "bookworm"
# What unpacks an archive, and what these depend on: the C library above all.
PACKAGES = ["base-files", "bash", "coreutils", "gzip", "tar"]

# In the order of the archive's reader: unpack, look, run, run again.
SCRIPT = """set -e
cd /trial
tar -xzf archive.tar.gz
cd firmament-*
bin/firmament --version
bin/firmament run small --rw=randrw --bs=4k --size=4m --json ../run.json --html ../run.html >../run.txt
bin/firmament run share/doc/firmament/jobs/verify.fio >../verify.txt
bin/firmament rerun ../run.json
"""


def debian(target):
    """The root directory of a bare Debian 12."""
    root, stamp = f"{target}/root", f"{target}/packages"
    wanted = repr((SUITE, PACKAGES))
    if not os.path.exists(stamp) or open(stamp).read() != wanted:
        apt = packages.Apt(f"{target}/apt", [SUITE])
        apt.update()
        packages.unpack(apt.fetch(PACKAGES), root)
        with open(stamp, "w") as file:
            file.write(wanted)
    return root


def enter(root, script):
    """Runs a script of bash in a root directory, without network and with nothing of this machine's environment."""
    if not shutil.which("unshare"):
        raise packages.CannotRun("found no unshare, expected that of util-linux")
    command = ["unshare", "--map-root-user", "--net", "--root", root, "--wd", "/", "/bin/bash", "-c", script]
    return subprocess.run(command, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "HOME": "/"})


def try_archive(archive, root):
    """Unpacks the archive in there and runs its program; returns what it tells of itself."""
    entered = enter(root, ":")
    if entered.returncode != 0:
        raise packages.CannotRun(f"{root}: {entered.stderr.strip()}")
    trial = f"{root}/trial"
    shutil.rmtree(trial, ignore_errors=True)
    os.makedirs(trial)
    shutil.copyfile(archive, f"{trial}/archive.tar.gz")
    assert filecmp.cmp(archive, f"{trial}/archive.tar.gz", shallow=False)
    ran = enter(root, SCRIPT)
    assert ran.returncode == 0, f"exit code {ran.returncode}\n{ran.stdout}{ran.stderr}"
    for file, part in [("run.txt", "IOPS="), ("verify.txt", "err= 0"), ("run.html", "</html>"), ("run.json", '"firmament"')]:
        assert part in open(f"{trial}/{file}").read(), f"{file}: found no {part}"
    return ran.stdout.splitlines()[0]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--target", required=True, help="where Debian's packages are kept")
    arguments.add_argument("archive", help="the release archive")
    given = arguments.parse_args()
    try:
        told = try_archive(given.archive, debian(os.path.abspath(given.target)))
    except packages.CannotRun as reason:
        print(f"debian: not run: {reason}", file=sys.stderr)
        return 3
    print(f"Debian 12: {told}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
