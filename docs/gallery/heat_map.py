"""Which of two keys counts? Random reads by queue depth and ways."""

import firmament as fm
import picture
from picture import plt

depths, ways = [1, 2, 4, 8, 16, 32, 64], [1, 2, 4, 8]
job = fm.Job(rw="randread", bs="4k", number_ios=1500)
table = fm.sweep({"iodepth": depths, "geometry.ways": ways}, board="small", job=job, precondition="sequential")
found = {(row["iodepth"], row["geometry.ways"]): row["read_iops"] for row in table.rows()}
cells = [[found[depth, way] / 1000 for depth in depths] for way in ways]

for way, row in zip(ways, cells):
    print(f"ways {way}: {', '.join(f'{cell:.1f} at depth {depth}' for depth, cell in zip(depths, row))}, in thousand reads a second")

figure, axes = plt.subplots()
axes.grid(False)
image = axes.imshow(cells, aspect="auto", origin="lower", cmap="viridis")
axes.set_xticks(range(len(depths)), depths)
axes.set_yticks(range(len(ways)), ways)
axes.set_xlabel("requests outstanding")
axes.set_ylabel("ways on each of 2 channels")
for y, row in enumerate(cells):
    for x, cell in enumerate(row):
        axes.text(x, y, f"{cell:.0f}", ha="center", va="center", color="white" if cell < max(map(max, cells)) * 0.6 else "black")
figure.colorbar(image, label="thousand reads a second")
picture.save(figure, __file__)
