# SPDX-License-Identifier: MIT
"""kovariant smear."""
import math
import os
import re
import unittest

from program_support import HAS_HDF5, HAS_PDF, MPIEXEC, PICTURES, ProgramTest


class Smear(ProgramTest):
    def tables(self, text):
        """The tables of numbers: line, radial, plane, spectrum."""
        blocks = [[[float(word) for word in line.split()] for line in block.splitlines()
                   if line and not line.startswith(("#", "wrote"))] for block in text.split("\n\n\n")]
        return [block for block in blocks if block]

    def profile(self, text):
        return [row[1] for row in self.tables(text)[0]]

    def test_free_profile_is_that_of_repeated_averaging(self):
        n, width, size = 6, 2.0, 8
        text = self.call("smear", "--extent", size, size, size, 2, "--width", width, "--iterations", n).stdout
        found = self.profile(text)
        # (1 + s Laplacian)^n on numbers: spin and colour take no part when all links are 1.
        s = width * width / (4 * n)
        psi = {(size // 2,) * 3: 1.0}
        for _ in range(n):
            new = {}
            for (x, y, z), v in psi.items():
                new[x, y, z] = new.get((x, y, z), 0.0) + (1 - 6 * s) * v
                for step in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)):
                    to = ((x + step[0]) % size, (y + step[1]) % size, (z + step[2]) % size)
                    new[to] = new.get(to, 0.0) + s * v
            psi = new
        want = [abs(psi.get((x, size // 2, size // 2), 0.0)) for x in range(size)]
        self.assertEqual(len(found), size)
        for a, b in zip(found, want):
            self.assertAlmostEqual(a, b, delta=1e-12)
        self.assertEqual(self.profile(self.read("smear.txt")), found)
        self.assertIn("</svg>", self.read("smear.svg"))

    def test_gaussian_is_its_fourier_sum_and_momentum_moves_its_peak(self):
        size, sigma, momentum = 8, 1.5, (1, 0, -2)
        self.call("smear", "--extent", size, size, size, 2, "--profile", "gaussian", "--sigma", sigma,
                  "--momentum", *momentum)
        line, radial, plane, spectrum = self.tables(self.read("smear.txt"))
        # The Gaussian of p^2 = sum of 4 sin^2(p_j / 2) is a product; the phase of a momentum is not in |psi|.
        f = lambda n: math.exp(-0.5 * (2 * sigma * math.sin(math.pi * n / size)) ** 2)
        g = [sum(f(n) * math.cos(2 * math.pi * n * d / size) for n in range(size)) / size for d in range(size)]
        for x, value in line:
            self.assertAlmostEqual(value, g[abs(int(x) - size // 2)] * g[0] ** 2, delta=1e-9)
        self.assertEqual(len(plane), size * size)
        for x, y, value in plane:
            self.assertAlmostEqual(value, g[abs(int(x) - 4)] * g[abs(int(y) - 4)] * g[0], delta=1e-9)
        self.assertEqual(radial[0][2], 1)
        self.assertEqual(radial[1][1:], [line[3][1], 6])
        for n, value in spectrum:
            self.assertAlmostEqual(value, f(n - momentum[0]), delta=1e-9)
        for name in ("smear.svg", "smear.radial.svg", "smear.plane.svg", "smear.spectrum.svg"):
            self.assertIn("</svg>", self.read(name))
        self.assertIn("lattice", self.read("smear.radial.svg"))

    def test_momentum_need_not_be_whole_and_serves_wuppertal_too(self):
        self.call("smear", "--extent", 8, 8, 8, 2, "--width", 3, "--iterations", 20, "--momentum", 0, -1.6, 0,
                  "--direction", "y")
        spectrum = self.tables(self.read("smear.txt"))[3]
        self.assertEqual(max(spectrum, key=lambda row: row[1])[0], -2)

    def test_node_is_where_it_was_asked_for(self):
        found = self.profile(self.call("smear", "--extent", 24, 24, 24, 2, "--profile", "node", "--sigma", 3, "--node", 5).stdout)
        self.assertLess(found[17], 0.01 * found[12])
        self.assertGreater(found[15], 0.2 * found[12])
        self.assertGreater(found[20], 4 * found[17])

    def test_theta_with_a_high_threshold_is_a_point_and_says_its_order(self):
        text = self.call("smear", "--extent", 4, 4, 4, 2, "--profile", "theta", "--p2-max", 20, "--edge", 0.5).stdout
        for a, b in zip(self.profile(text), [0, 0, 1, 0]):
            self.assertAlmostEqual(a, b, delta=1e-9)
        text = self.call("smear", "--extent", 4, 4, 4, 2, "--profile", "theta", "--p2-max", 3, "--edge", 0.5).stdout
        self.assertGreater(int(re.search(r"# order: (\d+)", text).group(1)), 20)
        self.assertLess(float(re.search(r"# error: (\S+)", text).group(1)), 1e-10)

    def test_every_source_on_hot_links_is_the_same_on_two_ranks(self):
        for source in ("point", "wall", "grid", "z2", "z4", "u1"):
            results = []
            for ranks in (1, 2) if MPIEXEC else (1, 1):
                text = self.call("smear", "--links", "hot", "--extent", 4, 4, 4, 4, "--source", source, "--profile", "gaussian",
                                 "--sigma", 1, "--seed", 3, ranks=ranks).stdout
                results.append(self.profile(text))
            for a, b in zip(*results):
                self.assertAlmostEqual(a, b, delta=1e-11)
            self.assertGreater(max(results[0]), 0)

    def test_a_formula_is_the_profile_it_says(self):
        self.call("smear", "--extent", 8, 8, 8, 2, "--profile", "gaussian", "--sigma", 1.5, "--output", "a", "-q")
        self.call("smear", "--extent", 8, 8, 8, 2, "--profile", "formula", "--formula", "exp(-p2 * 1.5^2 / 2)", "--output", "b", "-q")
        rows = [[float(w) for w in line.split()] for name in "ab" for line in self.read(name + ".txt").splitlines()
                if line.strip() and not line.startswith("#")]
        half = len(rows) // 2
        self.assertGreater(half, 60)
        for one, two in zip(rows[:half], rows[half:]):
            for x, y in zip(one, two):
                self.assertAlmostEqual(x, y, delta=1e-10)
        for formula, says in (("exp(-p2", "lacks a ')'"), ("q^2", "p2"), ("", "empty"), ("1 / (p2 - 1)", "finite")):
            self.assertIn(says, self.call("smear", "--profile", "formula", "--formula", formula, code=1).stderr)
        self.assertIn("finite", self.call("smear", "--extent", 4, 4, 4, 2, "--profile", "formula", "--formula", "sqrt(3 - p2)",
                                          code=1).stderr)

    def test_a_plane_wave_is_multiplied_by_the_profile(self):
        self.call("smear", "--extent", 8, 8, 8, 2, "--source", "momentum", "--wave", 1, 2, 0, "--profile", "gaussian", "--sigma", 1.5,
                  "-q")
        p2 = sum(4 * math.sin(math.pi * n / 8) ** 2 for n in (1, 2))
        line = [row for row in self.read("smear.txt").split("\n\n\n")[0].splitlines() if not row.startswith("#")]
        for row in line:
            if row.strip():
                self.assertAlmostEqual(float(row.split()[1]), math.exp(-p2 * 1.5 ** 2 / 2), delta=1e-9)
        self.assertIn("whole number", self.call("smear", "--source", "momentum", "--wave", 0.5, 0, 0, code=1).stderr)

    def test_a_dry_run_says_the_plan_and_writes_nothing(self):
        text = self.call("smear", "--profile", "node", "--sigma", 3, "--stout", 2, "--dry-run").stdout
        self.assertIn("stout x 2", text)
        self.assertIn("node at r", text)
        self.assertEqual(os.listdir(self.folder), [])

    def test_stout_links_smear_further(self):
        def radius(*options):
            text = self.call("smear", "--extent", 8, 8, 8, 2, "--links", "hot", "--width", 2, "-q", *options).stdout
            return float(re.search("mean square radius = (.*)", text).group(1))
        self.assertGreater(radius("--stout", 20), 1.1 * radius())

    def test_bounds_may_be_found(self):
        arguments = ("smear", "--links", "hot", "--extent", 4, 4, 4, 4, "--profile", "gaussian", "--sigma", 2)
        given, found = self.call(*arguments).stdout, self.call(*arguments, "--find-bounds").stdout
        self.assertIn("# spectrum: 0 12", given)
        self.assertNotIn("# spectrum: 0 12", found)
        for a, b in zip(self.profile(given), self.profile(found)):
            self.assertAlmostEqual(a, b, delta=1e-9)

    def test_impossible_parameters_are_refused(self):
        for arguments, says in ((("--profile", "theta", "--edge", 0), "edge"), (("--profile", "gaussian", "--sigma", -1), "--sigma is -1"),
                                (("--source", "grid", "--spacing", 5), "5"), (("--at", 99, 0, 0, 0), "--at"),
                                (("--profile", "theta", "--edge", 1e-4), "larger order"), (("--momentum", 1, 0), "3"),
                                (("--source", "momentum", "--wave", 3e9, 0, 0), "--wave"),
                                (("--momentum", 1e30, 0, 0), "--momentum"),
                                (("--profile", "formula", "--formula", "exp(-((p2 - 5.3) / 0.001)^2)"), "larger order")):
            self.assertIn(says, self.call("smear", *arguments, code=1).stderr)
            self.assertEqual(os.listdir(self.folder), [])

    def test_options_of_other_profiles_and_sources_are_refused(self):
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 1, "--output", "a", "-q")
        before = os.listdir(self.folder)
        for options, where in ((["--sigma", 3], "gaussian or node"), (["--p2-max", 3], "theta"), (["--accuracy", 1e-8], "node"),
                               (["--profile", "gaussian", "--width", 3], "wuppertal"), (["--wave", 1, 0, 0], "--source momentum"),
                               (["--profile", "node", "--order", 30, "--accuracy", 1e-8], "without --order"),
                               (["--spacing", 2], "--source grid"), (["--seed", 2], "noise"), (["--ignore", "plaquette"], "a FILE"),
                               (["a.0001.lime", "--links", "hot"], "without a FILE"), (["--find-bounds"], "theta or formula")):
            error = self.call("smear", *options, code=1).stderr
            self.assertIn("%s is only used " % [word for word in map(str, options) if word.startswith("--")][-1], error)
            self.assertIn(where, error)
        self.assertEqual(os.listdir(self.folder), before)

    def test_outputs_are_named_and_unstable_widths_warned_of(self):
        done = self.call("smear", "--extent", 4, 4, 4, 2, "--width", 1, "--iterations", 2)
        files = ["smear.txt"] + (["smear.h5"] if HAS_HDF5 else [])
        files += ["smear" + picture + ending for picture in ("", ".radial", ".plane", ".spectrum") for ending in PICTURES]
        self.assertIn("wrote " + ", ".join(files[:-1]) + " and " + files[-1] + "\n", done.stdout)
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(files))
        self.assertEqual("no cairo" in done.stdout, not HAS_PDF)
        self.assertNotIn("warning", done.stderr)
        done = self.call("smear", "--extent", 4, 4, 4, 2, "--width", 2, "--iterations", 5)
        self.assertIn("takes 6 iterations", done.stderr)

    def test_no_iterations_leave_the_delta(self):
        found = self.profile(self.call("smear", "--extent", 4, 4, 4, 2, "--iterations", 0).stdout)
        self.assertEqual(found, [0, 0, 1, 0])
        done = self.call("smear", "--extent", 4, 4, 4, 2, "--iterations", 0, "--width", 2, code=1)
        self.assertIn("--width is only used with --iterations of 1 or more", done.stderr)

    def test_works_on_a_file_and_shrinks_the_peak(self):
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 3, "--output", "a", "-q")
        found = self.profile(self.call("smear", "a.0001.lime", "--iterations", 5, "--width", 1.5, "--ape", 2).stdout)
        self.assertEqual(len(found), 4)
        self.assertLess(found[2], 1)
        self.assertEqual(max(found), found[2])

    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
    def test_two_ranks_give_the_same_profile(self):
        arguments = ("smear", "--extent", 8, 4, 4, 4, "--width", 1.5, "--iterations", 4)
        one, two = self.profile(self.call(*arguments).stdout), self.profile(self.call(*arguments, ranks=2).stdout)
        for a, b in zip(one, two):
            self.assertAlmostEqual(a, b, delta=1e-14)


if __name__ == "__main__":
    unittest.main()
