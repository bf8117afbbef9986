"""Holds the blocks of rtl/ to their core files: each is whole, and can be used alone.

Run from the root of the repository with FuseSoC, make and Verilator on the path, as `make rtl-cores` does. The core files
of a room name each file of it once; modules of rtl/prim, packages and macros bear the prefix; FuseSoC sets each block up
with what it depends on, and Verilator reads all its modules without a warning, some with other parameters, too. Parameters that a
block does not have are refused in its words. Works below target/cores.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import yaml

ROOT = pathlib.Path("rtl")
OUT = pathlib.Path("target/cores")
PREFIX = "fm_"

# Of a block and a parameter of its module, a value that is refused, and the words.
REFUSED = [
    ("host", "nvme_host", "DataBits=32", "nvme_host: DataBits is none of 64, 128, 256 and 512"),
    ("host", "nvme_host", "DataBits=96", "nvme_host: DataBits is none of 64, 128, 256 and 512"),
    ("soc", "ssd_top", "DataBits=32", "ssd_top: DataBits is none of 64, 128 and 256"),
    ("soc", "ssd_top", "DataBits=512", "ssd_top: DataBits is none of 64, 128 and 256"),
]

# Of a block, a module and parameters that it takes: codes stronger than any model of a channel has.
TAKEN = [
    ("soc", "ssd_top", ["ChunkBytes=512", "T=24"]),
    ("flash", "flash_channel", ["ChunkBytes=1024", "T=40"]),
]


class Block:
    """A core file."""

    def __init__(self, path):
        self.path, self.room = path, path.parent
        self.core = yaml.safe_load(path.read_text())
        self.name = self.core["name"]

    def files(self):
        entries = [one for fileset in self.core["filesets"].values() for one in fileset["files"]]
        return [next(iter(one)) if isinstance(one, dict) else one for one in entries]

    def modules(self):
        files = [self.room / name for name in self.files() if name.endswith(".sv")]
        return {path.stem: path for path in files if not path.stem.endswith("_pkg")}

    def tops(self):
        """Modules that no other module of the block has in it, but for the one that FuseSoC looks at."""
        modules = self.modules()
        texts = {name: re.sub(r"//.*", "", path.read_text()) for name, path in modules.items()}
        inner = {name for name in modules for other, text in texts.items()
                 if other != name and re.search(rf"\b{name}\b", text)}
        return sorted(set(modules) - inner - {self.core["targets"]["lint"]["toplevel"]})


def complaints(blocks):
    """What the core files lack, and names that other libraries have too."""
    rooms = sorted({block.room for block in blocks})
    for room in rooms:
        named = sorted(name for block in blocks if block.room == room for name in block.files())
        found = [*room.glob("*.sv"), *room.glob("*.svh"), *room.glob("constraints/*")]
        there = sorted(str(path.relative_to(room)) for path in found)
        for name in sorted(set(there) - set(named)):
            yield f"{room / name}: in no core file of {room}, expected it in one"
        for name in sorted(set(named) - set(there)):
            yield f"{room}: found {name} in a core file, expected a file of {room}"
        for name in sorted({name for name in named if named.count(name) > 1}):
            yield f"{room / name}: found {named.count(name)} times in core files, expected it once"
    for path in sorted(ROOT.glob("*/*.sv")):
        general = path.parent.name == "prim" or path.stem.endswith("_pkg")
        if general and not path.stem.startswith(PREFIX):
            yield f"{path}: found a general name, expected the prefix {PREFIX}"
    for path in sorted(ROOT.glob("*/*.sv*")):
        for macro in re.findall(r"^\s*`define (\w+)", path.read_text(), re.MULTILINE):
            if not macro.startswith(PREFIX.upper()):
                yield f"{path}: found macro {macro}, expected the prefix {PREFIX.upper()}"


def run(command, folder, log):
    """Whether a command succeeds; the log has what it wrote."""
    with log.open("a") as output:
        done = subprocess.run(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, check=False)
    return done.returncode == 0


def refusals(block):
    """The lines that tell what a block that is set up should have refused."""
    folder = OUT / block.name.replace(":", "_") / "lint"
    for name, top, value, words in REFUSED:
        if name != block.path.stem:
            continue
        log = OUT / f"{top}.{value}.log"
        log.unlink(missing_ok=True)
        command = ["verilator", "-f", next(folder.glob("*.vc")).name, "--top-module", top, f"-G{value}"]
        if run(command, folder, log) or words not in log.read_text():
            yield f"{block.path}: {top} with {value}: not refused as expected ({words}), see {log}"


def readings(block):
    """The lines that tell what a block that is set up should have taken."""
    folder = OUT / block.name.replace(":", "_") / "lint"
    for name, top, values in TAKEN:
        if name != block.path.stem:
            continue
        log = OUT / f"{top}.{'.'.join(values)}.log"
        log.unlink(missing_ok=True)
        options = ["-f", next(folder.glob("*.vc")).name, "--top-module", top]
        if not run(["verilator", *options, *(f"-G{value}" for value in values)], folder, log):
            yield f"{block.path}: {top} with {' '.join(values)} was not read, see {log}"


def lint(block):
    """The lines that tell what is wrong with a block that is set up alone."""
    log = OUT / f"{block.path.stem}.log"
    command = ["fusesoc", "--cores-root", str(ROOT), "run", "--build-root", str(OUT),
               "--target", "lint", block.name]
    if not run(command, ".", log):
        return [f"{block.path}: {block.name} alone was not read, see {log}"]
    folder = OUT / block.name.replace(":", "_") / "lint"
    options = next(folder.glob("*.vc")).name
    unread = [f"{block.path}: {top} was not read, see {log}" for top in block.tops()
              if not run(["verilator", "-f", options, "--top-module", top], folder, log)]
    return unread + list(refusals(block)) + list(readings(block))


def main():
    blocks = [Block(path) for path in sorted(ROOT.glob("*/*.core"))]
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    found = list(complaints(blocks))
    if not found:
        alone = [block for block in blocks if "lint" in block.core["targets"]]
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            found = [line for lines in pool.map(lint, alone) for line in lines]
        if not found:
            print("cores: " + ", ".join(block.path.stem for block in alone) + ": each read alone")
    for line in found:
        print(f"cores: {line}", file=sys.stderr)
    sys.exit(1 if found else 0)


main()
