# SPDX-License-Identifier: MIT
"""What the tests of kovariant distill share: a job of seconds, its files, how numbers in files are checked."""
import subprocess

from program_support import HAS_HDF5, ProgramTest, python_with

JOB = ["--set", "gauge.extent=[4, 4, 4, 4]", "--set", "generate.thermalise=3", "--set", "links.steps=2", "--set", "action.kappa=0.12",
       "--set", "eigenvectors.n=4", "--set", "elementals.displacements=['1', 'dx']", "--set", "perambulators.spacing=2"]
NAME = "distill.beta6_seed1_update3."
# How the scripts begin that contract anew: with gamma matrices as docs/conventions.md has them.
GAMMAS = """
import h5py, itertools, numpy as np, sys
name = sys.argv[1]
g1 = np.array([[0, 0, 0, 1j], [0, 0, 1j, 0], [0, -1j, 0, 0], [-1j, 0, 0, 0]])
g2 = np.array([[0, 0, 0, -1], [0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0]])
g3 = np.array([[0, 0, 1j, 0], [0, 0, 0, -1j], [-1j, 0, 0, 0], [0, 1j, 0, 0]])
g4 = np.eye(4)[[2, 3, 0, 1]]
"""


class DistillTest(ProgramTest):
    def setUp(self):
        super().setUp()
        if not HAS_HDF5:
            self.skipTest("NOT TESTED: this build has no HDF5")

    def need_h5py(self):
        """For check_files()."""
        self.python = python_with("h5py")
        if not self.python:
            self.skipTest("NOT TESTED: no Python here has h5py")

    def check_files(self, script, *names):
        """Runs a script of assertions, whose arguments are the names of files."""
        done = subprocess.run([self.python, "-c", script, *names], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def bytes_of(self, names):
        return {name: self.read(name, "rb") for name in names}
