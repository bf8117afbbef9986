"""The table of instructions only falls."""

import unittest

from bench import Ratchet

KEY = ("release", "random-read")


def ratchet(instructions=1000, compiler="1.0"):
    row = {"profile": KEY[0], "case": KEY[1], "instructions": str(instructions), "compiler": compiler, "why": ""}
    return Ratchet({KEY: row}, "1.0")


class Counts(unittest.TestCase):
    def test_more_than_one_percent_above_the_fewest_fails(self):
        self.assertTrue(ratchet().check(KEY, 1010)[1])
        self.assertFalse(ratchet().check(KEY, 1011)[1])
        self.assertFalse(Ratchet({}, "1.0").check(KEY, 1)[1])
        self.assertTrue(ratchet(compiler="0.9").check(KEY, 5000)[1], "another compiler is not compared")

    def test_small_steps_upward_do_not_add_up(self):
        table = ratchet()
        for found in (1009, 1010):
            self.assertTrue(table.update(KEY, found, "")[1])
        self.assertFalse(table.check(KEY, 1018)[1])

    def test_more_is_written_only_with_a_reason_which_stays(self):
        table = ratchet()
        self.assertFalse(table.update(KEY, 1100, "")[1])
        self.assertEqual(int(table.table[KEY]["instructions"]), 1000)
        self.assertTrue(table.update(KEY, 1100, "planes")[1])
        self.assertTrue(table.update(KEY, 1050, "")[1])
        self.assertEqual((table.table[KEY]["instructions"], table.table[KEY]["why"]), (1050, "planes"))


if __name__ == "__main__":
    unittest.main()
