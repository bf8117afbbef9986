"""Writes Rust: constants of the registers, enumerations and fields of the packets."""

import re

from .model import Kind


def doc(text, indent=""):
    return f"{indent}/// {text}"


def field_constant(field, indent, word_bits=32):
    """A field never crosses a word, so that software needs no shifting over two."""
    word, low = divmod(field.low, word_bits)
    if low + field.bits > word_bits:
        raise SystemExit(f"registers: {field.name}: found it in two words, expected one")
    return [
        doc(field.desc, indent),
        f"{indent}pub const {field.name.upper()}: Field = Field::new({word}, {low}, {field.bits});",
    ]


def registers(source, origin):
    lines = [
        f"//! {source.desc}",
        "//!",
        f"//! {origin}",
        "",
        "use crate::{Field, Register};",
        *([] if source.packets else enumerations(source)),
        "",
        "/// All registers but those of the windows.",
        f"pub const REGISTERS: [Register; {len(source.registers)}] = [",
        *[f"    {register.name}::REGISTER," for register in source.registers],
        "];",
    ]
    for register in source.registers:
        lines += ["", doc(register.desc), f"pub mod {register.name} {{"]
        lines += ["    use super::{Field, Register};", ""]
        rows = [
            f'name: "{register.name}"',
            f"offset: {register.offset:#05x}",
            f"reset: {register.reset:#010x}",
            f"constant: {register.mask(Kind.CONSTANT):#010x}",
            f"storage: {register.mask(Kind.STORAGE):#010x}",
            f"sticky: {register.mask(Kind.STICKY):#010x}",
        ]
        lines += [doc("Where it is, and what can be done to it.", "    ")]
        lines += ["    pub const REGISTER: Register = Register {"]
        lines += [f"        {row}," for row in rows] + ["    };"]
        for field in register.fields:
            lines += field_constant(field, "    ")
        lines += ["}"]
    for window in source.windows:
        lines += ["", doc(window.desc), f"pub mod {window.name} {{"]
        if has_parts(window):
            lines += ["    use super::Field;", ""]
        lines += [doc("Byte offset.", "    "), f"    pub const OFFSET: u32 = {window.offset:#05x};"]
        lines += [doc("Bytes.", "    "), f"    pub const SIZE: u32 = {window.size:#x};"]
        if window.is_memory:
            lines += memory(window)
            continue
        for register in window.registers:
            offset = window.offset + register.offset
            name = register.name.upper()
            lines += [doc(register.desc, "    ")]
            if register.count == 1:
                lines += [f"    pub const {name}: u32 = {offset:#05x};"]
            else:
                offsets = [f"{offset + index * register.size:#05x}" for index in range(register.count)]
                lines += array(name, "u32", offsets)
        lines += ["}"]
    return "\n".join(lines) + "\n"


def memory(window):
    """Entries are alike and many, so there are no constants of their offsets."""
    register = window.registers[0]
    lines = [doc("Bytes of an entry.", "    "), f"    pub const ENTRY: u32 = {register.size};"]
    if has_parts(window):
        for field in register.fields:
            lines += field_constant(field, "    ")
    return [*lines, "}"]


def has_parts(window):
    """Whether it is a memory whose entries are made of fields."""
    register = window.registers[0]
    return window.is_memory and register.fields[0].bits != 8 * register.size


def array(name, element, values):
    """An array as rustfmt lays it out: on one line, on the next one, or short values side by side
    and long ones below each other."""
    head = f"    pub const {name}: [{element}; {len(values)}] ="
    inside = ", ".join(values)
    if len(head) + len(inside) + 4 <= 100:
        return [f"{head} [{inside}];"]
    if len(inside) + 11 <= 100:
        return [head, f"        [{inside}];"]
    per_line = (100 - 8) // (len(values[0]) + 2) if len(values[0]) <= 10 else 1
    groups = [values[first:first + per_line] for first in range(0, len(values), per_line)]
    return [f"{head} [", *[f"        {', '.join(group)}," for group in groups], "    ];"]


def enumerations(source):
    lines = []
    for enum in source.enums:
        lines += ["", doc(ENUM_DOCS[enum.name]), *enumeration(enum)]
    return lines


def enumeration(enum):
    name = type_name(enum)
    prefix = common_prefix(enum)
    named = [(member.name.removeprefix(prefix), member) for member in enum.members]
    lines = ["#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]", "#[repr(u8)]", f"pub enum {name} {{"]
    for short, member in named:
        title = f"`{member.title}`: " if member.title not in ("", "whole") else ""
        title = "Whole: " if member.title == "whole" else title
        lines += [doc(title + member.desc, "    "), f"    {short} = {member.value:#04x},"]
    lines += ["}", "", f"impl {name} {{", doc("All of them.", "    ")]
    lines += [*array("ALL", "Self", [f"Self::{short}" for short, _ in named]), ""]
    lines += [doc("The value with this number; none if no value has it.", "    ")]
    lines += ["    pub const fn from_bits(bits: u32) -> Option<Self> {", "        Some(match bits {"]
    lines += [f"            {member.value:#04x} => Self::{short}," for short, member in named]
    return lines + ["            _ => return None,", "        })", "    }", "}"]


def type_name(enum):
    return "".join(part.capitalize() for part in enum.name.removesuffix("_e").split("_"))


def common_prefix(enum):
    """The word that all members begin with. Packages of SystemVerilog need it, enumerations of Rust do
    not."""
    words = [re.match("[A-Z][a-z0-9]*", member.name)[0] for member in enum.members]
    longer = all(len(member.name) > len(words[0]) for member in enum.members)
    return words[0] if len(set(words)) == 1 and longer else ""


ENUM_DOCS = {
    "operation_e": "What a request asks for, with the bytes on the bus.",
    "outcome_e": "How a request ended.",
    "model_e": "Execution model of the scheduler.",
    "event_e": "What the host did.",
    "dma_fault_e": "What was wrong with a command's DMA.",
    "deed_e": "What the memory engine does.",
}


def packets(source, origin):
    lines = [
        "//! Words of the packets, and the numbers in them.",
        "//!",
        f"//! {origin}",
        "",
        "use crate::bits::Field;",
    ]
    lines += enumerations(source)
    for packet in source.packets:
        words = (packet.bits + 31) // 32
        lines += ["", doc(packet.desc), f"pub mod {packet.name} {{", "    use super::Field;", ""]
        lines += [doc("Words of the packet.", "    "), f"    pub const WORDS: usize = {words};"]
        for field in packet.fields:
            if not field.name.startswith("reserved"):
                lines += field_constant(field, "    ")
        reserved = [one for one in packet.fields if one.name.startswith("reserved")]
        places = [(one.low, one.bits) for one in reserved]
        if packet.bits % 32:
            places.append((packet.bits, 32 - packet.bits % 32))
        names = [f"Field::new({low // 32}, {low % 32}, {bits})" for low, bits in places]
        lines += [doc("Zero in every packet.", "    ")]
        lines += [*array("RESERVED", "Field", names), "}"]
    return "\n".join(lines) + "\n"
