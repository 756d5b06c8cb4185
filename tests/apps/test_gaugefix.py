# SPDX-License-Identifier: MIT
"""kovariant gaugefix."""
import os
import unittest

from program_support import HAS_HDF5, MPIEXEC, LinksTest


class Gaugefix(LinksTest):
    def test_gauges_keep_the_plaquette_and_reach_their_tolerance(self):
        plaquette = float(self.plaquette("a.0001.lime"))
        for gauge in ("coulomb", "landau"):
            text = self.call("gaugefix", "a.0001.lime", gauge + ".lime", "--gauge", gauge, "--tolerance", 1e-10,
                             "--output", gauge).stdout
            rows = self.rows(self.read(gauge + ".txt"))
            self.assertLessEqual(rows[-1][2], 1e-10)
            self.assertGreater(rows[-1][1], rows[0][1])
            self.assertIn(self.read(gauge + ".txt"), text)
            self.assertAlmostEqual(float(self.plaquette(gauge + ".lime")), plaquette, delta=2e-12)
            self.assertIn(gauge, self.call("info", gauge + ".lime", "--metadata").stdout)
            # Links that are fixed already need no iterations.
            again = self.call("gaugefix", gauge + ".lime", "again.lime", "--gauge", gauge, "--tolerance", 1.1e-10,
                              "--output", "again").stdout
            self.assertIn("# iterations = 0", again)
        self.call("gaugefix", "a.0001.lime", "temporal.lime", "--gauge", "temporal")
        self.assertAlmostEqual(float(self.plaquette("temporal.lime")), plaquette, delta=2e-12)
        self.assertFalse(os.path.exists(self.path("gaugefix.txt")))
        self.assertEqual(self.leftovers(), [])

    def test_gaugefix_says_why_there_is_no_picture(self):
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 0, "--output", "cold", "-q")
        done = self.call("gaugefix", "cold.0001.lime", "fixed.lime")  # theta is 0
        self.assertRegex(done.stderr, "gaugefix.svg is not drawn: .*no positive number")
        self.assertTrue(os.path.exists(self.path("fixed.lime")))

    @unittest.skipUnless(HAS_HDF5, "NOT TESTED: this build has no HDF5")
    def test_a_transformation_that_was_kept_gives_the_fixed_links_again(self):
        for gauge in ("coulomb", "landau", "temporal"):
            exact = gauge == "temporal"
            text = self.call("gaugefix", "a.0001.lime", "fixed.lime", "--gauge", gauge, "--transformation", "g.h5",
                             *([] if exact else ["--tolerance", 1e-10])).stdout
            self.assertIn("g.h5", text)
            self.call("gaugefix", "a.0001.lime", "applied.lime", "--apply", "g.h5", *(["-q"] if gauge == "landau" else []))
            checksum = [line for line in self.call("info", "fixed.lime").stdout.splitlines() if "checksum" in line]
            self.assertEqual([line for line in self.call("info", "applied.lime").stdout.splitlines() if "checksum" in line],
                             checksum)
            if gauge == "landau" and MPIEXEC:
                self.call("gaugefix", "a.0001.lime", "applied.lime", "--apply", "g.h5", ranks=2)
                self.assertEqual([line for line in self.call("info", "applied.lime").stdout.splitlines()
                                  if "checksum" in line], checksum)
        self.assertEqual(self.leftovers(), [])
        self.assertIn("no dataset", self.call("gaugefix", "a.0001.lime", "b.lime", "--apply", "gaugefix.h5", code=2).stderr)
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 1, "--output", "small", "-q")
        self.assertIn("4 4 4 4", self.call("gaugefix", "small.0001.lime", "b.lime", "--apply", "g.h5", code=1).stderr)
        for arguments in (["--apply", "g.h5", "--transformation", "h.h5"], ["--transformation", "b.lime"],
                          ["--transformation", "gaugefix.h5"], ["--transformation", "absent/g.h5"]):
            self.call("gaugefix", "a.0001.lime", "b.lime", *arguments, code=1)
        self.assertFalse(os.path.exists(self.path("b.lime")))

    def test_too_few_iterations_end_with_three_and_write_nothing(self):
        done = self.call("gaugefix", "a.0001.lime", "b.lime", "--iterations", 5, code=3)
        self.assertIn("theta", done.stderr)
        self.assertEqual(self.new_files(), [])

    def test_options_that_change_nothing_are_refused(self):
        for option in (["--tolerance", 1e-8], ["--iterations", 7], ["--overrelaxation", 1.5], ["--every", 2], ["--output", "x"]):
            for other in (["--gauge", "temporal"], ["--apply", "g.h5"]):
                error = self.call("gaugefix", "a.0001.lime", "b.lime", *other, *option, code=1).stderr
                self.assertIn("%s is only used with --gauge coulomb or landau" % option[0], error)
        error = self.call("gaugefix", "a.0001.lime", "b.lime", "--apply", "g.h5", "--gauge", "landau", code=1).stderr
        self.assertIn("--gauge is only used without --apply", error)
        self.assertEqual(self.new_files(), [])

    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
    def test_two_ranks_find_the_same(self):
        for name, ranks in (("one", 1), ("two", 2)):
            self.call("gaugefix", "a.0001.lime", name + ".lime", "--gauge", "coulomb", "--output", name, ranks=ranks)
        self.assertEqual(self.read("one.txt").replace("one", "two"), self.read("two.txt"))
        self.assertEqual(self.links("one.lime"), self.links("two.lime"))


if __name__ == "__main__":
    unittest.main()
