"""The guest's first and only root file system: programs with their libraries, and the checks."""

import glob
import gzip
import lzma
import os
import shutil
import stat
import subprocess

import packages

PROGRAMS = [
    "usr/bin/btrfs",
    "usr/bin/fio",
    "usr/bin/lspci",
    "usr/sbin/blkdiscard",
    "usr/sbin/blkzone",
    "usr/sbin/e2fsck",
    "usr/sbin/fstrim",
    "usr/sbin/mke2fs",
    "usr/sbin/mkfs.btrfs",
    "usr/sbin/mkfs.xfs",
    "usr/sbin/nvme",
    "usr/sbin/xfs_repair",
]
# In the order in which they have to be loaded.
MODULES = ["lib/libcrc32c.ko.xz", "fs/xfs/xfs.ko.xz"]
# For the one phase that has use of them: they measure the processor when they are loaded.
BTRFS_MODULES = [
    "crypto/xor.ko.xz",
    "lib/raid6/raid6_pq.ko.xz",
    "crypto/blake2b_generic.ko.xz",
    "fs/btrfs/btrfs.ko.xz",
]
DIRECTORIES = ["dev", "mnt", "proc", "sys", "tmp"]


class Archive:
    """A cpio archive of the kind that Linux unpacks at boot."""

    def __init__(self):
        self.bytes = bytearray()
        self.entries = 0
        self.directories = set()

    def add(self, name, mode, data=b"", device=(0, 0)):
        parent = os.path.dirname(name)
        if parent and parent not in self.directories:
            self.directories.add(parent)
            self.add(parent, stat.S_IFDIR | 0o755)
        self.entries += 1
        fields = [self.entries, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0]
        head = "070701" + "".join(f"{field:08X}" for field in fields) + name + "\0"
        for part in (head.encode(), data):
            self.bytes += part + b"\0" * (-len(part) % 4)

    def add_program(self, name, path):
        with open(path, "rb") as file:
            self.add(name, stat.S_IFREG | 0o755, file.read())


def libraries(root, program):
    """Files that a program of an unpacked root is linked with, by name."""
    loader = packages.loader(root)
    path = packages.library_path(root)
    command = [loader, "--inhibit-cache", "--library-path", path, "--list", f"{root}/{program}"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = {}
    for line in listed.splitlines():
        name, arrow, rest = line.strip().partition(" => ")
        if arrow:
            file = rest.split(" (")[0]
            if not file.startswith(root):
                raise packages.CannotRun(f"{program}: found {file}, expected {name} in {root}")
            found[name] = file
    return found


def compiled(source, output):
    """Compiles a program of one file so that it needs no library in the guest."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        raise packages.CannotRun("found no cc, expected a C compiler")
    subprocess.run([compiler, "-static", "-O1", "-Wall", "-Werror", "-o", output, source], check=True)
    return output


def build(root, here, output):
    """Writes the archive, compressed, from an unpacked root and the directory of the guest's tests."""
    archive = Archive()
    for directory in DIRECTORIES:
        archive.directories.add(directory)
        archive.add(directory, stat.S_IFDIR | 0o755)
    needed = {}
    for program in PROGRAMS:
        archive.add_program(program, f"{root}/{program}")
        needed.update(libraries(root, program))
    for name, file in sorted(needed.items()):
        archive.add_program(f"lib/{name}", file)
    archive.add_program("lib64/ld-linux-x86-64.so.2", packages.loader(root))
    archive.add_program("bin/busybox", f"{root}/usr/bin/busybox")
    (kernel,) = glob.glob(f"{root}/usr/lib/modules/*/kernel")
    for directory, modules in (("modules", MODULES), ("btrfs", BTRFS_MODULES)):
        for nth, module in enumerate(modules):
            with lzma.open(f"{kernel}/{module}") as file:
                name = os.path.basename(module).removesuffix(".xz")
                archive.add(f"lib/{directory}/{nth}-{name}", stat.S_IFREG | 0o644, file.read())
    for file in sorted(os.listdir(f"{here}/inside")):
        name = "init" if file == "init" else f"checks/{file}"
        archive.add_program(name, f"{here}/inside/{file}")
    pinned = compiled(f"{here}/pinned.c", f"{os.path.dirname(output)}/pinned")
    archive.add_program("checks/pinned", pinned)
    archive.add("TRAILER!!!", 0)
    with gzip.GzipFile(output, "wb", compresslevel=1, mtime=0) as file:
        file.write(archive.bytes)


def kernel(root):
    """The kernel of an unpacked root."""
    (image,) = glob.glob(f"{root}/boot/vmlinuz-*")
    return image
