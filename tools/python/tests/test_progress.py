import io
import sys

import firmament as fm
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
