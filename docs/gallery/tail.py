"""Why are the slowest requests slow? The causes of reads by how slow they were, on a full drive that is written at the same time."""

import firmament as fm
import picture
from picture import plt

job = fm.Job(rw="randrw", rwmixread=70, bs="4k", iodepth=8, number_ios=6000)
requests = fm.run("small", job, precondition="random", requests=True).requests
causes = [name for name in requests if name.endswith("_ps") and name not in ("end_ps", "slat_ps", "clat_ps")]
rows = [row for row in requests.rows() if row["direction"] == "read"]
rows.sort(key=lambda row: row["clat_ps"])

groups = {"all reads": rows, "slowest 10 %": rows[len(rows) * 9 // 10 :], "slowest 1 %": rows[len(rows) * 99 // 100 :]}
means = {name: {cause: sum(row[cause] for row in group) / len(group) / 1e6 for cause in causes} for name, group in groups.items()}
most = sorted(causes, key=lambda cause: -means["slowest 1 %"][cause])[:6]

figure, axes = plt.subplots()
left = [0.0] * len(groups)
for cause in most:
    widths = [means[name][cause] for name in groups]
    axes.barh(list(groups), widths, left=left, label=cause.removesuffix("_ps").replace("_", " "))
    left = [at + width for at, width in zip(left, widths)]
axes.invert_yaxis()
axes.set_xlabel("mean latency of reads, microseconds of virtual time, by what they waited for")
axes.legend(ncols=3, fontsize=8, loc="upper right")
picture.save(figure, __file__)
