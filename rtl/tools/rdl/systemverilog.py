"""Writes SystemVerilog: the types of packets and of registers, and the register block."""

from .model import Kind


def logic(bits):
    return f"logic [{bits - 1:2}:0]" if bits > 1 else "logic"


def padded(rows):
    """Lines of (left, right), the right sides below each other."""
    width = max(len(left) for left, _ in rows)
    return [f"{left:{width}}  {right}" for left, right in rows]


def members(enum):
    """Lines of an enumeration. A title says more than a description, if there is one."""
    width = max(len(member.name) for member in enum.members)
    rows = []
    for member in enum.members:
        comma = "" if member is enum.members[-1] else ","
        digits = f"{member.value:0{(enum.bits + 3) // 4}x}"
        note = member.title or member.desc
        rows.append((f"    {member.name:{width}} = {enum.bits}'h{digits}{comma}", f"// {note}"))
    return padded(rows)


def type_of(field):
    return field.enum.name if field.enum else logic(field.bits)


def struct(packet):
    """The first member of a packed struct is its highest. What software writes may be no member of
    an enumeration, so it keeps its bits."""
    fields = list(reversed(packet.fields))
    types = [logic(one.bits) if packet.from_software else type_of(one) for one in fields]
    width = max(len(one) for one in types)
    rows = [(f"    {kind:{width}} {one.name};", f"// {one.desc}")
            for kind, one in zip(types, fields)]
    return [
        f"  // {packet.desc} {packet.bits} bits of {(packet.bits + 31) // 32} words.",
        "  typedef struct packed {",
        *padded(rows),
        f"  }} {packet.name}_t;",
    ]


def packets(source, origin):
    lines = [f"// {origin}", "//", "// Inside `fm_flash_pkg`."]
    for enum in source.enums:
        lines += ["", f"  typedef enum logic [{enum.bits - 1}:0] {{", *members(enum)]
        lines += [f"  }} {enum.name};"]
    for packet in source.packets:
        lines += ["", *struct(packet)]
    return "\n".join(lines) + "\n"


def nested(register, kinds, lines):
    fields = [field for field in reversed(register.fields) if field.kind in kinds]
    if fields:
        lines.append("    struct packed {")
        types = [type_of(field) for field in fields]
        width = max(len(one) for one in types)
        lines += [f"      {one:{width}} {field.name};" for one, field in zip(types, fields)]
        lines.append(f"    }} {register.name};")


FROM_HARDWARE = (Kind.STATUS, Kind.STICKY)
TO_HARDWARE = (Kind.STORAGE, Kind.ORDER, Kind.STICKY, Kind.PULSE)


def package(block):
    source = block.source
    lines = [f"// {block.origin}", f"package fm_{block.name}_pkg;", "", f"  import {block.room}::*;", ""]
    lines += ["  // What hardware tells; of sticky bits, that they are to be set."]
    lines += ["  typedef struct packed {"]
    for register in source.registers:
        nested(register, FROM_HARDWARE, lines)
    lines += ["  } status_t;", "", "  // What hardware is told.", "  typedef struct packed {"]
    for register in source.registers:
        nested(register, TO_HARDWARE, lines)
    lines += ["  } control_t;", ""]
    for window in source.windows:
        if len(window.registers) > 1:
            lines += ["  // Words of the window, the first ones of each of its registers.",
                      *words_of(window), ""]
    return "\n".join([*lines, "endpackage"]) + "\n"


def words_of(window):
    size = index_bits(window)
    names = [camel(window.name) + camel(register.name) for register in window.registers]
    width = max(map(len, names))
    rows = [f"    {name:{width}} = {size}'h{register.offset // 4:02x}"
            for name, register in zip(names, window.registers)]
    return [f"  typedef enum logic [{size - 1}:0] {{", ",\n".join(rows),
            f"  }} {window.name}_word_e;"]


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def index_bits(window):
    return max(1, (window.size // 4 - 1).bit_length())


class Block:
    """The register block of a source; `room` is the package that has its enumerations."""

    def __init__(self, source, origin, name, room):
        self.source, self.origin, self.name, self.room = source, origin, name, room
        self.word_bits = source.address_bits - 2
        self.written = [
            register for register in source.registers if register.mask(*TO_HARDWARE)
        ]
        self.waiting = [window for window in source.windows if window.waits]

    def word(self, offset):
        return f"{self.word_bits}'h{offset // 4:02x}"

    def words(self, window):
        last = self.word(window.offset + window.size - 4)
        return f"[{self.word(window.offset)}:{last}]"

    def text(self):
        parts = [self.header(), self.ports(), self.comparisons(), self.front(), self.writes(),
                 self.storage(), self.reads()]
        return "\n".join(line for part in parts for line in part) + "\n"

    def header(self):
        return [
            '`include "fm_assert.svh"',
            "",
            f"// {self.origin}",
            "//",
            f"// {self.source.desc}",
            "//",
            "// Contract: words only. A write of a part of a word and an access of an address without register",
            "// end in SLVERR and change nothing. What is written to bits that cannot be written is ignored.",
            "// One write and one read at a time. `<window>_write_o` and `<window>_read_o` pulse with the number",
            "// of the word, where hardware has to know; the word read is that of the same cycle.",
            *self.special(),
            "// Latency: that of `fm_lite_front`.",
            "// Reason: fields and words here, handshakes there.",
            f"module {self.name}",
            f"  import {self.room}::*;",
            f"  import fm_{self.name}_pkg::*;",
            "(",
        ]

    def special(self):
        """What only some blocks have."""
        lines = []
        if any(register.reads_act or register.writes_act for register in self.source.registers):
            lines += [
                "// `<register>_read_o` pulses when the register is read, `<register>_written_o` when its fields",
                "// have been written.",
            ]
        for window in self.waiting:
            name = window.name
            lines += [f"// `{name}_read_o` stays until `{name}_ready_i`, which comes with the word."]
        return lines

    def ports(self):
        address = logic(self.source.address_bits)
        ports = [
            ("input", "logic", "clk_i"), ("input", "logic", "rst_ni"),
            ("input", "logic", "aw_valid_i"), ("output", "logic", "aw_ready_o"),
            ("input", address, "aw_addr_i"),
            ("input", "logic", "w_valid_i"), ("output", "logic", "w_ready_o"),
            ("input", "fm_axi_pkg::lite_write_t", "w_i"),
            ("output", "logic", "b_valid_o"), ("input", "logic", "b_ready_i"),
            ("output", "fm_axi_pkg::response_e", "b_resp_o"),
            ("input", "logic", "ar_valid_i"), ("output", "logic", "ar_ready_o"),
            ("input", address, "ar_addr_i"),
            ("output", "logic", "r_valid_o"), ("input", "logic", "r_ready_i"),
            ("output", "fm_axi_pkg::lite_read_t", "r_o"),
            ("input", "status_t", "status_i"), ("output", "control_t", "control_o"),
        ]
        for register in self.source.registers:
            if register.reads_act:
                ports += [("output", "logic", f"{register.name}_read_o")]
            if register.writes_act:
                ports += [("output", "logic", f"{register.name}_written_o")]
        for window in self.source.windows:
            index = logic(index_bits(window))
            if window.writable:
                ports += [("output", "logic", f"{window.name}_write_o"),
                          ("output", index, f"{window.name}_write_word_o")]
            if window.readable:
                if window.reads_act or window.waits:
                    ports += [("output", "logic", f"{window.name}_read_o")]
                if window.waits:
                    ports += [("input", "logic", f"{window.name}_ready_i")]
                ports += [("output", index, f"{window.name}_read_word_o"),
                          ("input", "logic [31:0]", f"{window.name}_data_i")]
        width = max(len(kind) for _, kind, _ in ports)
        lines = [f"    {way:6} {kind:{width}} {name}" for way, kind, name in ports]
        return [",\n".join(lines), ");", ""]

    def front(self):
        """The handshakes, which are those of every block."""
        channels = ["aw_valid_i", "aw_ready_o", "aw_addr_i", "w_valid_i", "w_ready_o", "w_i",
                    "b_valid_o", "b_ready_i", "b_resp_o", "ar_valid_i", "ar_ready_o", "ar_addr_i",
                    "r_valid_o", "r_ready_i", "r_o"]
        joined = [("write_o", "write"), ("write_word_o", "write_word"),
                  ("write_known_i", "is_known(write_word)"),
                  ("read_o", "read"), ("read_word_o", "read_word"),
                  ("read_known_i", "is_known(read_word)"),
                  ("read_waits_i", "read_waits" if self.waiting else "1'b0"),
                  ("read_data_i", "read_data")]
        connections = [f"      .{name}" for name in ["clk_i", "rst_ni", *channels]]
        connections += [f"      .{name}({signal})" for name, signal in joined]
        waits = ", read_waits" if self.waiting else ""
        return [
            f"  typedef logic [{self.word_bits - 1}:0] word_t;",
            "  word_t write_word, read_word;",
            f"  logic write, read{waits};",
            "  logic [31:0] read_data;",
            "",
            "  // Whether the word is one of a register or of a window.",
            "  function automatic logic is_known(word_t word);",
            "    return word inside {",
            *self.known(),
            "    };",
            "  endfunction",
            "",
            "  fm_lite_front #(",
            f"      .AddressBits({self.source.address_bits})",
            "  ) u_front (",
            ",\n".join(connections),
            "  );",
            "",
        ]

    def writes(self):
        names = [f"write_{register.name}" for register in self.written]
        lines = ["  // Writes."]
        lines += [f"  logic {name};" for name in names]
        lines += [""]
        lines += [
            f"  assign {name} = write && write_word == {self.word(register.offset)};"
            for name, register in zip(names, self.written)
        ]
        for window in self.source.windows:
            if window.writable:
                lines += self.strobe(window, "write", "write")
        return lines + [""]

    def comparisons(self):
        """The enumerations of a package that is written by hand have the numbers of the source."""
        lines = []
        for enum in [] if self.source.packets else self.source.enums:
            equal = [f"{member.name} == {enum.bits}'d{member.value}" for member in enum.members]
            lines += [f"  `FM_REQUIRE(gen_{enum.name}_differs, " + "\n           && ".join(equal) + ",",
                      f'           "{self.name}: {enum.name}")', ""]
        return lines

    def known(self):
        words = [self.word(register.offset) for register in self.source.registers]
        words += [self.words(window) for window in self.source.windows]
        rows = [", ".join(words[first:first + 8]) for first in range(0, len(words), 8)]
        return [f"      {row}" for row in ",\n".join(rows).split("\n")]

    def strobe(self, window, way, condition):
        high = index_bits(window) - 1
        lines = [f"  assign {window.name}_{way}_word_o = {way}_word[{high}:0];"]
        if way == "write" or window.reads_act or window.waits:
            lines += [
                f"  assign {window.name}_{way}_o = {condition}",
                f"      && {way}_word inside {{{self.words(window)}}};",
            ]
        return lines

    def storage(self):
        resets, updates = [], []
        for register in self.written:
            for one in register.fields:
                if one.kind in TO_HARDWARE:
                    target = f"control_q.{register.name}.{one.name}"
                    reset = f"{one.enum.name}'({one.reset})" if one.enum else f"{one.bits}'h{one.reset:x}"
                    resets.append(f"      {target} <= {reset};")
                    updates += self.update(register, one, target)
            if register.writes_act:
                resets.append(f"      {register.name}_written_o <= 1'b0;")
                updates.append(f"      {register.name}_written_o <= write_{register.name};")
        return [
            "  // Fields.",
            "  control_t control_q;",
            "  assign control_o = control_q;",
            "",
            "  always_ff @(posedge clk_i or negedge rst_ni) begin",
            "    if (!rst_ni) begin", *resets,
            "    end else begin", *updates,
            "    end",
            "  end",
            "",
        ]

    def update(self, register, field, target):
        data = bits_of("w_i.data", field)
        write = f"write_{register.name}"
        if field.kind is Kind.PULSE:
            return [f"      {target} <= {write} && {data};"]
        status = f"status_i.{register.name}.{field.name}"
        if field.kind is Kind.STICKY and field.bits > 1:
            return [f"      {target} <= ({target} & ~({write} ? {data} : '0)) | {status};"]
        if field.kind is Kind.STICKY:
            return [
                f"      if ({status}) {target} <= 1'b1;",
                f"      else if ({write} && {data}) {target} <= 1'b0;",
            ]
        value = f"{field.enum.name}'({data})" if field.enum else data
        return [f"      if ({write}) {target} <= {value};"]

    def reads(self):
        lines = ["  // Reads."]
        for window in self.source.windows:
            if window.readable:
                lines += self.strobe(window, "read", "read")
        lines += [
            f"  assign {register.name}_read_o = read && read_word == {self.word(register.offset)};"
            for register in self.source.registers if register.reads_act
        ]
        if self.waiting:
            names = [window.name for window in self.waiting]
            busy = " || ".join(f"({name}_read_o && !{name}_ready_i)" for name in names)
            lines += [f"  assign read_waits = {busy};"]
        lines += ["", "  always_comb begin", "    read_data = '0;", "    case (read_word) inside"]
        for register in self.source.registers:
            shown = [one for one in register.fields if one.kind not in (Kind.PULSE, Kind.ORDER)]
            if not shown:
                continue
            lines.append(f"      {self.word(register.offset)}: begin")
            lines += [
                f"        {bits_of('read_data', one)} = {value_of(register, one)};" for one in shown
            ]
            lines.append("      end")
        lines += [
            f"      {self.words(window)}: read_data = {window.name}_data_i;"
            for window in self.source.windows if window.readable
        ]
        return lines + ["      default: ;", "    endcase", "  end", "", "endmodule"]


def bits_of(word, field):
    if field.bits == 1:
        return f"{word}[{field.low}]"
    return f"{word}[{field.low + field.bits - 1}:{field.low}]"


def value_of(register, field):
    if field.kind is Kind.CONSTANT:
        return f"{field.bits}'h{field.reset:x}"
    if field.kind is Kind.STATUS:
        return f"status_i.{register.name}.{field.name}"
    return f"control_q.{register.name}.{field.name}"
