# SPDX-License-Identifier: MIT
"""kovariant distill."""
import os
import re
import subprocess

from program_support import HAS_HDF5, ProgramTest, python_with

JOB = ["--set", "gauge.extent=[4, 4, 4, 4]", "--set", "generate.thermalise=3", "--set", "links.steps=2", "--set", "action.kappa=0.12",
       "--set", "eigenvectors.n=4", "--set", "elementals.displacements=['1', 'dx']", "--set", "perambulators.spacing=2"]
NAME = "distill.beta6_seed1_update3."
FILES = [NAME + ending for ending in ("eigenvectors.h5", "elementals.h5", "t000.perambulators.h5", "t002.perambulators.h5")]


class Distill(ProgramTest):
    def setUp(self):
        super().setUp()
        if not HAS_HDF5:
            self.skipTest("NOT TESTED: this build has no HDF5")

    def files(self):
        return sorted(os.listdir(self.folder))

    def test_dry_run_prints_the_plan_and_writes_nothing(self):
        text = self.call("distill", *JOB, "--dry-run").stdout
        for part in ("4 4 4 4", "4 on each time slice", "14 on each time slice: 2 displacements at 7 momenta", "source times    0 2",
                     "3 updates, 1 searches, 2 displacements and 32 solves", "MiB in each process", FILES[0], "finished        0 of 4"):
            self.assertIn(part, text)
        self.assertEqual(self.files(), [])

    def test_printed_job_is_read_back_the_same_and_documented(self):
        text = self.call("distill", *JOB, "--print").stdout
        with open(self.path("run.toml"), "w") as file:
            file.write(text)
        self.assertEqual(self.call("distill", "run.toml", "--print").stdout, text)
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "distillation.md")) as file:
            self.assertIn("```toml\n" + self.call("distill", "--print").stdout.strip() + "\n```", file.read())

    def test_makes_what_is_missing_bit_for_bit_and_refuses_the_rest(self):
        text = self.call("distill", *JOB).stdout
        self.assertEqual(self.files(), FILES)
        for residual in re.findall(r"worst residual (\S+),", text):
            self.assertLess(float(residual), 1e-9)
        before = {name: self.read(name, "rb") for name in FILES}
        self.assertIn("finished        4 of 4", self.call("distill", *JOB).stdout)
        for name in FILES[1:]:
            os.remove(self.path(name))
        self.assertIn("finished        1 of 4", self.call("distill", *JOB).stdout)
        self.assertEqual(before, {name: self.read(name, "rb") for name in FILES})
        # Other quarks may share the eigenvectors, but not the names of the perambulators.
        error = self.call("distill", *JOB, "--set", "action.kappa=0.11", code=1).stderr
        self.assertIn("was made with other parameters", error)
        with open(self.path(FILES[1]), "r+b") as file:
            file.seek(-3, 2)
            file.write(b"x")
        self.assertIn(FILES[1], self.call("distill", *JOB, code=2).stderr)

    def test_says_what_cannot_be(self):
        for settings, part in ((["eigenvectors.n=97"], "half of the numbers"), (["eigenvectors.n=0"], "must be positive"),
                               (["elementals.displacements=['dt']"], "dt"), (["elementals.displacements=['1', '1']"], "twice"),
                               (["perambulators.times=[4]"], "times 0 to 3"), (["output.precision=24"], "64, 32 or 16"),
                               (["eigenvectors.cut=12"], "between 0 and 12"), (["eigenvectors.tolerance=0"], "1e-13")):
            error = self.call("distill", *JOB, *[word for s in settings for word in ("--set", s)], code=1).stderr
            self.assertIn(part, error)
        self.assertEqual(self.files(), [])
        warned = self.call("distill", *JOB, "--set", "links.stout_rho=0.2", "--dry-run").stderr
        self.assertIn("links.stout_rho changes nothing", warned)

    def test_two_ranks_and_short_numbers_agree(self):
        """On one rank, on two, and with 16 bits: the same matrices, as phases are fixed."""
        python = python_with("h5py")
        if not python:
            self.skipTest("NOT TESTED: no Python here has h5py")
        accurate = ["--set", "solver.tolerance=1e-12"]
        self.call("distill", *JOB, *accurate)
        self.call("distill", *JOB, *accurate, "--set", "output.prefix=two", ranks=2)
        self.call("distill", *JOB, *accurate, "--set", "output.prefix=short", "--set", "output.precision=16")
        script = ("import h5py, sys\n"
                  "for name in sys.argv[1:]:\n"
                  "    files = [h5py.File(prefix + name[7:]) for prefix in ('distill', 'two', 'short')]\n"
                  "    key = '/eigenvectors/vectors' if 'eigenvectors' in name else '/matrices/numbers'\n"
                  "    one, two = files[0][key][()], files[1][key][()]\n"
                  "    short = files[2][key][()] * files[2][key + '_scale'][()][..., None, None] / 32767.0\n"
                  "    size = abs(one).max()\n"
                  "    assert size > 0.01, name\n"
                  "    assert abs(one - two).max() < 1e-7 * size, (name, abs(one - two).max())\n"
                  "    assert abs(one - short[..., 0] - 1j * short[..., 1]).max() < 2e-3 * size, name\n")
        done = subprocess.run([python, "-c", script, *FILES], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
