"""Makes the pictures of the gallery, and writes into docs/gallery.md what each script printed and how many seconds it took: `make gallery`.

Each script is a program of its own, and stands beside this one. With names only these are run. `--check` runs them and writes
nothing, but fails where a picture has other bytes than before, or where a script prints other lines than those on the page.
"""

import argparse
import ast
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FOLDER = Path(__file__).parent
PAGE = FOLDER.parent / "gallery.md"
PICTURES = FOLDER.parent / "images" / "gallery"
# In the order of the page.
SCRIPTS = ["tail", "collectors", "steady", "heat_map", "own_policy", "traces", "notebook", "worn", "boards", "c_ftl"]
BEGIN, END = "<!-- made by docs/gallery/make.py -->", "<!-- end of what is made -->"


def told_of(name):
    """The first paragraph of what a script says of itself, in one line."""
    text = ast.get_docstring(ast.parse((FOLDER / f"{name}.py").read_text()))
    return " ".join(text.split("\n\n")[0].split())


def run(name, path):
    """Runs a script, and returns the seconds that it took and what it printed of its results."""
    begun = time.monotonic()
    done = subprocess.run([sys.executable, FOLDER / f"{name}.py", path], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"gallery: {name}.py: found exit code {done.returncode}, expected 0\n{done.stderr}")
    lines = [line.rstrip() for line in done.stdout.splitlines() if line != f"wrote {path.name}"]
    return time.monotonic() - begun, "".join(f"{line}\n" for line in lines)


def entry(name, seconds, printed=None):
    """The part of the page about a script, which has printed what the page says if nothing else is given."""
    printed = printed_before()[name] if printed is None else printed
    question, rest = re.match(r"(.*?\?) ?(.*)", told_of(name)).groups()
    lines = [f"### {question}", "", rest, ""] if rest else [f"### {question}", ""]
    lines += [f"![{question}](images/gallery/{name}.svg)", ""]
    lines += [f"[`{name}.py`](gallery/{name}.py), {seconds:.0f} s: `make gallery GALLERY={name}` prints", ""]
    lines += [f"```console\n{printed}```", ""]
    return "\n".join(lines)


def seconds_before():
    """What the page says that each script took."""
    found = re.findall(r"^\[`(\w+)\.py`\]\([^)]*\), (\d+) s\b", PAGE.read_text(), re.M)
    return {name: float(seconds) for name, seconds in found}


def printed_before():
    """What the page says that each script printed."""
    found = re.findall(r"`make gallery GALLERY=(\w+)` prints\n\n```console\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    return dict(found)


def checked(name):
    """Runs a script, and ends with a complaint unless it draws and prints what is there."""
    picture = PICTURES / f"{name}.svg"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, picture.name)
        seconds, printed = run(name, path)
        if not picture.exists() or path.read_bytes() != picture.read_bytes():
            sys.exit(f"gallery: {picture.name}: found other bytes than before, expected the same")
    if printed != printed_before().get(name):
        sys.exit(f"gallery: {name}.py: found other lines than those on the page, expected the same:\n{printed}")
    return seconds, printed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*", default=SCRIPTS)
    options = parser.parse_args()
    took, told = seconds_before(), printed_before()
    for name in options.names:
        seconds, told[name] = checked(name) if options.check else run(name, PICTURES / f"{name}.svg")
        took[name] = max(seconds, 0.5)
        print(f"{name}, {took[name]:.1f} s", told[name], sep="\n", flush=True)
    if not options.check:
        head, rest = PAGE.read_text().split(BEGIN)
        made = "\n".join(entry(name, took[name], told[name]) for name in SCRIPTS if name in took and name in told)
        PAGE.write_text(f"{head}{BEGIN}\n\n{made}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
