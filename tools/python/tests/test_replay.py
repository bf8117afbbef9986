"""Traces as loads, and studies."""

from pathlib import Path

import firmament as fm
import pytest
from conftest import bytes_but_speed
from interrupted import interrupted

TRACES = Path(__file__).parents[3] / "traces"


def reported(program, folder, *arguments):
    ran = program("replay", *arguments, "--json", "report.json", where=folder)
    assert ran.returncode == 0, ran.stderr
    return (folder / "report.json").read_text()


@pytest.mark.parametrize(
    ("how", "options"),
    [
        ({"remap": "volume"}, ["--remap=volume"]),
        ({"speed": 10, "remap": "modulo"}, ["--speed=10x", "--remap=modulo"]),
        ({"depth": 8, "remap": "scale", "seed": 3}, ["--depth=8", "--remap=scale", "--seed=3"]),
        (
            {"dependency": True, "assumed_latency": "50us", "remap": "modulo", "strict": True},
            ["--dependency", "--assumed-latency=50us", "--remap=modulo", "--strict"],
        ),
    ],
)
def test_a_replay_is_the_programs_to_the_byte(program, tmp_path, how, options):
    trace = sorted(TRACES.glob("*"))[0]
    told = reported(program, tmp_path, "cosmos-plus", str(trace), *options)
    result = fm.replay("cosmos-plus", trace, **how)
    assert bytes_but_speed(result.json) == bytes_but_speed(told)


def test_traces_share_a_drive_that_goes_on(program, tmp_path):
    traces = sorted(TRACES.glob("*"))[:2]
    how = {"remap": "modulo", "depth": 4, "weights": [8, 1]}
    board = fm.Board("cosmos-plus").set("host.arbitration", "weighted")
    words = ["--remap=modulo", "--depth=4", "--weights=8,1", "--set", "host.arbitration=weighted"]
    told = reported(program, tmp_path, "cosmos-plus", *map(str, traces), *words)
    drive = fm.Drive(board)
    result = fm.replay(drive, traces, **how)
    assert bytes_but_speed(result.json) == bytes_but_speed(told)
    assert len(result.jobs) == 2 and drive.runs == 1


@pytest.mark.parametrize(
    ("how", "line"),
    [
        ({"speed": 0}, 'speed: found "0x", expected a factor such as 2x or 0.5x'),
        ({"depth": 0}, 'depth: found "0", expected a whole number from 1 to 65535'),
        ({"remap": "away"}, 'remap: found "away", expected one of none, modulo, scale, volume'),
        ({"depth": 1, "dependency": True}, "dependency: found it beside depth, expected one of both"),
        ({"weights": [1, 2]}, "weights: found 2 for 1 traces, expected one for each trace"),
        ({"volumes": ["x"]}, "volumes"),
    ],
)
def test_what_is_wrong_is_one_line(how, line):
    with pytest.raises(fm.InputError) as error:
        fm.replay("cosmos-plus", sorted(TRACES.glob("*"))[0], **how)
    assert line in str(error.value) and "--" not in str(error.value) and "\n" not in str(error.value)


def test_a_study_is_the_programs(program, tmp_path):
    name = "ocowfc"
    assert name in fm.studies()
    told = program("study", name, "--quick", "--out", "theirs", where=tmp_path)
    assert told.returncode in (0, 1), told.stderr
    seen = []
    result = fm.study(name, quick=True, progress=seen.append)
    assert result.text() == told.stdout and seen[-1] == 1
    result.write(tmp_path / "ours")
    ours, theirs = (tmp_path / folder / name / "result.csv" for folder in ("ours", "theirs"))
    assert ours.read_bytes() == theirs.read_bytes()
    assert set(result.table["status"]) <= {"within", "outside", "reported"} and len(result.table) > 1
    with pytest.raises(fm.InputError, match="study: found .nothing., expected one of"):
        fm.study("nothing")


def test_an_interrupt_ends_a_study():
    text = (
        "import firmament as fm\n"
        "try:\n"
        "    fm.study('cosmos-plus', progress=lambda share: print(share, flush=True))\n"
        "    print('whole', flush=True)\n"
        "except fm.Interrupted as interrupted:\n"
        "    print(interrupted.result, flush=True)\n"
    )
    lines, code = interrupted(text)
    assert lines[-1] == "None" and code == 0
