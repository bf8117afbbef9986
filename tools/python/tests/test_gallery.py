"""The scripts of the gallery run, and draw what they say."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "docs/gallery"
SCRIPTS = sorted(path.name for path in FOLDER.glob("*.py") if path.name not in ("make.py", "picture.py"))


def test_each_script_has_its_place_on_the_page():
    """`make.py` names each script, and the page has the picture of each."""
    spec = importlib.util.spec_from_file_location("gallery_make", FOLDER / "make.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    assert sorted(f"{name}.py" for name in make.SCRIPTS) == SCRIPTS
    page = (FOLDER.parent / "gallery.md").read_text()
    for name in make.SCRIPTS:
        assert make.entry(name, make.seconds_before()[name]) in page, f"{name}: make gallery writes it anew"
        assert (FOLDER.parent / f"images/gallery/{name}.svg").is_file(), name


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_draws(name, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "picture.svg"
    done = subprocess.run([sys.executable, FOLDER / name, picture], capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stderr
    drawn = picture.read_text()
    assert drawn.count("<path") + drawn.count("<text") > 10
