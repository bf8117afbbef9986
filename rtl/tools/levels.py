"""Levels of look-up tables on the longest path of a mapped netlist.

A path begins at a register or block RAM and ends at one, as that of the clock estimates does. Each look-up
table on it is a level, be it logic, memory or a shift register; carry chains and the multiplexers behind
look-up tables are none, since their delay is a fraction of one.
"""

import re
from graphlib import CycleError, TopologicalSorter

# Asynchronous reads of memories: for each output, the ports that address it.
MEMORY_READS = {
    "RAM32M": {f"DO{port}": [f"ADDR{port}"] for port in "ABCD"},
    "RAM64M": {f"DO{port}": [f"ADDR{port}"] for port in "ABCD"},
    "RAM128X1D": {"SPO": ["A"], "DPO": ["DPRA"]},
    "RAM256X1S": {"O": ["A"]},
    "RAM128X1S": {"O": [f"A{bit}" for bit in range(7)]},
    "RAM64X1S": {"O": [f"A{bit}" for bit in range(6)]},
    "RAM32X1S": {"O": [f"A{bit}" for bit in range(5)]},
    "SRL16E": {"Q": [f"A{bit}" for bit in range(4)]},
    "SRLC32E": {"Q": ["A"]},
}
for depth, bits in ((32, 5), (64, 6)):
    MEMORY_READS[f"RAM{depth}X1D"] = {
        "SPO": [f"A{bit}" for bit in range(bits)],
        "DPO": [f"DPRA{bit}" for bit in range(bits)],
    }

# Cells at which paths begin and end.
REGISTER = re.compile(r"FD[A-Z]+(_1)?|RAMB\d+E1|DSP48E1")


def carry_arcs(pins):
    """Each sum needs its own propagate bit and all bits before it; each carry its own bits too."""
    before = [*pins["CI"], *pins["CYINIT"]]
    for bit in range(4):
        yield pins["O"][bit], before + [pins["S"][bit]]
        before = before + [pins["S"][bit], pins["DI"][bit]]
        yield pins["CO"][bit], before


def arcs(kind, pins):
    """Outputs of a cell with what each depends on at once, and the levels in between."""
    if re.fullmatch(r"LUT[1-6]", kind):
        return 1, [(pins["O"][0], [bit for pin, bits in pins.items() if pin != "O" for bit in bits])]
    if kind in ("MUXF7", "MUXF8"):
        return 0, [(pins["O"][0], pins["I0"] + pins["I1"] + pins["S"])]
    if kind == "INV":
        return 0, [(pins["O"][0], pins["I"])]
    if kind == "CARRY4":
        return 0, list(carry_arcs(pins))
    if kind in MEMORY_READS:
        reads = MEMORY_READS[kind].items()
        return 1, [(bit, [from_bit for pin in by for from_bit in pins[pin]])
                   for output, by in reads for bit in pins.get(output, [])]
    if REGISTER.fullmatch(kind):
        return 0, []
    raise ValueError(f"found cell {kind}, expected one whose paths are known")


def longest(netlist, top):
    """The most levels between two registers. `netlist` is what Yosys' write_json says."""
    module = netlist["modules"][top]
    sources, levels, cost, ends = {}, {}, {}, set()
    for cell in module["cells"].values():
        kind, pins = cell["type"], cell["connections"]
        step, of_cell = arcs(kind, pins)
        for output, inputs in of_cell:
            sources[output] = inputs
            cost[output] = step
        directions = cell["port_directions"]
        for pin, bits in pins.items():
            if REGISTER.fullmatch(kind) or kind in MEMORY_READS:
                # What is written into a memory ends there; what comes out of a register begins.
                if directions[pin] == "input":
                    ends.update(bits)
                elif REGISTER.fullmatch(kind):
                    levels.update((bit, 0) for bit in bits)
    # Paths from inputs count for nothing.
    try:
        order = list(TopologicalSorter(sources).static_order())
    except CycleError as error:
        raise ValueError(f"found a loop of {len(error.args[1])} cells, expected none") from error
    for bit in order:
        known = [levels[source] for source in sources.get(bit, ()) if source in levels]
        if known:
            levels[bit] = max(known) + cost[bit]
    return max((levels.get(bit, 0) for bit in ends), default=0)
