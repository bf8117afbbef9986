import json
import os
import threading
import time

import firmament as fm
import pytest
from conftest import bytes_but_speed
from interrupted import interrupted

JOB = fm.Job(rw="randrw", bs="4k", iodepth=4, size="1m")
ARGUMENTS = ["--rw=randrw", "--bs=4k", "--iodepth=4", "--size=1m"]


def reported(program, folder, *arguments):
    ran = program("run", *arguments, "--json", "report.json", where=folder)
    assert ran.returncode == 0, ran.stderr
    return (folder / "report.json").read_text()


def test_the_report_is_the_programs_to_the_byte(program, tmp_path):
    arguments = ["small", *ARGUMENTS, "--seed=7", "--set", "ftl.victim=cost-benefit", "--precondition=random"]
    told = reported(program, tmp_path, *arguments)
    result = fm.run(fm.Board("small").set("ftl.victim", "cost-benefit"), JOB, seed=7, precondition="random")
    assert bytes_but_speed(result.json) == bytes_but_speed(told)
    assert result.seed == 7 and result.to_dict()["firmament"]["provenance"]["commit"] == fm.COMMIT


def test_a_job_file_and_the_monitor_and_an_end_by_figures(program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.fio").write_text(
        "[global]\nbs=4k\nsize=2m\niodepth=8\ntime_based\nruntime=10ms\n[a]\nrw=randread\n[b]\nrw=randwrite\n"
    )
    extra = ["--until=converged:error=20%", "--payload=full", "--monitor=m.jsonl", "--monitor-interval=500us"]
    told = reported(program, tmp_path, "small", "two.fio", *extra)
    how = {"until": "converged:error=20%", "payload": "full", "monitor": "500us"}
    result = fm.run("small", fm.JobFile("two.fio"), **how)
    assert bytes_but_speed(result.json) == bytes_but_speed(told)
    assert result["a"].read.requests > 0 and result["b"].write.requests > 0


def test_means_over_seeds_are_the_programs(program, tmp_path):
    told = reported(program, tmp_path, "small", *ARGUMENTS, "--seed=5", "--seeds=3")
    result = fm.run("small", JOB, seed=5, seeds=3)
    assert bytes_but_speed(result.json) == bytes_but_speed(told)
    assert result.over_seeds["seeds"] == [5, 6, 7] and fm.run("small", JOB).over_seeds is None
    for wrong in (0, -1, 10_001):
        with pytest.raises(fm.InputError, match=f"seeds: found {wrong}, expected a whole number from 1 to 10000"):
            fm.run("small", JOB, seeds=wrong)


def test_jobs_of_a_list_run_side_by_side(program, tmp_path):
    told = reported(program, tmp_path, "small", "--name=job1", *ARGUMENTS, "--name=two", "--rw=read", "--bs=8k")
    result = fm.run("small", [JOB, fm.Job(rw="read", bs="8k", name="two")])
    assert bytes_but_speed(result.json) == bytes_but_speed(told)
    assert [job.name for job in result.jobs] == ["job1", "two"]
    with pytest.raises(ValueError, match="job1, two"):
        result.read


def test_a_drive_is_kept_and_gone_on_with(program, tmp_path):
    for name, save in [("theirs", True), ("ours", False)]:
        if save:
            assert program("run", "small", *ARGUMENTS, "--save", name, where=tmp_path).returncode == 0
        else:
            fm.run("small", JOB, save=tmp_path / name)
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    told = reported(program, tmp_path, "--from", "ours", *ARGUMENTS)
    os.chdir(tmp_path)
    result = fm.run(None, JOB, from_snapshot="ours")
    assert bytes_but_speed(result.json) == bytes_but_speed(told)


def test_results_are_dataclasses(mixed):
    job = mixed.jobs[0]
    assert job.read.requests + job.write.requests == 256
    assert job.trim is None and job.error == 0
    assert job.read.bytes == job.read.requests * 4096
    assert job.read.clat.min_ns <= job.read.clat.percentile_ns(50) <= job.read.clat.max_ns
    assert job.options["iodepth"] == "4"
    assert mixed.read == job.read and mixed.write_amplification > 0
    assert json.loads(mixed.json) == mixed.to_dict()


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        (lambda: fm.run("small", fm.Job(rw="randread", bs="3")), ["small", "--rw=randread", "--bs=3"]),
        (lambda: fm.run("small", fm.Job(rw="sideways")), ["small", "--rw=sideways"]),
        (lambda: fm.run("small", fm.Job(iodepht=4, rw="read")), None),
        (lambda: fm.run("nothing", fm.Job(rw="read")), ["nothing", "--rw=read"]),
        (lambda: fm.run("small", "none.fio"), ["small", "none.fio"]),
        (lambda: fm.run("small", fm.Job(rw="read"), precondition="worn"), None),
        (lambda: fm.run("small", fm.Job(rw="read"), until="soon"), None),
        (lambda: fm.run("small", fm.Job(rw="read"), monitor="1"), None),
        (lambda: fm.run("small", fm.Job(rw="read"), timeline="2..1"), None),
        (lambda: fm.run("small", fm.Job(rw="read"), from_snapshot="none.snap"), None),
        (lambda: fm.run("small", fm.Job(rw="read"), seeds=0), None),
        (lambda: fm.run("cosmos-plus-ocssd", fm.Job(rw="read"), precondition="random"), None),
        (lambda: fm.run("small", [1, 2]), None),
        (lambda: fm.run("small", fm.Job(rw=[1])), None),
    ],
)
def test_what_is_wrong_is_one_line(program, call, arguments):
    with pytest.raises(fm.InputError) as error:
        call()
    line = str(error.value)
    assert "\n" not in line and "expected" in line and "--" not in line
    if arguments:
        told = program("run", *arguments)
        assert (told.returncode, told.stderr) == (2, f"firmament: {line}\n")


def test_a_drive_that_fails_raises_and_has_a_result():
    bits = {"errors.raw_bits_per_terabit": 10**11}
    with pytest.raises(fm.DriveError, match="error 61") as error:
        fm.run(fm.Board("small", bits), fm.Job(rw="read", bs="4k", size="1m"))
    assert error.value.result.jobs[0].error == 61


def test_python_goes_on_while_a_run_runs():
    seen = []

    def begin():
        job = fm.Job(rw="randread", bs="4k", iodepth=4, size="1m", time_based=True, runtime="2s")
        seen.append(fm.run("small", job, progress=lambda *told: seen.append(told)))

    thread = threading.Thread(target=begin)
    thread.start()
    turns = 0
    while thread.is_alive():
        turns += 1
        time.sleep(0.001)
    told = [one for one in seen if isinstance(one, tuple)]
    assert turns > 20, "the run has kept Python to itself"
    assert len(told) > 2 and {what for what, *_ in told} >= {"running"}
    fractions = [fraction for what, fraction, *_ in told if what == "running"]
    assert fractions == sorted(fractions)


def test_what_progress_raises_ends_the_run():
    class Enough(Exception):
        pass

    def enough(*_):
        raise Enough

    began = time.monotonic()
    with pytest.raises(Enough):
        fm.run("small", fm.Job(rw="randread", bs="4k", size="1m", time_based=True, runtime="1h"), progress=enough)
    assert time.monotonic() - began < 30


HOW_LONG = ["time_based=True, runtime='1h'), seeds=None", "number_ios=3_000), seeds=10_000"]


@pytest.mark.parametrize("how", HOW_LONG, ids=["one", "seeds"])
def test_an_interrupt_ends_a_run(how):
    text = (
        "import firmament as fm\n"
        "try:\n"
        "    show = lambda *told: print(*told, flush=True)\n"
        f"    fm.run('small', fm.Job(rw='randread', bs='4k', size='1m', io_size='1g', {how}, progress=show)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    # By then the first seed is through, and others run.
    lines, code = interrupted(text, pause_s=0.3)
    assert lines[-1] == "interrupted" and code == 0


@pytest.mark.parametrize("how", HOW_LONG, ids=["one", "seeds"])
def test_an_interrupt_gives_what_was_done(how):
    text = (
        "import firmament as fm\n"
        "try:\n"
        "    show = lambda *told: print(*told, flush=True)\n"
        f"    fm.run('small', fm.Job(rw='randread', bs='4k', size='1m', io_size='1g', {how}, progress=show, requests=True)\n"
        "except fm.Interrupted as interrupted:\n"
        "    result = interrupted.result\n"
        "    print(result.read.requests, len(result.requests), result.over_seeds, result.drive['cut'], flush=True)\n"
    )
    lines, code = interrupted(text, pause_s=0.3)
    requests, kept, over, *cut = lines[-1].split()
    assert code == 0 and int(requests) == int(kept) > 0 and over == "None"
    # Of several seeds the first is done, and no part of it is left out.
    assert cut == ["None"] if "number_ios" in how else cut[:2] == ["{'signal':", "2,"]


def test_an_interrupted_drive_is_as_the_part_that_was_done_has_left_it():
    text = (
        "import firmament as fm\n"
        "drive = fm.Drive('small')\n"
        "job = dict(rw='randwrite', bs='4k', size='1m')\n"
        "try:\n"
        "    show = lambda *told: print(*told, flush=True)\n"
        "    drive.run(fm.Job(time_based=True, runtime='1h', **job), progress=show)\n"
        "except fm.Interrupted as interrupted:\n"
        "    result = drive.run(fm.Job(**job))\n"
        "    print(drive.runs, result.write.requests, flush=True)\n"
    )
    lines, code = interrupted(text, pause_s=0.1)
    assert code == 0 and lines[-1] == "2 256"


def test_logs_are_written_as_jobs_ask(tmp_path):
    os.chdir(tmp_path)
    job = fm.Job(rw="randread", bs="4k", size="64k", write_lat_log="w")
    fm.run("small", job, logs=False)
    assert not list(tmp_path.iterdir())
    fm.run("small", job)
    assert len((tmp_path / "w_clat.1.log").read_text().splitlines()) == 16


def test_options_of_fio_are_completed(program):
    """An argument for each option that a run acts on, which notebooks and shells ask for by the signature."""
    import inspect

    known = fm.fio_options()
    assert {"rw", "iodepth", "bs", "blocksize", "readwrite", "random_distribution"} <= set(known) and len(known) > 100
    told = program("reference", "fio-options", "honoured").stdout if program else ""
    for name in ("iodepth", "random_distribution"):
        assert known[name] in told
    parameters = inspect.signature(fm.Job).parameters
    assert set(known) <= {name.removesuffix("_") for name in parameters}
    # An option that is not among them is for the run to judge, as ever.
    assert fm.Job(iodepht=4).options == (("iodepht", "4"),)
