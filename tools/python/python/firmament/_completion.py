"""What a notebook, or a shell of IPython, completes between quotes: names of boards and studies, and keys of boards.

Keys in ``board["..."]`` and options in ``fm.Job(...)`` are completed without it. Texts of other arguments are nothing that
IPython looks into, so this is told to its completer when the package is imported there.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

from ._boards import Board, boards
from ._jobs import fio_options
from ._study import studies, study
from ._sweep import sweep

#: Parts of Python's text as far as brackets and arguments are told by them; a quote by itself begins a text that has no end.
PART = re.compile(
    r"""\#[^\n]* | '''.*?''' | \"{3}.*?\"{3} | '(?:\\.|[^'\\\n])*' | "(?:\\.|[^"\\\n])*" | \w+ | \s+ | .""", re.S | re.X
)
CLOSING = {")": "(", "]": "[", "}": "{"}


@dataclass
class Bracket:
    """A bracket that is open."""

    kind: str
    #: Where it stands.
    at: int
    #: Where its last argument begins.
    argument_at: int
    #: How many arguments are before that one.
    nth: int = 0


@dataclass(frozen=True)
class Asked:
    """A text that is begun in an argument of a call."""

    #: What is called, as it is written.
    function: str
    #: Which argument, by its place or its name.
    argument: int | str
    #: Whether it is a key of a mapping that is the argument.
    is_key: bool
    #: What there is of it.
    begun: str


def completions(before: str, names: Mapping[str, object]) -> tuple[str, list[str]]:
    """What is begun at the end of a text, and what it may become.

    :param before: what is written before the cursor.
    :param names: what names stand for there.
    """
    asked = asked_at_end(before)
    if asked is None:
        return "", []
    try:
        called = function_of(ast.parse(asked.function, mode="eval").body, names)
    except SyntaxError:
        return "", []
    if not isinstance(called, (type, FunctionType)):
        return "", []
    words = known(called, asked)
    return asked.begun, [word for word in words if word.startswith(asked.begun)]


def asked_at_end(before: str) -> Asked | None:
    """Which argument the text before a cursor ends in, if it ends between quotes in one."""
    opened: list[Bracket] = []
    #: Where the brackets begin that were closed, by their ends.
    begins: dict[int, int] = {}
    for part in PART.finditer(before):
        text, at = part.group(), part.start()
        if text in ("'", '"') and "\n" not in before[at:]:
            return _asked(before[:at], before[at + 1 :], opened, begins)
        if text in CLOSING.values():
            opened.append(Bracket(text, at, part.end()))
        elif text in CLOSING and opened and opened[-1].kind == CLOSING[text]:
            begins[part.end()] = opened.pop().at
        elif text == "," and opened:
            opened[-1].argument_at = part.end()
            opened[-1].nth += 1
    return None


def _asked(before: str, begun: str, opened: list[Bracket], begins: Mapping[int, int]) -> Asked | None:
    """The argument, by the brackets around it."""
    is_key = bool(opened) and opened[-1].kind == "{"
    end = len(before)
    if is_key:
        within = opened[-1]
        if before[within.argument_at :].strip():
            return None
        opened, end = opened[:-1], within.at
    if not opened or opened[-1].kind != "(":
        return None
    call = opened[-1]
    name = re.fullmatch(r"\s*(?:(\w+)\s*=)?\s*", before[call.argument_at : end])
    function = before[primary_at(before, call.at, begins) : call.at]
    return Asked(function, name.group(1) or call.nth, is_key, begun) if name and function else None


def primary_at(before: str, end: int, begins: Mapping[int, int]) -> int:
    """Where the names, dots and brackets begin that something is called by."""
    at = end
    while at > 0:
        if at in begins:
            at = begins[at]
        elif re.fullmatch(r"[\w.]", before[at - 1]):
            at -= 1
        else:
            break
    return at


def function_of(node: ast.expr, names: Mapping[str, object]) -> object:
    """What is called, found without calling anything; ``None`` if that cannot be."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    module = names.get(node.value.id) if isinstance(node.value, ast.Name) else None
    if isinstance(module, ModuleType):
        return vars(module).get(node.attr)
    return getattr(Board, node.attr, None) if is_board(node.value, names) else None


def is_board(node: ast.expr, names: Mapping[str, object]) -> bool:
    """Whether something is a board: by its name, or since it is made where it stands."""
    if isinstance(node, ast.Name):
        return isinstance(names.get(node.id), Board)
    if not isinstance(node, ast.Call):
        return False
    called = function_of(node.func, names)
    return called is Board or called is Board.set


def known(called: Callable[..., Any], asked: Asked) -> Iterable[str]:
    """What a text may be, as far as that is known."""
    argument = asked.argument
    if isinstance(argument, int):
        parameters = [name for name in inspect.signature(called).parameters if name != "self"]
        if argument >= len(parameters):
            return []
        argument = parameters[argument]
    if called is Board.set and argument == "key" or argument == "set" and asked.is_key:
        return Board()
    if called is sweep and argument == "points" and asked.is_key:
        return [*Board(), "board", "precondition", *fio_options()]
    if asked.is_key or called.__module__.partition(".")[0] != __package__:
        return []
    if argument == "board" or called is Board and argument == "name":
        return boards()
    return studies() if called is study and argument == "name" else []


def register() -> None:
    """Tells IPython's completer, if IPython runs this and is not too old for it."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None:
        return
    try:
        completer = importlib.import_module("IPython.core.completer")
        shell.Completer.custom_matchers.append(completer.context_matcher()(_matcher(shell, completer)))
    except (ImportError, AttributeError):
        return


def _matcher(shell: Any, completer: Any) -> Callable[[Any], dict[str, Any]]:
    def firmament_matcher(context: Any) -> dict[str, Any]:
        lines = context.full_text.split("\n")[: context.cursor_line]
        begun, words = completions("\n".join([*lines, context.text_until_cursor]), shell.user_ns)
        found = [completer.SimpleCompletion(text=word, type="instance") for word in words]
        return {"completions": found, "matched_fragment": begun, "suppress": False}

    return firmament_matcher
