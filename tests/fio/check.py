"""Whether tools made for fio read what firmament run writes, and get the numbers that its JSON has.

Exit code 0: they do. 1: they do not. 3: the tools cannot be had here, as without network.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from tools import CannotRun, Tools  # noqa: E402

DEPTHS = [1, 8]
CLONES = [1, 2]
PNG = b"\x89PNG\r\n"
# What fio-plot takes out of reports: rows of depth, clones and numbers.
READ_REPORTS = """
import json, sys
from fio_plot.fiolib import defaultsettings, jsonimport, jsonparsing
settings = defaultsettings.get_default_settings()
depths, clones = [1, 8], [1, 2]
settings.update(input_directory=["."], rw="randread", iodepth=depths, numjobs=clones, filter=["read"])
data = jsonimport.import_json_dataset(settings, jsonimport.list_json_files(settings))
print(json.dumps(jsonparsing.parse_json_data(settings, data)[0]["data"], default=str))
"""


def check(holds, what):
    if not holds:
        raise SystemExit(f"fio's tools: {what}")


def near(found, expected, share, what):
    check(abs(found - expected) <= share * abs(expected), f"{what}: found {found}, expected {expected}")


class Runs:
    """Runs of firmament, and their files, in one directory."""

    def __init__(self, firmament, directory):
        self.firmament = os.path.abspath(firmament)
        self.directory = directory
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory)

    def run(self, name, *options, form="json"):
        """The JSON of a run of these options of fio."""
        command = [self.firmament, "run", "small", f"--output-format={form}", f"--output={name}.json"]
        ran = subprocess.run(command + list(options), cwd=self.directory, capture_output=True, text=True)
        check(ran.returncode == 0, f"{' '.join(options)}: {ran.stderr}")
        return json.load(open(f"{self.directory}/{name}.json"))

    def rows(self, name):
        """The numbers of a log."""
        lines = open(f"{self.directory}/{name}").read().splitlines()
        return [[int(cell, 0) for cell in line.split(", ")] for line in lines]

    def is_picture(self, name):
        path = f"{self.directory}/{name}"
        check(os.path.isfile(path), f"{name}: found none, expected a picture")
        check(open(path, "rb").read(6) == PNG and os.path.getsize(path) > 20_000, f"{name}: found no picture")


def plot(tools, firmament, directory):
    """fio-plot draws bars, in two and three dimensions, and lines of logs."""
    runs = Runs(firmament, directory)
    reports = {}
    for depth in DEPTHS:
        for clones in CLONES:
            name = f"randread-iodepth-{depth}-numjobs-{clones}"
            logs = [f"--write_{kind}_log={name}" for kind in ["bw", "iops", "lat"]]
            reports[depth, clones] = runs.run(
                name,
                "--name=global", "--rw=randread", "--bs=4k", "--time_based", "--runtime=100ms",
                "--group_reporting", "--name=job", f"--iodepth={depth}", f"--numjobs={clones}",
                "--log_avg_msec=5", *logs,
            )
    where = runs.directory
    rows = json.loads(tools.python(READ_REPORTS, where=where).splitlines()[-1])
    check(len(rows) == len(reports), f"fio-plot: found {len(rows)} reports, expected {len(reports)}")
    for row in rows:
        job = reports[int(row["iodepth"]), int(row["numjobs"])]["jobs"][0]
        for name, expected in [("iops", job["read"]["iops"]), ("lat", job["read"]["lat_ns"]["mean"])]:
            near(float(row[name]), expected, 1e-9, f"fio-plot: {name} at {row['iodepth']}")
    common = ["-i", ".", "-T", "small", "-r", "randread"]
    graphs = {
        "bars.png": ["-l", "-d", "1", "8", "-n", "1"],
        "solid.png": ["-L", "-t", "iops", "-d", "1", "8", "-n", "1", "2"],
        "clones.png": ["-N", "-d", "8", "-n", "1", "2"],
        "histogram.png": ["-H", "-d", "8", "-n", "1"],
        "lines.png": ["-g", "-t", "bw", "iops", "lat", "-d", "8", "-n", "2"],
    }
    for name, options in graphs.items():
        tools.fio_plot(*common, *options, "-o", name, where=where)
        runs.is_picture(name)
    print(f"fio's tools: fio-plot drew {len(graphs)} pictures of {len(rows)} runs")


def logs(tools, firmament, directory):
    """fio's scripts get from the logs what the JSON has."""
    runs = Runs(firmament, directory)
    report = runs.run(
        "mixed",
        "--name=mixed", "--rw=randread", "--bs=4k", "--iodepth=16", "--time_based", "--runtime=200ms",
        "--write_bw_log", "--write_iops_log", "--write_lat_log", "--log_avg_msec=10",
        "--write_hist_log", "--log_hist_msec=50",
        form="json+",
    )
    read = report["jobs"][0]["read"]
    where = runs.directory

    mean = float(tools.script("fiologparser.py", "-i", "20", "mixed_bw.1.log", where=where))
    near(mean, read["bw"], 0.02, "fiologparser.py: bandwidth")
    mean = float(tools.script("fiologparser.py", "mixed_iops.1.log", where=where))
    near(mean, read["iops"], 0.02, "fiologparser.py: IOPS")
    sums = tools.script("fiologparser.py", "-s", "-i", "50", "mixed_bw.1.log", where=where).splitlines()
    check(len(sums) == 4, f"fiologparser.py: found {len(sums)} intervals, expected 4")

    text = tools.script("fiologparser_hist.py", "--interval=50", "mixed_clat_hist.1.log", where=where)
    heads, *lines = [line.split(", ") for line in text.splitlines()]
    samples = sum(int(line[heads.index("samples")]) for line in lines)
    logged = sum(sum(row[3:]) for row in runs.rows("mixed_clat_hist.1.log"))
    check(samples == logged, f"fiologparser_hist.py: found {samples} samples, expected {logged}")
    near(logged, read["total_ios"], 0.02, "mixed_clat_hist.1.log: requests")
    median = sum(float(line[heads.index("median")]) for line in lines) / len(lines)
    near(median, read["clat_ns"]["percentile"]["50.000000"], 0.03, "fiologparser_hist.py: median")

    tools.script("fio_jsonplus_clat2csv", "mixed.json", "clat.csv", where=where)
    tools.script("fio_jsonplus_clat2csv", "mixed.json", "clat.csv", "--validate", where=where)
    heads, *lines = [line.split(", ") for line in open(f"{where}/clat_job0.csv").read().splitlines()]
    last = lines[-1][heads.index("read_clat_ns_cumulative")]
    check(int(last) == read["total_ios"], f"fio_jsonplus_clat2csv: found {last} requests")
    share = heads.index("read_clat_ns_percentile")
    p99 = next(int(line[0]) for line in lines if float(line[share]) >= 0.99)
    near(p99, read["clat_ns"]["percentile"]["99.000000"], 0.02, "fio_jsonplus_clat2csv: 99 %")

    tools.script("fio2gnuplot", "-k", "-p", "mixed_bw.1.log", "-d", "gnuplot", where=where)
    text = open(f"{where}/gnuplot/mixed_bw.1.global").read()
    told = dict(line.split("=") for line in text.splitlines())
    near(float(told["avg"]), read["bw"], 0.02, "fio2gnuplot: mean bandwidth")
    largest = max(row[1] for row in runs.rows("mixed_bw.1.log"))
    check(float(told["max"]) == largest, f"fio2gnuplot: found a maximum of {told['max']}, expected {largest}")
    print("fio's tools: fiologparser, fiologparser_hist, clat2csv and fio2gnuplot agree with the JSON")


def replay(firmament, directory):
    """A fio that is installed plays a trace back."""
    fio = shutil.which("fio")
    if not fio:
        print("fio's tools: found no fio, so no trace is played back")
        return
    runs = Runs(firmament, directory)
    report = runs.run("traced", "--rw=randrw", "--bs=4k", "--size=1m", "--write_iolog=trace", "--filename=/drive")
    job = ["--name=back", "--read_iolog=trace", "--ioengine=null", "--replay_no_stall=1", "--output-format=json"]
    ran = subprocess.run([fio, *job], cwd=runs.directory, capture_output=True, text=True)
    check(ran.returncode == 0, f"fio --read_iolog: {ran.stderr}{ran.stdout}")
    back = json.loads(ran.stdout[ran.stdout.index("{"):])["jobs"][0]
    for way in ["read", "write"]:
        found, expected = [job[way]["total_ios"] for job in [back, report["jobs"][0]]]
        check(found == expected, f"fio --read_iolog: found {found} requests ({way}), expected {expected}")
    print("fio's tools: fio plays a trace back")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", required=True, help="directory for tools and files")
    parser.add_argument("--firmament", required=True, help="the program")
    arguments = parser.parse_args()
    try:
        tools = Tools(arguments.target)
    except CannotRun as reason:
        print(f"fio's tools: not tested: {reason}")
        raise SystemExit(3)
    plot(tools, arguments.firmament, f"{arguments.target}/plot")
    logs(tools, arguments.firmament, f"{arguments.target}/logs")
    replay(arguments.firmament, f"{arguments.target}/replay")


main()
