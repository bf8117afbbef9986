"""How do drives compare? Five boards, the same three jobs."""

import firmament as fm
import picture
from picture import plt

boards = ["cosmos-plus", "openexpress", "ozone", "tlc-2024", "small"]
jobs = {
    "random reads, depth 1": fm.Job(rw="randread", bs="4k", number_ios=300),
    "random reads, depth 64": fm.Job(rw="randread", bs="4k", iodepth=64, number_ios=3000),
    "sequential writes": fm.Job(rw="write", bs="128k", iodepth=16, size="48m"),
}
figure, plots = plt.subplots(1, 3, figsize=(9, 3.4), sharey=True)
for axes, (title, job) in zip(plots, jobs.items()):
    rates = []
    for board in boards:
        result = fm.run(board, job, precondition="sequential" if "reads" in title else "none")
        done = result.read or result.write
        rates.append(done.bandwidth / 1e6)
    axes.barh(boards, rates)
    axes.set_title(title, fontsize=10)
    axes.set_xlabel("MB/s")
plots[0].invert_yaxis()
picture.save(figure, __file__)
