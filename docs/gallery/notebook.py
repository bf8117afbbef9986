"""What does a notebook show? The cells of [hot-and-cold.ipynb](../tools/python/examples/hot-and-cold.ipynb), run one after the other without
Jupyter. Two hosts of your own write to the same used drive: one has its hot data scattered, and the other keeps them apart, with a
small FTL of its own."""

import json

import picture
from picture import plt

NOTEBOOK = picture.REPOSITORY / "tools/python/examples/hot-and-cold.ipynb"

names = {}
for cell in json.loads(NOTEBOOK.read_text())["cells"]:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), names)

figure, (over_time, latencies) = plt.subplots(1, 2, figsize=(9, 3.4))
for name, result in names["results"].items():
    told = result.to_dict()["firmament"]["over_time"]
    over_time.plot(told["to_s"], told["write_amplification"], label=name)
    table = result.latencies("write")
    latencies.step([ns / 1e6 for ns in table["latency_ns"]], [100 * share for share in table["share"]], where="post", label=name)
over_time.set_xlabel("seconds of virtual time")
over_time.set_ylabel("write amplification")
over_time.set_ylim(bottom=0)
over_time.legend()
latencies.set_xscale("log")
latencies.set_xlabel("latency of writes, milliseconds")
latencies.set_ylabel("share of writes, %")
picture.save(figure, __file__)
