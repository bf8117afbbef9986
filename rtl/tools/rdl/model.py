"""What the SystemRDL source says, reduced to what is made of it.

A field is one of six kinds. Anything else that SystemRDL could say is refused, so that nothing is
said in vain.
"""

import enum
from dataclasses import dataclass

from systemrdl import RDLCompiler
from systemrdl.node import MemNode, RegfileNode, RegNode


class Kind(enum.Enum):
    """What hardware and software can do to a field, and the word for it in documents."""

    CONSTANT = "constant"
    STATUS = "read"
    STORAGE = "read, write"
    ORDER = "write"
    STICKY = "read, write one to clear"
    PULSE = "write one"
    WINDOW = "window"

    @property
    def has_reset(self):
        return self in (Kind.CONSTANT, Kind.STORAGE, Kind.ORDER, Kind.STICKY)


@dataclass
class Member:
    name: str
    value: int
    title: str
    desc: str


@dataclass
class Enum:
    """`name` ends with `_e`."""

    name: str
    bits: int
    members: list[Member]


@dataclass
class Field:
    name: str
    low: int
    bits: int
    desc: str
    kind: Kind
    reset: int
    enum: Enum | None

    @property
    def mask(self):
        return ((1 << self.bits) - 1) << self.low


@dataclass
class Register:
    """`count` registers of `size` bytes, one behind the other."""

    name: str
    offset: int
    size: int
    count: int
    desc: str
    fields: list[Field]
    # Hardware has to know of reads, or of writes.
    reads_act: bool = False
    writes_act: bool = False

    def mask(self, *kinds):
        return sum(field.mask for field in self.fields if field.kind in kinds)

    @property
    def reset(self):
        return sum(field.reset << field.low for field in self.fields)


@dataclass
class Window:
    """Registers that hardware answers for, at `offset` of the block. Those of a memory are all alike, and
    may be answered for in a later cycle."""

    name: str
    title: str
    offset: int
    size: int
    desc: str
    writable: bool
    readable: bool
    # Hardware has to know of reads.
    reads_act: bool
    registers: list[Register]
    is_memory: bool = False
    waits: bool = False


@dataclass
class Packet:
    name: str
    title: str
    bits: int
    desc: str
    from_software: bool
    fields: list[Field]


@dataclass
class Source:
    """All of the file."""

    title: str
    desc: str
    enums: list[Enum]
    packets: list[Packet]
    registers: list[Register]
    windows: list[Window]
    address_bits: int


def read(path, enums, packets, registers):
    """Reads the file: the enumerations of those names, the registers, and the packets if there are any."""
    compiler = RDLCompiler()
    compiler.compile_file(str(path))
    packets = compiler.elaborate(top_def_name=packets).top.children() if packets else ()
    block = compiler.elaborate(top_def_name=registers).top
    found = {}
    source = Source(
        title=block.get_property("name"),
        desc=block.get_property("desc"),
        enums=[],
        packets=[packet(node, found) for node in packets],
        registers=[],
        windows=[],
        address_bits=(block.size - 1).bit_length(),
    )
    for node in block.children():
        if isinstance(node, RegfileNode) and node.external:
            source.windows.append(window(node, found))
        elif isinstance(node, MemNode):
            source.windows.append(memory(node, found))
        elif isinstance(node, RegNode) and not node.is_array:
            source.registers.append(register(node, node.absolute_address, found))
        else:
            refuse(node, "expected a register, an external file of registers, or a memory")
    source.enums = [found[name] for name in enums]
    return source


def refuse(node, expected):
    raise SystemExit(f"registers: {node.get_path()}: {expected}")


def packet(node, enums):
    fields = [field(child, Kind.STORAGE, enums) for child in node.fields()]
    bits = 0
    for one in fields:
        if one.low != bits:
            refuse(node, f"found a gap below {one.name}, expected a field named reserved")
        bits += one.bits
    return Packet(
        name=node.inst_name,
        title=node.get_property("name"),
        bits=bits,
        desc=node.get_property("desc"),
        from_software=all(one.is_sw_writable for one in node.fields()),
        fields=fields,
    )


def window(node, enums):
    registers = []
    for child in node.children():
        address = child.raw_address_offset if child.is_array else child.address_offset
        registers.append(register(child, address, enums, Kind.WINDOW))
    if node.absolute_address % (1 << (node.size - 1).bit_length()) != 0:
        refuse(node, "expected it on a border of its size, so that low address bits count its words")
    fields = [one for child in node.children() for one in child.fields()]
    return Window(
        name=node.inst_name,
        title=node.get_property("name"),
        offset=node.absolute_address,
        size=node.size,
        desc=node.get_property("desc"),
        writable=any(one.is_sw_writable for one in fields),
        readable=any(one.is_sw_readable for one in fields),
        reads_act=any(one.get_property("onread") is not None for one in fields),
        registers=registers,
    )


def memory(node, enums):
    found = window(node, enums)
    if len(found.registers) != 1 or found.registers[0].size * found.registers[0].count != node.size:
        refuse(node, "expected one register, as often as there are entries")
    found.is_memory, found.waits = True, bool(node.get_property("waits"))
    return found


def register(node, address, enums, kind=None):
    if node.size != 4 and kind is None:
        refuse(node, "expected a register of 32 bits")
    count = node.n_elements if node.is_array else 1
    fields = [field(child, kind or kind_of(child), enums) for child in node.fields()]
    inside = [child for child in node.fields()] if kind is None else []
    return Register(
        node.inst_name, address, node.size, count, node.get_property("desc"), fields,
        reads_act=any(child.get_property("swacc") for child in inside),
        writes_act=any(child.get_property("swmod") for child in inside),
    )


def kind_of(node):
    software = node.is_sw_readable, node.is_sw_writable
    hardware = node.is_hw_readable, node.is_hw_writable
    has_reset = node.get_property("reset") is not None
    if node.get_property("singlepulse"):
        kind, fits = Kind.PULSE, software == (False, True)
    elif node.get_property("onwrite") is not None:
        fits = node.get_property("onwrite").name == "woclr" and node.get_property("hwset")
        kind = Kind.STICKY
    elif software == (False, True):
        kind, fits = Kind.ORDER, hardware == (True, False) and has_reset
    elif software == (True, True):
        kind, fits = Kind.STORAGE, hardware == (True, False) and has_reset
    elif hardware == (False, True):
        kind, fits = Kind.STATUS, software == (True, False)
    else:
        kind = Kind.CONSTANT
        fits = software == (True, False) and hardware == (False, False) and has_reset
    if not fits:
        refuse(node, "expected a constant, a status, storage, an order, a sticky bit or a pulse")
    return kind


def field(node, kind, enums):
    encode = node.get_property("encode")
    if encode is not None and encode.type_name not in enums:
        enums[encode.type_name] = enum_of(encode, node.width)
    return Field(
        name=node.inst_name,
        low=node.low,
        bits=node.width,
        desc=node.get_property("desc"),
        kind=kind,
        reset=node.get_property("reset") or 0,
        enum=enums[encode.type_name] if encode is not None else None,
    )


def enum_of(encode, bits):
    members = [
        Member(name, int(one.value), one.rdl_name or "", one.rdl_desc)
        for name, one in encode.members.items()
    ]
    return Enum(encode.type_name, bits, members)
