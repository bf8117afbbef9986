"""The program built with a profile: compiled twice, and run in between on the jobs of cases.toml.

The first program counts how often each of its branches is taken. The compiler lays the second one out by these counts. Both have
folders of their own, so that `make build` does not compile anything anew afterwards. Exit code 0: it is there. 1: it is not.
"""

import argparse
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


def build(cargo, folder, host, flag):
    """Compiles the program with a flag; where it is."""
    # A target that is named keeps the flag from build scripts and macros.
    command = [cargo, "build", "--release", "-p", "firmament", "--target", host, "--target-dir", folder]
    subprocess.run(command, env=os.environ | {"RUSTFLAGS": flag}, check=True)
    return f"{folder}/{host}/release/firmament"


def main():
    parser = argparse.ArgumentParser(description="The program built with a profile.")
    parser.add_argument("--cargo", default="cargo", help="cargo")
    parser.add_argument("--target", default="target", help="where to build")
    arguments = parser.parse_args()
    host, sysroot, llvm = compiler()
    merge = profdata(host, sysroot, llvm)
    folder = os.path.abspath(f"{arguments.target}/profiled")
    counts = f"{folder}/counts"
    shutil.rmtree(counts, ignore_errors=True)
    counting = build(arguments.cargo, f"{folder}/counting", host, f"-Cprofile-generate={counts}")
    subprocess.run([sys.executable, f"{HERE}/bench.py", "run", "--firmament", counting], check=True)
    subprocess.run([merge, "merge", "-o", f"{folder}/counts.profdata", counts], check=True)
    built = build(arguments.cargo, f"{folder}/program", host, f"-Cprofile-use={folder}/counts.profdata")
    shutil.copy(built, f"{folder}/firmament")
    print(f"release: {os.path.relpath(folder)}/firmament")


try:
    main()
except subprocess.CalledProcessError as failure:
    sys.exit(f"release: {os.path.basename(failure.cmd[0])} ended with exit code {failure.returncode}")
