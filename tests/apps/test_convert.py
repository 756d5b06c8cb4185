# SPDX-License-Identifier: MIT
"""kovariant convert and info."""
import os
import unittest

from program_support import HAS_HDF5, ProgramTest


class Convert(ProgramTest):
    def test_round_trips_through_every_format_keep_every_bit(self):
        self.call("generate", "--extent", 4, 6, 4, 8, "--thermalise", 3, "--output", "a", "-q")
        want, links = self.plaquette("a.0001.lime"), self.links("a.0001.lime")
        chain = ["a.0001.lime", "b.nersc"] + (["c.h5"] if HAS_HDF5 else []) + ["d.ildg"]
        for source, target in zip(chain, chain[1:]):
            self.call("convert", source, target)
            self.assertEqual(self.plaquette(target), want)
            self.assertEqual(self.links(target), links)

    def test_single_precision_and_two_rows_keep_seven_digits(self):
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 3, "--output", "a", "-q")
        self.call("convert", "a.0001.lime", "b.nersc", "--format", "nersc-3x2", "--precision", 32)
        self.assertLess(os.path.getsize(self.path("b.nersc")), os.path.getsize(self.path("a.0001.lime")) / 2.5)
        self.assertAlmostEqual(float(self.plaquette("b.nersc")), float(self.plaquette("a.0001.lime")), delta=1e-6)


if __name__ == "__main__":
    unittest.main()
