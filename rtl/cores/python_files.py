"""A generator of FuseSoC: the files that a list names below the folder of the Python packages, as a core.

`list` is the name of a file of options and files as Verilator takes them, core_ibex.f for one. Its files are copied, so
that the core stands alone; what it includes from comes with it. Packages are those of the interpreter that runs this.
"""

import pathlib
import shutil
import sys
import sysconfig

import yaml

PACKAGES = pathlib.Path(sysconfig.get_paths()["purelib"])


def read(path):
    """Folders to include from, and files in their order."""
    lines = [line.split("//")[0].strip() for line in path.read_text().splitlines()]
    folders = [line.removeprefix("+incdir+") for line in lines if line.startswith("+incdir+")]
    return folders, [line for line in lines if line and not line.startswith("+")]


def copy(name, folder):
    source = PACKAGES / name
    if not source.is_file():
        sys.exit(f"{name}: not found below {PACKAGES}, expected the Python package {name.split('/')[0]}")
    target = folder / pathlib.Path(name).name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    return str(target)


def main():
    request = yaml.safe_load(pathlib.Path(sys.argv[1]).read_text())
    folders, files = read(pathlib.Path(request["files_root"], request["parameters"]["list"]))
    entries = []
    for folder in folders:
        for header in sorted((PACKAGES / folder).glob("*.sv*")):
            # Headers that are modules are files of the list, or are not needed.
            if header.suffix == ".svh" or "assert" in header.stem or "macros" in header.stem:
                name = copy(str(header.relative_to(PACKAGES)), pathlib.Path("include"))
                entries.append({name: {"is_include_file": True, "file_type": "systemVerilogSource"}})
    entries += [copy(name, pathlib.Path("parts")) for name in files]
    # They are written to rules of their own.
    pathlib.Path("parts.vlt").write_text('`verilator_config\nlint_off -file "*/parts/*"\n')
    entries.insert(0, {"parts.vlt": {"file_type": "vlt"}})
    core = {
        "name": request["vlnv"],
        "filesets": {"rtl": {"files": entries, "file_type": "systemVerilogSource"}},
        "targets": {"default": {"filesets": ["rtl"]}},
    }
    name = request["vlnv"].replace(":", "_").replace("/", "_")
    pathlib.Path(f"{name}.core").write_text("CAPI=2:\n" + yaml.safe_dump(core, sort_keys=False))


main()
