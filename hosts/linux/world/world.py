#!/usr/bin/env python3
"""Builds the world of `firmament linux` from the distribution's packages: kernel, root, and what makes them deterministic.

Nothing is installed and no root is needed. Each part is kept as long as what it is made of stays the same.
Exit codes: 0 when the world is there, 3 when it cannot be built on this machine, which a line says.
"""

import argparse
import glob
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../tests/guest"))

import initramfs
import packages
from packages import CannotRun

SOURCE_PACKAGE = "linux-source-6.12"
ROOT_PACKAGES = [
    "btrfs-progs",
    "busybox-static",
    "e2fsprogs",
    "f2fs-tools",
    "fio",
    "lmdb-utils",
    "nvme-cli",
    "sqlite3",
    "xfsprogs",
]
# Programs that the kernel's build calls, and the packages that have them. The machine's own come first.
TOOLS = {"flex": "flex", "bison": "bison", "m4": "m4", "bc": "bc"}
REQUIRED = ["cc", "make", "ld", "xz", "perl"]
PROGRAMS = [
    "usr/bin/btrfs",
    "usr/bin/fio",
    "usr/bin/mdb_load",
    "usr/bin/mdb_stat",
    "usr/bin/sqlite3",
    "usr/sbin/dump.f2fs",
    "usr/sbin/e2fsck",
    "usr/sbin/fsck.f2fs",
    "usr/sbin/mke2fs",
    "usr/sbin/mkfs.btrfs",
    "usr/sbin/mkfs.f2fs",
    "usr/sbin/mkfs.xfs",
    "usr/sbin/nvme",
    "usr/sbin/xfs_repair",
]
DIRECTORIES = ["dev", "host", "mnt", "proc", "sys", "tmp"]
# Modules that stand in the root, and symbols of the kernel that they use though it does not export them.
MODULES = ["account.ko", "charge.ko"]
SYMBOLS = ["sys_call_table", "time_travel_time"]
# What `firmament linux` needs of the folder.
PARTS = ["linux", "shim.so", "root.cpio"]


def digest(*parts):
    """One digest of strings and of files' contents."""
    total = hashlib.sha256()
    for part in parts:
        if os.path.isfile(part):
            with open(part, "rb") as file:
                part = file.read().decode("latin-1")
        total.update(hashlib.sha256(part.encode()).digest())
    return total.hexdigest()


class Kept:
    """A part of the world that stands in a file or folder beside a stamp of what it was made of."""

    def __init__(self, path, made_of):
        self.path = path
        self.made_of = made_of

    def is_there(self):
        try:
            return os.path.exists(self.path) and open(f"{self.path}.stamp").read() == self.made_of
        except OSError:
            return False

    def done(self):
        with open(f"{self.path}.stamp", "w") as stamp:
            stamp.write(self.made_of)


def run(command, where, environment=None):
    """Runs a step of a build; its output goes to a file that an error names."""
    log = f"{where}/build.log"
    with open(log, "w") as output:
        ran = subprocess.run(command, cwd=where, stdout=output, stderr=subprocess.STDOUT, env=environment)
    if ran.returncode != 0:
        raise CannotRun(f"{' '.join(command[:3])}: found exit code {ran.returncode}, expected 0; {log} has its output")


def host_suite():
    """The suite of the machine's own Debian: its programs run here."""
    for line in open("/etc/os-release"):
        if line.startswith("VERSION_CODENAME="):
            return line.partition("=")[2].strip().strip('"')
    raise CannotRun("/etc/os-release: found no VERSION_CODENAME, expected that of a Debian")


def tools(directory):
    """A folder with programs of the kernel's build that the machine lacks, to be put before PATH."""
    missing = [name for name in TOOLS if not shutil.which(name)]
    for name in REQUIRED:
        if not shutil.which(name):
            raise CannotRun(f"found no {name}, expected it to build Linux with")
    wrappers = f"{directory}/tools-bin"
    part = Kept(wrappers, digest(*missing))
    if part.is_there():
        return wrappers
    shutil.rmtree(wrappers, ignore_errors=True)
    os.makedirs(wrappers)
    if missing:
        apt = packages.Apt(f"{directory}/tools-apt", [host_suite()])
        apt.update()
        root = f"{directory}/tools"
        packages.unpack([apt.fetch_alone(TOOLS[name]) for name in missing], root)
        # bc alone needs a library that is not the C library.
        for library in ["libreadline8", "libtinfo6"] if "bc" in missing else []:
            run(["dpkg-deb", "-x", apt.fetch_alone(library), root], wrappers)
        libraries = ":".join(glob.glob(f"{root}/lib/*-linux-gnu") + glob.glob(f"{root}/usr/lib/*-linux-gnu"))
        for name in missing:
            with open(f"{wrappers}/{name}", "w") as file:
                m4 = f"{wrappers}/m4" if "m4" in missing else "m4"
                file.write(
                    f"#!/bin/sh\nexport M4={m4} BISON_PKGDATADIR={root}/usr/share/bison\n"
                    f'LD_LIBRARY_PATH={libraries} exec {root}/usr/bin/{name} "$@"\n'
                )
            os.chmod(f"{wrappers}/{name}", 0o755)
    part.done()
    return wrappers


def kernel(directory, apt, jobs):
    """Builds the kernel."""
    package = apt.fetch_alone(SOURCE_PACKAGE)
    fragment = f"{HERE}/kernel.config"
    part = Kept(f"{directory}/linux", digest(os.path.basename(package), fragment))
    source, output = f"{directory}/source", f"{directory}/build"
    if part.is_there():
        return
    began = time.time()
    print("linux: unpacking the kernel's source", flush=True)
    for folder in (source, output):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    packages.unpack([package], f"{directory}/package")
    (archive,) = glob.glob(f"{directory}/package/usr/src/linux-source-*.tar.xz")
    run(["tar", "--strip-components=1", "-xf", archive, "-C", source], directory)
    shutil.rmtree(f"{directory}/package")
    print("linux: building the kernel, some minutes", flush=True)
    environment = dict(os.environ, PATH=f"{tools(directory)}:{os.environ['PATH']}", LC_ALL="C")
    # Nothing of who built it, where or when: the guest prints its version.
    environment.update(
        KBUILD_BUILD_TIMESTAMP="Thu Jan 1 00:00:00 UTC 1970", KBUILD_BUILD_USER="firmament", KBUILD_BUILD_HOST="firmament"
    )
    make = ["make", "ARCH=um", f"O={output}", f"-j{jobs}"]
    run([*make, "tinyconfig"], source, environment)
    with open(f"{output}/.config", "a") as config, open(fragment) as more:
        config.write(more.read())
    run([*make, "olddefconfig"], source, environment)
    configured = open(f"{output}/.config").read()
    wanted = [line for line in open(fragment) if line.startswith("CONFIG_") and line.strip().endswith("=y")]
    refused = " ".join(line.strip() for line in wanted if line not in configured)
    if refused:
        raise CannotRun(f"{fragment}: found {refused} refused by this kernel, expected it to be taken")
    run([*make, "linux", "modules_prepare"], source, environment)
    shutil.copy(f"{output}/linux", f"{directory}/linux")
    print(f"linux: the kernel took {time.time() - began:.0f} s", flush=True)
    part.done()


def addresses(directory):
    """The addresses of symbols as the modules' compiler is told them."""
    found = {}
    for line in open(f"{directory}/build/System.map"):
        address, _, name = line.split()
        found[name] = address
    missing = " and ".join(name for name in SYMBOLS if name not in found)
    if missing:
        raise CannotRun(f"{directory}/build/System.map: found no {missing}, expected the symbols of Linux 6.12")
    return " ".join(f"-D{name.upper()}=0x{found[name]}" for name in SYMBOLS)


def modules(directory, jobs):
    """Builds the modules; returns what they are made of."""
    files = sorted(glob.glob(f"{HERE}/modules/*"))
    work = f"{directory}/modules"
    part = Kept(work, digest(f"{directory}/linux.stamp", *files))
    if part.is_there():
        return part.made_of
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(f"{HERE}/modules", work)
    environment = dict(os.environ, PATH=f"{tools(directory)}:{os.environ['PATH']}", LC_ALL="C")
    make = ["make", "ARCH=um", f"O={directory}/build", f"-j{jobs}", "-C", f"{directory}/source", f"M={work}"]
    run([*make, "KBUILD_MODPOST_WARN=1", f"ADDRESSES={addresses(directory)}", "modules"], work, environment)
    part.done()
    return part.made_of


def shim(directory):
    """Builds the library that Linux in user mode is loaded with."""
    source = f"{HERE}/shim.c"
    part = Kept(f"{directory}/shim.so", digest(source))
    if not part.is_there():
        run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", part.path, source], directory)
        part.done()


def root(directory, apt, made_of):
    """Writes the guest's root: programs with their libraries, uncompressed, in an order that is always the same."""
    unpacked = f"{directory}/root"
    stamp = digest(repr((ROOT_PACKAGES, packages.SUITES)))
    there = Kept(unpacked, stamp)
    if not there.is_there():
        packages.unpack(apt.fetch(ROOT_PACKAGES), unpacked)
        there.done()
    inside = sorted(glob.glob(f"{HERE}/inside/*"))
    part = Kept(f"{directory}/root.cpio", digest(stamp, repr(PROGRAMS), made_of, *inside))
    if part.is_there():
        return
    archive = initramfs.Archive()
    for name in DIRECTORIES:
        archive.directories.add(name)
        archive.add(name, stat.S_IFDIR | 0o755)
    archive.add("dev/console", stat.S_IFCHR | 0o600, device=(5, 1))
    archive.add("dev/null", stat.S_IFCHR | 0o666, device=(1, 3))
    needed = {}
    for program in PROGRAMS:
        archive.add_program(program, f"{unpacked}/{program}")
        needed.update(initramfs.libraries(unpacked, program))
    for name, file in sorted(needed.items()):
        archive.add_program(f"lib/{name}", file)
    archive.add_program("lib64/ld-linux-x86-64.so.2", packages.loader(unpacked))
    archive.add_program("bin/busybox", f"{unpacked}/usr/bin/busybox")
    archive.add("bin/sh", stat.S_IFLNK | 0o777, b"busybox")
    archive.add_program("etc/mke2fs.conf", f"{unpacked}/etc/mke2fs.conf")
    archive.add("etc/passwd", stat.S_IFREG | 0o644, b"root:x:0:0::/root:/bin/sh\n")
    for name in MODULES:
        archive.add_program(f"lib/{name}", f"{directory}/modules/{name}")
    for file in inside:
        archive.add_program(os.path.basename(file), file)
    archive.add("TRAILER!!!", 0)
    with open(part.path, "wb") as file:
        file.write(archive.bytes)
    part.done()


def whole(directory):
    """The world as a whole: what it is made of, and whether it is so."""
    sources = [file for file in sorted(glob.glob(f"{HERE}/**", recursive=True)) if os.path.isfile(file)]
    sources = [file for file in sources if "__pycache__" not in file]
    return Kept(f"{directory}/world", digest(*sources, repr(packages.SUITES)))


def is_there(directory):
    """Whether the world in a folder is the one that would be built today."""
    return all(os.path.exists(f"{directory}/{name}") for name in PARTS) and whole(directory).is_there()


def build(directory, jobs):
    """Builds what is not there, or is made of something else than today."""
    if is_there(directory):
        return
    os.makedirs(directory, exist_ok=True)
    apt = packages.Apt(f"{directory}/apt")
    apt.update()
    kernel(directory, apt, jobs)
    shim(directory)
    root(directory, apt, modules(directory, jobs))
    world = whole(directory)
    open(world.path, "w").close()
    world.done()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="target/linux-vt", help="folder that the world is built in")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers side by side")
    arguments = parser.parse_args()
    try:
        build(os.path.abspath(arguments.target), arguments.jobs)
    except CannotRun as reason:
        print(f"linux: cannot be built here: {reason}", file=sys.stderr)
        return 3
    except OSError as reason:
        # No room, or no right to write there.
        print(f"linux: cannot be built here: found {reason}, expected to build it in {arguments.target}", file=sys.stderr)
        return 3
    print(f"linux: the world is in {arguments.target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
