"""Names in the code of pages: files and folders are there, make has each target, boards have each key, and boards and
studies are there.

A path may lack what comes before it (`ftl/map.rs`), if some file ends in it. What a reader makes, such as `report.html`,
is not looked for: only names that begin with a folder of this repository, or end as its sources do.
"""

import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import links  # noqa: E402

ROOT = links.ROOT
CASES = links.CASES
# What a page about the past, or about others' programs, may name.
LEFT_OUT = {"CHANGELOG.md"}
# Its fields look like keys of boards, and a test holds it to the schema.
FIELDS = "docs/spec/report-fields.md"
# How names of sources end.
SOURCES = (".rs", ".sv", ".svh", ".rdl", ".mk", ".xdc", ".vlt", ".core", ".sby")
# Folders that builds make.
MADE = ("out/", "target/")
# What pages call a reader's own policy, and how names of its files begin.
OWN = re.compile(r"(^|/)my[_-]own")
# What may stand behind the dot of a name of a file that looks like a section of a board.
ENDS = {"csv", "md", "py", "toml"} | {end.removeprefix(".") for end in SOURCES}

CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
PATH = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_./-]*")
MAKE = re.compile(r"\bmake ((?:[A-Z_]+=\S+ )*)([a-z][a-z-]*)")
KEY = re.compile(r"(?<![\w./-])([a-z_]+)\.([a-z][a-z0-9_]*)(?![\w./*-])")
# A sentence that names boards.
BOARDS = re.compile(r"\b[Bb]oards? ((?:`[a-z0-9-]+`(?:, | and | or )?)+)")
STUDY = re.compile(r"^firmament study (?!calibrate\b)([a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*)*)")


def tracked():
    """Files of this repository, and the folders that they are in."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    files = listed.stdout.splitlines()
    if listed.returncode != 0:
        # A copy without its history, as a release archive.
        files = []
        for directory, below, names in os.walk(ROOT):
            below[:] = [name for name in below if name not in links.LEFT_OUT]
            files += [os.path.relpath(os.path.join(directory, name), ROOT) for name in names]
    folders = set()
    for file in files:
        while file := os.path.dirname(file):
            folders.add(file)
    return set(files), folders


def targets():
    """All that make can be told."""
    found = set()
    for file in ["Makefile", *(f for f in tracked()[0] if f.endswith(".mk"))]:
        for line in links.read(f"{ROOT}/{file}").splitlines():
            if rule := re.match(r"([a-z][a-z -]*):(?!=)", line):
                found.update(rule.group(1).split())
    return found


def keys():
    """Keys of boards by section, from the page that has what the program prints."""
    found, section = {}, None
    for line in links.read(f"{ROOT}/docs/spec/board-files.md").splitlines():
        if heading := re.match(r"### \[(\w+)\]", line):
            section = heading.group(1)
        elif section and (row := re.match(r"\| `(\w+)` \|", line)):
            found.setdefault(section, set()).add(row.group(1))
    return found


class Names:
    """All names that pages may use."""

    def __init__(self):
        self.files, self.folders = tracked()
        # A module of the hardware is named by its file without the end.
        self.stems = {path.removesuffix(end) for path in self.files for end in SOURCES}
        self.ends = {}
        for path in self.files | self.folders:
            self.ends.setdefault(os.path.basename(path), []).append(path)
        self.top = {path.split("/")[0] for path in self.folders}
        self.targets, self.keys = targets(), keys()
        self.boards = {os.path.basename(path)[:-5] for path in self.files if re.match(r"boards/.*\.toml$", path)}
        studies = [os.path.dirname(path) for path in self.files if path.endswith("/study.toml")]
        self.studies = {os.path.basename(study) for study in studies}

    def is_there(self, path):
        path = path.rstrip("/")
        if path in self.files or path in self.folders or path in self.stems:
            return True
        return any(known.endswith(f"/{path}") for known in self.ends.get(os.path.basename(path), []))

    def wrong(self, code, beside):
        """What a piece of code names that is not there. `beside` is the folder of its page."""
        for path in PATH.findall(code) if " " not in code else []:
            bare = path.rstrip(".")
            source = bare.endswith(SOURCES) and not bare.startswith(".")
            ours = bare.split("/")[0] in self.top and "/" in bare.rstrip("/")
            if bare != code or not (source or ours) or bare.startswith(MADE) or OWN.search(bare):
                continue
            if not self.is_there(bare) and not self.is_there(os.path.normpath(os.path.join(beside, bare))):
                yield f"found {bare}, expected a file or a folder that is there"
        for _, target in MAKE.findall(code):
            if target not in self.targets:
                yield f"found make {target}, expected a target that make help lists"
        for section, key in KEY.findall(code):
            if section in self.keys and key not in self.keys[section] and key not in ENDS:
                yield f"found {section}.{key}, expected a key of [{section}] in board files"
        if study := STUDY.match(code.removeprefix("$ ")):
            for name in study.group(1).split():
                if name not in self.studies and name != "all":
                    yield f"found the study {name}, expected one that this repository has"


def code_of(text):
    """Each piece of code of a page with the number of its line: within lines, and the lines of a shell's blocks."""
    outside = list(links.lines_outside_blocks(text))
    kind = None
    for number, (line, plain) in enumerate(zip(text.splitlines(), outside, strict=True), start=1):
        fence = links.FENCE.match(line)
        if fence:
            kind = None if kind is not None else line.strip().lstrip("`~")
        elif kind is not None:
            if kind == "sh" or line.startswith("$ "):
                yield number, line.strip()
        else:
            for found in CODE.finditer(plain):
                yield number, found.group(2).strip()


def boards_of(text):
    """Each board that a sentence names with the number of its line."""
    plain = "\n".join(links.lines_outside_blocks(text))
    for found in BOARDS.finditer(plain):
        for board in re.findall(r"`([^`]+)`", found.group(1)):
            yield plain.count("\n", 0, found.start()) + 1, board


def complaints(page, text, names):
    for number, code in code_of(text):
        for complaint in names.wrong(code, os.path.dirname(page)):
            yield f"{page}:{number}: {complaint}"
    for number, board in boards_of(text):
        if board not in names.boards:
            yield f"{page}:{number}: found the board {board}, expected one that firmament boards lists"


def main():
    names = Names()
    # The check itself: what it must find in a page that is wrong, and only that.
    case = f"{CASES}/names.md"
    expected = links.read(f"{ROOT}/{CASES}/expected-names.txt").splitlines()
    found = list(complaints(case, links.read(f"{ROOT}/{case}"), names))
    if found != expected:
        print(f"{case}: found {found}, expected {expected}", file=sys.stderr)
        return 1
    wrong, count = [], 0
    for page in links.pages(ROOT):
        if page.startswith(CASES) or page in LEFT_OUT or page == FIELDS:
            continue
        text = links.read(f"{ROOT}/{page}")
        count += sum(1 for _ in code_of(text))
        wrong += complaints(page, text, names)
    for complaint in wrong:
        print(complaint, file=sys.stderr)
    if not wrong:
        print(f"docs: {count} pieces of code name what is there")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
