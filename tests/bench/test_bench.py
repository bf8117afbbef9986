"""The table of counts only falls."""

import unittest

from bench import UNITS, Firmament, Ratchet

KEY, UNIT = ("release", "random-read"), UNITS["request"]


def ratchet(count=1000, compiler="1.0"):
    row = {"profile": KEY[0], "case": KEY[1], "count": str(count), "compiler": compiler, "why": ""}
    return Ratchet({KEY: row}, "1.0")


class Counts(unittest.TestCase):
    def test_more_than_one_percent_above_the_fewest_fails(self):
        self.assertTrue(ratchet().check(KEY, 1010, UNIT)[1])
        self.assertFalse(ratchet().check(KEY, 1011, UNIT)[1])
        self.assertFalse(Ratchet({}, "1.0").check(KEY, 1, UNIT)[1])
        self.assertTrue(ratchet(compiler="0.9").check(KEY, 5000, UNIT)[1], "another compiler is not compared")

    def test_small_steps_upward_do_not_add_up(self):
        table = ratchet()
        for found in (1009, 1010):
            self.assertTrue(table.update(KEY, found, UNIT, "")[1])
        self.assertFalse(table.check(KEY, 1018, UNIT)[1])

    def test_more_is_written_only_with_a_reason_which_stays(self):
        table = ratchet()
        self.assertFalse(table.update(KEY, 1100, UNIT, "")[1])
        self.assertEqual(int(table.table[KEY]["count"]), 1000)
        self.assertTrue(table.update(KEY, 1100, UNIT, "planes")[1])
        self.assertTrue(table.update(KEY, 1050, UNIT, "")[1])
        self.assertEqual((table.table[KEY]["count"], table.table[KEY]["why"]), (1050, "planes"))


    def test_a_reason_raises_no_other_row(self):
        table = ratchet()
        self.assertTrue(table.update(KEY, 1009, UNIT, "planes")[1])
        self.assertEqual((table.table[KEY]["count"], table.table[KEY]["why"]), ("1000", ""))
        self.assertTrue(table.update(("release", "new"), 5, UNIT, "planes")[1])
        self.assertEqual(table.table["release", "new"]["why"], "")


class Counting(Firmament):
    """A program whose runs take 100 instructions and one for each request or point, and 3 bytes of heap for each."""

    def options(self, case, blocks_per_way, count):
        return blocks_per_way, count

    def sweep(self, folder, blocks_per_way, count, more=()):
        return blocks_per_way, count

    def instructions(self, command, case):
        return 100 + command[0] * command[1]

    def heap(self, command, case):
        return 3 * command[1]


class Cases(unittest.TestCase):
    SIZES = {"32 GiB": 7, "9 GiB": 2}
    CASE = {"name": "a", "counted": 40, "short": {"counted": 10, "size": "9 GiB"}}

    def count(self, program, kind):
        return Counting(program).count(self.CASE | {"counts": kind}, self.SIZES)

    def test_requests_and_points_are_counted_without_the_start(self):
        self.assertEqual(self.count("target/release/firmament", "request"), 7)
        self.assertEqual(self.count("target/release/firmament", "point"), 7)

    def test_a_start_is_a_whole_run_and_memory_that_of_all_requests(self):
        self.assertEqual(self.count("target/release/firmament", "start"), 107)
        self.assertEqual(self.count("target/release/firmament", "memory"), 120)

    def test_the_program_of_the_tests_counts_the_short_form(self):
        self.assertEqual(self.count("target/debug/firmament", "request"), 2)
        self.assertEqual(self.count("target/debug/firmament", "memory"), 30)


if __name__ == "__main__":
    unittest.main()
