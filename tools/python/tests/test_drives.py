"""Drives that stay between runs."""

import copy
import pickle
import threading

import firmament as fm
import pytest
from interrupted import interrupted
from conftest import bytes_but_speed

JOB = fm.Job(rw="randwrite", bs="4k", iodepth=4, size="4m", io_size="8m")


def figures(result):
    """What a run measured, without what is told of how it came about."""
    told = result.to_dict()
    for key in ("provenance", "wall_s", "cpu_s", "requests_per_cpu_second"):
        told["firmament"].pop(key)
    return told


@pytest.mark.parametrize("state", ["none", "sequential", "random", "steady"])
def test_the_first_run_is_that_of_a_new_drive(state):
    drive = fm.precondition("small", state, seed=3)
    plain = fm.run("small", JOB, precondition=state, seed=3)
    assert bytes_but_speed(drive.run(JOB).json) == bytes_but_speed(plain.json)


def test_runs_go_on_as_by_snapshots(tmp_path):
    drive = fm.Drive("small", "random")
    first, second = drive.run(JOB), drive.run(JOB, seed=5)
    assert (drive.runs, drive.seed, drive.state, drive.board) == (2, 1, "random", "small")
    kept = tmp_path / "worn"
    theirs = [fm.run("small", JOB, precondition="random", save=kept), fm.run(None, JOB, seed=5, from_snapshot=kept, save=kept)]
    assert [figures(one) for one in (first, second)] == [figures(one) for one in theirs]
    assert second.drive["provenance"]["from"] == {"name": "memory, seed 1, after 1 run", "sha256": ""}
    drive.save(tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == kept.read_bytes()


def test_a_copy_is_a_drive_of_its_own():
    drive = fm.Drive("small", "random")
    worn = drive.copy()
    before = [worn.run(JOB) for _ in range(3)]
    assert (drive.runs, worn.runs, drive.now_ps) == (0, 3, 0) and worn.now_ps > 0
    assert [figures(drive.run(JOB)) for _ in range(3)] == [figures(one) for one in before]
    assert figures(before[0]) != figures(before[1])
    assert figures(copy.deepcopy(worn).run(JOB)) == figures(worn.run(JOB))


def test_a_new_drive_is_kept_and_pickled(tmp_path):
    drive = fm.precondition("small", "random", seed=2)
    expected = figures(drive.copy().run(JOB))
    drive.save(tmp_path / "new")
    loaded = fm.Drive.load(tmp_path / "new")
    assert (loaded.seed, loaded.state, loaded.toml()) == (2, "random", drive.toml())
    assert figures(loaded.run(JOB)) == expected
    assert figures(pickle.loads(pickle.dumps(drive)).run(JOB)) == expected
    assert figures(fm.run(None, JOB, seed=2, from_snapshot=tmp_path / "new")) == expected


def test_a_report_of_a_drive_in_memory_is_not_run_again(program, tmp_path):
    drive = fm.Drive("small")
    (tmp_path / "first.json").write_text(drive.run(JOB).json)
    (tmp_path / "second.json").write_text(drive.run(JOB).json)
    assert program("rerun", "first.json", where=tmp_path).returncode == 0
    again = program("rerun", "second.json", where=tmp_path)
    assert again.returncode == 2 and "expected a snapshot in a file: a drive in memory is gone" in again.stderr


def test_programs_run_on_a_drive():
    drive = fm.Drive("small")

    def chain(view):
        for nth in range(20):
            yield [fm.write(nth * 4096, 4096)]

    assert drive.host(chain).write.requests == 20
    assert drive.host(chain, requests=True).requests["direction"] == ["write"] * 20
    assert drive.runs == 2


def test_a_run_that_fails_leaves_the_drive_as_it_was():
    drive = fm.Drive("small", "random")
    expected = figures(drive.copy().run(JOB))
    for wrong in (fm.Job(rw="sideways"), fm.Job(rw="read", bs="3")):
        with pytest.raises(fm.InputError):
            drive.run(wrong)
    for more in ({"precondition": "random"}, {"payload": "full"}, {"from_snapshot": "none"}):
        with pytest.raises(fm.InputError, match="beside a drive in memory, expected it for a new drive") as error:
            drive.run(JOB, **more)
        assert str(error.value).startswith(f"{next(iter(more))}: found ")
    assert drive.runs == 0 and figures(drive.run(JOB)) == expected


def test_one_run_at_a_time():
    drive, seen = fm.Drive("small"), []

    def told(*_):
        if not seen:
            with pytest.raises(fm.InputError, match="found a run on it under way, expected one at a time") as error:
                drive.run(JOB)
            seen.append(error)

    long = fm.Job(rw="randread", bs="4k", iodepth=4, size="1m", time_based=True, runtime="1s")
    thread = threading.Thread(target=lambda: drive.run(long, progress=told))
    thread.start()
    thread.join()
    assert len(seen) == 1 and drive.runs == 1


def test_an_interrupt_ends_preconditioning():
    text = (
        "import firmament as fm\n"
        "board = fm.Board('small').set('geometry.blocks_per_way', 30_000)\n"
        "try:\n"
        "    fm.precondition(board, 'steady-run', progress=lambda *told: print(*told, flush=True))\n"
        "    print('whole', flush=True)\n"
        "except fm.Interrupted as interrupted:\n"
        "    print(interrupted.result, flush=True)\n"
    )
    lines, code = interrupted(text)
    assert lines[-1] == "None" and code == 0


def test_what_is_no_drive_is_told_in_a_line(tmp_path):
    (tmp_path / "none").write_text("no snapshot")
    for call in (lambda: fm.Drive.load(tmp_path / "none"), lambda: fm.Drive("nothing"), lambda: fm.Drive("small", "worn")):
        with pytest.raises(fm.InputError) as error:
            call()
        assert "\n" not in str(error.value) and "--" not in str(error.value)
    with pytest.raises(fm.InputError, match="found a drive, expected a board"):
        fm.precondition(fm.Drive("small"))
