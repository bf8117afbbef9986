"""What notebooks and shells of IPython complete between quotes."""

import json
import subprocess
import sys

import firmament as fm
import pytest
from firmament._completion import completions

NAMES = {"fm": fm, "board": fm.Board("small"), "Board": fm.Board, "other": [1], "print": print}

#: What is written before the cursor, what is begun there, and one of the words that it may become.
COMPLETED = [
    ('fm.Board("sm', "sm", "small"),
    ("Board('sm", "sm", "small"),
    ('fm.Board(name="sm', "sm", "small"),
    ('fm.run("', "", "cosmos-plus"),
    ('x = 1  # it\'s one\nfm.run(\n    board="sm', "sm", "small"),
    ('fm.precondition("sm', "sm", "small"),
    ('fm.Drive("sm', "sm", "small"),
    ('fm.linux("sm', "sm", "small"),
    ('fm.sweep({"iodepth": [1, 2]}, board="sm', "sm", "small"),
    ('fm.study("oco', "oco", "ocowfc"),
    ('board.set("geometry.w', "geometry.w", "geometry.ways"),
    ('board.set({"geometry.ways": 2, "ftl.vic', "ftl.vic", "ftl.victim"),
    ('fm.run(fm.Board("small").set("geometry.ways", (2)).set("ftl.vic', "ftl.vic", "ftl.victim"),
    ('fm.Board("small", {"geometry.w', "geometry.w", "geometry.ways"),
    ('fm.sweep(points, set={"geometry.w', "geometry.w", "geometry.ways"),
    ('fm.sweep({"geometry.w', "geometry.w", "geometry.ways"),
    ('fm.sweep({"iode', "iode", "iodepth"),
]
NOT_COMPLETED = [
    "",
    "fm.Board(small",
    '"sm',
    'fm.Board("small") "',
    'fm.run("small", "sm',
    'board.set("geometry.ways", "geometry.w',
    'board.set({"ftl.victim": "ftl.vic',
    'fm.study("geometry.w',
    'fm.nothing("sm',
    'other("sm',
    'print("sm',
    'unknown.set("geometry.w',
    'other.set("geometry.w',
    'fm.Board("""sm',
    'fm.Board("sm\n',
    '["sm',
    "){'sm",
    'fm.run(["sm',
    'fm.run(1 + "sm',
]


@pytest.mark.parametrize(("before", "begun", "word"), COMPLETED)
def test_boards_studies_and_keys_are_completed(before, begun, word):
    found, words = completions(before, NAMES)
    assert found == begun and word in words
    assert all(one.startswith(begun) for one in words)


@pytest.mark.parametrize("before", NOT_COMPLETED)
def test_nothing_else_is(before):
    assert completions(before, NAMES)[1] == []


def test_nothing_is_called_and_no_property_is_read():
    def refuse(*_):
        raise AssertionError

    class Owner:
        board = property(refuse)
        __getattr__ = refuse

    names = {"owner": Owner(), "make": refuse}
    for before in ('owner.board("sm', 'owner.board.set("geometry.w', 'make().set("geometry.w', 'owner.other("sm'):
        assert completions(before, names)[1] == []


SHELL = """
import json, sys
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
assert shell.run_cell("import firmament as fm; board = fm.Board('small')").success
found = {}
with provisionalcompleter():
    for text in json.loads(sys.argv[1]):
        begun = list(shell.Completer.completions(text, len(text)))
        found[text] = [text[:one.start] + one.text for one in begun]
print(json.dumps(found))
"""


def test_ipython_completes_them(tmp_path, monkeypatch):
    pytest.importorskip("IPython")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    expected = {text: text[: len(text) - len(begun)] + word for text, begun, word in COMPLETED if "Board('" not in text}
    # What IPython completes by itself, too.
    expected |= {'board["geometry.w': 'board["geometry.ways', "fm.Job(iodepth_batch_s": "fm.Job(iodepth_batch_submit="}
    ran = subprocess.run([sys.executable, "-c", SHELL, json.dumps(list(expected))], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout.splitlines()[-1])
    for text, whole in expected.items():
        assert whole in found[text], text


def test_an_older_ipython_is_left_alone(monkeypatch):
    from firmament import _completion

    class IPython:
        @staticmethod
        def get_ipython():
            return object()

    monkeypatch.setitem(sys.modules, "IPython", IPython)
    for completer in (None, object()):
        monkeypatch.setitem(sys.modules, "IPython.core.completer", completer)
        _completion.register()
