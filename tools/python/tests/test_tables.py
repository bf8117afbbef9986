import sys

import firmament as fm
import pyarrow as pa
import pytest


def test_requests_are_those_that_were_counted(mixed):
    table = mixed.requests.to_dict()
    reads = [clat for clat, way in zip(table["clat_ps"], table["direction"]) if way == "read"]
    assert len(mixed.requests) == 256 and len(reads) == mixed.read.requests
    told = mixed.read.clat
    assert min(reads) // 1000 == told.min_ns and max(reads) // 1000 == told.max_ns
    assert sum(reads) / len(reads) / 1000 == pytest.approx(told.mean_ns, rel=1e-6)
    assert table["end_ps"] == sorted(table["end_ps"])
    assert set(table["length_bytes"]) == {4096} and set(table["job"]) == {mixed.jobs[0].name}
    assert all(offset % 4096 == 0 and offset < 1 << 20 for offset in table["offset_bytes"])


def test_keeping_requests_changes_nothing(mixed):
    job = fm.Job(rw="randrw", bs="4k", iodepth=4, size="1m")
    plain = fm.run("small", job, monitor="100us")
    assert plain.requests is None and plain.timeline is None
    assert plain.to_dict()["jobs"] == mixed.to_dict()["jobs"]


def test_pyarrow_reads_a_table_where_it_lies(mixed):
    table = mixed.requests
    first, second = pa.table(table), pa.table(table)
    assert first.column_names == table.column_names
    assert first["clat_ps"].to_pylist() == table["clat_ps"]
    assert first["direction"].to_pylist() == table["direction"]

    def address(read):
        return read["clat_ps"].chunk(0).buffers()[1].address

    assert address(first) == address(second), "a column was copied"
    assert pa.schema(table) == first.schema


def test_a_table_outlives_its_result():
    result = fm.run("small", fm.Job(rw="read", bs="4k", size="64k"), requests=True)
    table = pa.table(result.requests)
    expected = table["clat_ps"].to_pylist()
    del result
    assert table["clat_ps"].to_pylist() == expected and len(expected) == 16


def test_polars_reads_a_table(mixed):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(mixed.requests)
    assert frame["clat_ps"].to_list() == mixed.requests["clat_ps"]
    assert mixed.monitor.to_polars().shape == (len(mixed.monitor), len(mixed.monitor.column_names))


def test_the_monitor_counts_what_the_report_counts(mixed):
    table = mixed.monitor.to_dict()
    assert len(mixed.monitor) > 3 and table["begin_ps"][1:] == table["end_ps"][:-1]
    spans = [end - begin for begin, end in zip(table["begin_ps"], table["end_ps"])]
    reads = sum(rate * span / 1e12 for rate, span in zip(table["read_iops"], spans))
    assert reads == pytest.approx(mixed.read.requests, rel=0.1)
    assert all(len(row) == fm.Board("small")["geometry.channels"] for row in table["channel_busy"])
    assert pa.table(mixed.monitor)["way_busy"].to_pylist() == table["way_busy"]


def test_the_timeline_has_what_the_program_draws(mixed, program, tmp_path):
    import json

    arguments = ["--rw=randrw", "--bs=4k", "--iodepth=4", "--size=1m", "--timeline", "t.json", "--timeline-window=0..300us"]
    assert program("run", "small", *arguments, where=tmp_path).returncode == 0
    drawn = [event for event in json.loads((tmp_path / "t.json").read_text())["traceEvents"] if event["ph"] == "X"]
    table = mixed.timeline.to_dict()
    assert len(mixed.timeline) == len(drawn) > 50
    ours = [(round(begin / 1e6, 6), what) for begin, what in zip(table["begin_ps"], table["what"])]
    assert ours == [(event["ts"], event["name"]) for event in drawn]
    commands = [event.get("args", {}).get("command") for event in drawn]
    assert table["command"] == commands and any(commands)
    assert set(table["track"]) == {"bus", "way", "firmware", "from host", "to host"}


def test_the_map_of_ways_is_the_reports(mixed):
    ways = mixed.ways.to_dict()
    told = mixed.drive["way_utilization"]
    assert [told[channel][way] for channel, way in zip(ways["channel"], ways["way"])] == pytest.approx(ways["busy"], abs=1e-6)
    assert max(ways["busy"]) > 0
    with pytest.raises(KeyError):
        mixed.ways["speed"]


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
def test_a_library_that_is_not_there_is_told_in_a_line(mixed, library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(fm.InputError, match=rf"^table: found no package {library}, expected it \(pip install {library}\)$"):
        getattr(mixed.ways, f"to_{library}")()


def test_a_notebook_shows_results_and_tables(mixed):
    page = mixed._repr_html_()
    assert page.count("<svg") == 2 and "randrw" not in page and "p99 us" in page
    assert f"{mixed.read.iops:,.0f}" in page
    assert mixed.monitor._repr_html_().startswith("<table>")
    assert "<script" not in page
    assert "read:" in repr(mixed) and repr(mixed.ways).startswith("<Table of")
    assert mixed.html().startswith("<!") and "IOPS" in mixed.text()
