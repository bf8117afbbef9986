import io
import sys
import types

import firmament as fm
import pytest
from firmament import _progress

JOB = fm.Job(rw="randread", bs="4k", iodepth=4, size="1m", time_based=True, runtime="500ms")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_is_shown_in_a_terminal_and_vanishes(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    fm.run("small", JOB)
    shown = terminal.getvalue()
    assert "running" in shown and "IOPS" in shown
    assert shown.endswith("\r"), "the bar was left on the screen"


def test_no_bar_is_shown_elsewhere_unless_asked(monkeypatch, capsys):
    fm.run("small", JOB)
    assert capsys.readouterr().err == ""
    assert not _progress.is_wanted(None)
    assert _progress.is_wanted(True) and not _progress.is_wanted(False)


def test_a_notebook_is_known(monkeypatch):
    class ZMQInteractiveShell:
        pass

    class IPython:
        @staticmethod
        def get_ipython():
            return ZMQInteractiveShell()

    monkeypatch.setitem(sys.modules, "IPython", IPython)
    assert _progress.in_notebook() and _progress.is_wanted(None)


class Enough(Exception):
    pass


@pytest.mark.parametrize("how", ["run", "precondition", "program"])
def test_preconditioning_that_takes_long_is_told_once_in_a_warning(monkeypatch, how):
    # What is told at once, and however short it is: nothing waits here.
    monkeypatch.setattr(_progress, "LOOK_S", 0.0)
    monkeypatch.setattr(_progress, "LONG_S", 0.0)
    board, seen = fm.Board("small").set("geometry.blocks_per_way", 4_000), []

    def enough(*told):
        seen.append(told)
        if len(seen) > 3:
            raise Enough

    with pytest.warns(fm.FirmamentWarning) as told, pytest.raises(Enough):
        if how == "run":
            fm.run(board, JOB, precondition="steady-run", progress=enough)
        elif how == "program":
            fm.host(board, lambda drive: (yield []), precondition="steady-run", progress=enough)
        else:
            fm.precondition(board, "steady-run", progress=enough)
    [warning] = told
    assert "preconditioning takes up to" in str(warning.message) and warning.filename == __file__
    assert [what for what, *_ in seen] == ["preconditioning"] * 4


def test_only_what_takes_long_is_told(monkeypatch, recwarn):
    now, seen = [0.0], []
    monkeypatch.setattr(_progress, "time", types.SimpleNamespace(monotonic=lambda: now[0]))
    watch = _progress.LongPreparation(lambda *told: seen.append(told), stacklevel=2)

    def tell(at_s, fraction, what="preconditioning"):
        now[0] = at_s
        watch(what, fraction, 0, 0.0)
        return [str(one.message).split(".")[0] for one in recwarn.list]

    # A second has to have passed by which to judge; nine seconds are not long, and a run is not asked.
    assert not tell(100.0, 0.0) and not tell(100.9, 0.01) and not tell(101.0, 0.0)
    assert not tell(101.0, 0.12) and not tell(101.0, 0.01, "running")
    assert tell(102.0, 0.1) == ["preconditioning takes up to 20 s"]
    assert len(tell(110.0, 0.2)) == 1 and len(seen) == 7
