"""One function in place of those that Verilator writes for each instance of a module.

A module that stands in several places, such as the channel of a drive, is a class of the model, but Verilator writes its functions
anew for each instance. They differ in little: numbers of temporary variables, positions of bits in vectors of the module around,
and names of what belongs to one instance. Here what differs becomes a table that is indexed by the instance, and the function is
there once: less to compile, and much less code to run through in each cycle.

    shared_code.py DIRECTORY PREFIX

changes the C++ in the directory, of the model with that prefix. Functions whose text differs in other ways stay as they are.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

FUNCTION = re.compile(r"^(?:VL_ATTR_COLD )?void (\w+)\((\w+)\* vlSelf\) \{\n(.*?)^\}\n", re.M | re.S)
# A member with the object that has it is one token.
TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|vlSymsp->TOP\w*\.\w+|vlSelfRef\.\w+|/\*.*?\*/|\w+|->|::|<<=?|>>=?|[<>=!&|^+*-]=|&&|\|\||\+\+|--|\S',
    re.S,
)
OWN, OTHER = "vlSelfRef.", "vlSymsp->"
LOCAL = re.compile(r"^\s+[\w<>:, ]+(?:/\*[\d:]+\*/)? (\w+);$", re.M)
NUMBER = re.compile(r"(?:0x[0-9a-f]+|\d+)U(LL)?$")
# Characters of a function that is worth a table.
LEAST = 1500


class Differ(Exception):
    """The functions of two instances differ by more than names and numbers."""


def tokens(body):
    """The tokens of a function's body, without comments and with its local variables numbered."""
    body = re.sub(r"^ *VL_DEBUG_IF\(.*\n", "", body, flags=re.M)
    head, found, rest = body.partition("// Body")
    names = {name: f"local_{n}" for n, name in enumerate(LOCAL.findall(head))} if found else {}
    return [names.get(token, token) for token in TOKEN.findall(re.sub(r"//.*", "", head) + rest)]


def statements(stream):
    """Cuts tokens after each semicolon and brace that is not in parentheses."""
    cut, depth, begin = [], 0, 0
    for at, token in enumerate(stream):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth == 0 and token in ";{}":
            cut.append(stream[begin : at + 1])
            begin = at + 1
    return cut + [stream[begin:]]


class Model:
    """What the headers tell: the class of each instance, and the types of the members of each class."""

    def __init__(self, directory, prefix):
        header = (directory / f"{prefix}__Syms.h").read_text()
        state = header.partition("// MODULE INSTANCE STATE")[2]
        self.directory, self.prefix = directory, prefix
        self.classes = {name: kind for kind, name in re.findall(r"^\s+(\w+)\s+(TOP\w*);$", state, re.M)}
        self.types = {kind: self.members(kind) for kind in set(self.classes.values())}

    def members(self, kind):
        text = (self.directory / f"{kind}.h").read_text()
        found = {name: of for of, name in re.findall(r"^\s+(\S.*\S) (\w+);$", text, re.M)}
        ports = re.findall(r"^\s+(VL_\w+)\(&?(\w+),(.*)\);$", text, re.M)
        return found | {name: macro + bits for macro, name, bits in ports}


class Common:
    """The function that several instances of a class have in common, with its tables."""

    def __init__(self, model, own, streams):
        self.model, self.own, self.tables = model, own, {}
        cut = [statements(stream) for stream in streams]
        if len({len(one) for one in cut}) != 1:
            raise Differ("numbers of statements")
        lines = [self.statement(each) for each in zip(*cut)]
        tables = [
            f"static const {kind} {name}[] = {{{', '.join(entries)}}};" for (kind, entries), name in self.tables.items()
        ]
        self.text = "\n".join(tables + lines)

    def table(self, kind, entries):
        return self.tables.setdefault((kind, tuple(entries)), f"table_{len(self.tables)}") + "[instance]"

    def member(self, owner, names):
        kinds = {self.model.types[owner].get(name) for name in names}
        if len(kinds) != 1 or None in kinds:
            raise Differ(f"types of {names[0]}")
        return self.table(f"decltype(&{owner}::{names[0]})", [f"&{owner}::{name}" for name in names])

    def token(self, before, each):
        if len(set(each)) == 1:
            return each[0]
        numbers = [NUMBER.match(token) for token in each]
        if all(numbers) and before != "case" and len({number[1] for number in numbers}) == 1:
            return self.table("QData" if numbers[0][1] else "IData", each)
        # What assertions say names the instance.
        if all(token.startswith('"') for token in each):
            return self.table("char* const", each)
        if all(token.startswith(OWN) for token in each):
            return f"({OWN[:-1]}.*{self.member(self.own, [token[len(OWN) :] for token in each])})"
        if all(token.startswith(OTHER) for token in each):
            owners, names = zip(*(token[len(OTHER) :].split(".") for token in each))
            return self.other(owners, names)
        raise Differ(f"{each[0]} and others")

    def other(self, owners, names):
        """A member of another instance, or of what is around."""
        kinds = {self.model.classes[owner] for owner in owners}
        if len(kinds) != 1:
            raise Differ(f"classes of {owners[0]}")
        place = OTHER + owners[0]
        if len(set(owners)) != 1:
            symbols = f"{self.model.prefix}__Syms"
            places = self.table(f"decltype(&{symbols}::{owners[0]})", [f"&{symbols}::{owner}" for owner in owners])
            place = f"({OTHER}*{places})"
        if len(set(names)) == 1:
            return f"{place}.{names[0]}"
        return f"({place}.*{self.member(kinds.pop(), list(names))})"

    def statement(self, each):
        tables = dict(self.tables)
        try:
            if len({len(stream) for stream in each}) != 1:
                raise Differ("lengths")
            befores = [""] + each[0]
            return " ".join(self.token(before, one) for before, one in zip(befores, zip(*each)))
        except Differ:
            self.tables = tables
            if not all(is_assignment(stream) for stream in each):
                raise
            cases = defaultdict(list)
            for instance, stream in enumerate(each):
                cases[" ".join(stream)].append(f"case {instance}:")
            arms = "\n".join(f"{' '.join(labels)} {text} break;" for text, labels in cases.items())
            return f"switch (instance) {{\n{arms}\n}}"


def is_assignment(stream):
    """Whether a statement is an assignment, and so may differ as a whole."""
    starts = stream[0].startswith((OWN, OTHER, "local_")) if stream else False
    return starts and stream[-1] == ";" and "=" in stream and not {"{", "}"} & set(stream)


def groups(texts, kind, instances):
    """The functions of a class that are one but for the instance: by instance, the name and the body of each."""
    found = defaultdict(dict)
    for match in (match for text in texts for match in FUNCTION.finditer(text)):
        if match[2] != kind or len(match[3]) < LEAST:
            continue
        for instance in instances:
            stem, is_there, number = match[1].rpartition(f"__{instance}__")
            if is_there and number.isdigit():
                found[stem, number][instance] = (match[1], match[3])
    return found.values()


def clusters(model, kind, functions):
    """Those of the functions that can be one, with the text of that one."""
    streams = {name: tokens(body) for name, body in functions}
    while streams:
        first, *others = streams
        together, common = [first], None
        for name in others:
            try:
                common = Common(model, kind, [streams[one] for one in together + [name]])
                together.append(name)
            except Differ:
                pass
        if common:
            yield together, common.text
        for name in together:
            del streams[name]


def share(model, kind, instances, files):
    """Changes the files of a class with several instances."""
    texts = {path: path.read_text() for path in files}
    replaced = {}
    for each in groups(texts.values(), kind, instances):
        for names, text in clusters(model, kind, each.values()):
            head = f"void {names[0]}__shared({kind}* vlSelf, unsigned instance)"
            for instance, name in enumerate(names):
                call = f"{names[0]}__shared(vlSelf, {instance}U)"
                replaced[name] = f"{head};\nvoid {name}({kind}* vlSelf) {{ {call}; }}\n"
            # The compiler would make one for each instance of it again.
            replaced[names[0]] += f"__attribute__((noinline, noclone)) {head} {{\n{text}\n}}\n"
    for path, text in texts.items():
        path.write_text(FUNCTION.sub(lambda match: replaced.get(match[1], match[0]), text))


def main(directory, prefix):
    model = Model(Path(directory), prefix)
    instances = defaultdict(list)
    for name, kind in model.classes.items():
        instances[kind].append(name)
    for kind, names in instances.items():
        files = [path for path in model.directory.glob(f"{kind}__*.cpp") if re.match(r"_*\d", path.name[len(kind) :])]
        is_slow = lambda path: path.name.endswith("__Slow.cpp")
        if len(names) > 1:
            share(model, kind, names, sorted(path for path in files if not is_slow(path)))
            share(model, kind, names, sorted(path for path in files if is_slow(path)))


if __name__ == "__main__":
    main(*sys.argv[1:])
