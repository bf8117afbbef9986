"""Makes the pictures of the gallery, and writes into docs/gallery.md how many seconds each took: `make gallery`.

Each script is a program of its own, and stands beside this one. With names only these are run. `--check` runs them and writes
nothing of the page, but fails where a picture has other bytes than before.
"""

import argparse
import ast
import re
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).parent
PAGE = FOLDER.parent / "gallery.md"
PICTURES = FOLDER.parent / "images" / "gallery"
# In the order of the page.
SCRIPTS = ["tail", "collectors", "steady", "heat_map", "traces", "worn", "boards", "c_ftl", "own_policy"]
BEGIN, END = "<!-- made by docs/gallery/make.py -->", "<!-- end of what is made -->"


def told_of(name):
    """The first paragraph of what a script says of itself, in one line."""
    text = ast.get_docstring(ast.parse((FOLDER / f"{name}.py").read_text()))
    return " ".join(text.split("\n\n")[0].split())


def run(name, path):
    """Runs a script, and returns the seconds that it took."""
    begun = time.monotonic()
    done = subprocess.run([sys.executable, FOLDER / f"{name}.py", path], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"gallery: {name}.py: found exit code {done.returncode}, expected 0\n{done.stderr}")
    return time.monotonic() - begun


def entry(name, seconds):
    question, rest = re.match(r"(.*?[?.]) ?(.*)", told_of(name)).groups()
    lines = [f"### {question}", "", rest, ""] if rest else [f"### {question}", ""]
    lines += [f"![{question}](images/gallery/{name}.svg)", ""]
    lines += [f"[`{name}.py`](gallery/{name}.py), {seconds:.0f} s.", ""]
    return "\n".join(lines)


def seconds_before():
    """What the page says that each script took."""
    found = re.findall(r"^\[`(\w+)\.py`\]\([^)]*\), (\d+) s\.$", PAGE.read_text(), re.M)
    return {name: float(seconds) for name, seconds in found}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*", default=SCRIPTS)
    options = parser.parse_args()
    took = seconds_before()
    for name in options.names:
        picture = PICTURES / f"{name}.svg"
        before = picture.read_bytes() if picture.exists() else b""
        took[name] = max(run(name, picture), 0.5)
        print(f"{name:12} {took[name]:6.1f} s", flush=True)
        if options.check and picture.read_bytes() != before:
            sys.exit(f"gallery: {picture.name}: found other bytes than before, expected the same")
    if not options.check:
        head, rest = PAGE.read_text().split(BEGIN)
        made = "\n".join(entry(name, took[name]) for name in SCRIPTS if name in took)
        PAGE.write_text(f"{head}{BEGIN}\n\n{made}{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
