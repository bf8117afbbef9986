import json
import threading
import time

import firmament as fm
import pytest
from conftest import bytes_but_speed
from interrupted import interrupted

BLOCK = 4096
#: Bits go wrong so often that nearly every read fails.
FAILING = {"errors.raw_bits_per_terabit": 10**11}


def closed_loop(total, heard, kinds=(fm.read,)):
    """A program that keeps as many requests under way as it may, and notes what it is sent."""

    def program(drive):
        blocks = drive.capacity_bytes // BLOCK
        issued = 0

        def some(count):
            nonlocal issued
            count = min(count, total - issued)
            numbers = range(issued, issued + count)
            issued += count
            return [kinds[n % len(kinds)](drive.random.randrange(blocks) * BLOCK, BLOCK, tag=("tag", n)) for n in numbers]

        done = yield some(drive.iodepth)
        while done:
            heard.append((drive.now_ns, done))
            if len(heard) and sum(len(one) for _, one in heard) == total:
                return
            done = yield some(len(done))

    return program


def test_completions_are_the_requests_of_the_report():
    heard = []
    result = fm.host("small", closed_loop(200, heard, (fm.read, fm.write)), iodepth=4, requests=True)
    done = [one for _, together in heard for one in together]
    table = result.requests.to_dict()
    rows = zip(*(table[name] for name in ("direction", "offset_bytes", "length_bytes", "end_ps", "clat_ps")))
    told = [(one.kind, one.offset, one.size, one.completed_ns, one.latency_ns) for one in done]
    assert told == [(kind, offset, size, end // 1000, clat // 1000) for kind, offset, size, end, clat in rows]
    assert all(together for _, together in heard), "it was sent nothing"
    assert all(now >= one.completed_ns for now, together in heard for one in together)
    assert all(abs(one.completed_ns - one.submitted_ns - one.latency_ns) <= 1 for one in done)
    assert all(one.ok and one.status == "success" for one in done)
    assert result.read.requests + result.write.requests == 200
    assert result.read.clat.min_ns == min(one.latency_ns for one in done if one.kind == "read")
    assert result.jobs[0].options["iodepth"] == "4"


def test_tags_come_back_with_their_requests():
    given = {}

    def program(drive):
        wanted = [fm.read(drive.random.randrange(1000) * BLOCK, BLOCK, tag=object()) for _ in range(100)]
        given.update((one.tag, one.offset) for one in wanted)
        left = len(wanted)
        done = yield wanted
        while left:
            for one in done:
                assert given.pop(one.tag) == one.offset
            left -= len(done)
            done = yield []

    result = fm.host("small", program, iodepth=16)
    assert not given and result.read.requests == 100


def test_a_program_that_does_what_a_job_does_measures_the_same():
    def program(drive):
        yield [fm.read(nth * BLOCK, BLOCK) for nth in range(256)]

    ours = fm.host("small", program, iodepth=8)
    assert ours.read == fm.run("small", fm.Job(rw="read", bs="4k", iodepth=8, size="1m")).read


def test_no_more_are_under_way_than_the_depth_says():
    heard = []

    def program(drive):
        left = 50
        done = yield [fm.read(nth * BLOCK, BLOCK) for nth in range(left)]
        while left:
            heard.extend(done)
            left -= len(done)
            done = yield []

    fm.host("small", program, iodepth=3)
    under_way = [sum(b.submitted_ns <= a.submitted_ns < b.completed_ns for b in heard) for a in heard]
    assert len(heard) == 50 and max(under_way) == 3


def test_a_wait_ends_at_its_time_or_with_a_completion():
    seen = []

    def program(drive):
        seen.append((yield [fm.wait(until=50_000)]))
        seen.append(drive.now_ns)
        [read] = yield [fm.read(0, BLOCK), fm.wait(until=10**12)]
        seen.append(drive.now_ns - read.completed_ns)
        soon = drive.now_ns + 3_000
        seen.append((yield [fm.read(BLOCK, BLOCK), fm.wait(until=soon)]))
        seen.append(drive.now_ns - soon)
        [read] = yield []
        seen.append(read.offset)
        seen.append((yield [fm.wait(until=0)]))
        seen.append(drive.now_ns - read.completed_ns)

    fm.host("small", program)
    assert seen == [[], 50_000, 0, [], 0, BLOCK, [], 0]


@pytest.mark.parametrize(
    ("lists", "requests"),
    [
        ([], 0),
        ([[]], 0),
        ([[fm.read(0, BLOCK)]], 1),
        ([[fm.read(0, BLOCK)], []], 1),
        ([[fm.read(0, BLOCK)], [], [fm.read(0, BLOCK)]], 1),
        ([(fm.read(0, BLOCK), fm.read(0, BLOCK))], 2),
    ],
)
def test_a_program_ends_when_it_returns_or_wants_nothing_with_nothing_under_way(lists, requests):
    ended = []

    def program(drive):
        try:
            for wanted in lists:
                yield wanted
        finally:
            ended.append(True)

    result = fm.host("small", program)
    assert (result.read.requests if result.read else 0) == requests and ended == [True]


def test_all_kinds_of_requests_are_served_in_the_order_of_their_completions():
    kinds = []

    def program(drive):
        for request in [fm.write(0, 2 * BLOCK), fm.flush("f"), fm.read(BLOCK, BLOCK), fm.trim(0, drive.capacity_bytes)]:
            [done] = yield [request]
            kinds.append((done.kind, done.offset, done.size, done.tag))

    result = fm.host("small", program)
    capacity = fm.Board("small").capacity_bytes
    assert kinds == [("write", 0, 8192, None), ("flush", 0, 0, "f"), ("read", 4096, 4096, None), ("trim", 0, capacity, None)]
    assert result.jobs[0].trim.requests == 1 and result.drive["provenance"]["jobs"]["program"]["name"] == "program"


def test_what_a_program_knows_of_its_drive():
    known = []

    def program(drive):
        known.extend((drive.capacity_bytes, drive.block_bytes, drive.max_bytes, drive.iodepth, drive.seed, drive.now_ns))
        yield []

    board = fm.Board("small")
    fm.host(board, program, iodepth=5, max_bytes=8192, seed=9)
    assert known == [board.capacity_bytes, board.block_bytes, 8192, 5, 9, 0]


@pytest.mark.parametrize(
    ("item", "line"),
    [
        (fm.read(100, BLOCK), "read: offset: found 100, expected a multiple of 4096 bytes"),
        (fm.read(0, 0), "read: size: found 0, expected a multiple of 4096 bytes, at least one block"),
        (fm.write(0, 132 * 1024), "write: size: found 135168, expected at most 131072 bytes"),
        (fm.trim(1 << 40, BLOCK), "trim: offset: found 1099511627776, expected at most "),
        (fm.read(-BLOCK, BLOCK), "read: offset: found -4096, expected a whole number of bytes"),
        (fm.read(0, 4096.0), "read: size: found 4096.0, expected a whole number of bytes"),
        (fm.Request("erase"), 'kind: found "erase", expected read, write, trim or flush'),
        (fm.wait(until="soon"), "wait: until: found 'soon', expected a whole number of nanoseconds"),
        (7, "found int, expected a request such as"),
    ],
)
def test_what_cannot_be_issued_is_raised_at_its_yield(item, line):
    caught = []

    def program(drive):
        try:
            yield [fm.read(0, BLOCK), item]
        except fm.InputError as error:
            caught.append(str(error))
        [done] = yield [fm.read(BLOCK, BLOCK)]
        caught.append(done.offset)
        yield [item]

    with pytest.raises(fm.InputError) as error:
        fm.host("small", program)
    assert caught[0].startswith(f"yield: item 2: {line}") and caught[1] == BLOCK, "a part of the list was issued"
    assert str(error.value).startswith(f"yield: item 1: {line}") and "\n" not in str(error.value)
    assert any(entry.name == "program" for entry in error.traceback), "the place of the yield is lost"


@pytest.mark.parametrize(
    ("program", "how", "line"),
    [
        (7, {}, "program: found int, expected a function that yields requests"),
        (lambda drive: 7, {}, "program: found a function that gives int, expected a generator"),
        (lambda drive: (yield fm.flush()), {}, "yield: found Request, expected a list of requests"),
        (lambda drive: (yield [fm.wait(until=1), fm.wait(until=2)]), {}, "yield: item 2: wait: found a second one"),
        (lambda drive: (yield []), {"iodepth": 0}, "<lambda>: iodepth: found 0, expected at least 1"),
        (lambda drive: (yield []), {"max_bytes": 100}, "<lambda>: max_bytes: found 100, expected a multiple of 4096"),
        (lambda drive: (yield []), {"precondition": "worn"}, "precondition: found"),
        (lambda drive: (yield [fm.wait(until=1 << 63)]), {}, "<lambda>: found no request before the end of virtual time"),
    ],
)
def test_what_cannot_be_run_is_one_line(program, how, line):
    with pytest.raises(fm.InputError) as error:
        fm.host("small", program, **how)
    assert str(error.value).startswith(line) and "\n" not in str(error.value) and "expected" in str(error.value)


def test_what_a_program_raises_ends_the_run_and_is_raised():
    class Enough(Exception):
        pass

    ended = []

    def program(drive):
        try:
            while True:
                done = yield [fm.read(0, BLOCK)] * 4
                if drive.now_ns > 1_000_000:
                    raise Enough(len(done))
        finally:
            ended.append(drive.now_ns)

    with pytest.raises(Enough) as error:
        fm.host("small", program)
    assert len(ended) == 1 and error.traceback[-1].name == "program"


def test_a_failed_request_is_told_and_one_after_the_end_is_raised():
    heard = []

    def program(drive):
        for nth in range(8):
            heard.extend((yield [fm.read(nth * BLOCK, BLOCK)]))

    result = fm.host(fm.Board("small", FAILING), program)
    failed = [one for one in heard if not one.ok]
    assert len(heard) == 8 and failed and "read" in failed[0].status.lower()
    assert (result.read.requests if result.read else 0) == 8 - len(failed) and result.jobs[0].error == 0

    def gone(drive):
        yield [fm.read(0, BLOCK), fm.wait(until=1)]

    def first_of_many(drive):
        yield [fm.read(0, BLOCK), fm.wait(until=1)] + [fm.read(nth * BLOCK, BLOCK) for nth in range(1, 64)]

    for program in (gone, first_of_many):
        with pytest.raises(fm.DriveError, match="read of LBA") as error:
            fm.host(fm.Board("small", FAILING), program, iodepth=4)
        assert error.value.result.jobs[0].error == 61


def test_the_same_program_board_and_seed_give_the_same_bytes(tmp_path):
    def run(seed):
        how = {"seed": seed, "iodepth": 8, "requests": True, "monitor": "100us", "save": tmp_path / "worn.snap"}
        result = fm.host("small", closed_loop(300, [], (fm.read, fm.write, fm.trim)), **how)
        return bytes_but_speed(result.json), result.requests.to_dict(), (tmp_path / "worn.snap").read_bytes()

    first = run(3)
    assert run(3) == first
    assert run(4)[1] != first[1]


def test_a_drive_is_kept_and_gone_on_with(tmp_path):
    def program(drive):
        yield [fm.write(0, BLOCK)]

    fm.host("small", program, save=tmp_path / "worn.snap", timeline=True)
    result = fm.host(None, program, from_snapshot=tmp_path / "worn.snap")
    assert result.board == "small" and result.write.requests == 1


def test_figures_that_are_known_end_a_program():
    ended = []

    def program(drive):
        try:
            while True:
                yield [fm.read(drive.random.randrange(1000) * BLOCK, BLOCK)]
        finally:
            ended.append(True)

    result = fm.host("small", program, until="converged:error=20%")
    assert ended == [True] and result.read.requests > 100


def test_a_program_may_run_another():
    inner = []

    def program(drive):
        yield [fm.read(0, BLOCK)]
        inner.append(fm.run("small", fm.Job(rw="read", bs="4k", size="64k")).read.requests)

    assert fm.host("small", program).read.requests == 1 and inner == [16]


def test_a_report_has_the_text_of_its_program_and_cannot_be_run_again(program, tmp_path):
    def marked(drive):
        yield [fm.read(0, BLOCK)]  # <b>read</b>

    result = fm.host("small", marked)
    told = result.drive["provenance"]["jobs"]["program"]
    assert told["name"] == "marked" and told["text"].startswith("def marked(drive):\n    yield")
    assert told["options"] == [["iodepth", "32"], ["max_bytes", "131072"]]
    assert "program marked:" in result.text() and "&lt;b&gt;read&lt;/b&gt;" in result.html()
    (tmp_path / "report.json").write_text(result.json)
    ran = program("rerun", tmp_path / "report.json")
    assert ran.returncode == 2 and "a report of the program marked, expected one of run" in ran.stderr
    assert json.loads(result.json)["firmament"]["seed"] == 1


def test_other_threads_go_on_meanwhile():
    thread = threading.Thread(target=lambda: fm.host("small", closed_loop(500, [])))
    thread.start()
    turns = 0
    while thread.is_alive():
        turns += 1
        time.sleep(0.001)
    assert turns > 5, "the run has kept Python to itself"


@pytest.mark.parametrize("wanted", ["[fm.read(0, 4096)]", "[fm.wait(until=0)]"])
def test_an_interrupt_ends_a_run(wanted):
    text = (
        "import firmament as fm\n"
        "def program(drive):\n"
        "    turns = 0\n"
        "    while True:\n"
        f"        yield {wanted}\n"
        "        turns += 1\n"
        "        if turns == 1000: print('runs', flush=True)\n"
        "try:\n"
        "    fm.host('small', program)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    lines, code = interrupted(text)
    assert lines[-1] == "interrupted" and code == 0
