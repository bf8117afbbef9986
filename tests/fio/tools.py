"""Tools that read what fio writes, installed below target/fio: fio-plot from the Python registry, and the
scripts of Debian's fio package. Nothing is installed on the system and no root is needed.
"""

import glob
import gzip
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, f"{HERE}/../guest")

from packages import Apt, CannotRun, stamp, unpack  # noqa: E402

REQUIREMENTS = f"{HERE}/requirements.txt"
# Where the package has its scripts.
SCRIPTS = ["usr/bin/fio_jsonplus_clat2csv", "usr/bin/fio2gnuplot"]
PACKED_SCRIPTS = ["fiologparser.py.gz", "fiologparser_hist.py.gz"]


def wanted():
    """Changes when what is installed changes."""
    return open(REQUIREMENTS).read() + stamp()


class Tools:
    """The tools, installed if they are not there."""

    def __init__(self, directory):
        self.venv = f"{directory}/venv"
        self.scripts = f"{directory}/scripts"
        mark = f"{directory}/ready"
        if not os.path.isfile(mark) or open(mark).read() != wanted():
            print(f"installing the tools that read fio's output into {directory}")
            os.makedirs(directory, exist_ok=True)
            self.install_scripts(directory)
            self.install_packages()
            with open(mark, "w") as file:
                file.write(wanted())

    def install_packages(self):
        shutil.rmtree(self.venv, ignore_errors=True)
        pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS]
        for command in [[sys.executable, "-m", "venv", self.venv], [f"{self.venv}/bin/python", *pip]]:
            ran = subprocess.run(command, capture_output=True, text=True)
            if ran.returncode != 0:
                lines = (ran.stderr or ran.stdout).strip().splitlines() or ["no reason"]
                raise CannotRun(f"{' '.join(command[1:3])}: {lines[-1]}")

    def install_scripts(self, directory):
        apt = Apt(os.path.abspath(f"{directory}/apt"))
        apt.update()
        root = f"{directory}/root"
        unpack([apt.fetch_alone("fio")], root)
        shutil.rmtree(self.scripts, ignore_errors=True)
        os.makedirs(self.scripts)
        for path in SCRIPTS:
            self.keep(os.path.basename(path), open(f"{root}/{path}").read(), root)
        for name in PACKED_SCRIPTS:
            (path,) = glob.glob(f"{root}/usr/share/doc/fio/{name}")
            self.keep(name.removesuffix(".gz"), gzip.open(path, "rt").read(), root)

    def keep(self, name, text, root):
        """Keeps a script; it looks for its own files where the package was unpacked."""
        with open(f"{self.scripts}/{name}", "w") as file:
            file.write(text.replace("/usr/share/fio/", f"{os.path.abspath(root)}/usr/share/fio/"))

    def script(self, name, *arguments, where):
        """What a script of fio's prints; it must succeed."""
        return self.run(f"{os.path.abspath(self.scripts)}/{name}", *arguments, where=where)

    def fio_plot(self, *arguments, where):
        """What fio-plot prints; it must succeed."""
        return self.run("-m", "fio_plot", *arguments, where=where)

    def python(self, text, *arguments, where):
        """What a few lines print that use the installed packages."""
        return self.run("-c", text, *arguments, where=where)

    def run(self, *arguments, where):
        python = os.path.abspath(f"{self.venv}/bin/python")
        ran = subprocess.run([python, *arguments], capture_output=True, text=True, cwd=where)
        if ran.returncode != 0:
            raise SystemExit(f"{' '.join(arguments)}: exit code {ran.returncode}:\n{ran.stdout}{ran.stderr}")
        return ran.stdout
