"""Linux in the drive's virtual time. Where make linux-vt has not built it, what needs it is skipped."""

from pathlib import Path

import firmament as fm
import pytest
from conftest import bytes_but_speed
from firmament import _native
from interrupted import interrupted

WORLD = Path(__file__).parents[3] / "target/linux-vt"
BUILT = all((WORLD / name).is_file() for name in ("linux", "root.cpio", "shim.so"))
needs_linux = pytest.mark.skipif(not BUILT, reason="Linux in user mode is not built: make linux-vt builds it")
WORDS = ["small", "--set", "geometry.blocks_per_way=512", "--world", str(WORLD)]
SYNCED = (
    "mkfs.ext4 -q -E nodiscard /dev/nvme0n1 && mount /dev/nvme0n1 /mnt && "
    "fio --clocksource=clock_gettime --directory=/mnt --name=synced --rw=randwrite --bs=4k --size=2m --number_ios=100 --fsync=4"
)


def boot(command, **how):
    return fm.linux(fm.Board("small").set("geometry.blocks_per_way", 512), command=command, world=WORLD, **how)


@needs_linux
def test_both_sides_are_tables_over_seeds():
    linux = boot(SYNCED, seeds=2)
    syncs = [row for row in linux.calls.rows() if (row["process"], row["call"]) == ("fio", "fsync")]
    assert {row["seed"] for row in syncs} == {1, 2} and all(row["calls"] >= 24 for row in syncs)
    causes = [name for name in linux.calls if name.endswith("_us") and name not in ("mean_us", "p99_us", "total_us", "linux_us")]
    for row in linux.calls.rows():
        assert row["total_us"] == pytest.approx(row["linux_us"] + sum(row[name] for name in causes), abs=0.01)
    writes = [row for row in linux.drive.rows() if row["direction"] == "write"]
    assert [row["seed"] for row in writes] == [1, 2] and all(row["requests"] > 100 for row in writes)
    assert linux.results[0].json != linux.results[1].json and "synced" in linux.console


@needs_linux
def test_the_report_is_the_programs_to_the_byte(program, tmp_path):
    told = program("linux", *WORDS, "--command", SYNCED, "--json", "report.json", "--console", "console", where=tmp_path)
    assert told.returncode == 0, told.stderr
    linux = boot(SYNCED)
    assert linux.console == (tmp_path / "console").read_text()
    assert bytes_but_speed(linux.result.json) == bytes_but_speed((tmp_path / "report.json").read_text())


@needs_linux
def test_a_drive_goes_from_linux_to_linux(tmp_path):
    kept = tmp_path / "kept.snap"
    boot("mkfs.ext4 -q -E nodiscard /dev/nvme0n1 && mount /dev/nvme0n1 /mnt && echo here >/mnt/file", save=kept)
    found = fm.linux(command="mount /dev/nvme0n1 /mnt && cat /mnt/file", from_snapshot=kept, world=WORLD)
    assert found.console.startswith("here")


@needs_linux
def test_a_script_that_fails_is_an_error_with_the_report():
    with pytest.raises(fm.DriveError, match="linux: command: found exit code 3, expected 0") as raised:
        boot("echo no luck; exit 3")
    assert raised.value.result.board == "small"


@pytest.mark.parametrize("done", [0, 2])
def test_an_interrupt_gives_the_seeds_that_are_done(monkeypatch, done):
    """Without Linux: what the native part gives of a seed stands in for it."""
    report = fm.run("small", fm.Job(rw="randread", bs="4k", size="64k")).json

    def linux(_, settings):
        if settings.seed > done:
            raise KeyboardInterrupt
        Path(settings.console).write_text(f"seed {settings.seed}")
        return _native.Outcome.of_report(report, None, None), 0

    monkeypatch.setattr(_native, "linux", linux)
    with pytest.raises(fm.Interrupted) as raised:
        fm.linux("small", command="true", seeds=5)
    result = raised.value.result
    assert result is None if done == 0 else result.consoles == ("seed 1", "seed 2")
    assert done == 0 or [row["requests"] for row in result.drive.rows()] == [16, 16]


@needs_linux
def test_an_interrupt_ends_linux():
    text = (
        "import firmament as fm\n"
        "board = fm.Board('small').set('geometry.blocks_per_way', 512)\n"
        "print('begins', flush=True)\n"
        "try:\n"
        f"    fm.linux(board, command='while true; do sleep 1000; done', world={str(WORLD)!r})\n"
        "except fm.Interrupted as interrupted:\n"
        "    print(interrupted.result, flush=True)\n"
    )
    lines, code = interrupted(text, pause_s=1.0)
    assert lines == ["None"] and code == 0


@pytest.mark.parametrize(
    ("how", "line"),
    [
        ({}, "script: found neither of script and command, expected one of both"),
        ({"script": "a", "command": "b"}, "script: found both of script and command, expected one of both"),
        ({"command": "true", "seeds": 0}, "seeds: found 0, expected a whole number from 1"),
        ({"command": "true", "seeds": 2, "save": "s"}, "save: found it beside 2 seeds, expected one seed, which leaves one drive"),
        ({"command": "true", "root": "/nowhere"}, "/nowhere: found no bin/sh in it, expected the folder of a root file system"),
        ({"script": "/nowhere"}, "/nowhere: found No such file or directory, expected a shell script"),
        ({"command": "true", "world": "/nowhere"}, "/nowhere/linux: found no such file, expected Linux as make linux-vt builds it"),
    ],
)
def test_what_cannot_be_used_is_one_line(how, line):
    with pytest.raises(fm.InputError) as raised:
        fm.linux("small", **how)
    assert str(raised.value) == line
