"""The example that searches by Optuna."""

import runpy
from pathlib import Path

import pytest

optuna = pytest.importorskip("optuna")
pytestmark = pytest.mark.optuna


def test_no_trial_beats_a_best_one_in_both_figures():
    example = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "search.py"))
    study = example["search"](20)
    assert len(study.trials) == 20
    values = {tuple(trial.values) for trial in study.trials}
    assert len(values) > 3, "all drives are alike"
    for best in study.best_trials:
        assert not any(all(a <= b for a, b in zip(one, best.values)) and one != tuple(best.values) for one in values)
    again = example["search"](20)
    assert [trial.values for trial in again.trials] == [trial.values for trial in study.trials]
