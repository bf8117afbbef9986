"""What does use do to a drive? One drive that is kept and written over and over: write amplification and latency of each run."""

import firmament as fm
import picture
from picture import plt

EACH_MIB = 2

board = fm.Board("small").set("ftl.streams", "apart")
drive = fm.Drive(board, "sequential")
amplification, slowest = [], []
for nth in range(60):
    # Without a seed of its own, each run would write to the same places.
    result = drive.run(fm.Job(rw="randwrite", bs="16k", iodepth=4, norandommap=1, io_size=f"{EACH_MIB}m", randseed=nth))
    amplification.append(result.write_amplification)
    slowest.append(result.write.clat.percentile_ns(99) / 1e6)

for nth in (0, len(slowest) // 2, len(slowest) - 1):
    print(f"run {nth + 1}: write amplification {amplification[nth]:.2f}, p99 of writes {slowest[nth]:.1f} ms")

figure, axes = plt.subplots()
written = [EACH_MIB * (nth + 1) for nth in range(len(slowest))]
(one,) = axes.plot(written, amplification, marker="o", markersize=4)
axes.set_xlabel(f"MiB written so far, to a drive of {board.capacity_bytes >> 20} MiB that was full")
axes.set_ylabel("write amplification")
axes.set_ylim(bottom=0)
other = axes.twinx()
other.grid(False)
(two,) = other.plot(written, slowest, marker="s", markersize=4, color=picture.COLOURS[1])
other.set_ylabel("p99 of writes, milliseconds")
other.set_ylim(bottom=0)
axes.legend([one, two], ["write amplification", "p99 of writes"], loc="lower center")
picture.save(figure, __file__)
