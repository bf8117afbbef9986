"""Examples in docstrings and pages are run, and print what stands below them."""

import doctest
import importlib
import os
import pkgutil
from pathlib import Path

import firmament
import pytest

ROOT = Path(__file__).parents[3]
MODULES = ["firmament", *(f"firmament.{module.name}" for module in pkgutil.iter_modules(firmament.__path__))]
PAGES = ["docs/python.md"]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("._native")])
def test_docstrings(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert failed == 0


@pytest.mark.parametrize("page", PAGES)
def test_pages(page, tmp_path):
    if not (ROOT / page).exists():
        pytest.skip("no such page")
    os.chdir(tmp_path)
    failed, tried = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=FLAGS, encoding="utf-8")
    assert failed == 0 and tried > 10
