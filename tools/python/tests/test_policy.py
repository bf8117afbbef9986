"""Policies in Python."""

import json

import firmament as fm
import pytest
from conftest import bytes_but_speed
from interrupted import interrupted

#: Overwrites of a full drive, of which collection makes room.
JOB = fm.Job(rw="randwrite", bs="16k", iodepth=4, norandommap=1, io_size="16m")


def greedy(way):
    return max(way.blocks, key=lambda block: block.invalid)


def figures(result):
    """A report without its speed, and without what says how the run was asked for."""
    report = json.loads(result.json)
    del report["firmament"]["provenance"]
    return bytes_but_speed(json.dumps(report, indent=1))


@pytest.mark.parametrize("state", ["sequential", "steady"])
def test_greedy_in_python_is_greedy(state):
    ours = fm.run("small", JOB, precondition=state, policy=fm.Policy(victim=greedy))
    theirs = fm.run("small", JOB, precondition=state)
    assert figures(ours) == figures(theirs)
    assert ours.write_amplification > 1.5
    other = fm.run("small", JOB, precondition=state, policy=fm.Policy(victim=lambda way: way.blocks[-1]))
    assert figures(other) != figures(theirs)


def test_cost_benefit_in_python_is_cost_benefit():
    def cost_benefit(way):
        empty = [block for block in way.blocks if block.valid == 0]
        if empty:
            return empty[0]
        return max(way.blocks, key=lambda block: block.age * block.invalid / block.valid)

    board = fm.Board("small").set("ftl.victim", "cost-benefit")
    ours = fm.run("small", JOB, policy=fm.Policy(victim=cost_benefit))
    assert figures(ours) == figures(fm.run(board, JOB)) != figures(fm.run("small", JOB))


def test_what_it_draws_follows_from_the_seed_and_what_it_keeps_begins_with_a_run():
    def drawn(way):
        way.kept["count"] = way.kept.get("count", 0) + 1
        counts.append(way.kept["count"])
        return way.random.choice(way.blocks)

    def run(**more):
        counts.clear()
        result = fm.run("small", JOB, policy=fm.Policy(victim=drawn), **more)
        return figures(result), list(counts)

    counts = []
    first, told = run()
    assert run() == (first, told) and told[0] == 1 and max(told) > 5
    assert run(seed=2)[0] != first
    # Seeds that run beside each other do not know of each other.
    policy = fm.Policy(victim=drawn)
    over = [fm.run("small", JOB, seeds=4, policy=policy).to_dict()["firmament"]["over_seeds"] for _ in range(2)]
    assert over[0] == over[1] and len(over[0]["seeds"]) == 4


def test_it_sees_what_the_firmware_sees():
    seen = []

    def look(way):
        seen.append((way.number, way.units, way.blocks))
        return way.blocks[0]

    board = fm.Board("small")
    result = fm.run(board, JOB, policy=fm.Policy(victim=look))
    ways = board["geometry.channels"] * board["geometry.ways"]
    assert {number for number, _, _ in seen} == set(range(ways))
    # What is left in the buffer when the jobs end is programmed then, and collected for.
    assert len(seen) >= result.to_dict()["firmament"]["garbage_collections"] > 50
    for _, units, blocks in seen:
        # A page of a block of its flash cells holds one mapping unit, and the board uses half of 64.
        assert units == 32
        assert all(block.valid + block.invalid == units and block.invalid >= 1 for block in blocks)
        assert [-block.invalid for block in blocks] == sorted(-block.invalid for block in blocks)
        assert len({block.number for block in blocks}) == len(blocks)
    erases = [block.erases for _, _, blocks in seen for block in blocks]
    ages = [block.age for _, _, blocks in seen for block in blocks]
    assert max(erases) > 0 and max(ages) > 0 and min(ages) >= 0


def other_block(way):
    return fm.BlockView(10_000, 0, 1, 0, 0)


def nothing(way):
    pass


def number(way):
    return way.blocks[0].number


@pytest.mark.parametrize(
    "wrong, found",
    [(other_block, "BlockView\\(number=10000, .*"), (nothing, "None"), (number, "[0-9]+")],
)
def test_a_wrong_answer_is_one_line_that_names_the_function(wrong, found):
    line = rf"^policy: victim: found {found} of {wrong.__name__} in way \d+, expected one of the \d+ blocks in way.blocks$"
    with pytest.raises(fm.InputError, match=line):
        fm.run("small", JOB, policy=fm.Policy(victim=wrong))
    with pytest.raises(fm.InputError, match=line):
        fm.run("small", JOB, precondition="steady", policy=fm.Policy(victim=wrong))
    with pytest.raises(fm.InputError, match=line):
        fm.run("small", JOB, seeds=3, policy=fm.Policy(victim=wrong))


def test_what_it_raises_is_raised_and_leaves_a_drive_as_it_was():
    class Mine(Exception):
        pass

    def fails(way):
        raise Mine("of this way")

    drive = fm.precondition("small", "sequential")
    expected = drive.copy().run(JOB)
    with pytest.raises(Mine, match="of this way") as raised:
        drive.run(JOB, policy=fm.Policy(victim=fails))
    [note] = raised.value.__notes__
    assert note.startswith("in fails, which chooses the victim in way ")
    assert drive.runs == 0 and figures(drive.run(JOB)) == figures(expected)


def test_a_drive_goes_on_without_it(tmp_path):
    drive = fm.precondition("small", "sequential")
    worst = drive.run(JOB, policy=fm.Policy(victim=lambda way: way.blocks[-1]))
    assert drive.runs == 1
    drive.save(tmp_path / "drive.snap")
    after = fm.Drive.load(tmp_path / "drive.snap").run(JOB)
    assert figures(after) == figures(drive.run(JOB))
    assert after.write_amplification < worst.write_amplification


def test_what_is_no_policy_is_refused():
    with pytest.raises(fm.InputError, match="^policy: victim: found str, expected a function that is given a way"):
        fm.Policy(victim="greedy")
    with pytest.raises(fm.InputError, match="^policy: found function, expected such as fm.Policy"):
        fm.run("small", JOB, policy=greedy)
    for board, why in (("openexpress", "a drive without flash"), ("cosmos-plus-ocssd", "a drive whose host places its data")):
        with pytest.raises(fm.InputError, match=f"^policy: found greedy for {why}, expected a board whose firmware"):
            fm.run(board, fm.Job(rw="read", size="1m"), policy=fm.Policy(victim=greedy))


def test_the_report_tells_of_it(program, tmp_path):
    result = fm.run("small", JOB, policy=fm.Policy(victim=greedy))
    told = result.to_dict()["firmament"]["provenance"]["victim"]
    assert told["name"] == "greedy" and told["text"].startswith("def greedy(way):\n    return max(")
    assert "victims of collection by greedy in Python:\n    def greedy(way):" in result.text()
    assert "Victims of collection by greedy" in result.html()
    (tmp_path / "report.json").write_text(result.json)
    again = program("rerun", tmp_path / "report.json")
    expected = "victim: found greedy, a function in Python, expected a policy of the firmware"
    assert again.returncode == 2 and expected in again.stderr
    comparison = fm.compare({"greedy": fm.run("small", JOB), "mine": result})
    assert list(comparison.settings) == ["victim"]


def test_programs_and_timelines_ask_it_too():
    def overwrite(drive):
        pages = drive.capacity_bytes // 16384
        yield [fm.write(drive.random.randrange(pages) * 16384, 16384) for _ in range(1000)]

    asked = []

    def first(way):
        asked.append(way.number)
        return way.blocks[0]

    with_policy = fm.host("small", overwrite, policy=fm.Policy(victim=first))
    assert asked and figures(with_policy) == figures(fm.host("small", overwrite))
    # The run is done twice for this timeline, and is the same both times.
    policy = fm.Policy(victim=lambda way: way.random.choice(way.blocks))
    timeline = fm.run("small", JOB, timeline="collection", policy=policy).timeline
    assert "tBERS" in set(timeline["what"])


INTERRUPTED = """
import firmament as fm

def slow(way):
    print("asked", flush=True)
    while True:
        pass

try:
    fm.run("small", fm.Job(rw="randwrite", bs="16k", norandommap=1, io_size="16m"), policy=fm.Policy(victim=slow))
except fm.Interrupted as error:
    print("interrupted", error.result.write.requests > 0)
"""


def test_ctrl_c_ends_a_function_that_does_not():
    lines, code = interrupted(INTERRUPTED, 0.3)
    assert (lines[-1], code) == ("interrupted True", 0)
