"""Modules of a crate, and which of them each one names.

A name that a module takes over from another by `pub use` is the other's. So a root that only tells what is below it lies in no circle,
and a root whose own types are used from below does.
"""

import re

USE = re.compile(r"^\s*(pub(?:\([^)]*\))? )?use ([^;]+);", re.M)
PATH = re.compile(r"\b(?:crate|self|super)(?:::\w+)+")
VISIBLE_IN = re.compile(r"pub\(in [^)]*\)")
# Names taken over by one module from another, and by a third from that one.
MOST_STEPS = 6


def names_of(tree, before=()):
    """The paths of a tree of `use`, as tuples of names: of `a::{b, c::{d}}` those are `a::b` and `a::c::d`."""
    tree = tree.strip()
    if "{" not in tree:
        path = tree.split(" as ")[0]
        return [before + tuple(part.strip() for part in path.split("::") if part.strip())] if path else []
    head, inside = tree.split("{", 1)
    before += tuple(part.strip() for part in head.split("::") if part.strip())
    found, depth, start = [], 0, 0
    inside = inside[:inside.rindex("}")] + ","
    for at, letter in enumerate(inside):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            found += names_of(inside[start:at], before)
            start = at + 1
    return found


def from_root(module, names, modules):
    """A path as it would be said from the crate's root, or none if it leads out of the crate."""
    if names[0] == "crate":
        return names[1:]
    if names[0] == "self":
        return module + names[1:]
    up = next((nth for nth, name in enumerate(names) if name != "super"), len(names))
    if up:
        return module[:max(len(module) - up, 0)] + names[up:]
    return module + names if module + names[:1] in modules else None


def uses_of(texts):
    """The modules that each module names. `texts` are their sources by their paths; the root's path is empty."""
    taken, named = {}, {}
    for module, text in texts.items():
        said = [(is_public, names) for is_public, tree in USE.findall(text) for names in names_of(" ".join(tree.split()))]
        said = [(is_public, names, from_root(module, names, texts)) for is_public, names in said if names]
        taken[module] = {names[-1]: path for _, names, path in said if path is not None}
        rest = VISIBLE_IN.sub("", USE.sub("", text))
        beside = [from_root(module, tuple(path.split("::")), texts) for path in PATH.findall(rest)]
        named[module] = [path for is_public, _, path in said if path is not None and not is_public] + beside

    def owner(path, steps=0):
        """The module that a path leads to."""
        module = next(path[:count] for count in range(len(path), -1, -1) if path[:count] in texts)
        rest = path[len(module):]
        further = taken[module].get(rest[0]) if rest and steps < MOST_STEPS else None
        return owner(further + rest[1:], steps + 1) if further and further != path else module

    return {module: {owner(path) for path in paths} - {module} for module, paths in named.items()}
