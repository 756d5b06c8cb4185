# SPDX-License-Identifier: MIT
"""kovariant analyze, on correlators of a job of a second and on a file of another code."""
import os
import re
import subprocess
import unittest

from program_support import HAS_HDF5, PICTURES, TINY, ProgramTest, python_with

# Two masses on 20 configurations, as another code could write them: [t][configuration], real, no metadata.
FOREIGN = """
import h5py, math, random, sys
random.seed(1)
f = h5py.File(sys.argv[1], "w")
for name, energy in (("light", 0.4), ("heavy", 0.9)):
    rows = [[0.0] * 20 for t in range(24)]
    for k in range(20):
        noise = 0.0
        for t in range(24):
            noise = 0.5 * noise + random.gauss(0, 0.004)
            rows[t][k] = (math.exp(-energy * t) + math.exp(-energy * (24 - t))) * (1 + noise)
    f["/data/%s/p0_0_1" % name] = rows
"""
MAPPING = """
[[correlator]]
dataset = "data/{channel}/p{px}_{py}_{pz}"
axes = ["t", "configuration"]
"""


@unittest.skipUnless(HAS_HDF5, "NOT TESTED: this build has no HDF5")
class Analyze(ProgramTest):
    def measure(self, *options):
        self.call("spectrum", *TINY, "-q", *options)

    def outputs(self, prefix="analysis"):
        return sorted(name for name in os.listdir(self.folder) if name.startswith(prefix + "."))

    def test_energies_matrix_and_files(self):
        self.measure("--set", 'correlators.mesons=["pion", "pion_A4", "pion-pion_A4", "pion_A4-pion"]',
                     "--set", "generate.configurations=4")
        done = self.call("analyze", "spectrum.h5", "--set", "fit.points=3", "--set", "fit.noise=1", "--set",
                         'gevp.operators=["pion", "pion_A4"]')
        self.assertIn("5 averages over 4 samples", done.stdout)
        self.assertIn("kappa = 0.13", done.stdout)
        self.assertIn("GEVP of {pion, pion_A4}", done.stdout)
        self.assertIn("eigenvalues interlace", done.stdout)
        self.assertNotIn("DO NOT", done.stdout)
        row = re.search(r"^pion-pion +0 0 0 +cosh +(\S+)", done.stdout, re.M)
        self.assertGreater(float(row.group(1).split("(")[0]), 0.5)
        for ending in [".txt", ".h5"] + [kind + p for kind in (".effective", ".correlators", ".gevp", ".eigenvalues")
                                         for p in PICTURES]:
            self.assertTrue(os.path.exists(self.path("analysis" + ending)), ending)
        self.assertEqual(self.leftovers(), [])
        self.assertNotIn("C(t0) is", done.stdout)
        twice = self.call("analyze", "spectrum.h5", "--set", 'gevp.operators=["pion", "pion"]', "--set", "output.prefix=twice").stdout
        self.assertIn("C(t0) is singular at t0 = 1, so that times with this t0 have no eigenvalues: leave out", twice)
        # The effective masses are those that spectrum prints.
        spectrum = self.call("spectrum", *TINY, "-q", "--set", 'correlators.mesons=["pion", "pion_A4", "pion-pion_A4", "pion_A4-pion"]',
                             "--set", "generate.configurations=4").stdout
        mine = re.search(r"^1 .*$", done.stdout.split("effective masses")[1], re.M).group(0).split()
        header = re.search(r"^t .*$", done.stdout.split("effective masses")[1], re.M).group(0)
        place = [name.split()[0] for name in re.findall(r"\S+ \(0 0 0\)", header)].index("pion-pion")
        theirs = re.search(r"^ +1 +(\S+)", spectrum, re.M).group(1)
        self.assertEqual(mine[1 + place], theirs)

    def test_a_single_sample_has_no_errors(self):
        self.measure("--set", "generate.configurations=1")
        done = self.call("analyze", "spectrum.h5")
        self.assertIn("errors take two samples", done.stdout)
        self.call("analyze", "spectrum.h5", "--set", 'gevp.operators=["pion", "rho_x"]', code=1)

    def test_bootstrap_is_reproducible(self):
        self.measure()
        texts = []
        for prefix, seed in (("a", 1), ("b", 1), ("c", 2)):
            self.call("analyze", "spectrum.h5", "--set", "errors.method=bootstrap", "--set", "errors.replicas=50", "--set",
                      "errors.seed=%d" % seed, "--set", "output.prefix=" + prefix, "--set", "fit.points=3", "--set", "fit.noise=1")
            texts.append(self.read(prefix + ".txt"))
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_loops_and_three_point_functions_give_isoscalars_and_charges(self):
        self.measure("--set", "generate.configurations=4", "--set", "source.smearing=none", "--set", 'sink.smearings=["none"]', "--set",
                     "loops.hits=2", "--set", 'correlators.mesons=["pion"]', "--set", "three_point.0.hadron=pion", "--set",
                     "three_point.0.times=[2, 3]", "--set", 'three_point.0.currents=["conserved_t", "a0_g4"]', "--set",
                     "three_point.0.transfers=[[0, 0, 0], [0, 0, 1]]")
        loops = ["--set", 'disconnected.channels=["pion"]', "--set", "disconnected.flavours=2"]
        done = self.call("analyze", "spectrum.h5", *loops)
        for channel in ("pion-pion isoscalar", "pion-pion disconnected"):
            self.assertRegex(self.read("analysis.txt"), "(?m)^%s +0 0 0 " % channel)
        # The charge of the quark, less what runs round the lattice the other way.
        for sink, delta in (("2", 0.01), ("3", 0.1)):
            row = re.search(r"^conserved_t +0 0 0 .* %s +Re +([0-9.]+)" % sink, done.stdout, re.M)
            self.assertAlmostEqual(float(row.group(1)), 1, delta=delta)
        self.assertRegex(done.stdout, "(?m)^conserved_t +0 0 0 .* sum +Re ")
        self.assertRegex(done.stdout, "(?m)^a0_g4 +0 0 1 .*no two-point function pion-pion at 0 0 1")
        for ending in PICTURES:
            self.assertTrue(os.path.exists(self.path("analysis.ratio" + ending)))
        self.measure("--set", "loops.hits=1", "--set", "output.prefix=single")
        error = self.call("analyze", "single.h5", *loops, code=1).stderr
        self.assertIn("one hit", error)
        self.call("analyze", "single.h5", *loops[:2], "--set", "disconnected.exact=true")
        self.assertIn("disconnected.channels", self.call("analyze", "single.h5", *loops[2:], code=1).stderr)

    def test_requests_that_cannot_be_met_are_refused(self):
        self.measure()
        for options, says in ((["none.h5"], "none.h5"), ([], "FILE"), (["spectrum.h5", "spectrum.h5"], "twice"),
                              (["spectrum.h5", "--set", 'gevp.operators=["pion"]'], "two or more"),
                              (["spectrum.h5", "--set", 'gevp.operators=["pion", "a0"]'], "pion-a0"),
                              (["spectrum.h5", "--set", "fit.ponts=5"], "fit.points"),
                              (["spectrum.h5", "--set", "data.channels=nothing"], "data.channels")):
            error = self.call("analyze", *options, code=1).stderr
            self.assertIn(says, error)
        self.assertEqual(self.outputs(), [])
        self.assertEqual(self.call("analyze", "spectrum.dat", code=2).stdout, "")

    def test_settings_are_printed_and_read(self):
        text = self.call("analyze", "--print", "--set", "fit.first=2").stdout
        self.assertIn("first = 2", text)
        with open(self.path("settings.toml"), "w") as file:
            file.write(text)
        self.assertEqual(self.call("analyze", "--settings", "settings.toml", "--print").stdout, text)
        self.measure()
        self.assertIn("dry run", self.call("analyze", "spectrum.h5", "--dry-run").stdout)
        self.assertEqual(self.outputs(), [])

    def test_files_of_other_codes_are_read_by_a_mapping(self):
        python = python_with("h5py")
        if python is None:
            self.skipTest("NOT TESTED: no Python here has h5py")
        subprocess.run([python, "-c", FOREIGN, "other.h5"], cwd=self.folder, check=True)
        with open(self.path("map.toml"), "w") as file:
            file.write(MAPPING)
        done = self.call("analyze", "other.h5", "--mapping", "map.toml")
        for name, energy in (("light", 0.4), ("heavy", 0.9)):
            value, digits = re.search(r"^%s +1 0 0 +cosh +([0-9.]+)\((\d+)\)" % name, done.stdout, re.M).groups()
            error = float(digits) * 10.0 ** -len(value.split(".")[1])
            self.assertLess(error, 0.01)
            self.assertAlmostEqual(float(value), energy, delta=5 * error)
        error = self.call("analyze", "other.h5", code=2).stderr
        self.assertIn("does not hold correlators", error)


if __name__ == "__main__":
    unittest.main()
