"""Reads the constraints of crossings, and holds them to the crossings that are there.

`rtl/*/constraints/<module>.xdc` is scoped to a module, and its names begin below an instance of it; an `.sdc` has names of the
whole design. Only what these files need of the two languages is understood, and all else is refused.
"""

import collections
import dataclasses
import fnmatch
import pathlib
import re

FOLDERS = "rtl/*/constraints"

# What a constraint does to a path. A bound, a cut or a hold is one answer for a crossing; a skew comes on top.
COMMANDS = {"set_max_delay": "bound", "set_false_path": "cut", "set_bus_skew": "skew"}
FLAGS = {"-datapath_only": None, "-hold": "hold"}

# An object query: cells, pins, ports or clocks by their patterns, or the clocks of ports.
QUERY = re.compile(r"\[get_(cells|pins|ports|clocks) (?:-hierarchical )?(?:\{([^}]*)\}|([^\s\[\]]+))\]")
ALL_CLOCKS = re.compile(r"\[all_clocks\]")
CLOCKS_OF = re.compile(r"\[get_clocks -of_objects \[get_ports (\w+)\]\]")
FANIN = re.compile(r"\[all_fanin -flat -startpoints_only (\[get_(?:pins|ports) [^\]]+\])\]")
PERIOD = re.compile(r"\[get_property -min PERIOD \[get_clocks -of_objects \[get_ports (\w+)\]\]\]")

# The clock of what comes from outside and has none.
OUTSIDE = "outside"


@dataclasses.dataclass(frozen=True)
class Crossing:
    """What goes from registers or a memory of one clock to registers of another, by name; or a reset, to their pins."""

    source: str
    target: str
    pin: str
    source_clock: str
    target_clock: str


@dataclasses.dataclass(frozen=True)
class End:
    """One end of a constraint: what kind of objects, by which patterns. `fanin` has what such an object follows from."""

    kind: str
    patterns: tuple
    fanin: bool = False


@dataclasses.dataclass(frozen=True)
class Constraint:
    path: pathlib.Path
    line: int
    effect: str
    start: End | None
    stop: End | None
    period_of: str | None

    def __str__(self):
        return f"{self.path}:{self.line}"

    def module(self):
        return self.path.stem if self.path.suffix == ".xdc" else None


class Unreadable(Exception):
    """A command that no form of these fits."""


def commands(path):
    """Commands of a file, each with the number of its first line."""
    text, begun = "", 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not text and (not line.strip() or line.startswith("#")):
            continue
        begun = begun if text else number
        text += line.rstrip("\\").strip() + " "
        if not line.endswith("\\"):
            yield begun, text.strip()
            text = ""


def take_end(option, text):
    """The end that follows an option, and the text without both."""
    found = re.search(rf"{option} ", text)
    if not found:
        return None, text
    before, rest = text[:found.start()], text[found.end():]
    for form, fanin in ((FANIN, True), (ALL_CLOCKS, False), (CLOCKS_OF, False), (QUERY, False)):
        match = form.match(rest)
        if not match:
            continue
        if form is ALL_CLOCKS:
            return End("all_clocks", ()), before + rest[match.end():]
        if form is CLOCKS_OF:
            return End("clocks_of", (match[1],)), before + rest[match.end():]
        query = QUERY.match(match[1]) if fanin else match
        return End(query[1], tuple((query[2] or query[3]).split()), fanin), before + rest[match.end():]
    raise Unreadable(rest)


def each_pattern(end):
    """The end once for each of its patterns, as each has to be about something."""
    if end is None or not end.patterns:
        return [end]
    return [dataclasses.replace(end, patterns=(pattern,)) for pattern in end.patterns]


def parse(path):
    """What a file's commands hold, one for each pattern."""
    for line, text in commands(path):
        try:
            name, rest = text.split(" ", 1)
            effect = COMMANDS[name]
            start, rest = take_end("-from", rest)
            stop, rest = take_end("-to", rest)
            period = PERIOD.search(rest)
            words = (rest if not period else rest.replace(period[0], "")).split()
            effect = next((FLAGS[word] for word in words if FLAGS.get(word)), effect)
            left = [word for word in words if word not in FLAGS and not word.startswith("$")]
            if left or not (start or stop):
                raise Unreadable(rest)
        except (KeyError, ValueError, Unreadable):
            raise SystemExit(f"constraints: {path}:{line}: found {text}, expected one of {', '.join(COMMANDS)} "
                             "with ends as the other lines have them") from None
        for one_start in each_pattern(start):
            for one_stop in each_pattern(stop):
                yield Constraint(path, line, effect, one_start, one_stop, period[1] if period else None)


def read():
    """What all files hold."""
    paths = sorted(path for folder in pathlib.Path().glob(FOLDERS) for path in folder.iterdir())
    return [one for path in paths if path.suffix in (".xdc", ".sdc") for one in parse(path)]


class Matcher:
    """Which crossings of a design a constraint is about."""

    def __init__(self, design, variables):
        # `design` has instances(module), clock_of_port(instance, port), followed(net), and path(net) as tools name it.
        self.design, self.variables = design, variables

    def scopes(self, constraint):
        return self.design.instances(constraint.module()) if constraint.module() else [""]

    def match(self, constraint, crossings):
        """The crossings that it is about, and lines that tell what is wrong with it."""
        found, lines = set(), set()
        for scope in self.scopes(constraint):
            inside = [one for one in crossings if self.is_end(constraint.start, one, scope, "source")
                      and self.is_end(constraint.stop, one, scope, "target")]
            found |= set(inside)
            if constraint.period_of:
                clock = self.design.clock_of_port(scope, constraint.period_of)
                for one in inside:
                    meant = one.source_clock if constraint.effect == "skew" else one.target_clock
                    if clock != meant:
                        lines.add(f"{constraint}: found the period of {constraint.period_of}, which is {clock or 'no port'} in "
                                  f"{scope}, expected that of {meant} for {one.target}")
        return found, lines

    def is_end(self, end, crossing, scope, side):
        if end is None:
            return True
        name = getattr(crossing, side)
        patterns = [word for pattern in end.patterns for word in self.variables.get(pattern, (pattern,))]
        if end.fanin:
            return self.is_fanin(end, patterns, crossing, scope)
        if end.kind == "all_clocks":
            return getattr(crossing, f"{side}_clock") != OUTSIDE
        if end.kind == "clocks_of":
            return getattr(crossing, f"{side}_clock") == self.design.clock_of_port(scope, patterns[0])
        if end.kind == "clocks":
            return getattr(crossing, f"{side}_clock") in patterns
        if end.kind == "ports":
            return name in patterns
        forms = self.design.paths(name, scope)
        if end.kind == "pins":
            forms = [f"{form}/{crossing.pin}" for form in forms]
        # A path is written with a slash or with dots, by the tool: a pattern of a whole design has to fit both.
        return bool(forms) and all(any(fnmatch.fnmatchcase(form, pattern) for pattern in patterns) for form in forms)

    def is_fanin(self, end, patterns, crossing, scope):
        if end.kind == "pins":
            same = dataclasses.replace(end, fanin=False)
            return self.is_end(same, crossing, scope, "target")
        ports = [port for pattern in patterns for port in self.design.ports(scope, pattern)]
        return any(crossing.source in self.design.followed(port) for port in ports)


def judge(constraints, designs):
    """Lines for what has no constraint or several, and for constraints that are about nothing.

    `designs` has for each top its matcher, its crossings, and those whose bits have to stay together.
    """
    lines, used = set(), set()
    for top, matcher, crossings, together in designs:
        counts = collections.Counter()
        for constraint in constraints:
            found, wrong = matcher.match(constraint, crossings)
            lines |= {f"{top}: {line}" for line in wrong}
            used |= {constraint} if found else set()
            counts.update((one, constraint.path.suffix, constraint.effect) for one in found)
        for one in crossings:
            wanted = {".xdc": ["bound or cut"], ".sdc": ["bound or cut", "hold"]}
            wanted[".xdc"] += ["skew"] if one in together else []
            for suffix, effects in wanted.items():
                for effect in effects:
                    number = sum(counts[one, suffix, part] for part in effect.split(" or "))
                    is_held = effect == "hold" and counts[one, suffix, "cut"]
                    if number != 1 and not is_held:
                        lines.add(f"{top}: {one.source} to {one.target}/{one.pin}: found {number} constraints ({effect}) of "
                                  f"{suffix} files, expected one")
    lines |= {f"{one}: found a constraint of no crossing, expected one" for one in constraints if one not in used}
    return sorted(lines)
