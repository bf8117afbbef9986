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
    assert pa.schema(table) == table.to_pyarrow().schema
    assert pa.schema(table).types == first.schema.types


def test_a_table_is_a_mapping_of_columns(mixed):
    table = mixed.requests
    assert list(table) == table.columns == table.column_names == list(table.keys())
    assert "clat_ps" in table and "speed" not in table
    assert len(table) == 256 and all(len(column) == 256 for column in table.values())
    assert dict(**table)["clat_ps"] == table["clat_ps"] == table.to_dict()["clat_ps"]
    head = table.head(3)
    assert len(head) == 3 and head["clat_ps"] == table["clat_ps"][:3] and len(table.head()) == 5
    assert head.rows()[2]["clat_ps"] == table["clat_ps"][2]
    assert len(head["clat_ps"]) == 3 and table.head(1000) == table != head
    assert table.get("speed") is None and table["job"][-1] == mixed.jobs[0].name
    with pytest.raises(TypeError):
        table["speed"] = []
    with pytest.raises(TypeError):
        table.clear()
    assert table._ipython_key_completions_() == table.columns


def test_causes_of_a_request_are_its_latency(mixed):
    table = mixed.requests.to_dict()
    causes = [name for name in table if name.removesuffix("_ps") in set(mixed.causes["cause"])]
    assert len(causes) > 5
    for nth, clat in enumerate(table["clat_ps"]):
        assert sum(table[name][nth] for name in causes) == clat
    # As the report adds them up.
    writes = [nth for nth, way in enumerate(table["direction"]) if way == "write"]
    mean = sum(table["flash_busy_ps"][nth] for nth in writes) / len(writes) / 1000
    told = mixed.drive["jobs"][0]["write"]["causes_ns"]["flash_busy"]["mean"]
    assert mean == pytest.approx(told, rel=1e-6, abs=1e-6)


def test_causes_queues_and_time_are_tables(mixed):
    causes = [row for row in mixed.causes.rows() if row["direction"] == "read"]
    assert sum(row["share"] for row in causes) == pytest.approx(1, abs=1e-5)
    assert sum(row["mean_ns"] for row in causes) == pytest.approx(mixed.read.clat.mean_ns, rel=1e-6)
    parts = [row["mean_ns"] for row in mixed.parts.rows() if row["direction"] == "read"]
    assert sum(parts) == pytest.approx(mixed.read.clat.mean_ns, rel=1e-6)
    depths = [row for row in mixed.depths.rows() if row["of"] == "outstanding"]
    assert sum(row["percent"] for row in depths) == pytest.approx(100)
    assert next(row["percent"] for row in depths if row["requests"] == "4") > 90
    series = mixed.series
    assert sum(series["read_requests"]) == mixed.read.requests and "trim_requests" not in series
    assert sum(series["write_bytes"]) == mixed.write.bytes
    assert max(time for time in series["read_longest_ps"] if time is not None) // 1000 == mixed.read.clat.max_ns
    assert series["begin_ps"][1:] == series["end_ps"][:-1]
    assert {"causes", "series", "requests", "monitor", "timeline", "ways"} <= set(mixed.tables)


@pytest.fixture(scope="module")
def worn():
    """A run of two jobs that write more than the drive has room for, so that it collects."""
    how = {"bs": "4k", "iodepth": 4, "size": "16m"}
    jobs = [
        fm.Job(rw="randread", name="reads", io_size="1m", **how),
        fm.Job(rw="randwrite", name="writes", io_size="64m", norandommap=1, **how),
    ]
    return fm.run("small", jobs, precondition="sequential")


def test_the_drive_over_time_is_a_table(worn):
    table = worn.over_time
    assert table["from_s"][0] == 0 and table["from_s"][1:] == table["to_s"][:-1] and len(table) > 10
    assert sum(table["requests"]) == worn.drive["requests"]
    assert sum(table["erases"]) == worn.drive["erases"] > 0
    causes = [name for name in table if name.startswith("write_amplification_")]
    assert set(causes) == {
        f"write_amplification_{cause}" for cause in ("host", "partial_pages", "collection", "log", "wear", "refresh")
    }
    for row in table.rows():
        if row["write_amplification"] is not None:
            assert sum(row[name] for name in causes) == pytest.approx(row["write_amplification"], abs=1e-5)
        assert len(row["utilization_by_channel"]) == len(worn.channels)
        assert sum(row["utilization_by_channel"]) / len(worn.channels) == pytest.approx(row["channel_utilization"], abs=1e-5)
    assert max(amount for amount in table["write_amplification_collection"] if amount is not None) > 0
    assert pa.table(table).num_rows == len(table) and worn.tables["over_time"] == table


def test_latency_over_time_is_a_table(worn):
    table = worn.latency_over_time
    assert table["from_s"][0] == 0 and table["from_s"][1:] == pytest.approx(table["to_s"][:-1])
    assert table["from_s"][-1] <= worn.drive["simulated_s"] and worn.tables["latency_over_time"] == table
    assert [name for name in table if name.startswith("read")] == [
        f"read_{name}" for name in ("requests", "mean_ns", "p50_ns", "p99_ns", "p99_9_ns", "longest_ns")
    ]
    for way, told in (("read", worn["reads"].read), ("write", worn["writes"].write)):
        rows = [row for row in table.rows() if row[f"{way}_requests"]]
        assert sum(row[f"{way}_requests"] for row in rows) == told.requests
        total = sum(row[f"{way}_requests"] * row[f"{way}_mean_ns"] for row in rows)
        assert total / told.requests == pytest.approx(told.clat.mean_ns, rel=1e-6)
        assert max(table_value for table_value in table[f"{way}_longest_ns"] if table_value) == told.clat.max_ns
        for row in rows:
            spread = [row[f"{way}_{name}_ns"] for name in ("p50", "p99", "p99_9", "longest")]
            assert spread == sorted(spread)
    assert not any("trim" in name for name in table)


def test_queues_are_a_table(worn, mixed):
    rows = worn.queues.rows()
    assert [(row["queue"], row["jobs"], row["direction"]) for row in rows] == [(1, 1, "read"), (2, 1, "write")]
    for row, told in zip(rows, (worn["reads"].read, worn["writes"].write)):
        assert (row["requests"], row["bytes"], row["max_ns"]) == (told.requests, told.bytes, told.clat.max_ns)
        assert row["mean_ns"] == pytest.approx(told.clat.mean_ns)
        percentiles = [told.clat.percentile_ns(percent) for percent in (50, 99, 99.9)]
        assert [row[name] for name in ("p50_ns", "p99_ns", "p99_9_ns")] == percentiles
    assert mixed.queues is None and "queues" not in mixed.tables


def test_channels_are_a_table(worn):
    table, ways = worn.channels.to_dict(), worn.ways.rows()
    assert table["channel"] == [0, 1] == sorted({row["channel"] for row in ways})
    assert table["busy"] == worn.drive["channel_utilization"] and max(table["busy"]) > 0
    assert sum(table["pages_read"]) == worn.drive["flash_pages_read"]
    # Pages that cross a channel at the end are programmed later.
    assert sum(table["pages_programmed"]) == pytest.approx(worn.drive["flash_pages_programmed"], rel=1e-3)
    assert all(mean > 0 for mean in table["mean_queued_ns"] + table["mean_served_ns"])
    assert all(0 < p50 <= p99 <= p99_9 for p50, p99, p99_9 in zip(table["p50_ns"], table["p99_ns"], table["p99_9_ns"]))
    # An open-channel drive does not tell what its operations were for.
    plain = fm.run("cosmos-plus-ocssd", fm.Job(rw="randread", bs="4k", size="64k")).channels
    assert plain.columns == ["channel", "busy"] and len(plain) == 8


def test_blocks_are_tables(worn):
    board = fm.Board("small")
    blocks = dict(zip(*worn.blocks.to_dict().values()))
    assert worn.blocks.columns == ["kind", "blocks"]
    ways = board["geometry.channels"] * board["geometry.ways"]
    assert sum(blocks.values()) == ways * board["geometry.blocks_per_way"]
    shares, erases = worn.blocks_by_valid_share, worn.blocks_by_erases
    assert sum(shares["blocks"]) == blocks["closed"] > 0
    assert shares["from_share"][1:] == shares["to_share"][:-1] and (shares["from_share"][0], shares["to_share"][-1]) == (0, 1)
    assert sum(erases["blocks"]) == sum(count for kind, count in blocks.items() if kind not in ("spare", "bad_or_log"))
    assert [one + 1 for one in erases["most_erases"][:-1]] == erases["least_erases"][1:]
    there = [row for row in erases.rows() if row["blocks"]]
    told = worn.drive["block_erases"]
    assert there[0]["least_erases"] == told["min"] and there[-1]["least_erases"] <= told["max"] <= there[-1]["most_erases"]
    mean = sum(row["blocks"] * row["least_erases"] for row in erases.rows()) / sum(erases["blocks"])
    assert mean == pytest.approx(told["mean"], abs=erases["most_erases"][0] - erases["least_erases"][0] + 1e-6)
    names = {"blocks", "blocks_by_valid_share", "blocks_by_erases"}
    assert names <= set(worn.tables) and worn.tables["blocks"] == worn.blocks
    unseen = fm.run("openexpress", fm.Job(rw="randread", bs="4k", size="64k"))
    assert {getattr(unseen, name) for name in names} == {None} and not names & set(unseen.tables)


def test_no_column_has_a_number_of_fio_in_its_name(worn):
    names = [name for table in worn.tables.values() for name in table]
    assert names and not [name for name in names if not name.isidentifier()]


def test_whatever_has_the_form_of_a_table_is_one():
    from firmament import _report

    told = {
        "wear": [{"at_ps": 1, "erases": {"log": 2, "data": 3}}, {"at_ps": 4, "erases": {"log": 5}}],
        "pages_over_time": {"at_ps": [1, 2], "pages": {"host": [3, 4]}, "width_ps": 7},
        "write_amplification": 1.5,
        "channel_utilization": [0.5, 0.5],
        "odd": {"a": [1], "b": [1, 2]},
        "empty": [],
    }
    tables = _report.others({"firmament": told})
    assert {name: table.to_dict() for name, table in tables.items()} == {
        "wear": {"at_ps": [1, 4], "erases_log": [2, 5], "erases_data": [3, None]},
        "pages_over_time": {"at_ps": [1, 2], "pages_host": [3, 4], "width_ps": [7, 7]},
    }


def test_the_distribution_is_that_of_all_samples(mixed):
    table = mixed.latencies("write").to_dict()
    assert sum(table["requests"]) == mixed.write.requests and table["share"][-1] == 1
    assert table["latency_ns"] == sorted(table["latency_ns"])
    exact = sorted(
        clat / 1000 for clat, way in zip(mixed.requests["clat_ps"], mixed.requests["direction"]) if way == "write"
    )
    for latency, share in zip(table["latency_ns"], table["share"]):
        # Within a bin, which is 1 % wide.
        assert exact[round(share * len(exact)) - 1] == pytest.approx(latency, rel=0.011, abs=1)
    with pytest.raises(KeyError):
        mixed.latencies("trim")


def test_numpy_reads_a_column(mixed):
    numpy = pytest.importorskip("numpy")
    column = numpy.asarray(mixed.requests["clat_ps"])
    assert column.dtype == "uint64" and column.tolist() == list(mixed.requests["clat_ps"])
    assert numpy.asarray(mixed.requests.head(2)["clat_ps"]).tolist() == column[:2].tolist()
    assert numpy.asarray(mixed.requests["direction"])[0] == mixed.requests["direction"][0]
    assert numpy.mean(mixed.ways["busy"]) == pytest.approx(sum(mixed.ways["busy"]) / len(mixed.ways))


def test_pandas_reads_a_table(mixed):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(mixed.requests)
    assert list(frame.columns) == mixed.requests.columns and len(frame) == 256
    assert frame["clat_ps"].dtype == "uint64" and frame["clat_ps"].tolist() == mixed.requests["clat_ps"]
    assert frame["direction"].tolist() == mixed.requests["direction"]
    assert frame.equals(pandas.DataFrame(dict(mixed.requests)))
    assert len(pandas.DataFrame(mixed.monitor)) == len(mixed.monitor)


def test_a_table_outlives_its_result():
    result = fm.run("small", fm.Job(rw="read", bs="4k", size="64k"), requests=True)
    table = pa.table(result.requests)
    expected = table["clat_ps"].to_pylist()
    del result
    assert table["clat_ps"].to_pylist() == expected and len(expected) == 16


def test_polars_reads_a_table(mixed):
    polars = pytest.importorskip("polars")
    arrow = polars.from_arrow(mixed.requests)
    # What polars makes of Arrow's interface is a frame in older versions, and a series of rows in newer ones, whoever has it.
    assert isinstance(arrow, polars.Series) == isinstance(polars.from_arrow(polars.DataFrame(mixed.requests)), polars.Series)
    whole = polars.from_arrow(mixed.requests.to_pyarrow())
    for frame in (polars.DataFrame(mixed.requests), whole, arrow if isinstance(arrow, polars.DataFrame) else arrow.struct.unnest()):
        assert frame["clat_ps"].to_list() == mixed.requests["clat_ps"]
        assert frame["clat_ps"].dtype == polars.UInt64 and frame.shape == (256, len(mixed.requests.columns))
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


def test_a_timeline_is_around_what_the_run_has_shown(program, tmp_path):
    import json

    job = fm.Job(rw="randrw", bs="4k", iodepth=4, size="1m")
    arguments = ["--rw=randrw", "--bs=4k", "--iodepth=4", "--size=1m", "--timeline", "t.json"]
    requests = fm.run("small", job, requests=True).requests.rows()
    slowest = max(requests, key=lambda row: row["clat_ps"])
    for around in ("slowest", "p90", "0.2ms"):
        assert program("run", "small", *arguments, f"--timeline-around={around}", where=tmp_path).returncode == 0
        drawn = [event for event in json.loads((tmp_path / "t.json").read_text())["traceEvents"] if event["ph"] == "X"]
        result = fm.run("small", job, timeline=around)
        table = result.timeline.to_dict()
        ours = {(round(begin / 1e6, 6), what) for begin, what in zip(table["begin_ps"], table["what"])}
        assert len(ours) > 5 and ours <= {(event["ts"], event["name"]) for event in drawn}, around
        assert result.requests is None, "nobody asked for them"
        if around == "slowest":
            assert min(table["begin_ps"]) < slowest["end_ps"] - slowest["clat_ps"] / 2
            assert max(table["end_ps"]) > slowest["end_ps"] - slowest["clat_ps"] / 2


def test_a_drive_that_stays_is_recorded_as_it_was_before_the_run():
    job = fm.Job(rw="randwrite", bs="4k", iodepth=4, size="1m")
    drive = fm.precondition("small")
    kept = drive.copy()
    around, plain = fm.run(drive, job, timeline="slowest"), fm.run(kept, job, requests=True)
    assert around.write == plain.write
    slowest = max(plain.requests.rows(), key=lambda row: row["clat_ps"])
    middle = slowest["end_ps"] - slowest["clat_ps"] // 2
    assert min(around.timeline["begin_ps"]) < middle < max(around.timeline["end_ps"])
    again = [fm.run(one, job).write for one in (drive, kept)]
    assert again[0] == again[1], "the second time has left no trace"


def test_what_runs_once_or_has_nothing_of_the_kind_is_told():
    def once(drive):
        yield fm.read(0, 4096)

    with pytest.raises(fm.InputError, match="timeline: found slowest, expected a window, as a program's generator runs once"):
        fm.host("small", once, timeline="slowest")
    with pytest.raises(fm.InputError, match="timeline: found collection, expected slowest"):
        fm.run("small", fm.Job(rw="read", size="64k"), timeline="collection")
    with pytest.raises(fm.InputError, match='timeline: found "fastest", expected .* slowest'):
        fm.run("small", fm.Job(rw="read"), timeline="fastest")


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
