"""Sweeps on a Ray cluster of two workers on this computer."""

import os
import signal

import firmament as fm
import pytest

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.ray


@pytest.fixture(scope="module")
def cluster():
    environment = {"env_vars": {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment)
    yield
    ray.shutdown()


JOB = fm.Job(rw="randrw", bs="4k", size="1m", time_based=True, runtime="100ms")


def workers():
    """Processes that two tasks at once run in."""

    @ray.remote(num_cpus=1)
    def process():
        import time

        time.sleep(0.2)
        return os.getpid()

    return set(ray.get([process.remote() for _ in range(2)]))


def test_rows_are_those_of_this_computer_with_a_worker_killed(cluster, tmp_path):
    (tmp_path / "j.fio").write_text("[j]\nrw=randrw\nbs=4k\nsize=1m\ntime_based\nruntime=100ms\niodepth=${DEPTH}\n")
    fm.run("small", JOB, save=tmp_path / "worn.snap")
    what = {"job": fm.JobFile(tmp_path / "j.fio"), "from_snapshot": tmp_path / "worn.snap", "seeds": 2}
    grid = {"DEPTH": list(range(1, 25))}
    alive = workers()
    killed = []

    def kill_one(done, failed):
        if not killed and done >= 2:
            killed.append(alive.pop())
            os.kill(killed[0], signal.SIGKILL)

    far = fm.sweep(grid, **what, engine="ray", out=tmp_path / "far", progress=kill_one)
    assert killed and not os.path.exists(f"/proc/{killed[0]}/fd/0"), "no worker was killed"
    near = fm.sweep(grid, **what, out=tmp_path / "near")
    assert far.failed == 0 and len(far) == 48
    assert far.to_dict() == near.to_dict()
    for name in ("results.csv", "results.parquet", "summary.csv"):
        assert (tmp_path / "far" / name).read_bytes() == (tmp_path / "near" / name).read_bytes(), name


def test_a_point_that_fails_is_a_row_and_a_sweep_that_cannot_be_is_an_error(cluster):
    table = fm.sweep({"geometry.ways": [1, 0]}, board="small", job=JOB, engine="ray")
    assert table.failed == 1 and "geometry.ways: found 0" in table["error"][1]
    with pytest.raises(fm.InputError, match="found no nowhere.toml"):
        fm.sweep({"iodepth": [1]}, board="nowhere.toml", job=JOB, engine="ray")
