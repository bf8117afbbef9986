"""The pages that are looked at: one of each kind that the program writes, and some of the site."""

import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Two loads that follow each other on a full drive, so that the report has all that a report can have.
JOBS = """[global]
iodepth=8
norandommap

[reads and writes]
rw=randrw
bs=4k
rwmixread=60
random_distribution=zipf:1.1
io_size=48m

[mixed sizes, in order]
stonewall
rw=readwrite
bssplit=4k/40:64k/60
size=12m
"""

SWEEP = """board = "small"
seeds = 3

[options]
rw = "randrw"
bs = "4k"
size = "4m"
number_ios = 400

[grid]
"geometry.ways" = [1, 2, 4]
iodepth = [1, 4, 16]
"""

# Pages that have plots and maps over virtual time.
OVER_TIME = ["report", "replay"]

# Pages of the site: prose, pictures, wide tables, code, and the front page.
SITE = {
    "site-front": "index.html",
    "site-start": "docs/getting-started.html",
    "site-gallery": "docs/gallery.html",
    "site-python": "docs/python.html",
    "site-limits": "docs/limits.html",
    "site-board-files": "docs/spec/board-files.html",
}


def made(firmament, folder):
    """Makes the pages in a folder; their names and paths."""

    def run(*arguments):
        done = subprocess.run([os.path.abspath(firmament), *arguments], cwd=folder, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise SystemExit(f"looks: firmament {' '.join(arguments)}: found exit code {done.returncode}\n{done.stderr}")

    with open(f"{folder}/load.fio", "w") as file:
        file.write(JOBS)
    full = ["--precondition=steady", "--seeds=3"]
    for name, victim in (("greedy", "greedy"), ("cost-benefit", "cost-benefit"), ("random", "random")):
        page = ["--html", "report.html", "--monitor", "monitor.log"] if name == "greedy" else []
        run("run", "small", "load.fio", *full, "--set", f"ftl.victim={victim}", "--json", f"{name}.json", *page)
    run("compare", "greedy.json", "cost-benefit.json", "--html", "compare.html")
    run("compare", "greedy.json", "cost-benefit.json", "random.json", "--html", "several.html")
    with open(f"{folder}/sweep.toml", "w") as file:
        file.write(SWEEP)
    run("sweep", "sweep.toml", "--html", "sweep.html", "--aims", "read_iops,write_p99_us")
    run("trace", "info", f"{ROOT}/traces/office.csv.xz", "--html", "trace.html")
    run("replay", f"{ROOT}/traces/office.csv.xz", "--html", "replay.html")
    handles = ["cosmos-plus-log", "--set", "ftl.streams=by-handle", "--set", "ftl.streams_handles=3", "--set", "ftl.overprovision_percent=25"]
    placed = ["--rw=randwrite", "--bs=16k", "--iodepth=8", "--number_ios=2000", "--fdp=1", "--plids=0,2"]
    run("run", *handles, "--set", "geometry.blocks_per_way=128", *placed, "--html", "handles.html")
    zoned = ["--zonemode=zbd", "--max_open_zones=4", "--rw=randwrite", "--bs=64k", "--iodepth=8", "--number_ios=2000"]
    run("run", "cosmos-plus-zns", *zoned, "--html", "zones.html")
    run("run", "small", "--rw=randrw", "--bs=16k", "--iodepth=8", "--size=8m", "--number_ios=60", "--timeline", "timeline.json")
    run("timeline", "timeline.json", "--svg", "timeline.svg")
    run("study", "fdp", "--quick", "--out", ".")
    os.rename(f"{folder}/index.html", f"{folder}/study.html")
    names = ["report", "compare", "several", "sweep", "trace", "replay", "handles", "zones", "study"]
    pages = [*(f"{name}.html" for name in names), "timeline.svg"]
    return {os.path.splitext(page)[0]: f"{folder}/{page}" for page in pages}


def of_site(folder):
    """Pages of a site that was built; none if there is none."""
    pages = {name: f"{folder}/{page}" for name, page in SITE.items()}
    return {name: path for name, path in pages.items() if os.path.isfile(path)}
