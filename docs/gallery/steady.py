"""When is a drive steady? Write amplification over time, split by what wrote, of a full drive that is overwritten at random."""

import firmament as fm
import picture
from picture import plt

job = fm.Job(rw="randwrite", bs="4k", iodepth=16, norandommap=1, io_size="160m")
told = fm.run("small", job, precondition="sequential").to_dict()["firmament"]["over_time"]
times = told["to_s"]
parts = told["write_amplification_by_cause"]

figure, axes = plt.subplots()
names = [name for name, values in parts.items() if any(values)]
axes.stackplot(times, [[value or 0 for value in parts[name]] for name in names], labels=[name.replace("_", " ") for name in names])
axes.set_xlabel("seconds of virtual time")
axes.set_ylabel("bytes programmed over bytes written")
axes.legend(loc="lower right", ncols=3, fontsize=8)
picture.save(figure, __file__)
