"""Measures what error correction costs over the size of a chunk, as Figure 28 of Cosmos+ does.

Run from the root of the repository, as `make ecc-area` does. Each decoder and each key equation solver is mapped to Xilinx 7
series by Yosys, and eight decoders are added up with eight solvers, or with two that four decoders share. Fails where a
module takes more look-up tables than studies/cosmos-plus/ecc_area.csv says; `--update` writes that file anew. With sizes of
chunks, in bytes, only these are measured.
"""

import argparse
import csv
import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

import synth

TABLE = pathlib.Path("studies/cosmos-plus/ecc_area.csv")
COLUMNS = ("chunk_bytes", "correctable_bits", "decoder_lut", "solver_lut", "shared_solver_lut")

# Sizes of chunks, and the strength of each: the number of bits whose parity is nearest to 7.6 % of the chunk,
# which is what Cosmos+ has for 13 bits in 256 bytes.
CODES = {256: 13, 512: 24, 1024: 45, 2048: 83, 4096: 156}

# Larger chunks than this, in bytes, are mapped without the last step of ABC's script, `&mfs`, which ends on a failed assertion of its
# own (`Gia_ManInsertMfs`) on some large solvers. The rest is what Yosys has ABC do; commas are blanks.
LARGEST_WITH_MFS = 1024
WITHOUT_MFS = 'scratchpad -set abc9.script "+&scorr;&sweep;&dc2;&dch,-f,-r;&ps;&if,{W},{D},{R},-v"; '

CHANNELS = 8
# Channels that share a solver, as in Cosmos+.
SHARING = 4
# What the paper's FPGA has left for decoders (section 7.2).
ROOM = 148_600


def measure(chunk_bytes):
    code = {"ChunkBytes": chunk_bytes, "T": CODES[chunk_bytes]}
    modules = {
        "decoder_lut": ("bch_decoder", code),
        "solver_lut": ("bch_shared_solver", code | {"Channels": 1}),
        "shared_solver_lut": ("bch_shared_solver", code | {"Channels": SHARING}),
    }
    before = WITHOUT_MFS if chunk_bytes > LARGEST_WITH_MFS else ""
    row = {"chunk_bytes": chunk_bytes, "correctable_bits": CODES[chunk_bytes]}
    for column, (top, parameters) in modules.items():
        counts, _ = synth.map_cells(f"{column}_{chunk_bytes}", top, parameters, before)
        row[column] = synth.size(counts)["lut"]
    return row


def totals(row):
    """Look-up tables of all channels: with a solver a channel, and with one for several."""
    decoders = CHANNELS * row["decoder_lut"]
    return decoders + CHANNELS * row["solver_lut"], decoders + CHANNELS // SHARING * row["shared_solver_lut"]


def show(row):
    own, shared = totals(row)
    fits = "both fit" if own < ROOM else "fits shared" if shared < ROOM else "too large"
    print(f"{row['chunk_bytes']:6} B {row['correctable_bits']:4} bits  decoder {row['decoder_lut']:6}  solver {row['solver_lut']:6}, "
          f"of {SHARING} {row['shared_solver_lut']:6}  {CHANNELS} channels: own {own:7}, shared {shared:7} LUT  {fits} in {ROOM}", flush=True)


def committed():
    with TABLE.open(newline="") as file:
        return {int(row["chunk_bytes"]): {name: int(row[name]) for name in COLUMNS} for row in csv.DictReader(file)}


def main():
    parser = argparse.ArgumentParser(description="Measures what error correction costs over the size of a chunk.")
    parser.add_argument("--update", action="store_true", help=f"write {TABLE} anew")
    parser.add_argument("--jobs", type=int, default=1, help="sizes that are measured side by side")
    parser.add_argument("chunks", nargs="*", type=int, choices=[*CODES, []], help="sizes in bytes, all if none is named")
    asked = parser.parse_args()
    synth.OUT = pathlib.Path("target/ecc-area")
    synth.YOSYS = [sys.executable, "rtl/tools/deep_yosys.py"]
    synth.OUT.mkdir(parents=True, exist_ok=True)
    table = committed() if TABLE.exists() else {}
    failed = False
    with ThreadPoolExecutor(max_workers=asked.jobs) as pool:
        for row in pool.map(measure, asked.chunks or CODES):
            show(row)
            expected = table.get(row["chunk_bytes"])
            if asked.update:
                table[row["chunk_bytes"]] = row
            elif expected is None or any(row[name] > expected[name] for name in COLUMNS):
                print(f"ecc-area: {row['chunk_bytes']}: found {row}, expected at most {expected} ({TABLE})", file=sys.stderr)
                failed = True
    if asked.update:
        with TABLE.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(table[chunk] for chunk in sorted(table))
    sys.exit(failed)


main()
