"""Plots by Altair and matplotlib, and what notebooks complete."""

import sys

import firmament as fm
import pytest


@pytest.fixture(params=["altair", "matplotlib"])
def library(request):
    pytest.importorskip(request.param)
    return request.param


def lines(plot, library):
    """Places and values by name of the line."""
    if library == "matplotlib":
        [axes] = plot.axes
        return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines}
    found = {}
    for row in plot.to_dict()["data"]["values"]:
        places, values = found.setdefault(row["of"], ([], []))
        places.append(row["x"])
        values.append(row["y"])
    return found


def test_the_plot_of_latencies_has_all_samples(mixed, library):
    drawn = lines(mixed.plot(library=library), library)
    assert set(drawn) == {"job1 read", "job1 write"}
    table = mixed.latencies("write")
    places, shares = drawn["job1 write"]
    assert len(places) == len(table) + 1 > 18, "no more points than fio has percentiles"
    assert places[1:] == [latency / 1e3 for latency in table["latency_ns"]]
    assert shares[0] == 0 and shares[-1] == 100 and shares == sorted(shares)


def test_lines_have_steps(mixed, library):
    plot = mixed.plot("latency", library=library)
    if library == "matplotlib":
        assert {line.get_drawstyle() for line in plot.axes[0].lines} == {"steps-post"}
        assert plot.axes[0].get_xscale() == "log"
    else:
        assert plot.to_dict()["mark"]["interpolate"] == "step-after"


def test_rates_add_up_to_requests(mixed, library):
    places, rates = lines(mixed.plot("rate", library=library), library)["read"]
    series = mixed.series
    spans = [(end - begin) / 1e12 for begin, end in zip(series["begin_ps"], series["end_ps"])]
    assert sum(rate * span for rate, span in zip(rates, spans)) == pytest.approx(mixed.read.requests)
    assert places == sorted(places)


def test_causes_stack_up_to_the_mean(mixed, library):
    plot = mixed.plot("causes", library=library)
    if library == "altair":
        values = [row["y"] for row in plot.to_dict()["data"]["values"] if row["x"] == "job1 read"]
        height = sum(values)
    else:
        height = max(bar.get_y() + bar.get_height() for bar in plot.axes[0].patches if bar.get_x() < 0.5)
    assert height == pytest.approx(mixed.read.clat.mean_ns / 1e3, rel=1e-6)


def test_what_cannot_be_drawn_is_told_in_a_line(mixed, monkeypatch):
    with pytest.raises(fm.InputError, match="plot: found 'speed', expected one of latency, rate, causes"):
        mixed.plot("speed")
    with pytest.raises(fm.InputError, match="library: found 'gnuplot', expected one of altair, matplotlib"):
        mixed.plot(library="gnuplot")
    for name in ("altair", "matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(fm.InputError, match=r"plot: found no package altair or matplotlib, expected it \(pip install altair\)"):
        mixed.plot()


def test_keys_and_columns_are_completed(mixed):
    board = fm.Board("small")
    assert "geometry.ways" in board._ipython_key_completions_()
    assert mixed._ipython_key_completions_() == ["job1"]
    assert "clat_ps" in mixed.requests._ipython_key_completions_()
