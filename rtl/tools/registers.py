"""Makes everything that is made of rtl/flash/flash_channel.rdl.

Run from the root of the repository, as `make registers` does. `--check` writes nothing and fails if
a file is not what would be made, as `make registers-check` does.
"""

import pathlib
import sys

from rdl import markdown, model, rust, systemverilog

SOURCE = pathlib.Path("rtl/flash/flash_channel.rdl")
ENUMS = ("operation_e", "outcome_e", "model_e")
ORIGIN = f"Made by rtl/tools/registers.py of {SOURCE}; `make registers` makes it anew."


def files(source):
    """What is made, by path."""
    block = systemverilog.Block(source, ORIGIN, "flash_register_block")
    return {
        "rtl/flash/flash_packets.svh": systemverilog.packets(source, ORIGIN),
        "rtl/flash/flash_register_block_pkg.sv": systemverilog.package(source, ORIGIN, block.name),
        "rtl/flash/flash_register_block.sv": block.text(),
        "crates/contract/src/registers.rs": rust.registers(source, ORIGIN),
        "crates/contract/src/packet/words.rs": rust.packets(source, ORIGIN),
        "docs/spec/flash-registers.md": markdown.document(source, ORIGIN),
    }


def main():
    source = model.read(SOURCE, ENUMS, packets="flash_packets", registers="flash_channel")
    stale = []
    for path, text in files(source).items():
        path = pathlib.Path(path)
        if path.exists() and path.read_text() == text:
            continue
        stale.append(path)
        if "--check" not in sys.argv[1:]:
            path.write_text(text)
            print(f"registers: wrote {path}")
    if stale and "--check" in sys.argv[1:]:
        names = ", ".join(map(str, stale))
        sys.exit(f"registers: {names}: found other text than {SOURCE} makes, "
                 "expected the same (make registers)")


main()
