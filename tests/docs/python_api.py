"""The reference of the Python package, docs/spec/python-api.md, made of the package's sources: what each module gives to
users, with signatures, types, defaults and docstrings.

A public name, argument or field without a text is told, and ends this with exit code 1; so does a page that is not as the
sources are, unless it is to be written.
"""

import argparse
import ast
import inspect
import os
import re
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE = f"{ROOT}/tools/python/python/firmament"
PAGE = "docs/spec/python-api.md"
# Modules in the order of the page, and what each is about.
GROUPS = {
    "_run": "Runs",
    "_drive": "Drives that stay",
    "_replay": "Traces",
    "_linux": "Linux in virtual time",
    "_boards": "Boards of drives",
    "_jobs": "Jobs",
    "_host": "Programs that see completions",
    "_policy": "Policies in Python",
    "_sweep": "Sweeps",
    "_study": "Studies",
    "_result": "What a run gives",
    "_compare": "Results beside each other",
    "_table": "Tables",
    "errors": "Exceptions and warnings",
    "_native": "Constants",
}
HEAD = """# Python API

All that `import firmament as fm` gives. [Python](../python.md) introduces it with examples; this page lists it. `make reference` writes the
page from the package's sources.

- Arguments behind a `*` are given by their names. An argument with `=` may be left out, and then has the value behind it.
- What cannot be used raises [InputError](#inputerror), a drive that fails [DriveError](#driveerror).
"""
# Special methods, as they are used.
USED = {"__getitem__": "{of}[{arguments}]", "__len__": "len({of})"}
WIDTH = 100


class Missing(Exception):
    """Names without a text, a line each."""


class Module:
    """A source of the package: its functions, classes and values by name."""

    def __init__(self, name):
        stub = f"{PACKAGE}/{name}.pyi"
        self.path = stub if os.path.isfile(stub) else f"{PACKAGE}/{name}.py"
        with open(self.path, encoding="utf-8") as file:
            text = file.read()
        self.lines = text.splitlines()
        self.tree = ast.parse(text)
        self.named = {}
        for node in self.tree.body:
            for name in names(node):
                self.named[name] = node

    def comment(self, node):
        """The lines with `#:` above a value or a field."""
        found, line = [], node.lineno - 2
        while line >= 0 and (text := self.lines[line].strip()).startswith("#:"):
            found.insert(0, text.removeprefix("#:").strip())
            line -= 1
        return " ".join(found)


def names(node):
    """What a statement gives a name to."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return []


def given():
    """Names that the package gives to users, by the module that they are of."""
    with open(f"{PACKAGE}/__init__.py", encoding="utf-8") as file:
        tree = ast.parse(file.read())
    of, listed = {}, []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            of |= {alias.asname or alias.name: node.module for alias in node.names}
        elif names(node) == ["__all__"]:
            listed = ast.literal_eval(node.value)
    groups = {name: [] for name in GROUPS}
    for name in listed:
        if of.get(name) not in groups:
            raise Missing(f"{name}: found it in {of.get(name)}, expected a module that GROUPS of python_api.py names")
        groups[of[name]].append(name)
    return groups


class Reference:
    """The page as it grows, and what lacks a text."""

    def __init__(self):
        self.groups = given()
        self.modules = {name: Module(name) for name in GROUPS}
        self.pages = {name for names in self.groups.values() for name in names}
        self.missing = []
        self.lines = [HEAD]

    def page(self):
        """The whole page."""
        for name, title in GROUPS.items():
            module = self.modules[name]
            begin = len(self.lines)
            self.lines += [f"## {title}", ""]
            # In the order of the source: what is asked for first stands first.
            for one in module.named:
                if one in self.groups[name]:
                    self.item(module, one)
            self.aliases(module, set(re.findall(r"\w+", "\n".join(self.lines[begin:]))))
        if self.missing:
            raise Missing("\n".join(self.missing))
        return "\n".join(self.lines).rstrip() + "\n"

    def item(self, module, name):
        """A function, a class or a value."""
        node = module.named[name]
        self.lines += [f"### {name}", ""]
        if isinstance(node, ast.FunctionDef):
            self.function(module, node, f"fm.{name}")
        elif isinstance(node, ast.ClassDef):
            self.class_of(module, node)
        else:
            self.lines += [f"`fm.{name}: {written(node.annotation)}`", ""]
            self.lines += [self.plain(self.text(module, node, name, module.comment(node))), ""]

    def function(self, module, node, called):
        """A function or a method: its signature, what it does, its arguments and exceptions."""
        self.lines += ["```python", signature(node, called), "```", ""]
        self.told(module, node, node.name)

    def told(self, module, node, name):
        """A docstring, with a row for each argument."""
        text, fields = parted(self.text(module, node, name, ast.get_docstring(node)))
        self.lines += [self.plain(text), ""]
        rows = []
        for argument in arguments(node):
            said = fields.pop(("param", argument), None) or self.inherited(text, argument)
            if said is None:
                place = self.where(module, node, f"{name}: argument {argument}")
                self.missing.append(f"{place}: found no text, expected :param {argument}: in its docstring")
            rows.append(f"- `{argument}`: {self.plain(said or '')}")
        rows += [f"- Raises {self.link(of)}: {self.plain(said)}" for (kind, of), said in fields.items() if kind == "raises"]
        for kind, of in fields:
            if kind != "raises":
                self.missing.append(f"{self.where(module, node, name)}: found :{kind} {of}:, expected an argument that it has")
        self.lines += [*rows, ""] if rows else []

    def inherited(self, text, argument):
        """What another function says of an argument, where a docstring says that all else is as for that one."""
        found = re.search(r"All else is as for :func:`(\w+)`", text)
        if not found:
            return None
        other = found.group(1)
        [module] = [self.modules[name] for name, given in self.groups.items() if other in given]
        _, fields = parted(ast.get_docstring(module.named[other]))
        return fields.get(("param", argument))

    def class_of(self, module, node):
        """A class: what it is made with, its fields, properties and methods."""
        bases = [written(base) for base in node.bases if written(base) != "NamedTuple"]
        self.lines += ["```python", f"class {node.name}" + (f"({', '.join(bases)})" if bases else ""), "```", ""]
        self.lines += [self.plain(self.text(module, node, node.name, ast.get_docstring(node))), ""]
        fields, methods = [], []
        for one in node.body:
            if isinstance(one, ast.AnnAssign) and not one.target.id.startswith("_"):
                text = self.text(module, one, f"{node.name}.{one.target.id}", module.comment(one))
                fields.append(f"- `{one.target.id}: {written(one.annotation)}`: {self.plain(text)}")
            elif isinstance(one, ast.FunctionDef) and is_property(one) and not one.name.startswith("_"):
                text = self.text(module, one, f"{node.name}.{one.name}", ast.get_docstring(one))
                told = " ".join(self.plain(text).split("\n"))
                fields.append(f"- `{one.name}: {written(one.returns)}`: {' '.join(told.split())}")
            elif isinstance(one, ast.FunctionDef) and is_shown(one):
                methods.append(one)
        self.lines += [*fields, ""] if fields else []
        for one in methods:
            variable = node.name.lower()
            called = node.name if one.name == "__init__" else f"{variable}.{one.name}"
            if one.name in USED:
                called = USED[one.name].format(of=variable, arguments=", ".join(arguments(one)))
                self.lines += ["```python", f"{called} -> {written(one.returns)}", "```", ""]
            else:
                self.lines += ["```python", signature(one, called), "```", ""]
            self.told(module, one, f"{node.name}.{one.name}")

    def aliases(self, module, words):
        """Types with names of their own that stand in signatures."""
        rows = []
        for name, node in reversed(module.named.items()):
            if isinstance(node, ast.Assign) and name in words and not name.isupper():
                words.update(re.findall(r"\w+", written(node.value)))
                text = self.text(module, node, name, module.comment(node))
                rows.append(f"- `{name} = {written(node.value)}`: {self.plain(text)}")
        self.lines += ["Types in these signatures:", "", *rows, ""] if rows else []

    def text(self, module, node, name, text):
        """The text, if there is one."""
        if not text:
            place = self.where(module, node, name)
            self.missing.append(f"{place}: found no text, expected a docstring, or a comment #: above it")
        return text or ""

    def where(self, module, node, name):
        """A name with its place in the sources."""
        return f"{os.path.relpath(module.path, ROOT)}:{node.lineno}: {name}"

    def plain(self, text):
        """A docstring as Markdown: examples as blocks, names of the package as links, other code as code."""
        parts = []
        for part in re.split(r"\n\s*\n", text.strip()):
            if part.lstrip().startswith(">>>"):
                parts.append(f"```python\n{textwrap.dedent(part)}\n```")
            else:
                part = re.sub(r":\w+:`([\w.]+)`", lambda found: self.link(found.group(1)), " ".join(part.split()))
                parts.append(re.sub(r"``(.+?)``", r"`\1`", part))
        return "\n\n".join(parts)

    def link(self, name):
        """A name as a link to its place on this page."""
        top = name.partition(".")[0]
        return f"[`{name}`](#{top.lower()})" if top in self.pages else f"`{name}`"


def is_property(node):
    """Whether a method is used like a field."""
    return any(written(one).split(".")[-1] in ("property", "cached_property") for one in node.decorator_list)


def is_shown(node):
    """Whether a method is for users: those with names of Python's own are if they have a text."""
    if node.name == "__init__" or node.name in USED:
        return ast.get_docstring(node) is not None
    return not node.name.startswith("_")


def arguments(node):
    """Names of the arguments of a function, without `self`."""
    given = node.args
    found = [one.arg for one in [*given.posonlyargs, *given.args, *given.kwonlyargs]]
    found += [one.arg for one in (given.vararg, given.kwarg) if one]
    return [name for name in found if name not in ("self", "cls")]


def signature(node, called):
    """A function as it is called: on a line, or with a line for each argument."""
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + given.defaults
    parts = [argument(one, default) for one, default in zip(positional, defaults) if one.arg not in ("self", "cls")]
    if given.kwonlyargs:
        parts.append("*")
    parts += [argument(one, default) for one, default in zip(given.kwonlyargs, given.kw_defaults)]
    if given.kwarg:
        parts.append(f"**{argument(given.kwarg, None)}")
    end = "" if node.name == "__init__" or node.returns is None else f" -> {written(node.returns)}"
    line = f"{called}({', '.join(parts)}){end}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{called}(", *(f"    {part}," for part in parts), f"){end}"])


def argument(one, default):
    """An argument with its type and default."""
    return f"{one.arg}: {written(one.annotation)}" + (f" = {written(default)}" if default is not None else "")


def written(node):
    """A type or a value, as the source has it, without quotes around types."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"[A-Za-z_][\w. |\[\]]*", node.value):
        return node.value if node.value[0].isupper() or "." in node.value else f'"{node.value}"'
    return ast.unparse(node).replace("'", '"')


def parted(docstring):
    """A docstring's text, and its fields: what stands behind `:param name:` and the like, by kind and name."""
    text, fields, last = [], {}, None
    for line in inspect.cleandoc(docstring or "").splitlines():
        found = re.match(r":(\w+) (\w+): *(.*)", line)
        if found:
            last = found.group(1, 2)
            fields[last] = found.group(3)
        elif last and line.startswith(" "):
            fields[last] += " " + line.strip()
        else:
            text.append(line)
            last = None
    return "\n".join(text).strip(), fields


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["check", "write"], help="whether the page is compared, or written")
    asked = parser.parse_args()
    try:
        page = Reference().page()
    except Missing as lines:
        sys.exit(str(lines))
    path = f"{ROOT}/{PAGE}"
    if asked.what == "write":
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
        return
    with open(path, encoding="utf-8") as file:
        there = file.read()
    if there != page:
        changed = zip([*there.splitlines(), ""], [*page.splitlines(), ""])
        nth, (found, expected) = next((n, pair) for n, pair in enumerate(changed, 1) if pair[0] != pair[1])
        sys.exit(f"{PAGE}:{nth}: found {found!r}, expected {expected!r} (make reference)")
    print(f"{PAGE}: as the package's sources have it")


if __name__ == "__main__":
    main()
