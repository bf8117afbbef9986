"""Scripts whose programs are those of a root file system of the machine."""

import os
import shutil
import tempfile

# What the root has is there and stays as it is; Linux's own folders stand before those of the root; the drive can be written and read.
INSIDE = (
    "set -x; [ $(busybox cat /etc/mine) = mine ] && [ $(busybox cat /data/mine) = mine ] && ! echo more >/etc/more && [ ! -e /tmp/theirs ] &&"
    " [ ! -e /lib/account.ko ] && [ $(busybox pwd) = /tmp ] && busybox cp /etc/mine /tmp && [ -e /proc/uptime ] && [ -e /sys/block/nvme0n1 ] &&"
    " busybox dd if=/bin/busybox of=/dev/nvme0n1 bs=64k count=8 conv=fsync && echo 3 >/proc/sys/vm/drop_caches &&"
    " busybox head -c 524288 /dev/nvme0n1 >/tmp/read && busybox head -c 524288 /bin/busybox | busybox cmp - /tmp/read && echo $LD_LIBRARY_PATH >/share/said"
)


def make(folder, busybox):
    """A root with a shell, a file, and folders that Linux has its own in the place of."""
    for name in ("bin", "etc", "tmp", "proc"):
        os.mkdir(f"{folder}/{name}")
    shutil.copy(busybox, f"{folder}/bin/busybox")
    os.symlink("busybox", f"{folder}/bin/sh")
    os.symlink("/etc", f"{folder}/data")
    for name in ("etc/mine", "tmp/theirs"):
        with open(f"{folder}/{name}", "w", encoding="ascii") as file:
            file.write("mine\n")


def measure(linux):
    """Verdicts on scripts in a root of their own."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as share:
        refused = linux.run("--root", folder, "--command", "true")
        expected = f"firmament: {folder}: found no bin/sh in it, expected the folder of a root file system"
        linux.verdict("a-root-without-a-shell-is-refused", (refused.code, refused.said) == (2, expected), refused.said)
        make(folder, f"{linux.directory}/root/usr/bin/busybox")
        words = ("--root", folder, "--share", share, "--command", INSIDE)
        first = linux.run(*words)
        linux.ended("a-root-of-the-machine", first)
        with open(f"{share}/said", encoding="ascii") as file:
            linux.verdict("nothing-of-the-world-is-in-its-programs", file.read() == "\n", "")
        again = linux.run(*words)
        linux.verdict("same-bytes-in-a-root-of-the-machine", first.same_bytes() == again.same_bytes(), f"{again.seconds:.1f} s")
        left = sorted(os.listdir(folder)), sorted(os.listdir(f"{folder}/etc"))
        linux.verdict("a-root-stays-as-it-is", left == (["bin", "data", "etc", "proc", "tmp"], ["mine"]), " ".join(left[1]))
