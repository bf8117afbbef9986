"""make install and make dist, with a program that is there: the files that come of them, and what is refused."""

import argparse
import glob
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, f"{ROOT}/packaging")
sys.dont_write_bytecode = True
import dist  # noqa: E402

COMPLETIONS = {
    "share/bash-completion/completions/firmament",
    "share/zsh/site-functions/_firmament",
    "share/fish/vendor_completions.d/firmament.fish",
}


def run(*command, **how):
    return subprocess.run(command, capture_output=True, text=True, **how)


def succeeds(*command, **how):
    ran = run(*command, **how)
    assert ran.returncode == 0, f"{command}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}"
    return ran.stdout


def files(directory):
    """Paths of all files below a directory, from there."""
    found = glob.glob("**", root_dir=directory, recursive=True)
    return {path for path in found if os.path.isfile(f"{directory}/{path}")}


def holds_all(found, program):
    """Whether files are the program, a page for each of its commands, completions, and nothing else."""
    pages = {path for path in found if path.startswith("share/man/man1/firmament")}
    assert {"share/man/man1/firmament.1", "share/man/man1/firmament-run.1"} <= pages, pages
    documents = {path for path in found if path.startswith("share/doc/firmament/")}
    assert found - pages - documents == COMPLETIONS | {"bin/firmament"}, found
    assert succeeds(program, "--version").startswith("firmament "), program


def make_install(program, place):
    """The target of the Makefile, below a prefix of a directory that stands for the root; `build` counts as done."""
    built = f"{place}/built"
    os.makedirs(f"{built}/release")
    os.symlink(program, f"{built}/release/firmament")
    at = f"{place}/a root"
    install = ["make", "-C", ROOT, "-o", "build", "install", f"TARGET={built}", f"DESTDIR={at}", "PREFIX=/opt/of mine"]
    succeeds(*install, umask=0o077)
    assert os.listdir(at) == ["opt"], os.listdir(at)
    installed = f"{at}/opt/of mine"
    holds_all(files(installed), f"{installed}/bin/firmament")
    assert not os.path.islink(f"{installed}/bin/firmament")
    closed = [path for path in files(installed) if os.stat(f"{installed}/{path}").st_mode & 0o044 != 0o044]
    assert not closed, f"only their owner may read {closed}"


def make_archive(program, place):
    """The archive: the same bytes twice, whole, and of one directory."""
    paths = [dist.make(program, f"{place}/{directory}", changed=True) for directory in ["first", "second"]]
    first, second = (open(path, "rb").read() for path in paths)
    assert first == second, "the same program gives two archives"
    digest = hashlib.sha256(first).hexdigest()
    assert open(f"{paths[0]}.sha256").read() == f"{digest}  {os.path.basename(paths[0])}\n"
    name = os.path.basename(paths[0]).removesuffix(".tar.gz")
    with tarfile.open(paths[0]) as archive:
        # Both may be of one second, so that times which are not the commit's would not show above.
        assert {entry.mtime for entry in archive} == {dist.seconds()}
        assert {(entry.uid, entry.gid, entry.mode) for entry in archive} <= {(0, 0, 0o755), (0, 0, 0o644)}
        archive.extractall(place, filter="data")
    found = files(f"{place}/{name}")
    holds_all(found, f"{place}/{name}/bin/firmament")
    assert {"share/doc/firmament/LICENSE", "share/doc/firmament/jobs/demo.fio"} <= found, found


def refused(program, **changed):
    """What dist says of a program that it refuses, with other limits than its own."""
    before = {name: getattr(dist, name) for name in changed}
    for name, value in changed.items():
        setattr(dist, name, value)
    try:
        dist.refuse_what_debian_lacks(program, dist.GLIBC)
    except dist.Wrong as wrong:
        return str(wrong)
    finally:
        for name, value in before.items():
            setattr(dist, name, value)
    raise AssertionError(f"{changed}: not refused")


def refuse(program, place):
    """Programs that would not run on Debian 12, and one that nobody could build again."""
    assert "expected at most 2.2" in refused(program, GLIBC=(2, 2))
    assert "found need of libc.so.6" in refused(program, LIBRARIES=dist.LIBRARIES - {"libc.so.6"})
    changed = f"{place}/changed"
    with open(changed, "w") as script:
        script.write(f"#!/bin/sh\necho 'firmament 1.2.3 (commit {'a' * 40}-dirty, x86_64-unknown-linux-gnu)'\n")
    os.chmod(changed, 0o755)
    out = f"{place}/refused"
    ran = run(sys.executable, f"{ROOT}/packaging/dist.py", "--firmament", changed, "--out", out)
    lines = ran.stderr.splitlines()
    assert ran.returncode == 2 and len(lines) == 1 and "without changes" in lines[0], (ran.returncode, lines)
    assert not os.path.exists(out)
    ran = run(f"{ROOT}/packaging/install.sh", f"{place}/nowhere", out)
    assert ran.returncode == 2 and len(ran.stderr.splitlines()) == 1, ran.stderr


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--firmament", required=True, help="the program")
    program = os.path.abspath(arguments.parse_args().firmament)
    for check in [make_install, make_archive, refuse]:
        with tempfile.TemporaryDirectory() as place:
            check(program, place)
    print("install: program, manual, completions and release archive are whole")


if __name__ == "__main__":
    main()
