"""What the pictures of the gallery have in common: their size, their colours, and that the same figures make the same bytes."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

FOLDER = Path(__file__).parent
REPOSITORY = FOLDER.parent.parent
# Colours that differ in brightness, too, for whoever sees them in grey.
COLOURS = ["#0b6e99", "#e0a030", "#4b9b5f", "#b0413e", "#7a5ea8", "#8a8a8a", "#203a43", "#c97b9a"]

plt.rcParams.update(
    {
        "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "#dddddd",
        "figure.figsize": (8, 3.6),
        "font.size": 10,
        "svg.fonttype": "none",
        "svg.hashsalt": "gallery",
    }
)


def save(figure, script):
    """Writes the picture of a script, or where the first argument says."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY / "docs/images/gallery" / f"{Path(script).stem}.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    print(f"wrote {path.name}")
