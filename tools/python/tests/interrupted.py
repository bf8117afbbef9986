"""Programs in Python that Ctrl-C ends."""

import signal
import subprocess
import sys
import time


def hear_interrupts():
    """Undoes what a shell does to programs that it starts in the background: they do not hear Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def interrupted(text, pause_s=0.0):
    """Interrupts a program, `pause_s` after its first line. The lines that follow, and its exit code."""
    child = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True, preexec_fn=hear_interrupts)
    try:
        assert child.stdout.readline()
        time.sleep(pause_s)
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
    finally:
        child.kill()
    return out.splitlines(), child.returncode
