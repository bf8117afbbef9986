"""What is the cause of a p99.9? The mean latency of reads by what they waited for, of a full drive that is written at the same time, and
what the chip of the read at p99.9 did while this read waited. The slowest reads spend nearly all of their time behind internal work of the
drive. Of the read at p99.9 this work is two programs and, above all, the erase (tBERS) of a block that the drive has emptied."""

import firmament as fm
import picture
from picture import plt

JOB = fm.Job(rw="randrw", rwmixread=90, bs="4k", iodepth=2, norandommap=1, io_size="1g", number_ios=60_000)
COLOURS = {"tBERS": picture.COLOURS[6], "tPROG": picture.COLOURS[7], "tR": picture.COLOURS[5]}
SHOWN_CAUSES = 5


def run(**more):
    return fm.run("small", JOB, precondition="random", **more)


result = run(requests=True)
names = {f"{row['cause']}_ps": row["name"] for row in result.causes.rows()}
causes = [column for column in result.requests if column in names]
reads = sorted((row for row in result.requests.rows() if row["direction"] == "read"), key=lambda row: row["clat_ps"])
nth = {percent: int(len(reads) * percent / 100) for percent in (99, 99.9)}
groups = {"all reads": reads, "p99 to p99.9": reads[nth[99] : nth[99.9]], "beyond p99.9": reads[nth[99.9] :]}
means = {name: {cause: sum(row[cause] for row in group) / len(group) / 1e9 for cause in causes} for name, group in groups.items()}
for name, group in groups.items():
    latency = sum(row["clat_ps"] for row in group) / len(group) / 1e9
    cause = max(causes, key=means[name].get)
    print(f"{name}: {len(group)} reads, mean {latency:.2f} ms, of which {means[name][cause]:.2f} ms {names[cause]}")

# The same run once more, with a timeline of the time in which the read at p99.9 was under way.
slow = reads[nth[99.9]]
begin, end = slow["end_ps"] - slow["clat_ps"], slow["end_ps"]
spans = run(timeline=f"{begin // 1_000_000}us..{end // 1_000_000 + 1}us").timeline.rows()
# Its data are the last that went to the host before it ended.
sent = max((span for span in spans if span["track"] == "to host" and span["end_ps"] <= end), key=lambda span: span["end_ps"])
own = next(span for span in spans if span["what"] == "tR" and span["command"] == sent["command"])
chip = [span for span in spans if all(span[key] == own[key] for key in ("track", "channel", "way")) and span["what"] in COLOURS]
chip = [span for span in chip if span["begin_ps"] < end]
print(f"p99.9 is the read of {slow['clat_ps'] / 1e9:.2f} ms; its chip, channel {own['channel']}, way {own['way']}, in ms from when it came:")
for span in chip:
    whose = "this read" if span is own else "of the drive's own" if span["command"] is None else "of another request"
    print(f"  {(span['begin_ps'] - begin) / 1e9:5.2f} to {(span['end_ps'] - begin) / 1e9:5.2f}  {span['what']}, {whose}")

figure, (above, below) = plt.subplots(2, 1, figsize=(8, 5), height_ratios=[3, 1])
left = dict.fromkeys(groups, 0.0)
for cause in sorted(causes, key=lambda cause: -means["beyond p99.9"][cause])[:SHOWN_CAUSES]:
    above.barh(list(groups), [means[name][cause] for name in groups], left=list(left.values()), label=names[cause])
    left = {name: at + means[name][cause] for name, at in left.items()}
above.invert_yaxis()
above.set_xlabel("mean latency of reads, ms of virtual time, by what they waited for")
above.legend(ncols=3, fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0))
for what, colour in COLOURS.items():
    bars = [((span["begin_ps"] - begin) / 1e9, (span["end_ps"] - span["begin_ps"]) / 1e9) for span in chip if span["what"] == what]
    below.broken_barh(bars, (0, 1), color=colour, label=what)
for at in (0, (end - begin) / 1e9):
    below.axvline(at, color="black", linewidth=0.8)
below.set_yticks([0.5], ["its chip"])
below.set_xlabel("ms since the read at p99.9 came; black lines are its begin and its end")
below.legend(ncols=3, fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0))
picture.save(figure, __file__)
