"""Makes everything that is made of the SystemRDL sources.

Run from the root of the repository, as `make registers` does. `--check` writes nothing and fails if
a file is not what would be made, as `make registers-check` does.
"""

import pathlib
import sys

from systemrdl import RDLCompileError

from rdl import markdown, model, places, rust, systemverilog

FLASH = pathlib.Path("rtl/flash/flash_channel.rdl")
HOST = pathlib.Path("rtl/host/nvme_host.rdl")
CONTROLLER = pathlib.Path("rtl/soc/ssd_top.rdl")
ADDRESSES = pathlib.Path("rtl/soc/address_map.rdl")


def origin(path):
    return f"Made by rtl/tools/registers.py of {path}; `make registers` makes it anew."


# What licence tools read in a source (SPDX specification, annex E).
LICENCE = "// SPDX-License-Identifier: Apache-2.0\n\n"


def flash_files():
    """What is made of the registers and packets of a flash channel, by path."""
    enums = ("operation_e", "outcome_e", "model_e")
    source = model.read(FLASH, enums, packets="flash_packets", registers="flash_channel")
    block = systemverilog.Block(source, origin(FLASH), "flash_register_block", "fm_flash_pkg")
    note = ["What the packets mean and when they are answered stands in",
            "[flash-packets](flash-packets.md)."]
    return {
        "rtl/flash/flash_packets.svh": systemverilog.packets(source, block.origin),
        "rtl/flash/fm_flash_register_block_pkg.sv": systemverilog.package(block),
        "rtl/flash/flash_register_block.sv": block.text(),
        "drive/registers/src/flash.rs": rust.registers(source, block.origin),
        "drive/contract/src/packet/words.rs": rust.packets(source, block.origin),
        "docs/spec/flash-registers.md": markdown.document(source, block.origin, note),
    }


def host_files():
    """What is made of the registers of the host interface, by path."""
    enums = ("event_e", "dma_fault_e")
    source = model.read(HOST, enums, packets=None, registers="nvme_host")
    block = systemverilog.Block(source, origin(HOST), "host_register_block", "fm_host_pkg")
    note = ["What the", "hardware does by itself stands in [rtl/host-interface](../rtl/host-interface.md#host-interface)."]
    return {
        "rtl/host/fm_host_register_block_pkg.sv": systemverilog.package(block),
        "rtl/host/host_register_block.sv": block.text(),
        "drive/registers/src/host.rs": rust.registers(source, block.origin),
        "docs/spec/host-registers.md": markdown.document(source, block.origin, note),
    }


def controller_files():
    """What is made of the registers of the controller as a whole, by path."""
    source = model.read(CONTROLLER, ("deed_e",), packets=None, registers="ssd_top")
    block = systemverilog.Block(source, origin(CONTROLLER), "controller_register_block", "fm_ssd_pkg")
    note = ["Where this block is on the processor's bus, and the others, stands in",
            "[rtl/controller](../rtl/controller.md#the-whole-controller)."]
    return {
        "rtl/soc/fm_controller_register_block_pkg.sv": systemverilog.package(block),
        "rtl/soc/controller_register_block.sv": block.text(),
        "drive/registers/src/controller.rs": rust.registers(source, block.origin),
        "docs/spec/controller-registers.md": markdown.document(source, block.origin, note),
    }


def address_files():
    """What is made of the addresses of all blocks, by path."""
    paths = (HOST, CONTROLLER, FLASH, ADDRESSES)
    maps = [places.read(paths, "controller_map", 20), places.read(paths, "processor_map", 32)]
    return {
        "rtl/soc/fm_map_pkg.sv": places.package(maps, origin(ADDRESSES)),
        "drive/registers/src/map.rs": places.constants(maps, origin(ADDRESSES)),
        "docs/spec/address-map.md": places.document(maps, origin(ADDRESSES)),
    }


def main():
    try:
        made = flash_files() | host_files() | controller_files() | address_files()
    except RDLCompileError:
        # The compiler has said what and where.
        sys.exit(1)
    stale = []
    for path, text in made.items():
        path = pathlib.Path(path)
        text = LICENCE + text if path.suffix in (".sv", ".svh") else text
        if path.exists() and path.read_text() == text:
            continue
        stale.append(path)
        if "--check" not in sys.argv[1:]:
            path.write_text(text)
            print(f"registers: wrote {path}")
    if stale and "--check" in sys.argv[1:]:
        names = ", ".join(map(str, stale))
        sys.exit(f"registers: {names}: found other text than the SystemRDL sources make, "
                 "expected the same (make registers)")


main()
