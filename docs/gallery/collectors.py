"""Does cost-benefit collect better than greedy? A skewed load, five seeds each, with and without streams: the difference seed by seed, and the
interval that holds 95 % of such differences."""

import firmament as fm
import picture
from picture import plt

job = fm.Job(rw="randwrite", bs="16k", iodepth=8, random_distribution="zoned:90/10:10/90", norandommap=1, io_size="384m")
rows = []
for streams in ("together", "apart"):
    board = fm.Board("small").set({"geometry.blocks_per_way": 128, "ftl.overprovision_percent": 15, "ftl.streams": streams})
    results = {
        name: fm.run(board.set("ftl.victim", name), job, seeds=5, precondition="sequential")
        for name in ("greedy", "cost-benefit", "d-choices")
    }
    told = fm.compare(results).table.rows()
    rows += [(f"{row['result']}, {streams}", row) for row in told if row["figure"] == "waf"]
for name, row in rows:
    print(f"{name}: {row['first']:.3f} -> {row['value']:.3f}, {row['change_percent']:+.1f} ± {row['half_width_percent']:.1f} %")

figure, axes = plt.subplots()
names = [name for name, _ in rows]
axes.barh(names, [row["change_percent"] for _, row in rows], xerr=[row["half_width_percent"] for _, row in rows], capsize=4)
axes.axvline(0, color="black", linewidth=0.8)
axes.invert_yaxis()
axes.set_xlabel("write amplification against that of greedy, %")
picture.save(figure, __file__)
