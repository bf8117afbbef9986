"""Bars of what system calls waited for, as SVG in the colours of reports' pages."""

import os
import re
from xml.sax.saxutils import escape

PAPER, TEXT, MUTED, GRID, LINUX = "#FFFFFF", "#1F2933", "#5F6C7B", "#E6EAEF", "#B4BDC8"
# The causes' colours in hosts/report/src/palette.rs, by their keys in JSON; tests/linux/linux.py holds both together.
CAUSES = {
    "host_link": ("host link and DMA", "#1D8A9A"),
    "wait_fetch": ("waiting to be fetched", "#7FC3CC"),
    "wait_host": ("waiting for the host", "#AEDBE1"),
    "processing": ("command processing", "#C8701C"),
    "wait_processor": ("waiting for the processor", "#E5A867"),
    "wait_order": ("waiting for earlier commands", "#F0CFA6"),
    "wait_buffer_entry": ("waiting for a buffer entry", "#B7A3D0"),
    "wait_map": ("waiting for the map", "#D98C9E"),
    "wait_internal_work": ("waiting behind internal work", "#B84340"),
    "wait_die": ("waiting for the die", "#8353A9"),
    "wait_bus": ("waiting for the bus", "#6FA8DC"),
    "wait_dma_engine": ("waiting for the DMA engine", "#5F8FA0"),
    "flash_busy": ("flash busy", "#2B6CB1"),
    "transfer": ("transfer", "#2F8567"),
    "wait_memory": ("waiting for memory", "#8A7416"),
    "ecc": ("ECC", "#6A7687"),
    "untold": ("not told apart", "#9AA5B3"),
}
WIDTH, LEFT, RIGHT, TOP, BAR, GAP = 1000, 250, 110, 56, 20, 8
FONT = "sans-serif"


def is_as_reports():
    """Whether causes and colours are those of reports, in their order."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    with open(f"{root}/hosts/report/src/palette.rs") as file:
        inks = file.read().partition("const CAUSES")[2].partition("];")[0]
    with open(f"{root}/drive/contract/src/cause.rs") as file:
        said = re.findall(r'Cause::(\w+) => "([^"]+)"', file.read())
    # First all names, then all keys.
    names, keys = said[: len(CAUSES)], said[len(CAUSES) : 2 * len(CAUSES)]
    colors = re.findall(r"Ink::new\(0x([0-9A-F]{6})", inks)
    found = {key: (name, f"#{color}") for (_, name), (_, key), color in zip(names, keys, colors)}
    return list(found.items()) == list(CAUSES.items())


def text(x, y, said, color=TEXT, size=13, anchor="start"):
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" dy="0.35em" text-anchor="{anchor}" font-family="{FONT}" '
        f'font-size="{size}" fill="{color}">{escape(said)}</text>'
    )


def box(x, y, width, height, color):
    return f'<rect x="{x:.1f}" y="{y:.0f}" width="{width:.1f}" height="{height}" fill="{color}"/>'


def duration(ns):
    """A time as people write it."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.0f} ns"


def parts(waited, count):
    """Time of one of `count`, in nanoseconds, by cause, in the order of the causes; Linux is the last."""
    causes = [(color, name, waited["causes_ns"].get(key, 0) / count) for key, (name, color) in CAUSES.items()]
    return causes + [(LINUX, "Linux", waited["linux_ns"] / count)]


def legend(used, bottom):
    """Names of the colours in rows below the bars, and the height that they take."""
    drawn, x, y = [], 24, bottom + 24
    for color, name in used:
        width = 30 + 7.2 * len(name)
        if x + width > WIDTH - 24:
            x, y = 24, y + 22
        drawn += [box(x, y - 6, 12, 12, color), text(x + 18, y, name, MUTED, 12)]
        x += width
    return drawn, y + 20


def draw(path, title, groups):
    """Writes a picture: groups of a name and bars, each of a label, what was waited for, and by how many to divide it."""
    longest = max(sum(ns for *_, ns in parts(waited, count)) for _, bars in groups for _, waited, count in bars)
    scale = (WIDTH - LEFT - RIGHT) / longest
    drawn, y, seen = [text(24, 28, title, size=18)], TOP, {}
    for name, bars in groups:
        if name:
            drawn.append(text(24, y + 6, name, MUTED, 13))
            y += 22
        for label, waited, count in bars:
            x = LEFT
            drawn.append(text(LEFT - 10, y + BAR / 2, label, anchor="end"))
            for color, cause, ns in parts(waited, count):
                if ns > 0:
                    seen[color] = cause
                    drawn.append(box(x, y, ns * scale, BAR, color))
                    x += ns * scale
            drawn.append(text(x + 8, y + BAR / 2, duration((x - LEFT) / scale), MUTED, 12))
            y += BAR + GAP
        y += GAP
    order = [(color, name) for name, color in CAUSES.values()] + [(LINUX, "Linux")]
    named, height = legend([pair for pair in order if pair[0] in seen], y)
    head = f'<svg width="{WIDTH}" height="{height:.0f}" viewBox="0 0 {WIDTH} {height:.0f}" xmlns="http://www.w3.org/2000/svg">'
    with open(path, "w") as file:
        file.write("\n".join([head, box(0, 0, WIDTH, f"{height:.0f}", PAPER), *drawn, *named, "</svg>", ""]))
