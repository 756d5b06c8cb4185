# SPDX-License-Identifier: MIT
"""kovariant flow."""
import json
import re
import unittest

from program_support import MPIEXEC, LinksTest


class Flow(LinksTest):
    def test_flow_prints_a_table_that_begins_at_the_plaquette(self):
        text = self.call("flow", "a.0001.lime", "--time", 0.5, "--step", 0.05, "--every", 2, "--write", "f.lime").stdout
        rows = self.rows(self.read("flow.txt"))
        self.assertEqual([row[0] for row in rows], [0, 0.1, 0.2, 0.3, 0.4, 0.5])
        self.assertAlmostEqual(rows[0][1], 36 * (1 - float(self.plaquette("a.0001.lime"))), delta=1e-9)
        self.assertAlmostEqual(rows[-1][1], 36 * (1 - float(self.plaquette("f.lime"))), delta=1e-9)
        for before, after in zip(rows, rows[1:]):
            self.assertLess(after[1], before[1])
        for row in rows:
            self.assertAlmostEqual(row[2], row[3] + row[4], delta=1e-9)
            self.assertAlmostEqual(row[5], row[0] ** 2 * row[2], delta=1e-9)
        self.assertIn(self.read("flow.txt"), text)
        self.assertIn("not reached", text)
        self.assertIn("</svg>", self.read("flow.svg"))
        self.assertEqual(self.new_files(), sorted(self.outputs("flow") + ["f.lime"]))
        stored = self.tables_in_hdf5("flow.h5")
        self.assertEqual(len(stored["flow"]), len(rows))
        for a, b in zip(stored["flow"], rows):
            self.assertAlmostEqual(a[1], b[1], delta=1e-10 * abs(b[1]))

    def test_flow_of_a_published_configuration_is_that_of_milc(self):
        with open(self.published("oracles/milc_symanzik_flow_l4448.json")) as file:
            want = json.load(file)["values"]
        self.call("flow", self.published("milc/lat.sample.l4448"), "--action", "symanzik", "--step", 0.1, "--time", 1,
                  "--every", 1)
        rows = self.rows(self.read("flow.txt"))
        self.assertEqual(len(rows), len(want))
        for row, (t, temporal, spatial, charge) in zip(rows, want):
            self.assertAlmostEqual(row[0], t, delta=1e-9)
            self.assertAlmostEqual(row[3], temporal, delta=5e-6 * temporal)
            self.assertAlmostEqual(row[4], spatial, delta=5e-6 * spatial)
            self.assertAlmostEqual(row[7], charge, delta=5e-8)

    def test_flow_finds_scales_where_it_goes_far_enough(self):
        text = self.call("flow", "a.0001.lime", "--time", 1.5, "--step", 0.05, "--reference", 0.02).stdout
        t0 = float(re.search(r"^# t0/a\^2 clover = (\S+)", text, re.M).group(1))
        rows = self.rows(self.read("flow.txt"))
        k = next(k for k in range(len(rows)) if rows[k][5] >= 0.02)
        self.assertLess(rows[k - 1][0], t0)
        self.assertLessEqual(t0, rows[k][0])

    def test_a_flow_that_is_unstable_says_so(self):
        done = self.call("flow", "a.0001.lime", "--step", 0.2, "--every", 1, code=3)
        self.assertIn("0.157", done.stderr)
        self.assertIn("unstable", done.stderr)
        self.assertEqual(self.new_files(), [])
        self.assertNotIn("warning", self.call("flow", "a.0001.lime", "--time", 0.3, "--step", 0.15).stderr)

    def test_scales_say_how_sure_they_are(self):
        def scales(every):
            done = self.call("flow", "a.0001.lime", "--time", 2, "--reference", 0.02, "--every", every)
            value, error = (float(re.search(rf"^# t0/a\^2 clover{word} = (\S+)", done.stdout, re.M).group(1))
                            for word in ("", " interpolation error"))
            return value, error, done.stderr
        fine, coarse = scales(1), scales(25)
        self.assertLess(fine[1], 1e-3 * fine[0])
        self.assertNotIn("t0/a^2 clover", fine[2])
        self.assertGreater(coarse[1], 1e-3 * coarse[0])
        self.assertIn("t0/a^2 clover", coarse[2])
        self.assertIn("lower --every", coarse[2])

    def test_options_of_the_flowed_links_are_refused_without_them(self):
        for option in (["--format", "nersc"], ["--precision", 32]):
            self.assertIn("%s is only used with --write" % option[0], self.call("flow", "a.0001.lime", *option, code=1).stderr)
        self.assertEqual(self.new_files(), [])

    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
    def test_two_ranks_find_the_same(self):
        self.assert_same_on_two_ranks("flow", "--time", 0.2)


if __name__ == "__main__":
    unittest.main()
