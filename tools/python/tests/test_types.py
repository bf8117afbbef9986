"""Types of the package, as mypy and pyright see them, and of whoever uses it."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import firmament
import pytest

HERE = Path(__file__).parents[1]
#: Where the package is imported from.
PACKAGE = Path(firmament.__path__[0]).parent
#: A use of the package with a mistake that types tell: a check that finds nothing here looks at nothing.
WRONG = "import firmament as fm\nfm.run('small', 1)\nfm.Board('small').capacity_bytes.upper()\n"


def check(tool, where, *arguments):
    """Runs a tool of this environment. What it says, and whether it found nothing wrong."""
    if importlib.util.find_spec(tool) is None:
        pytest.skip(f"{tool} is not there")
    environment = os.environ | {"MYPYPATH": str(PACKAGE)}
    command = [sys.executable, "-m", tool, *map(str, arguments)]
    ran = subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True)
    if tool == "pyright" and "npm" in ran.stderr and not ran.stdout:
        pytest.skip("pyright's own program cannot be had")
    return ran.stdout + ran.stderr, ran.returncode == 0


def mypy(where, *arguments):
    return check("mypy", where, "--config-file", HERE / "pyproject.toml", "--cache-dir", where / "cache", *arguments)


def pyright(where, *arguments):
    for needed in ("pandas", "polars", "pyarrow", "xarray"):
        pytest.importorskip(needed)
    told = '{"extraPaths": ["' + str(PACKAGE) + '"], "reportMissingModuleSource": false}'
    (where / "pyrightconfig.json").write_text(told)
    return check("pyright", where, "--pythonpath", sys.executable, *arguments)


def examples(where):
    """The examples of the package's README as files."""
    blocks = re.findall(r"^```python\n(.*?)^```", (HERE / "README.md").read_text(), re.S | re.M)
    assert blocks
    files = [where / f"example{nth}.py" for nth in range(len(blocks))]
    for file, block in zip(files, blocks):
        file.write_text(block)
    return files


def test_mypy_passes_the_package(tmp_path):
    said, passed = mypy(tmp_path, "-p", "firmament")
    assert passed, said


def test_mypy_passes_examples_and_sees_mistakes(tmp_path):
    said, passed = mypy(tmp_path, *examples(tmp_path))
    assert passed, said
    (tmp_path / "wrong.py").write_text(WRONG)
    said, passed = mypy(tmp_path, "wrong.py")
    assert not passed and "wrong.py:2" in said and "wrong.py:3" in said


def test_pyright_passes_the_package(tmp_path):
    # Links to sources count as what they lead to.
    said, passed = pyright(tmp_path, *sorted(path.resolve() for path in (PACKAGE / "firmament").glob("*.py")))
    assert passed, said


def test_pyright_passes_examples_and_sees_mistakes(tmp_path):
    said, passed = pyright(tmp_path, *examples(tmp_path))
    assert passed, said
    (tmp_path / "wrong.py").write_text(WRONG)
    said, passed = pyright(tmp_path, "wrong.py")
    assert not passed and "wrong.py:2" in said and "wrong.py:3" in said
