"""Looks for drives that amplify writes little and answer soon: a Pareto search by Optuna.

Needs the package optuna. Each trial is a run, and a trial with the same seed gives the same figures again.
"""

import firmament as fm
import optuna

#: Small, so that a trial takes a moment.
BOARD = fm.Board("small")
JOB = fm.Job(rw="randwrite", bs="4k", iodepth=8, size="6m", io_size="12m")


def trial(trial: optuna.Trial) -> tuple[float, float]:
    """Write amplification, and the 99th percentile of latency in microseconds, of a drive."""
    board = BOARD.set(
        {
            "ftl.victim": trial.suggest_categorical("ftl.victim", ["greedy", "cost-benefit"]),
            "ftl.overprovision_percent": trial.suggest_int("ftl.overprovision_percent", 10, 40, step=5),
        }
    )
    result = fm.run(board, JOB, precondition="random", progress=False)
    return result.write_amplification, result.write.clat.percentile_ns(99) / 1e3


def search(trials: int = 20) -> optuna.Study:
    """The search; ``best_trials`` of what it returns are those that no other beats in both."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=optuna.samplers.NSGAIISampler(seed=1))
    study.optimize(trial, n_trials=trials)
    return study


if __name__ == "__main__":
    for best in search().best_trials:
        print(f"WAF {best.values[0]:.3f}, p99 {best.values[1]:.1f} us: {best.params}")
