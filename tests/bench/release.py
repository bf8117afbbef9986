"""The program built with a profile: compiled twice, and run in between on the jobs of cases.toml.

The first program counts how often each of its branches is taken. The compiler lays the second one out by these counts. Only the crates
of this repository are compiled so: those of others are optimised without counts. Exit code 0: the program is there. 1: it is not.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def compiler():
    """What rustc is for, where it is, and of which LLVM."""
    told = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    host, llvm = (re.search(rf"^{key}: (\S+)", told, re.M).group(1) for key in ("host", "LLVM version"))
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    return host, sysroot, llvm.split(".")[0]


def profdata(host, sysroot, llvm):
    """The llvm-profdata of the compiler's LLVM: others cannot read its counts."""
    places = [f"{sysroot}/lib/rustlib/{host}/bin/llvm-profdata", f"llvm-profdata-{llvm}", "llvm-profdata"]
    for place in filter(None, map(shutil.which, places)):
        # Old ones tell their version behind a command only.
        told = subprocess.run([place, "merge", "--version"], capture_output=True, text=True).stdout
        if re.search(rf"LLVM version {llvm}\.", told):
            return place
    sys.exit(f"release: found no llvm-profdata of LLVM {llvm}, expected it (rustup component add llvm-tools, or apt install llvm-{llvm})")


def build(cargo, folder, name, flag):
    """Compiles the program with a flag for the crates of this repository, in a folder of its own; where it is."""
    # The names of functions depend on the wrapper's path, and the counts of the one program are found by name in the other: so both have
    # the same wrapper. Cargo sees neither that the flag behind it changes nor that the counts do: so each has a folder of its own, that of the second
    # program a new one.
    wrapper = f"{folder}/with-flag.sh"
    with open(wrapper, "w") as file:
        file.write('#!/bin/sh\nexec "$@" "$FIRMAMENT_FLAG"\n')
    os.chmod(wrapper, 0o755)
    changed = {"RUSTC_WORKSPACE_WRAPPER": wrapper, "FIRMAMENT_FLAG": flag, "CARGO_TARGET_DIR": f"{folder}/{name}"}
    command = [cargo, "build", "--profile=profiled", "-p", "firmament", "--message-format=json-render-diagnostics"]
    ran = subprocess.run(command, env=os.environ | changed, stdout=subprocess.PIPE, text=True, check=True)
    made = (json.loads(line).get("executable") for line in ran.stdout.splitlines())
    return [path for path in made if path][-1]


def main():
    parser = argparse.ArgumentParser(description="The program built with a profile.")
    parser.add_argument("--cargo", default="cargo", help="cargo")
    parser.add_argument("--target", default="target", help="where to build")
    arguments = parser.parse_args()
    merge = profdata(*compiler())
    folder = os.path.abspath(f"{arguments.target}/profiled")
    counts = f"{folder}/counts"
    shutil.rmtree(counts, ignore_errors=True)
    os.makedirs(counts)
    counting = build(arguments.cargo, folder, "counting", f"-Cprofile-generate={counts}")
    shutil.rmtree(counts)
    subprocess.run([sys.executable, f"{HERE}/bench.py", "run", "--firmament", counting], check=True)
    subprocess.run([merge, "merge", "-o", f"{folder}/counts.profdata", counts], check=True)
    shutil.rmtree(f"{folder}/counted", ignore_errors=True)
    built = build(arguments.cargo, folder, "counted", f"-Cprofile-use={folder}/counts.profdata")
    shutil.copy(built, f"{folder}/firmament")
    print(f"release: {os.path.relpath(folder)}/firmament")


try:
    main()
except subprocess.CalledProcessError as failure:
    sys.exit(f"release: {os.path.basename(failure.cmd[0])} ended with exit code {failure.returncode}")
