# SPDX-License-Identifier: MIT
"""kovariant loops."""
import math
import os
import re
import unittest

from program_support import HAS_PDF, MPIEXEC, PICTURES, LinksTest


class Loops(LinksTest):
    def test_loops_hold_the_plaquette_and_shrink(self):
        text = self.call("loops", "a.0001.lime", "--max-r", 2, "--max-t", 3).stdout
        self.assertIn(self.read("loops.txt"), text)
        info = self.call("info", "a.0001.lime").stdout
        time, space = self.rows(self.read("loops.txt"), 0), self.rows(self.read("loops.txt"), 1)
        self.assertEqual([row[:2] for row in time], [[r, t] for r in (1, 2) for t in (1, 2, 3)])
        self.assertEqual([row[:2] for row in space], [[1, 1], [2, 1], [2, 2]])
        for row, name in ((time[0], "temporal"), (space[0], "spatial")):
            self.assertAlmostEqual(row[2], float(re.search(name + r" +(\S+)", info).group(1)), delta=1e-11)
        self.assertIsNone(time[2][3])
        self.assertAlmostEqual(time[0][3], math.log(time[0][2] / time[1][2]), delta=1e-9)
        line = re.search(r"Polyakov loop +(\S+) (\S+) i", info)
        self.assertAlmostEqual(float(re.search(r"Polyakov loop t real = (\S+)", text).group(1)), float(line.group(1)),
                               delta=1e-11)
        self.assertEqual(self.new_files(), self.outputs("loops"))
        stored = self.tables_in_hdf5("loops.h5")
        self.assertEqual(sorted(stored), ["space_space", "space_time"])
        self.assertAlmostEqual(stored["space_time"][0][2], time[0][2], delta=1e-11)

    def test_loops_say_why_there_is_no_picture(self):
        done = self.call("loops", "a.0001.lime", "--max-t", 1)
        self.assertRegex(done.stderr, "loops.svg is not drawn: .*--max-t$")
        self.assertFalse(os.path.exists(self.path("loops.svg")))
        self.assertNotIn("svg", done.stdout.splitlines()[-1])

    def test_pictures_of_an_earlier_run_are_named(self):
        self.call("loops", "a.0001.lime")
        done = self.call("loops", "a.0001.lime", "--max-t", 1)
        names = " and ".join("loops" + ending for ending in PICTURES) + (" are" if HAS_PDF else " is")
        self.assertIn("; %s of an earlier run\n" % names, done.stderr)
        self.assertNotIn("svg", done.stdout)

    def test_parameters_of_another_smearing_are_refused(self):
        for options, says in ((["--steps", 3], "--smearing ape, stout or hyp"), (["--directions", "all"], "--smearing ape"),
                              (["--smearing", "stout", "--weight", 1], "--smearing ape"),
                              (["--smearing", "ape", "--rho", 0.1], "--smearing stout"),
                              (["--smearing", "ape", "--alpha2", 0.5], "--smearing hyp"),
                              (["--smearing", "hyp", "--alpha1", 0.2], "--directions all"),
                              (["--smearing", "ape", "--steps", 0, "--weight", 1], "--steps of 1 or more"),
                              (["--smearing", "hyp", "--steps", 0, "--directions", "all"], "--steps of 1 or more")):
            error = self.call("loops", "a.0001.lime", *options, code=1).stderr
            self.assertIn("%s is only used with " % options[-2], error)
            self.assertIn(says, error)
        self.assertEqual(self.new_files(), [])

    def test_loops_take_every_parameter_of_the_smearing(self):
        def first(*options):
            text = self.call("loops", "a.0001.lime", "--steps", 1, "--max-r", 1, "--max-t", 2, *options).stdout
            return self.rows(text)[0][2], text
        for smearing, option, value, says in (("ape", "--weight", 1, "weight 1"), ("stout", "--rho", 0.05, "rho 0.05"),
                                              ("hyp", "--alpha2", 0.3, "alpha2 0.3"), ("hyp", "--alpha3", 0.1, "alpha3 0.1")):
            usual, text = first("--smearing", smearing)
            self.assertIn("spatial", text)
            other, text = first("--smearing", smearing, option, value)
            self.assertNotAlmostEqual(usual, other, delta=1e-4)
            self.assertIn(says, text)
            whole, text = first("--smearing", smearing, "--directions", "all")
            self.assertGreater(whole, usual)
            self.assertIn("all directions", text)
        self.assertNotEqual(first("--smearing", "hyp", "--directions", "all")[0],
                            first("--smearing", "hyp", "--directions", "all", "--alpha1", 0.2)[0])

    def test_smearing_raises_loops(self):
        thin = self.rows(self.call("loops", "a.0001.lime", "-q").stdout)[0][2]
        for method in ("ape", "stout", "hyp"):
            done = self.call("loops", "a.0001.lime", "--smearing", method, "--steps", 2, "--output", method)
            self.assertGreater(self.rows(self.read(method + ".txt"))[0][2], thin)
            self.assertIn("2 steps", done.stdout)

    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
    def test_two_ranks_find_the_same(self):
        self.assert_same_on_two_ranks("loops", "--smearing", "hyp", "--steps", 1)


if __name__ == "__main__":
    unittest.main()
