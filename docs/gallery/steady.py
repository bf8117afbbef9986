"""When is a drive steady? Write amplification over time, split by what wrote, of a full drive that is overwritten with nine of ten writes to
a tenth of it. The rule is that of SNIA's Performance Test Specification: the drive is steady from the first of five rounds in a row on
whose write amplifications differ by at most 20 % of their mean, and whose line of best fit rises or falls by at most 10 % of it. A round
is a quarter of the drive here."""

import firmament as fm
import picture
from picture import plt

WINDOW, MOST_RANGE, MOST_SLOPE = 5, 0.20, 0.10


def is_steady(rounds):
    """Whether a window of rounds keeps the rule."""
    mean = sum(rounds) / WINDOW
    middle = (WINDOW - 1) / 2
    slope = sum((at - middle) * value for at, value in enumerate(rounds)) / sum((at - middle) ** 2 for at in range(WINDOW))
    return max(rounds) - min(rounds) <= MOST_RANGE * mean and abs(slope) * (WINDOW - 1) <= MOST_SLOPE * mean


board = fm.Board("small").set({"geometry.blocks_per_way": 128, "ftl.overprovision_percent": 25})
job = fm.Job(
    rw="randwrite", bs="16k", iodepth=8, random_distribution="zoned:90/10:10/90", norandommap=1, io_size=f"{6 * board.capacity_bytes >> 20}m"
)
told = fm.run(board, job, precondition="sequential").to_dict()["firmament"]["over_time"]

ends, rounds, written, programmed = [0.0], [], 0.0, 0.0
for end, requests, amplification in zip(told["to_s"], told["requests"], told["write_amplification"]):
    written += requests * 16384
    programmed += requests * 16384 * (amplification or 0)
    if written >= board.capacity_bytes / 4:
        ends.append(end)
        rounds.append(programmed / written)
        written = programmed = 0.0
first = next((nth for nth in range(len(rounds) - WINDOW + 1) if is_steady(rounds[nth : nth + WINDOW])), None)
print("write amplification by rounds:", ", ".join(f"{value:.2f}" for value in rounds))
if first is None:
    raise SystemExit("steady.py: found no five rounds that keep the rule, expected a longer job")
inside, behind = rounds[first : first + WINDOW], rounds[first + WINDOW :]
print(f"steady from round {first + 1} on, {ends[first]:.1f} s, after {first / 4:.2f} times the drive was written")
print(f"mean of rounds {first + 1} to {first + WINDOW}: {sum(inside) / WINDOW:.2f}, of all rounds behind them: {sum(behind) / len(behind):.2f}")

figure, axes = plt.subplots()
parts = told["write_amplification_by_cause"]
names = [name for name, values in parts.items() if any(values)]
shown = [[value or 0 for value in parts[name]] for name in names]
axes.stackplot(told["to_s"], shown, labels=[name.replace("_", " ") for name in names])
axes.stairs(rounds, ends, baseline=None, color="black", linewidth=1, label="mean of a round")
axes.axvspan(ends[first], ends[first + WINDOW], color="black", alpha=0.12, linewidth=0, label="the five rounds")
axes.axvline(ends[first], color=picture.COLOURS[3], linewidth=1.5)
axes.annotate("steady from here on", (ends[first], axes.get_ylim()[1]), xytext=(4, -4), textcoords="offset points", va="top", fontsize=9)
axes.set_ylim(top=axes.get_ylim()[1] * 1.1)
axes.set_xlabel("seconds of virtual time")
axes.set_ylabel("bytes programmed over bytes written")
axes.legend(loc="lower right", ncols=2, fontsize=8)
picture.save(figure, __file__)
