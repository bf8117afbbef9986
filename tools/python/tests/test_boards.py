import pickle

import firmament as fm
import pytest


def test_boards_have_names_and_descriptions(program):
    told = dict(line.split(maxsplit=1) for line in program("boards").stdout.splitlines())
    assert fm.boards() == told


def test_a_board_is_a_mapping_of_its_keys():
    board = fm.Board("cosmos-plus")
    assert board["geometry.channels"] == 8
    assert board["ftl.placement"] == "channel-first"
    assert "geometry.ways" in board and "geometry.way" not in board
    assert len(board) == len(list(board)) > 100
    assert all(value is not None for value in board.values())


def test_set_gives_another_board():
    board = fm.Board("cosmos-plus")
    changed = board.set("geometry.ways", 4).set({"geometry.channels": 2, "ftl.placement": "way-first"})
    assert (board["geometry.ways"], board["geometry.channels"]) == (8, 8)
    assert (changed["geometry.ways"], changed["geometry.channels"]) == (4, 2)
    assert changed["ftl.placement"] == "way-first"
    assert changed.sha256 != board.sha256
    assert changed.capacity_bytes < board.capacity_bytes
    assert eval(repr(changed), {"Board": fm.Board}) == changed


def test_a_board_is_the_programs(program):
    printed = program("board", "cosmos-plus", "--set", "geometry.ways=4").stdout
    assert fm.Board("cosmos-plus").set("geometry.ways", 4).toml() in printed


def test_a_board_may_be_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('inherits = "small"\n[geometry]\nways = 2\n')
    board = fm.Board(path)
    assert (board.name, board["geometry.ways"]) == ("mine", 2)


def test_a_board_can_be_pickled():
    board = fm.Board("small", {"geometry.ways": 2})
    assert pickle.loads(pickle.dumps(board)) == board


def test_ceilings_are_those_that_the_program_prints(program):
    printed = program("board", "small").stdout
    for ceiling in fm.Board("small").ceilings():
        assert ceiling.amount > 0
        assert f"{ceiling.amount:.1f}" in printed


@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        (lambda: fm.Board("smal"), ["smal"]),
        (lambda: fm.Board("small").set("geometry.way", 4), ["small", "--set", "geometry.way=4"]),
        (lambda: fm.Board("small").set("geometry.ways", 0), ["small", "--set", "geometry.ways=0"]),
        (lambda: fm.Board("small", {"ftl.victim": "best"}), ["small", "--set", "ftl.victim=best"]),
    ],
)
def test_what_is_wrong_is_told_in_the_programs_words(program, make, arguments):
    with pytest.raises(fm.InputError) as error:
        make()
    # The program has an option where Python has an argument or a method.
    told = program("board", *arguments).stderr.replace("--set:", "set:")
    assert f"firmament: {error.value}\n" == told
    assert isinstance(error.value, ValueError)


def test_values_that_do_nothing_are_told(program):
    key = "channel.queue_depth"
    unused = program("run", "small", "--set", f"{key}=3", "--rw=read", "--bs=4k", "--size=4k").stderr
    if "warning" not in unused:
        pytest.skip(f"{key} is of use on this board")
    with pytest.warns(fm.FirmamentWarning, match=key):
        fm.Board("small").set(key, 3)
