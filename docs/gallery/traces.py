"""How do two traces differ on one drive? The latencies of the reads of an office's and of a cloud's trace, all samples."""

import firmament as fm
import picture
from picture import plt

figure, axes = plt.subplots()
for name in ("office.csv.xz", "cloud.csv.zst"):
    result = fm.replay("cosmos-plus", picture.REPOSITORY / "traces" / name, remap="modulo")
    bins = result.latencies("read")
    total, at = sum(bins["requests"]), 0
    latencies, shares = [], []
    for latency, count in zip(bins["latency_ns"], bins["requests"]):
        at += count
        latencies.append(latency / 1000)
        shares.append(100 * at / total)
    p50, p99 = (next(latency for latency, reached in zip(latencies, shares) if reached >= percent) for percent in (50, 99))
    print(f"{name.split('.')[0]}: {total} reads, p50 {p50:.0f} µs, p99 {p99:.0f} µs")
    axes.step(latencies, shares, where="post", label=name.split(".")[0])
axes.set_xscale("log")
axes.set_xlabel("latency of reads, microseconds")
axes.set_ylabel("share of reads, %")
axes.legend()
picture.save(figure, __file__)
