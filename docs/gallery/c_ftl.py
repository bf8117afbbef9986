"""What does an FTL in C make of a drive? Random overwrites of a full drive, and reads after them, beside the firmware of the boards.

The environment variable FIRMAMENT names the program; `c-drive` stands beside it (docs/tutorials/an-ftl-in-c.md).
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import picture
from picture import plt

JOBS = """[global]
bs=16k
iodepth=8
[fill]
rw=write
[overwrite]
stonewall
rw=randwrite
norandommap=1
io_size=80m
[read]
stonewall
rw=randread
number_ios=2000
"""
RATE = re.compile(r"^(\w+): .*\n(?:.*\n)*?  (?:read|write): IOPS=([\d.]+)(k?)", re.M)

programs = Path(os.environ.get("FIRMAMENT", picture.REPOSITORY / "target/release/firmament")).parent
figure, axes = plt.subplots()
with tempfile.TemporaryDirectory() as folder:
    jobs = Path(folder, "jobs.fio")
    jobs.write_text(JOBS)
    for nth, (name, command) in enumerate({"FTL in C": ["c-drive"], "firmware of the boards": ["firmament", "run"]}.items()):
        program = [str(programs / command[0]), *command[1:], "small", str(jobs)]
        text = subprocess.run(program, capture_output=True, text=True, check=True).stdout
        rates = {job: float(rate) * (1000 if thousands else 1) for job, rate, thousands in RATE.findall(text)}
        print(f"{name}: {', '.join(f'{job} {rate:.0f}' for job, rate in rates.items())} requests a second")
        axes.bar([at + 0.4 * nth for at in range(len(rates))], list(rates.values()), width=0.38, label=name)
axes.set_xticks([at + 0.2 for at in range(len(rates))], list(rates))
axes.set_ylabel("requests of 16 KiB a second")
axes.legend()
picture.save(figure, __file__)
