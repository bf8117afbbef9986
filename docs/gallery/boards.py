"""How do two boards compare? A drive with chips of 2024 beside the Cosmos+ OpenSSD, the same jobs, five seeds each: differences as
`fm.compare` takes them, seed by seed, with the 95 % interval of their mean."""

import firmament as fm
import picture
from picture import plt

FIRST, OTHER = "cosmos-plus", "tlc-2024"
JOBS = {
    "random reads, depth 1": fm.Job(name="job", rw="randread", bs="4k", number_ios=300),
    "random reads, depth 64": fm.Job(name="job", rw="randread", bs="4k", iodepth=64, number_ios=10_000),
    "sequential reads": fm.Job(name="job", rw="read", bs="128k", iodepth=16, size="48m"),
    "sequential writes": fm.Job(name="job", rw="write", bs="128k", iodepth=16, size="48m"),
}
FIGURES = {"bandwidth": ("MB/s", 1e-6), "p99": ("µs", 1e-3)}

rows = {}
for title, job in JOBS.items():
    state = "sequential" if "reads" in title else "none"
    results = {board: fm.run(board, job, seeds=5, precondition=state) for board in (FIRST, OTHER)}
    for row in fm.compare(results).table.rows():
        if (figure := row["figure"].split()[-1]) in FIGURES:
            rows[figure, title] = row
for (figure, title), row in rows.items():
    unit, scale = FIGURES[figure]
    change = f"{row['change_percent']:+.1f} ± {row['half_width_percent']:.1f} %"
    known = "" if row["is_shown"] else ", which is no difference that is shown"
    print(f"{title}, {figure}: {FIRST} {row['first'] * scale:.0f}, {OTHER} {row['value'] * scale:.0f} {unit}, {change}{known}")

figure, plots = plt.subplots(1, len(FIGURES), figsize=(9, 3), sharey=True)
for axes, name in zip(plots, FIGURES):
    told = [rows[name, title] for title in JOBS]
    axes.barh(list(JOBS), [row["change_percent"] for row in told], xerr=[row["half_width_percent"] for row in told], capsize=4)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel(f"{name} of {OTHER} against {FIRST}, %")
plots[0].invert_yaxis()
picture.save(figure, __file__)
