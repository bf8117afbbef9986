"""Does cost-benefit collect better than greedy? Only where the drive keeps moved data apart from new data (`ftl.streams = "apart"`). Where
both share blocks (`"together"`) cost-benefit is worse than greedy: it reads from the age of a block how soon its data change, which says
little of a block that holds both kinds. The load is skewed, nine of ten writes to a tenth of the drive, which was full; it has five seeds each. Differences are taken seed
by seed, and have the 95 % interval of their mean."""

import firmament as fm
import picture
from picture import plt

WRITTEN_MIB = 384

job = fm.Job(rw="randwrite", bs="16k", iodepth=8, random_distribution="zoned:90/10:10/90", norandommap=1, io_size=f"{WRITTEN_MIB}m")
rows = []
for streams in ("apart", "together"):
    board = fm.Board("small").set({"geometry.blocks_per_way": 64, "ftl.overprovision_percent": 15, "ftl.streams": streams})
    results = {
        name: fm.run(board.set("ftl.victim", name), job, seeds=5, precondition="sequential")
        for name in ("greedy", "cost-benefit", "d-choices")
    }
    told = fm.compare(results).table.rows()
    rows += [(streams, row) for row in told if row["figure"] == "waf"]
print(f"{WRITTEN_MIB} MiB written to a drive of {board.capacity_bytes >> 20} MiB")
for streams, row in rows:
    verdict = ("worse" if row["change_percent"] > 0 else "better") if row["is_shown"] else "no difference is shown"
    change = f"{row['change_percent']:+.1f} ± {row['half_width_percent']:.1f} %"
    print(f"{streams}: write amplification {row['first']:.3f} by greedy, {row['value']:.3f} by {row['result']}, {change}: {verdict}")

figure, axes = plt.subplots()
names = [f"{row['result']}, {streams}" for streams, row in rows]
changes = [row["change_percent"] for _, row in rows]
colours = [picture.COLOURS[3] if change > 0 else picture.COLOURS[0] for change in changes]
axes.barh(names, changes, xerr=[row["half_width_percent"] for _, row in rows], capsize=4, color=colours)
axes.axvline(0, color="black", linewidth=0.8)
axes.invert_yaxis()
axes.set_xlabel("write amplification against that of greedy, %: left is better, right is worse")
picture.save(figure, __file__)
