"""What does a policy of your own do? The victim of collection by a function in Python: of the blocks that did not change for the
longest time, the one that frees most. With all blocks to look at this is greedy, and with one it is first in, first out. [Extending](extending.md)
has a policy of the firmware, from its file to a plot."""

import firmament as fm
import picture
from picture import plt

WINDOWS = (1, 2, 4, 8, 16, 32, 64)


def windowed(window):
    def victim(way):
        oldest = sorted(way.blocks, key=lambda block: block.age, reverse=True)[:window]
        return max(oldest, key=lambda block: block.invalid)

    return fm.Policy(victim=victim)


board = fm.Board("small").set({"geometry.blocks_per_way": 64, "ftl.overprovision_percent": 15})
loads = {
    "even": fm.Job(rw="randwrite", bs="16k", iodepth=8, norandommap=1, io_size="128m"),
    "skewed, 90/10": fm.Job(rw="randwrite", bs="16k", iodepth=8, random_distribution="zoned:90/10:10/90", norandommap=1, io_size="128m"),
}

figure, axes = plt.subplots()
for (load, job), colour in zip(loads.items(), picture.COLOURS):
    ours = [fm.run(board, job, policy=windowed(window)).write_amplification for window in WINDOWS]
    greedy = fm.run(board, job).write_amplification
    told = ", ".join(f"{window}: {factor:.3f}" for window, factor in zip(WINDOWS, ours))
    print(f"{load}, write amplification by blocks that are looked at: {told}; greedy of the firmware: {greedy:.3f}")
    axes.plot(WINDOWS, ours, marker="o", markersize=4, color=colour, label=load)
    axes.axhline(greedy, color=colour, linewidth=0.8, linestyle="--", label=f"{load}: greedy of the firmware")
axes.set_xscale("log", base=2, subs=[])
axes.set_xticks(WINDOWS, [str(window) for window in WINDOWS])
axes.set_xlabel("blocks that are looked at, those that changed last left out")
axes.set_ylabel("write amplification")
axes.legend()
picture.save(figure, __file__)
