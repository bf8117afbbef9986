"""What the table of sizes is held to."""

import unittest

import synth

ROW = {"lut": 24, "ff": 13, "bram36": 0.5, "levels": 3, "latches": 0}
TOLD = {"module": "fm_fifo_16x16", "lut": "24", "ff": "13", "bram36": "0.5", "levels": "3"}


def complaints(told=None, **changed):
    table = {"fm_fifo_16x16": TOLD | (told or {})}
    return list(synth.complaints({"fm_fifo_16x16": ROW | changed}, table))


class Complaints(unittest.TestCase):
    def test_a_row_that_is_as_measured_is_right(self):
        self.assertEqual(complaints(), [])
        self.assertEqual(complaints({"levels": ""}, levels=9), [], "levels that are left open")

    def test_a_row_is_stale_either_way(self):
        for resource in synth.RESOURCES:
            for step in (-1, 1):
                found = complaints(**{resource: ROW[resource] + step})
                self.assertEqual(len(found), 1, (resource, step))
                self.assertIn(f"{resource}, expected", found[0])

    def test_latches_clocks_and_rows_without_a_module_are_told(self):
        self.assertEqual(len(complaints(latches=1)), 1)
        self.assertEqual(len(list(synth.complaints({}, {"gone": TOLD}))), 1)
        self.assertEqual(len(list(synth.complaints({"ecc_codec": ROW | {"ecp5_mhz": 99.9}}, {"ecc_codec": TOLD}))), 1)
        self.assertEqual(len(list(synth.complaints({"fm_fifo_16x16": ROW}, {}))), 1)


if __name__ == "__main__":
    unittest.main()
