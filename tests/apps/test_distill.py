# SPDX-License-Identifier: MIT
"""kovariant distill."""
import os
import re
import subprocess

from program_support import HAS_HDF5, ProgramTest, python_with

JOB = ["--set", "gauge.extent=[4, 4, 4, 4]", "--set", "generate.thermalise=3", "--set", "links.steps=2", "--set", "action.kappa=0.12",
       "--set", "eigenvectors.n=4", "--set", "elementals.displacements=['1', 'dx']", "--set", "perambulators.spacing=2"]
NAME = "distill.beta6_seed1_update3."
FILES = [NAME + ending for ending in ("eigenvectors.h5", "elementals.h5", "t000.perambulators.h5", "t002.perambulators.h5",
                                      "correlators.h5")]
# The trace of operators and perambulators, with gamma matrices as docs/conventions.md has them.
CONTRACTION = """
import h5py, numpy as np, sys
name = sys.argv[1]
g1 = np.array([[0, 0, 0, 1j], [0, 0, 1j, 0], [0, -1j, 0, 0], [-1j, 0, 0, 0]])
g2 = np.array([[0, 0, 0, -1], [0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0]])
g3 = np.array([[0, 0, 1j, 0], [0, 0, 0, -1j], [-1j, 0, 0, 0], [0, 1j, 0, 0]])
g4 = np.eye(4)[[2, 3, 0, 1]]
gammas = {"pion": g1 @ g2 @ g3 @ g4, "pion_A4": g1 @ g2 @ g3}
elementals, correlators = h5py.File(name + "elementals.h5"), h5py.File(name + "correlators.h5")
names = [text.decode() for text in elementals["/matrices/names"][()]]
phi = elementals["/matrices/numbers"][()]
tau = {t: h5py.File(name + "t%03d.perambulators.h5" % t)["/matrices/numbers"][()][:, 0] for t in (0, 2)}
assert sorted(correlators["/meson"]) == sorted("%s[%s]-%s[%s]" % (a, d, b, e) for a in gammas for d in ("1", "dx") for b in gammas
                                               for e in ("1", "dx"))
for channel in correlators["/meson"]:
    data = correlators["/meson"][channel]
    sink, source = [(text.split("[")[0], text.split("[")[1][:-1]) for text in channel.split("-")]
    for m, p in enumerate(np.array(data.attrs["momenta"]).reshape(-1, 3)):
        def operator(of, t):
            return np.kron(gammas[of[0]], phi[t, names.index("%s, p = %d %d %d" % (of[1], *p))])
        g5 = np.kron(gammas["pion"], np.eye(phi.shape[-1]))
        bar = g4 @ gammas[source[0]].conj().T @ g4
        eta = 1 if np.allclose(bar, gammas[source[0]].conj().T) else -1
        for delta in range(4):
            c = np.mean([-eta * np.trace(operator(sink, (t + delta) % 4) @ tau[t][(t + delta) % 4] @ operator(source, t).conj().T
                                         @ g5 @ tau[t][(t + delta) % 4].conj().T @ g5) for t in tau])
            assert abs(c - data[0, 0, m, delta]) < 1e-10 * abs(correlators["/meson/pion[1]-pion[1]"][0, 0, 0, 0]), (channel, p, delta)
"""


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
                     "3 updates, 1 searches, 2 displacements, 32 solves and 1 files of correlators",
                     "of 4 operators at each momentum", "MiB in each process", FILES[0], "finished        0 of 5"):
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
        self.assertEqual(self.files(), sorted(FILES))
        for residual in re.findall(r"worst residual (\S+),", text):
            self.assertLess(float(residual), 1e-9)
        before = {name: self.read(name, "rb") for name in FILES}
        self.assertIn("finished        5 of 5", self.call("distill", *JOB).stdout)
        for name in FILES[1:]:
            os.remove(self.path(name))
        self.assertIn("finished        1 of 5", self.call("distill", *JOB).stdout)
        self.assertEqual(before, {name: self.read(name, "rb") for name in FILES})
        # What is left of other eigenvectors is not mixed with new ones.
        for name in (FILES[0], FILES[2]):
            os.remove(self.path(name))
        self.assertIn("is gone", self.call("distill", *JOB, code=1).stderr)
        for name in (FILES[0], FILES[2]):
            with open(self.path(name), "wb") as file:
                file.write(before[name])
        # Correlators need no eigenvectors.
        for name in (FILES[0], FILES[4]):
            os.remove(self.path(name))
        self.call("distill", *JOB)
        self.assertEqual(self.read(FILES[4], "rb"), before[FILES[4]])
        with open(self.path(FILES[0]), "wb") as file:
            file.write(before[FILES[0]])
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
                               (["perambulators.times=[4]"], "times 0 to 3"), (["output.precision=24"], "64, 32 or 16"), (["action.theta=[0.1, 0, 0]"], "periodic in space"),
                               (["action.mu=0.1"], "twisted mass"),
                               (["correlators.mesons=['poin']"], "pion_A4"), (["correlators.mesons=['a0', 'a0']"], "twice"),
                               (["eigenvectors.cut=12"], "between 0 and 12"), (["eigenvectors.tolerance=0"], "1e-13")):
            error = self.call("distill", *JOB, *[word for s in settings for word in ("--set", s)], code=1).stderr
            self.assertIn(part, error)
        self.assertEqual(self.files(), [])
        warned = self.call("distill", *JOB, "--set", "links.stout_rho=0.2", "--dry-run").stderr
        self.assertIn("links.stout_rho changes nothing", warned)

    def test_correlators_are_contractions_of_what_the_files_have_and_are_analysed(self):
        python = python_with("h5py")
        if not python:
            self.skipTest("NOT TESTED: no Python here has h5py")
        self.call("distill", *JOB, ranks=2)
        done = subprocess.run([python, "-c", CONTRACTION, NAME], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.call("distill", *JOB, "--set", "generate.configurations=2", "--set", "generate.between=1")
        files = [name for name in self.files() if name.endswith(".correlators.h5")]
        self.assertEqual(len(files), 2)
        text = self.call("analyze", *files, "--set", "gevp.operators=['pion[1]', 'pion_A4[1]']", "--set", "gevp.t0=0").stdout
        self.assertIn("pion[1]-pion[1]", text)

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
        done = subprocess.run([python, "-c", script, *FILES[:4]], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
