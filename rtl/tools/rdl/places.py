"""Writes where blocks of registers and memories are, in each language."""

from dataclasses import dataclass

from systemrdl import RDLCompiler

from . import rust
from .markdown import table


@dataclass
class Place:
    """What begins at an address; `stride` bytes from one to the next where it stands there `count` times."""

    name: str
    base: int
    size: int
    count: int
    stride: int
    desc: str

    @property
    def bits(self):
        """Address bits inside of it."""
        return (self.size - 1).bit_length()


@dataclass
class Map:
    title: str
    desc: str
    # Bits of its addresses.
    bits: int
    places: list[Place]


def read(paths, name, bits):
    """The places directly below the address map of that name."""
    compiler = RDLCompiler()
    for path in paths:
        compiler.compile_file(str(path))
    top = compiler.elaborate(top_def_name=name).top
    return Map(top.get_property("name"), top.get_property("desc"), bits,
               [place(node) for node in top.children(unroll=False)])


def place(node):
    """An array's stride is the room of each of its elements."""
    count, stride = (node.n_elements, node.array_stride) if node.is_array else (1, 0)
    base = node.raw_absolute_address if node.is_array else node.absolute_address
    return Place(node.inst_name, base, stride or node.size, count, stride, node.get_property("desc"))


def package(maps, origin):
    """The package of SystemVerilog: where a place begins, and the address bits inside of it."""
    lines = [f"// {origin}", "package fm_map_pkg;"]
    for one in maps:
        lines += ["", f"  // {one.desc}"]
        for at in one.places:
            name = at.name.capitalize()
            digits = f"{at.base:0{one.bits // 4}x}"
            lines += ["", f"  // {at.desc}"]
            lines += [f"  localparam logic [{one.bits - 1}:0] {name}Base = {one.bits}'h{digits};"]
            lines += [f"  localparam int unsigned {name}Bits = {at.bits};"]
    return "\n".join([*lines, "", "endpackage", ""])


def constants(maps, origin):
    """The module of Rust."""
    lines = ["//! Where everything is for the processor.", "//!", f"//! {origin}"]
    for one in maps:
        lines += ["", f"// {one.desc}"]
        for at in one.places:
            lines += ["", rust.doc(at.desc)]
            if at.stride:
                lines += [f"pub const fn {at.name}(number: u8) -> u32 {{",
                          f"    {at.base:#x} + {at.stride:#x} * number as u32", "}"]
            else:
                lines += [f"pub const {at.name.upper()}: u32 = {at.base:#x};"]
    return "\n".join(lines) + "\n"


def document(maps, origin):
    """The page."""
    lines = ["# Addresses of the processor", "", f"<!-- {origin} -->", ""]
    for one in maps:
        lines += [f"## {one.title[0].upper()}{one.title[1:]}", "", one.desc, ""]
        rows = []
        for at in one.places:
            times = f" × {at.count}" if at.stride else ""
            rows.append((f"`{at.base:#0{2 + one.bits // 4}x}`", f"`{at.name}`", f"{at.size:#x}{times}", at.desc))
        lines += table(["From", "Name", "Bytes", "What"], rows)
    return "\n".join(lines).rstrip() + "\n"
