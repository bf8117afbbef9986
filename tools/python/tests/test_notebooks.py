"""Notebooks of the examples are run: their cells one after another, and by a kernel where there is one."""

import contextlib
import io
import json
import os
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))


def cells(notebook):
    told = json.loads(notebook.read_text())
    return ["".join(cell["source"]) for cell in told["cells"] if cell["cell_type"] == "code"]


def test_there_are_notebooks_without_outputs():
    assert NOTEBOOKS
    for notebook in NOTEBOOKS:
        told = json.loads(notebook.read_text())
        assert not any(cell.get("outputs") for cell in told["cells"]), notebook


def test_a_host_that_keeps_hot_data_apart_amplifies_writes_less():
    [notebook] = [one for one in NOTEBOOKS if one.stem == "hot-and-cold"]
    names = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        for cell in cells(notebook):
            exec(cell, names)
    scattered, apart = (names["results"][name] for name in ("scattered", "apart"))
    assert scattered.write_amplification > 3 * apart.write_amplification
    assert scattered.write.requests == apart.write.requests == names["WRITES"] and len(printed.getvalue().splitlines()) == 2


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda one: one.stem)
def test_a_kernel_runs_a_notebook(notebook, tmp_path):
    if "notebook" not in os.environ.get("FIRMAMENT_TESTS", "").split():
        pytest.skip("no kernel is asked for")
    import nbclient
    import nbformat

    told = nbformat.read(notebook, as_version=4)
    nbformat.validate(told)
    nbclient.NotebookClient(told, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    last = [cell for cell in told.cells if cell.cell_type == "code"][-1]
    assert "<svg" in last.outputs[-1].data["text/html"]
