"""The tests of the Python package, in an environment of their own below target/python, for one or several Pythons.

The package is put together of its sources and of the native part that cargo has built: nothing is compiled here.
Exit code 0: all pass. 1: some fail. 3: what they need cannot be had here, as without network.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PACKAGE = f"{ROOT}/tools/python/python/firmament"
TESTS = f"{ROOT}/tools/python/tests"
OLDEST, NEWEST = (3, 11), (3, 14)
# What is beside the tests proper, and takes long to install.
MORE = {name: f"requirements-{name}.txt" for name in ("ray", "optuna", "frames", "notebook", "plots", "types")}


class CannotRun(Exception):
    """What is needed cannot be had here."""


class Interpreter:
    """A Python, with an environment of its own."""

    def __init__(self, command, target):
        self.command = command
        told = self._ask("import sys; print(*sys.version_info[:2])")
        self.version = tuple(map(int, told.split()))
        if self.version < OLDEST:
            raise CannotRun(f"found Python {told.strip()}, expected {OLDEST[0]}.{OLDEST[1]} or newer")
        self.directory = f"{target}/venv-{self.version[0]}.{self.version[1]}"

    def _ask(self, text):
        ran = subprocess.run([self.command, "-c", text], capture_output=True, text=True)
        if ran.returncode != 0:
            raise CannotRun(f"{self.command} does not run")
        return ran.stdout

    @property
    def python(self):
        return f"{self.directory}/bin/python"

    def install(self, lists):
        """Installs what the lists name, unless it is there."""
        wanted = "".join(open(f"{HERE}/{name}").read() for name in lists)
        mark = f"{self.directory}/installed"
        if os.path.isfile(mark) and open(mark).read() == wanted:
            return
        print(f"installing what the Python package is tested with into {self.directory}", flush=True)
        shutil.rmtree(self.directory, ignore_errors=True)
        # From what is installed already, nothing is downloaded; a package that has to be compiled is none that can be had.
        pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]
        named = [word for name in lists for word in ("-r", f"{HERE}/{name}")]
        for command in [[self.command, "-m", "venv", self.directory], [self.python, *pip, *named]]:
            ran = subprocess.run(command, capture_output=True, text=True)
            if ran.returncode != 0:
                lines = (ran.stderr or ran.stdout).strip().splitlines() or ["no reason"]
                raise CannotRun(f"{' '.join(command[1:3])}: {lines[-1]}")
        with open(mark, "w") as file:
            file.write(wanted)


def put_together(native, target):
    """The package as Python imports it: links to its sources and to the native part."""
    package = f"{target}/package/firmament"
    shutil.rmtree(package, ignore_errors=True)
    os.makedirs(package)
    for name in os.listdir(PACKAGE):
        if name != "__pycache__":
            os.symlink(f"{PACKAGE}/{name}", f"{package}/{name}")
    if not os.path.isfile(native):
        raise SystemExit(f"{native}: found no file, expected the native part, as make python-native builds it")
    os.symlink(os.path.abspath(native), f"{package}/_native.abi3.so")
    return os.path.dirname(package)


def interpreters(asked, target):
    """Those that are asked for by version, of which some may be missing; else the one that runs this."""
    if asked != "all":
        return [Interpreter(sys.executable, target)]
    found = {}
    for minor in range(OLDEST[1], NEWEST[1] + 1):
        for command in candidates(minor):
            try:
                one = Interpreter(command, target)
            except (CannotRun, OSError):
                continue
            if one.version == (3, minor):
                found[minor] = one
                break
        else:
            print(f"Python package: found no Python 3.{minor}: not tested with it")
    return list(found.values())


def candidates(minor):
    """Where a Python of this version may be."""
    pyenv = os.path.expanduser("~/.pyenv/versions")
    kept = sorted(os.listdir(pyenv)) if os.path.isdir(pyenv) else []
    yield from (f"{pyenv}/{name}/bin/python" for name in kept if re.match(rf"3\.{minor}\.\d+$", name))
    path = shutil.which(f"python3.{minor}")
    if path:
        yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", required=True, help="directory for environments and files")
    parser.add_argument("--native", required=True, help="the native part, lib_native.so")
    parser.add_argument("--firmament", required=True, help="the program, whose reports have to be the same")
    parser.add_argument("--pythons", choices=["this", "all"], default="this", help="which Pythons")
    parser.add_argument("--more", action="append", default=[], choices=sorted(MORE), help="tests that need more")
    parser.add_argument("--script", help="runs this in place of the tests")
    parser.add_argument("rest", nargs="*", help="arguments of pytest, or of the script")
    arguments = parser.parse_args()
    target = os.path.abspath(arguments.target)
    os.makedirs(target, exist_ok=True)
    lists = ["requirements.txt", *(MORE[name] for name in arguments.more)]
    package = put_together(arguments.native, target)
    environment = os.environ | {
        "PYTHONPATH": package,
        "PYTHONDONTWRITEBYTECODE": "1",
        "FIRMAMENT": os.path.abspath(arguments.firmament),
        "FIRMAMENT_TESTS": " ".join(arguments.more),
    }
    failed = False
    try:
        for one in interpreters(arguments.pythons, target):
            one.install(lists)
            print(f"Python package: Python {one.version[0]}.{one.version[1]}", flush=True)
            command = [one.python, "-m", "pytest", "-p", "no:cacheprovider", "-c", f"{ROOT}/tools/python/pyproject.toml", TESTS]
            if arguments.script:
                command = [one.python, arguments.script]
            failed |= subprocess.run([*command, *arguments.rest], env=environment).returncode != 0
    except CannotRun as reason:
        print(f"Python package: not tested: {reason}")
        raise SystemExit(3)
    raise SystemExit(int(failed))


main()
