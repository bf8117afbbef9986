"""Writes the page of registers and packets."""

from .model import Kind


def table(head, rows):
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return lines + [f"| {' | '.join(row)} |" for row in rows] + [""]


def bits(field, low=None):
    low = field.low if low is None else low
    return str(low) if field.bits == 1 else f"{low + field.bits - 1}:{low}"


def meaning(field):
    return f"{field.desc} See [{field.enum.name}](#{field.enum.name})." if field.enum else field.desc


def document(source, origin, note):
    """The page; `note` are lines that end its first paragraph."""
    what = "Registers and packets" if source.packets else "Registers"
    lines = [f"# {what} of {source.title}", "", f"<!-- {origin} -->", ""]
    lines += [source.desc + " " + note[0], *note[1:], "", "## Registers", ""]
    rows = [(register.offset, f"[{register.name.upper()}](#{register.name})", register.desc)
            for register in source.registers]
    rows += [(window.offset, f"[{window.title}](#{window.title.lower().replace(' ', '-')})",
              window.desc) for window in source.windows]
    lines += table(["Offset", "Name", "What"],
                   [(f"`{offset:#05x}`", *rest) for offset, *rest in sorted(rows)])
    lines += ["An access of another address, and a write of less than a word, end in SLVERR. Bits that",
              "are not named read as zero" + orders(source), ""]
    for register in source.registers:
        lines += [f"### {register.name.upper()}", "", register.desc, ""]
        rows = [
            (bits(field), f"`{field.name}`", field.kind.value,
             f"{field.reset:#x}" if field.kind.has_reset else "", meaning(field))
            for field in register.fields
        ]
        lines += table(["Bits", "Field", "Access", "Reset", "Meaning"], rows)
    for window in source.windows:
        lines += [f"### {window.title}", "", window.desc, ""]
        rows = []
        for register in window.registers:
            offset = window.offset + register.offset
            if window.is_memory:
                rows += [(f"`{offset:#05x}`", f"`{one.name}` × {register.count}",
                          f"{register.size} bytes", meaning(one)) for one in register.fields]
                continue
            name = f"`{register.name}`"
            if register.count > 1:
                name += f" × {register.count}"
            rows.append((f"`{offset:#05x}`", name, f"{register.size} bytes", register.desc))
        lines += table(["Offset", "Name", "Each", "What"], rows)
    if source.packets:
        lines += packets(source)
    lines += ["## Numbers", ""]
    for enum in source.enums:
        lines += [f"### {enum.name}", ""]
        has_titles = any(member.title for member in enum.members)
        rows = [
            (f"`{member.value:#04x}`", f"`{member.name}`",
             *([member.title] if has_titles else []), member.desc)
            for member in enum.members
        ]
        lines += table(["Number", "Name", *(["Bytes"] if has_titles else []), "What"], rows)
    return "\n".join(lines).rstrip() + "\n"


def orders(source):
    """How the sentence about zeros ends."""
    has_orders = any(register.mask(Kind.ORDER) for register in source.registers)
    return ", as do those that can only be written." if has_orders else "."


def packets(source):
    lines = ["## Packets", ""]
    lines += ["Words are numbered in the order of the window. All bits of a request are"]
    lines += ["written; reserved ones as zero.", ""]
    for packet in source.packets:
        lines += [f"### {packet.title}", "", packet.desc, ""]
        rows = [(str(field.low // 32), bits(field, field.low % 32), f"`{field.name}`", meaning(field))
                for field in packet.fields]
        lines += table(["Word", "Bits", "Field", "Meaning"], rows)
    return lines
