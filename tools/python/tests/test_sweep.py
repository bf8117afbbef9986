import firmament as fm
import pyarrow as pa
import pytest
from interrupted import interrupted

JOB = fm.Job(rw="randrw", bs="4k", size="1m", number_ios=100)
GRID = {"iodepth": [1, 4], "ftl.victim": ["greedy", "cost-benefit"]}
FILE = """
board = "small"
seeds = 2
[options]
rw = "randrw"
bs = "4k"
size = "1m"
number_ios = 100
[grid]
iodepth = [1, 4]
"ftl.victim" = ["greedy", "cost-benefit"]
"""


def test_tables_are_the_programs_to_the_byte(program, tmp_path):
    (tmp_path / "s.toml").write_text(FILE)
    ran = program("sweep", "s.toml", "--out", "theirs", where=tmp_path)
    assert ran.returncode == 0, ran.stderr
    by_file = fm.sweep(tmp_path / "s.toml", out=tmp_path / "file")
    by_grid = fm.sweep(GRID, board="small", job=JOB, seeds=2, out=tmp_path / "grid", workers=1)
    for name in ("results.csv", "results.parquet", "summary.csv"):
        told = (tmp_path / "theirs" / name).read_bytes()
        assert (tmp_path / "file" / name).read_bytes() == told, name
        assert (tmp_path / "grid" / name).read_bytes() == told, name
    assert by_file.to_dict() == by_grid.to_dict()
    assert (by_file.points, by_file.failed, len(by_file), by_file.name) == (8, 0, 8, "s")


def test_a_table_has_the_columns_of_the_files(tmp_path):
    table = fm.sweep(GRID, board="small", job=JOB, out=tmp_path)
    header, *rows = (tmp_path / "results.csv").read_text().splitlines()
    assert table.column_names == header.split(",")
    arrow = table.to_pyarrow()
    assert arrow.schema.field("point").type == pa.int64() and not arrow.schema.field("point").nullable
    assert table["iodepth"] == [1, 4, 1, 4] and table["ftl.victim"][:2] == ["greedy"] * 2
    iops = [float(row.split(",")[header.split(",").index("read_iops")]) for row in rows]
    assert arrow["read_iops"].to_pylist() == iops and min(iops) > 0


def test_a_row_is_the_run_of_its_point():
    table = fm.sweep({"iodepth": [4]}, board=fm.Board("small").set("geometry.ways", 2), job=JOB, seeds=[3])
    result = fm.run(fm.Board("small").set("geometry.ways", 2), fm.Job(**dict(JOB.options), iodepth=4), seed=3)
    assert table["read_iops"] == [pytest.approx(result.read.iops, rel=1e-6)]
    assert table["seed"] == [3] and table["board_sha256"] == [fm.Board("small", {"geometry.ways": 2}).sha256]


def test_a_function_gives_points():
    def points():
        for depth in (1, 2):
            yield {"iodepth": depth, "geometry.ways": depth}

    table = fm.sweep(points, board="small", job=JOB)
    assert table["iodepth"] == [1, 2] and table["geometry.ways"] == [1, 2]
    assert len(set(table["board_sha256"])) == 2
    listed = fm.sweep(list(points()), board="small", job=JOB)
    assert listed.to_dict() == table.to_dict()


def test_a_job_file_and_a_snapshot(tmp_path):
    fm.run("small", JOB, save=tmp_path / "worn.snap")
    (tmp_path / "j.fio").write_text("[j]\nrw=randread\nbs=4k\nsize=1m\niodepth=${DEPTH}\n")
    job = fm.JobFile(tmp_path / "j.fio")
    table = fm.sweep({"DEPTH": [1, 8]}, from_snapshot=tmp_path / "worn.snap", job=job)
    assert table.failed == 0 and table["read_iops"][1] > table["read_iops"][0] > 0


def test_what_is_wrong_at_a_point_is_in_its_row(program, tmp_path):
    table = fm.sweep({"geometry.ways": [1, 0]}, board="small", job=JOB)
    assert table.failed == 1
    assert table["error"][0] is None and "geometry.ways: found 0" in table["error"][1]
    assert table["read_iops"][1] is None


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: fm.sweep({"iodepth": []}, board="small", job=JOB), 'sweep: grid."iodepth": found an empty list'),
        (lambda: fm.sweep({"iodepth": 1}, board="small", job=JOB), 'sweep: grid."iodepth": found 1'),
        (lambda: fm.sweep({"iodepth": [1]}, board="small"), "sweep: job: found nothing"),
        (lambda: fm.sweep({"iodepth": [1]}, job=JOB, seeds=0), "sweep: seeds: found 0"),
        (lambda: fm.sweep({"iodepth": [1]}, job=JOB, engine="slurm"), "engine: found 'slurm'"),
        (lambda: fm.sweep("none.toml"), "none.toml: found"),
        (lambda: fm.sweep("none.toml", job=JOB), "sweep: found settings beside"),
        (lambda: fm.sweep({"iodepth": [1]}, job="x"), "job: found str"),
    ],
)
def test_what_is_wrong_as_a_whole_is_one_line(call, line):
    with pytest.raises(fm.InputError) as error:
        call()
    assert str(error.value).startswith(line) and "expected" in str(error.value)


def test_a_sweep_goes_on_where_it_was_ended(tmp_path):
    class Enough(Exception):
        pass

    def stop(done, failed):
        if done >= 1:
            raise Enough

    grid = {"iodepth": list(range(1, 65))}
    job = fm.Job(rw="randread", bs="4k", size="1m", time_based=True, runtime="100ms")
    with pytest.raises(Enough):
        fm.sweep(grid, board="small", job=job, out=tmp_path, workers=1, progress=stop)
    before = len((tmp_path / "rows.jsonl").read_text().splitlines()) - 1
    assert 1 <= before < 64
    seen = []
    table = fm.sweep(grid, board="small", job=job, out=tmp_path, progress=lambda done, failed: seen.append(done))
    assert seen[0] == before and seen[-1] == len(table) == 64


def test_a_sweep_is_a_cube(tmp_path):
    pytest.importorskip("xarray")
    table = fm.sweep(GRID, board="small", job=JOB, seeds=2)
    cube = table.to_xarray()
    assert dict(cube.sizes) == {"iodepth": 2, "ftl.victim": 2, "seed": 2}
    for row in table.rows():
        place = {"iodepth": row["iodepth"], "ftl.victim": row["ftl.victim"], "seed": row["seed"]}
        assert float(cube["read_iops"].sel(place)) == row["read_iops"]
    deep = [row["read_iops"] for row in table.rows() if row["iodepth"] == 4 and row["ftl.victim"] == "greedy"]
    mean = cube["read_iops"].mean("seed").sel({"iodepth": 4, "ftl.victim": "greedy"})
    assert float(mean) == pytest.approx(sum(deep) / 2)
    some = fm.sweep([{"iodepth": 1, "bs": "4k"}, {"iodepth": 2, "bs": "8k"}], board="small", job=JOB).to_xarray()
    assert dict(some.sizes) == {"iodepth": 2, "bs": 2} and int(some["read_iops"].isnull().sum()) == 2
    with pytest.raises(fm.InputError, match="found two points with the same values"):
        fm.sweep([{"iodepth": 1}, {"iodepth": 1}], board="small", job=JOB).to_xarray()


def test_a_sweep_is_pickled():
    import pickle

    table = fm.sweep(GRID, board="small", job=JOB)
    again = pickle.loads(pickle.dumps(table))
    assert again == table and type(again) is fm.SweepResult
    assert (again.name, again.points, again.failed, again.seconds) == (table.name, 4, 0, table.seconds)


def test_an_interrupted_sweep_gives_the_rows_that_are_done():
    text = (
        "import firmament as fm\n"
        "job = fm.Job(rw='randread', bs='4k', size='1m', time_based=True, runtime='50ms')\n"
        "try:\n"
        "    fm.sweep({'iodepth': list(range(1, 5000))}, board='small', job=job, progress=lambda *t: print(*t, flush=True))\n"
        "except fm.Interrupted as interrupted:\n"
        "    table = interrupted.result\n"
        "    print(len(table), table.points, min(table['read_iops']) > 0, flush=True)\n"
    )
    lines, code = interrupted(text, pause_s=1.0)
    rows, points, has_figures = lines[-1].split()
    assert code == 0 and 0 < int(rows) < int(points) == 4999 and has_figures == "True"


def test_an_interrupt_ends_a_sweep():
    text = (
        "import firmament as fm\n"
        "job = fm.Job(rw='randread', bs='4k', size='1m', time_based=True, runtime='50ms')\n"
        "try:\n"
        "    fm.sweep({'iodepth': list(range(1, 5000))}, board='small', job=job, progress=lambda *t: print(*t, flush=True))\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    lines, code = interrupted(text, pause_s=0.5)
    assert lines[-1] == "interrupted" and code == 0
