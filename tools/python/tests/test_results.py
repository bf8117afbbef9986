"""Results that leave the process that made them: pickled, as JSON, beside others."""

import json
import multiprocessing
import pickle
import subprocess
import sys

import firmament as fm
import pytest
from conftest import bytes_but_speed

JOB = fm.Job(rw="randrw", bs="4k", iodepth=4, size="1m")


def test_a_result_is_pickled_with_its_tables(mixed):
    again = pickle.loads(pickle.dumps(mixed))
    # The speed of the computer is worked out of rounded figures.
    assert bytes_but_speed(again.json) == bytes_but_speed(mixed.json) and again.jobs == mixed.jobs
    assert again.requests == mixed.requests and again.timeline == mixed.timeline
    assert again.monitor == mixed.monitor and again.ways == mixed.ways and again.causes == mixed.causes
    assert again.requests.to_pyarrow().schema == mixed.requests.to_pyarrow().schema
    assert without_speed(again.text()) == without_speed(mixed.text()) and len(again.html()) > 10_000


def without_speed(text):
    return [line for line in text.splitlines() if "CPU" not in line]


def run(seed):
    return fm.run("small", JOB, seed=seed)


def test_processes_hand_results_over():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        results = pool.map(run, [1, 2])
    assert [result.seed for result in results] == [1, 2]
    assert results[0].jobs == run(1).jobs


def test_a_report_is_loaded(mixed, program, tmp_path):
    path = tmp_path / "report.json"
    path.write_text(mixed.json)
    loaded = fm.load(path)
    assert bytes_but_speed(loaded.json) == bytes_but_speed(mixed.json) == bytes_but_speed(fm.load(mixed.json).json)
    assert loaded.jobs == mixed.jobs and loaded.monitor == mixed.monitor
    assert loaded.requests is None and loaded.timeline is None
    assert loaded.latencies("read") == mixed.latencies("read")
    ran = program("run", "small", "--rw=randread", "--bs=4k", "--size=64k", "--json", "theirs.json", where=tmp_path)
    assert ran.returncode == 0 and fm.load(tmp_path / "theirs.json").read.requests == 16


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (None, "found No such file or directory, expected a JSON report"),
        ("no JSON", "report: found expected"),
        ('{"jobs": []}', "firmament: found nothing, expected a JSON report of firmament run"),
        (b"\xff\xfe", "found bytes that are no text, expected a JSON report"),
    ],
)
def test_what_is_no_report_is_told_in_a_line(tmp_path, content, line):
    path = tmp_path / "report.json"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(fm.InputError) as error:
        fm.load(path)
    assert str(error.value).startswith(f"{path}: ") and line in str(error.value) and "\n" not in str(error.value)


@pytest.fixture(scope="module")
def two():
    lru = fm.run("small", JOB, seeds=4)
    fifo = fm.run(fm.Board("small").set("geometry.ways", 1), JOB, seeds=4)
    return lru, fifo


def test_a_comparison_is_the_programs(two, program, tmp_path):
    for nth, result in enumerate(two):
        (tmp_path / f"{nth}.json").write_text(result.json)
    told = program("compare", "0.json", "1.json", "--html", "page.html", where=tmp_path)
    assert told.returncode == 0, told.stderr
    compared = fm.compare({"0.json": two[0], "1.json": two[1]})
    assert compared.text() == told.stdout and compared.html() == (tmp_path / "page.html").read_text()
    assert compared.settings["geometry.ways"] == ["2", "1"]


def test_differences_are_taken_seed_by_seed(two):
    table = fm.compare(*two).table
    assert set(table["seeds"]) == {4} and set(table["result"]) == {"result 2"}
    def name(figure):
        return " ".join(filter(None, (figure.get("job"), figure["direction"], figure["figure"])))

    first, other = ({name(own): own["values"] for own in result.over_seeds["figures"]} for result in two)
    assert {"job1 read p50", "job1 read p99.9", "job1 write flash busy", "waf"} <= set(table["figure"])
    for row in table.rows():
        # A cause that did not come up took no time.
        own, its = (values.get(row["figure"], [0.0] * 4) for values in (first, other))
        differences = [b - a for a, b in zip(own, its)]
        mean = sum(differences) / 4
        if row["first"] == 0.0:
            assert row["change_percent"] is None
            continue
        assert row["change_percent"] == pytest.approx(100 * mean / abs(row["first"]))
        deviation = (sum((one - mean) ** 2 for one in differences) / 3) ** 0.5
        # Student's t with three degrees of freedom, 97.5 %.
        half = 3.182446 * deviation / 2
        assert row["half_width_percent"] == pytest.approx(100 * half / abs(row["first"]), rel=1e-4)
        assert row["is_shown"] == (abs(row["change_percent"]) > row["half_width_percent"])
    assert any(table["is_shown"])


def test_reports_of_files_and_lists_are_compared(two, tmp_path):
    (tmp_path / "one.json").write_text(two[0].json)
    by_path = fm.compare(tmp_path / "one.json", two[1])
    assert by_path.table.to_dict() == fm.compare(list(two)).table.to_dict()
    single = fm.compare(fm.run("small", JOB), fm.run("small", JOB, seed=2)).table
    assert set(single["half_width_percent"]) == {None} and not any(single["is_shown"])
    with pytest.raises(fm.InputError, match="found 1, expected two results or more"):
        fm.compare(two[0])
    with pytest.raises(fm.InputError, match="found int, expected results"):
        fm.compare(two[0], 1)


def test_a_pickled_result_needs_nothing_else(mixed, tmp_path):
    (tmp_path / "result").write_bytes(pickle.dumps(mixed))
    text = f"import pickle; print(len(pickle.load(open({str(tmp_path / 'result')!r}, 'rb')).requests))"
    assert subprocess.check_output([sys.executable, "-c", text], text=True).strip() == "256"
    assert json.loads(mixed.json)["jobs"]
