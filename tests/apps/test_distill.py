# SPDX-License-Identifier: MIT
"""kovariant distill."""
import os
import re

from distill_support import GAMMAS, JOB, NAME, WICK, DistillTest

FILES = [NAME + ending for ending in ("eigenvectors.h5", "elementals.h5", "t000.perambulators.h5", "t002.perambulators.h5",
                                      "correlators.h5")]
# The trace of operators and perambulators.
CONTRACTION = GAMMAS + """
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

MESONS = [*JOB, "--set", "elementals.displacements=['1']", "--set", "correlators.mesons=['pion']"]
BARYONS = ["--set", "correlators.baryons=['proton', 'delta_pp', 'proton_np']"]
HADRONS = [*MESONS, *BARYONS, "--set", "correlators.two_pions=[[0, 0, 0]]"]
MORE_FILES = [NAME + ending for ending in ("baryon_elementals.h5", "two_pions.correlators.h5", "baryons.correlators.h5")]
# Wick contractions written out: two pions are lines that go to one of the two and come back from one of the two; a baryon
# is three quarks in every order, with elementals made of the eigenvectors here.
HADRON_CONTRACTION = GAMMAS + """
g5 = g1 @ g2 @ g3 @ g4
elementals = h5py.File(name + "elementals.h5")
labels = [text.decode() for text in elementals["/matrices/names"][()]]
phi = elementals["/matrices/numbers"][()]
tau = {t: h5py.File(name + "t%03d.perambulators.h5" % t)["/matrices/numbers"][()][:, 0] for t in (0, 2)}
n, times = phi.shape[-1], range(4)
G5 = np.kron(g5, np.eye(n))
momenta = [p for p in itertools.product((-1, 0, 1), repeat=3) if np.dot(p, p) <= 2]

def largest_deviation(data, expected):
    return abs(data - expected).max() / abs(expected).max()

# L[p, k] = M_p(t + delta) tau Mbar_k(t) tau-bar
L = {}
for t, delta in itertools.product(tau, times):
    sink = (t + delta) % 4
    there, back = tau[t][sink], G5 @ tau[t][sink].conj().T @ G5
    for p, k in itertools.product(momenta, repeat=2):
        at_sink = np.kron(g5, phi[sink, labels.index("1, p = %d %d %d" % p)])
        at_source = np.kron(g4 @ g5.conj().T @ g4, phi[t, labels.index("1, p = %d %d %d" % k)].conj().T)
        L[t, delta, p, k] = at_sink @ there @ at_source @ back

def two_pions(sink, source):
    total = 0
    for (p, q), (k, l) in itertools.product(sink, source):
        for k, l in ((k, l), (l, k)):
            total += np.array([np.mean([np.trace(L[t, d, p, k]) * np.trace(L[t, d, q, l]) - np.trace(L[t, d, p, k] @ L[t, d, q, l])
                                        for t in tau]) for d in times])
    return total / np.sqrt(len(sink) * len(source))

# A class of pairs has a length of each momentum here; names are of a total momentum (1, 0, 0).
pairs = {P: {} for P in ((0, 0, 0), (0, 0, -1))}
for P in pairs:
    for p, q in itertools.combinations_with_replacement(momenta, 2):
        if tuple(np.add(p, q)) == P:
            pairs[P].setdefault(tuple(sorted((np.dot(p, p), np.dot(q, q)))), []).append((p, q))
assert {P: sorted(map(len, of.values())) for P, of in pairs.items()} == {(0, 0, 0): [1, 3, 6], (0, 0, -1): [1, 4]}
texts = {((0, 0, 0), (0, 0)): "0 0 0, 0 0 0", ((0, 0, 0), (1, 1)): "1 0 0, -1 0 0", ((0, 0, 0), (2, 2)): "1 1 0, -1 -1 0",
         ((0, 0, -1), (0, 1)): "0 0 0, 1 0 0", ((0, 0, -1), (1, 2)): "0 1 0, 1 -1 0"}
results = h5py.File(name + "two_pions.correlators.h5")["/meson"]
seen = 0
for P, of in pairs.items():
    for a, b in itertools.product(of, repeat=2):
        data = results["pion_pion_I2[%s]-pion_pion_I2[%s]" % (texts[P, a], texts[P, b])]
        assert tuple(data.attrs["momenta"]) == P, (P, data.attrs["momenta"])
        assert data.attrs["irrep"] in ("A1", b"A1")
        deviation = largest_deviation(data[0, 0, 0], two_pions(of[a], of[b]))
        assert deviation < 1e-10, (P, a, b, deviation)
        seen += 1
assert seen == len(results) == 13

vectors = h5py.File(name + "eigenvectors.h5")["/eigenvectors/vectors"][()]
eps = np.zeros((3, 3, 3))
for a, b, c in itertools.permutations(range(3)):
    eps[a, b, c] = np.linalg.det(np.eye(3)[[a, b, c]])
B_file = h5py.File(name + "baryon_elementals.h5")
B_labels = [text.decode() for text in B_file["/matrices/names"][()]]
z, y, x = np.meshgrid(range(4), range(4), range(4), indexing="ij")
some = ((0, 0, 0), (1, 0, -1))
B = {}
for p in some:
    wave = np.exp(-2j * np.pi / 4 * (p[0] * x + p[1] * y + p[2] * z))
    for t in times:
        v = vectors[t]
        B[t, p] = np.einsum("abc,zyx,izyxa,jzyxb,kzyxc->ijk", eps, wave, v, v, v, optimize=True)
        data = B_file["/matrices/numbers"][t, B_labels.index("p = %d %d %d" % p)].reshape(n, n, n)
        assert largest_deviation(data, B[t, p]) < 1e-12

# Spins up and down along z of the upper and lower eigenvectors of gamma_4.
sigma3 = -1j * g1 @ g2
U = np.zeros((4, 4), complex)
for s, (parity, spin) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
    projector = (np.eye(4) + parity * g4) @ (np.eye(4) + spin * sigma3)
    U[:, s] = projector[:, np.argmax(abs(projector).sum(axis=0))]
    U[:, s] /= np.linalg.norm(U[:, s])
half = np.sqrt(0.5)
def proton(up, down, of):
    return [((down, up, of), half), ((up, down, of), -half)]  # d, u, u
operators = {"proton_up": proton(0, 1, 0), "proton_dn": proton(0, 1, 1), "proton_np_up": proton(2, 3, 2), "proton_np_dn": proton(2, 3, 3),
             "delta_pp_upup": [((0, 0, 0), 1)], "delta_pp_dndn": [((1, 1, 1), 1)], "delta_pp_up": [((0, 0, 1), np.sqrt(3))]}
results = h5py.File(name + "baryons.correlators.h5")["/baryon"]
assert len(results) == 8
for channel, terms in operators.items():
    data = results[channel]
    listed = [tuple(p) for p in np.array(data.attrs["momenta"]).reshape(-1, 3)]
    assert len(listed) == len(momenta)
    orders = list(itertools.permutations(range(3))) if "delta" in channel else [(0, 1, 2), (0, 2, 1)]
    for p in some:
        expected = np.zeros(4, complex)
        for t, delta in itertools.product(tau, times):
            sink = (t + delta) % 4
            T = np.kron(U, np.eye(n)).conj().T @ tau[t][sink] @ np.kron(U, np.eye(n))
            T = T.reshape(4, n, 4, n)
            sign = -1 if sink < t else 1  # antiperiodic
            for (s, c), (r, d) in itertools.product(terms, terms):
                for order in orders:
                    # The order of colours at the source changes with that of the quarks, and so do two signs.
                    expected[delta] += sign * c * np.conj(d) / 2 * np.einsum(
                        "ijk,il,jm,kn,lmn->", B[sink, p], *(T[s[q], :, r[order[q]], :] for q in range(3)), B[t, p].conj(), optimize=True)
        deviation = largest_deviation(data[0, 0, listed.index(p)], expected)
        assert deviation < 1e-10, (channel, p, deviation, data[0, 0, listed.index(p)], expected)
"""

ISOSPIN = [*MESONS, "--set", "eigenvectors.n=2", "--set", "perambulators.spacing=1", "--set", "correlators.two_pions=[[0, 0, 0], [0, 0, -1]]",
           "--set", "correlators.two_pion_isospin=[0, 1]", "--set", "correlators.two_pion_mesons=['a0', 'rho', 'rho_g4']"]
ISOSPIN_CONTRACTION = WICK + """
def two_pions(isospin, p, q):
    coupled = {0: [(3**-0.5, 1, -1), (-3**-0.5, 0, 0), (3**-0.5, -1, 1)], 1: [(0.5**0.5, 1, 0), (-0.5**0.5, 0, 1)]}[isospin]
    return products([(c, pion(k, p), pion(l, q)) for c, k, l in coupled])

def scalar(p):
    return [(0.5**0.5, [(f, f, np.eye(4), p)]) for f in "ud"]

def vector(gamma, p):
    return [(i, [("d", "u", gamma, p)])]

vacuum = [(1, [])]
shell = sum((scaled(3**-0.5, two_pions(0, moved(k, -1), moved(k, 1))) for k in range(3)), [])
groups = {(0, zero, "A1"): {"pion_pion_I0[%s]" % rest[0]: [two_pions(0, zero, zero)], "pion_pion_I0[%s]" % rest[1]: [shell], "a0_I0": [scalar(zero)],
                            "vacuum": [vacuum]},
          (0, down, "A1"): {"pion_pion_I0[%s]" % moving: [two_pions(0, zero, down)], "a0_I0": [scalar(down)]},
          (1, zero, "T1"): {"pion_pion_I1[%s]" % rest[1]: [two_pions(1, moved(k, 1), moved(k, -1)) for k in range(3)],
                            "rho_I1": [vector(g, zero) for g in spatial], "rho_g4_I1": [vector(g @ g4, zero) for g in spatial]},
          (1, down, "A1"): {"pion_pion_I1[%s]" % moving: [two_pions(1, zero, down)], "rho_I1": [vector(-g3, down)],
                            "rho_g4_I1": [vector(-g3 @ g4, down)]}}
light = read_quark("")
check_groups((phi, {"u": light, "d": light}), groups, h5py.File(name + "two_pions.correlators.h5")["/meson"])
"""


class Distill(DistillTest):
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

    def test_ends_with_a_table_of_the_seconds_of_stages_that_ran(self):
        def rows():
            table = re.search(r"\n\nseconds +wall +kernels\n((?:.+ %\n)+)\n*$", self.call("distill", *JOB).stdout)[1]
            return {name: (float(wall), float(kernels)) for name, wall, kernels in re.findall(r"(?m)^(\w[\w ]*?) +(\d+\.\d\d) +(\d+\.\d\d) +\d+ %$", table)}
        first, made = rows(), ["eigenvectors", "elementals", "correlators", "reading and writing", "perambulators"]
        self.assertEqual(list(first), ["configurations", *made, "all"])
        self.assertGreater(min(first["all"]), 0)
        for column in (0, 1):
            self.assertAlmostEqual(2 * first["all"][column], sum(row[column] for row in first.values()), delta=0.005 * (len(made) + 3))
        self.assertEqual(list(rows()), ["configurations", "all"])
        os.remove(self.path(FILES[4]))
        self.assertEqual(list(rows()), ["configurations", "correlators", "reading and writing", "all"])

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
        self.need_h5py()
        self.call("distill", *JOB, ranks=2)
        self.check_files(CONTRACTION, NAME)

    def test_energies_are_those_of_analyze_and_a_killed_run_ends_with_them(self):
        operators = "gevp.operators=['pion[1]', 'pion_A4[1]']"
        job = [*JOB, "--set", "generate.configurations=2", "--set", "generate.between=1", "--set", "analysis.prefix=energies",
               "--set", "analysis." + operators, "--set", "analysis.gevp.t0=0"]
        self.assertIn("energies        of 2 files: energies.txt", self.call("distill", *job, "--dry-run").stdout)
        text = self.call("distill", *job).stdout
        self.assertIn("pion[1]-pion[1]", text)
        self.assertIn("GEVP of {pion[1], pion_A4[1]}", text)
        files = [name for name in self.files() if name.endswith(".correlators.h5")]
        self.assertEqual(len(files), 2)
        self.call("analyze", *files, "--set", operators, "--set", "gevp.t0=0", "--set", "output.prefix=apart")
        self.assertEqual(self.read("energies.txt", "rb"), self.read("apart.txt", "rb"))
        written = {name: self.read(name, "rb") for name in self.files() if name.startswith("energies.")}
        self.assertLessEqual({"energies.txt", "energies.h5", "energies.gevp.svg", "energies.effective.pdf"}, set(written))
        for name in (*written, files[1]):
            os.remove(self.path(name))
        self.call("distill", *job)
        self.assertEqual(self.read("energies.txt", "rb"), written["energies.txt"])
        for settings, says in ((["analysis.fit.states=3"], "analysis.fit.states is 3"),
                               (["correlators.mesons=[]"], "no correlators are asked for"),
                               (["analysis.data.channels=['rho']"], "data.channels matches none")):
            error = self.call("distill", *job, *[word for s in settings for word in ("--set", s)], code=1).stderr
            self.assertIn(says, error)
        warned = self.call("distill", *JOB, "--set", "analysis.fit.first=2", "--dry-run").stderr
        self.assertIn("analysis.fit.first changes nothing: it is only used with analysis.prefix", warned)

    def test_two_ranks_and_short_numbers_agree(self):
        """On one rank, on two, and with 16 bits: the same matrices, as phases are fixed."""
        self.need_h5py()
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
        self.check_files(script, *FILES[:4])


class DistillHadrons(DistillTest):
    def test_are_wick_contractions_of_what_the_files_have(self):
        self.need_h5py()
        self.call("distill", *MESONS, *BARYONS, "--set", "elementals.max_momentum=2", "--set", "elementals.max_baryon_momentum=2",
                  "--set", "correlators.two_pions=[[0, 0, 0], [0, 0, -1]]")
        self.check_files(HADRON_CONTRACTION, NAME)

    def test_of_any_isospin_are_wick_contractions_of_what_the_files_have(self):
        self.need_h5py()
        self.call("distill", *ISOSPIN, ranks=2)
        self.check_files(ISOSPIN_CONTRACTION, NAME)

    def test_are_added_to_a_finished_run_with_the_same_bits_on_two_ranks(self):
        self.call("distill", *MESONS)
        first = self.bytes_of(FILES)
        dry = self.call("distill", *HADRONS, "--dry-run").stdout
        for part in ("finished        5 of 8 files", "3 updates, 0 searches, 0 displacements, 1 files of elementals of baryons, 0 solves and 2 files of correlators",
                     "isospin 2 total momentum 0 0 0: 2 operators, pion_pion_I2[0 0 0, 0 0 0] ... pion_pion_I2[1 0 0, -1 0 0]",
                     "proton, delta_pp, proton_np: 8 components at 7 momenta"):
            self.assertIn(part, dry)
        self.call("distill", *HADRONS)
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(FILES + MORE_FILES))
        self.assertEqual(first, self.bytes_of(FILES))
        made = self.bytes_of(MORE_FILES)
        for ranks, names in ((1, MORE_FILES), (2, MORE_FILES[1:])):
            for name in names:
                os.remove(self.path(name))
            self.call("distill", *HADRONS, ranks=ranks)
            self.assertEqual(made, self.bytes_of(MORE_FILES), "%d ranks" % ranks)

    def test_says_what_cannot_be(self):
        for settings, part in ((["two_pion_isospin=[1]"], "perambulators.spacing = 1"), (["two_pion_isospin=[0, 2]"], "all 4 times"), (["two_pion_isospin=[3]"], "0, 1 or 2"),
                               (["two_pion_isospin=[2, 2]"], "twice"), (["two_pion_isospin=[]"], "is empty"),
                               (["two_pion_mesons=['rho']"], "of isospin 1"), (["two_pion_mesons=['rhoo']"], "rho_g4"),
                               (["two_pion_mesons=['pion']"], "and gamma matrices with a displacement, such as 'a0[dx]' and 'pion_A4[1]', but has 'pion'"),
                               (["two_pion_isospin=[0]", "two_pion_mesons=['a0']", "two_pions=[[0, 1, 1]]"], "elementals.max_momentum = 2"),
                               (["two_pion_irrep='E'"], "A1"), (["two_pions=[[0, 0, 0], [0, 0, 0]]"], "twice"),
                               (["two_pions=[[0, 0, 5]]"], "no two momenta add up"),
                               (["two_pions=[[65536, 0, 0]]"], "no two momenta add up"), (["two_pions=[[0, 0]]"], "correlators.two_pions"),
                               (["baryons=['sigma_p']"], "strange quarks"), (["baryons=['nucleon']"], "proton"),
                               (["baryons=['proton', 'proton']"], "twice"), (["two_pion=[]"], "two_pions")):
            error = self.call("distill", *HADRONS, *[word for s in settings for word in ("--set", "correlators." + s)], code=1).stderr
            self.assertIn(part, error)
        for settings, part in ((["elementals.displacements=['dx']"], "'1'"), (["action.action=hamber-wu"], "set solver.preconditioner to none"),
                               (["eigenvectors.n=2"], "three different eigenvectors"),
                               (["elementals.max_momentum=0", "perambulators.spacing=1", "correlators.two_pion_isospin=[1]"], "no two different momenta")):
            error = self.call("distill", *HADRONS, *[word for s in settings for word in ("--set", s)], code=1).stderr
            self.assertIn(part, error)
        self.assertEqual(os.listdir(self.folder), [])
        warned = self.call("distill", *JOB, "--set", "correlators.two_pion_irrep=none", "--dry-run").stderr
        self.assertIn("correlators.two_pion_irrep changes nothing", warned)


class DistillHadronTables(DistillTest):
    def test_go_on_from_the_journal_after_a_kill(self):
        self.call("distill", *HADRONS)
        whole = self.bytes_of(FILES + MORE_FILES)
        # Among the last contractions of baryons: two pions are finished, and baryons of the first source time.
        self.kill_near_the_end(HADRONS, MORE_FILES[1:])
        self.assertEqual(len(os.listdir(self.path("distill.journal"))), 1)
        text = self.call("distill", *HADRONS, ranks=2).stdout
        self.assertIn("finished        7 of 8 files, and 1 source times of others", text)
        self.assertEqual(whole, self.bytes_of(whole))
        self.assertEqual([name for name in os.listdir(self.folder) if "journal" in name], [])

    def test_are_analysed_as_matrices(self):
        self.call("distill", *HADRONS, "--set", "generate.configurations=3", "--set", "generate.between=1")
        files = [name for name in os.listdir(self.folder) if name.endswith(".correlators.h5")]
        self.assertEqual(len(files), 9)
        text = self.call("analyze", *files, "--set", "gevp.operators=['pion_pion_I2[0 0 0, 0 0 0]', 'pion_pion_I2[1 0 0, -1 0 0]']",
                         "--set", "gevp.t0=0", "--set", "fit.points=3", "--set", "output.rows=1000").stdout
        for part in ("pion_pion_I2[0 0 0, 0 0 0]-pion_pion_I2[0 0 0, 0 0 0]", "proton_up", "delta_pp_upup", "GEVP"):
            self.assertIn(part, text)

    def test_are_the_sums_of_pairs_when_projected(self):
        self.need_h5py()
        self.call("distill", *HADRONS)
        os.rename(self.path(MORE_FILES[1]), self.path("projected.h5"))
        self.call("distill", *HADRONS, "--set", "correlators.two_pion_irrep=none")
        script = ("import h5py, sys\n"
                  "projected, pairs = (h5py.File(name)['/meson'] for name in sys.argv[1:])\n"
                  "assert (len(projected), len(pairs)) == (4, 16)\n"
                  "rest, shell = ['pion_pion_I2[0 0 0, 0 0 0]'], ['pion_pion_I2[%s]' % p for p in ('1 0 0, -1 0 0', '0 1 0, 0 -1 0',\n"
                  "                                                                                 '0 0 1, 0 0 -1')]\n"
                  "for sinks in (rest, shell):\n"
                  "    for sources in (rest, shell):\n"
                  "        one = projected[sinks[0] + '-' + sources[0]][()] * (len(sinks) * len(sources))**0.5\n"
                  "        all = sum(pairs[a + '-' + b][()] for a in sinks for b in sources)\n"
                  "        assert abs(one - all).max() < 1e-11 * abs(one).max(), (sinks, sources)\n")
        self.check_files(script, "projected.h5", MORE_FILES[1])


NOISE = [*MESONS, "--set", "noise.count=2"]
FULL = [*NOISE, "--set", "noise.eigenvectors=full", "--set", "solver.tolerance=1e-12"]
EXACT = [*MESONS, "--set", "solver.tolerance=1e-12"]
NOISE_FILES = [NAME + ending for ending in ("eigenvectors.h5", "elementals.h5", *("noise%03d.%s" % (k, e) for k in (0, 1) for e in (
    "h5", "class000.perambulators.h5", "class002.perambulators.h5")), "noise.correlators.h5")]
READ = """
import h5py, numpy as np, sys
def correlator(name):
    return h5py.File(name)["/meson/pion[1]-pion[1]"][0, 0]
"""


class DistillNoise(DistillTest):
    def test_of_full_dilution_gives_exact_correlators(self):
        self.need_h5py()
        self.call("distill", *EXACT)
        for kind in ("z4", "u1"):
            self.call("distill", *FULL, "--set", "noise.kind=" + kind, ranks=2 if kind == "u1" else 1)
            self.check_files(READ + "exact, noisy = (correlator(name) for name in sys.argv[1:])\n"
                             "assert abs(noisy - exact).max() < 1e-9 * abs(exact).max(), abs(noisy - exact).max() / abs(exact).max()\n",
                             NAME + "correlators.h5", NAME + "noise.correlators.h5")
            for name in [name for name in os.listdir(self.folder) if ".noise" in name]:
                os.remove(self.path(name))

    def test_is_contracted_from_two_noises_and_their_files(self):
        """sum_d phi_d rho_d^+ of noise 0 is the quark and that of noise 1 the antiquark, and the other way round."""
        self.need_h5py()
        self.call("distill", *NOISE, "--set", "noise.time=interlace 2", "--set", "noise.spin=block 2", "--set", "noise.eigenvectors=interlace 2")
        self.check_files(READ + """
name = sys.argv[1]
phi = h5py.File(name + "elementals.h5")
labels = [text.decode() for text in phi["/matrices/names"][()]]
phi, n = phi["/matrices/numbers"][:, labels.index("1, p = 0 0 0")], 4
file = [h5py.File(name + "noise%03d.class000.perambulators.h5" % k) for k in (0, 1)]
rho = [h5py.File(name + "noise%03d.h5" % k)["/matrices/numbers"][:, 0] for k in (0, 1)]
assert all(file[k]["/matrices/labels"].attrs["noise_number"] == k for k in (0, 1))
assert np.allclose(abs(rho[0]), 1) and not np.allclose(rho[0], rho[1])
def tau(k, sink, source):  # both source times are of class 0
    columns, result = file[k]["/matrices/numbers"][sink, 0], np.zeros((4 * n, 4 * n), complex)
    assert columns.shape == (4 * n, 4)
    for spin in range(4):
        for i in range(n):
            result[:, spin * n + i] = columns[:, i % 2 * 2 + spin // 2] * rho[k][source, spin, i].conj()
    return result
data, found = h5py.File(name + "noise.correlators.h5")["/meson/pion[1]-pion[1]"], []
for delta in range(4):
    terms = [np.trace(np.kron(np.eye(4), phi[(t + delta) % 4]) @ tau(a, (t + delta) % 4, t) @ np.kron(np.eye(4), phi[t].conj().T) @ tau(b, (t + delta) % 4, t).conj().T)
             for t in (0, 2) for a, b in ((0, 1), (1, 0))]
    found.append(np.mean(terms))
rest = [tuple(p) for p in np.array(data.attrs["momenta"]).reshape(-1, 3)].index((0, 0, 0))
assert abs(data[0, 0, rest] - found).max() < 1e-10 * abs(found[0]), (data[0, 0, rest], found)
""", NAME)

    def test_agrees_with_exact_correlators_on_average(self):
        self.need_h5py()
        self.call("distill", *MESONS)
        names = []
        for seed in range(1, 13):
            self.call("distill", *MESONS, "--set", "noise.count=4", "--set", "noise.spin=none", "--set", "noise.eigenvectors=interlace 2",
                      "--set", "noise.seed=%d" % seed)
            names.append(NAME + "%d.h5" % seed)
            os.rename(self.path(NAME + "noise.correlators.h5"), self.path(names[-1]))
            for name in [name for name in os.listdir(self.folder) if ".noise" in name]:
                os.remove(self.path(name))
        self.check_files(READ + """
exact, noisy = correlator(sys.argv[1]).real, np.array([correlator(name).real for name in sys.argv[2:]])
mean, error = noisy.mean(axis=0), noisy.std(axis=0, ddof=1) / len(noisy)**0.5
assert (error > 1e-4 * exact).all() and (error < 0.3 * exact.max()).all(), error / exact
pull = (mean - exact) / error
assert abs(pull).max() < 4.5 and 0.3 < (pull**2).mean()**0.5 < 2, pull
""", NAME + "correlators.h5", *names)

    def test_files_are_made_once_and_what_is_missing_again(self):
        """Noise to the bit, and what two processes solve for to the tolerance of their solves."""
        self.need_h5py()
        self.call("distill", *NOISE)
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(NOISE_FILES))
        whole = self.bytes_of(NOISE_FILES)
        for ending in ("noise001.h5", "noise000.class002.perambulators.h5", "noise.correlators.h5"):
            os.remove(self.path(NAME + ending))
        text = self.call("distill", *NOISE, ranks=2).stdout
        self.assertIn("noises          2 of z4, dilution time full, spin full, eigenvectors interlace 4: 16 sources in each of 2 classes in time", text)
        self.assertIn("0 searches, 0 displacements, 16 solves and 1 files of correlators", text)
        noise, solved = (NAME + ending for ending in ("noise001.h5", "noise000.class002.perambulators.h5"))
        self.assertEqual(whole[noise], self.read(noise, "rb"))
        with open(self.path("before.h5"), "wb") as file:
            file.write(whole[solved])
        self.check_files(READ + "before, now = (h5py.File(name)['/matrices/numbers'][()] for name in sys.argv[1:])\n"
                         "assert 0 < abs(before).max() and abs(now - before).max() < 1e-8 * abs(before).max()\n", "before.h5", solved)
        os.remove(self.path("before.h5"))
        whole = self.bytes_of(NOISE_FILES)
        # Another dilution is other noise, and a third noise leaves the first two.
        self.assertIn("made with other parameters", self.call("distill", *NOISE, "--set", "noise.eigenvectors=interlace 2", code=1).stderr)
        os.remove(self.path(NAME + "noise.correlators.h5"))
        self.call("distill", *NOISE, "--set", "noise.count=3")
        self.assertEqual([whole[name] for name in NOISE_FILES[:-1]], [self.read(name, "rb") for name in NOISE_FILES[:-1]])

    def test_that_cannot_be_is_refused(self):
        for settings, part in ((["noise.count=1"], "noises of their own"), (["noise.count=-1"], "from 0 to 1000"),
                               (["noise.eigenvectors=interlace 5"], "noise.eigenvectors"), (["noise.time=interlace 5"], "noise.time"),
                               (["noise.spin=interlaced"], "is no dilution"), (["noise.kind=gaussian"], "noise.kind"),
                               (["correlators.two_pions=[[0, 0, 0]]"], "exact perambulators"), (["correlators.baryons=['proton']"], "exact perambulators")):
            self.assertIn(part, self.call("distill", *NOISE, *[word for s in settings for word in ("--set", s)], code=1).stderr)
        self.assertEqual(os.listdir(self.folder), [])
        self.assertIn("noise.seed changes nothing", self.call("distill", *MESONS, "--set", "noise.seed=2", "--dry-run").stderr)
