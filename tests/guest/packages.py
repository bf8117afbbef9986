"""What the guest is made of: Debian packages, unpacked below target/guest.

Nothing is installed and no root is needed. The mirror is the one that apt is configured with; the suite
is named here, because an older Debian's QEMU has no vfio-user.
"""

import glob
import hashlib
import os
import re
import shutil
import subprocess

SUITES = ["trixie", "trixie-updates", "trixie-backports"]
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
QEMU_PACKAGES = ["qemu-system-x86"]
GUEST_PACKAGES = ["btrfs-progs", "busybox-static", "e2fsprogs", "fio", "nvme-cli", "pciutils", "util-linux", "xfsprogs"]
KERNEL_PACKAGE = "linux-image-cloud-amd64"
# The first QEMU with a vfio-user client.
LEAST_QEMU = (10, 1)


class CannotRun(Exception):
    """Something that is no fault of the project's keeps the guest from running here."""


def mirror():
    """The Debian mirror in apt's sources."""
    files = ["/etc/apt/sources.list"] + glob.glob("/etc/apt/sources.list.d/*")
    text = "\n".join(open(file, errors="replace").read() for file in files if os.path.isfile(file))
    found = re.search(r"^(?:URIs:|deb)\s.*?(\w+://\S+/debian)/?(?:\s|$)", text, re.MULTILINE)
    if not found:
        raise CannotRun("found no Debian mirror in apt's sources, expected one")
    return found.group(1)


class Apt:
    """An apt of our own: its lists, cache and status lie in one directory."""

    def __init__(self, directory, suites=SUITES):
        for program in ["apt-get", "apt-cache", "dpkg-deb"]:
            if not shutil.which(program):
                raise CannotRun(f"found no {program}, expected Debian's")
        self.directory = directory
        self.archives = f"{directory}/cache/archives"
        os.makedirs(f"{directory}/lists/partial", exist_ok=True)
        os.makedirs(f"{self.archives}/partial", exist_ok=True)
        os.makedirs(f"{directory}/empty/partial", exist_ok=True)
        source = mirror()
        with open(f"{directory}/sources.list", "w") as sources:
            for suite in suites:
                sources.write(f"deb [signed-by={KEYRING}] {source} {suite} main\n")
        # No package counts as installed, so that every dependency is fetched.
        open(f"{directory}/status", "w").close()
        with open(f"{directory}/apt.conf", "w") as configuration:
            configuration.write(
                f'Dir::Etc::sourcelist "{directory}/sources.list";\n'
                'Dir::Etc::sourceparts "/dev/null";\n'
                f'Dir::State::lists "{directory}/lists";\n'
                f'Dir::State::status "{directory}/status";\n'
                f'Dir::Cache "{directory}/cache";\n'
                'Acquire::Languages "none";\n'
                'Acquire::Retries "3";\n'
                'APT::Install-Recommends "false";\n'
                'APT::Architecture "amd64";\n'
                'APT::Sandbox::User "";\n'
                'Debug::NoLocking "true";\n'
            )

    def run(self, *command, where=None):
        environment = dict(os.environ, APT_CONFIG=f"{self.directory}/apt.conf")
        ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=where)
        if ran.returncode != 0:
            lines = (ran.stderr or ran.stdout).strip().splitlines() or ["no reason"]
            errors = [line for line in lines if line.startswith("E: ")] or lines
            raise CannotRun(f"{command[0]} {command[-1]}: {errors[0].removeprefix('E: ')}")
        return ran.stdout

    def update(self):
        # Without this a mirror that is out of reach is a mere warning.
        self.run("apt-get", "-qq", "-o", "APT::Update::Error-Mode=any", "update")

    def fetch(self, packages, suite=None):
        """Fetches packages with all they depend on; returns the files."""
        install = ["-qq", "-y", *(["-t", suite] if suite else []), "install", *packages]
        # What was fetched before is not listed, so the list is that of an empty cache.
        empty = f"Dir::Cache::archives={self.directory}/empty"
        listed = self.run("apt-get", "--print-uris", "-o", empty, *install)
        files = [line.split()[1] for line in listed.splitlines() if line.startswith("'")]
        self.run("apt-get", "--download-only", *install)
        return [f"{self.archives}/{file}" for file in files]

    def fetch_kernel(self):
        """Fetches the kernel alone: what it depends on is for booting from a disk."""
        depends = self.run("apt-cache", "depends", KERNEL_PACKAGE)
        package = re.search(r"Depends: (linux-image-\S+)", depends)
        if not package:
            raise CannotRun(f"{KERNEL_PACKAGE}: found no kernel, expected one")
        return [self.fetch_alone(package.group(1))]

    def fetch_alone(self, package):
        """Fetches a package without what it depends on; returns the file."""
        before = set(glob.glob(f"{self.archives}/{package}_*.deb"))
        self.run("apt-get", "-qq", "download", package, where=self.archives)
        after = set(glob.glob(f"{self.archives}/{package}_*.deb"))
        return sorted(after - before or after)[-1]


def stamp():
    """Changes when what is fetched changes."""
    text = repr((SUITES, QEMU_PACKAGES, GUEST_PACKAGES, KERNEL_PACKAGE))
    return hashlib.sha256(text.encode()).hexdigest()


def unpack(files, root):
    """Unpacks packages into a fresh directory."""
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root)
    for file in files:
        subprocess.run(["dpkg-deb", "-x", file, root], check=True)


def is_there(directory, name):
    """Whether a part was unpacked in full from the packages that are wanted today."""
    try:
        return open(f"{directory}/{name}.stamp").read() == stamp()
    except OSError:
        return False


def mark(directory, name):
    with open(f"{directory}/{name}.stamp", "w") as file:
        file.write(stamp())


def guest_root(directory):
    """The guest's packages and kernel, unpacked."""
    root = f"{directory}/root"
    if not is_there(directory, "root"):
        apt = Apt(f"{directory}/apt")
        apt.update()
        unpack(apt.fetch(GUEST_PACKAGES) + apt.fetch_kernel(), root)
        mark(directory, "root")
    return root


def system_qemu():
    """The machine's own QEMU if it is new enough, as a command."""
    program = shutil.which("qemu-system-x86_64")
    if not program:
        return None
    told = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    version = re.search(r"version (\d+)\.(\d+)", told)
    if not version or (int(version.group(1)), int(version.group(2))) < LEAST_QEMU:
        return None
    devices = subprocess.run([program, "-device", "help"], capture_output=True, text=True).stdout
    return [program] if "vfio-user-pci" in devices else None


def qemu(directory):
    """QEMU as a command: the machine's own, or one of ours."""
    own = system_qemu()
    if own:
        return own
    root = f"{directory}/qemu"
    if not is_there(directory, "qemu"):
        apt = Apt(f"{directory}/apt")
        apt.update()
        unpack(apt.fetch(QEMU_PACKAGES, "trixie-backports"), root)
        mark(directory, "qemu")
    libraries = library_path(root)
    firmware = ["usr/share/qemu", "usr/share/seabios", "usr/lib/ipxe/qemu"]
    command = [loader(root), "--inhibit-cache", "--library-path", libraries]
    command.append(f"{root}/usr/bin/qemu-system-x86_64")
    for path in firmware:
        command += ["-L", f"{root}/{path}"]
    return command


def loader(root):
    """The dynamic loader of an unpacked root."""
    return f"{root}/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"


def library_path(root):
    """Directories of an unpacked root that hold libraries."""
    libraries = glob.glob(f"{root}/usr/lib/x86_64-linux-gnu/**/*.so*", recursive=True)
    return ":".join(sorted({os.path.dirname(library) for library in libraries}))
