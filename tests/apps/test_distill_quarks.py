# SPDX-License-Identifier: MIT
"""kovariant distill with several quarks, a pion and a kaon, and displaced mesons beside two pions."""
import math
import os
import re
import subprocess

from distill_support import GAMMAS, JOB, NAME, WICK, DistillTest
from program_support import PROGRAM, environment

# The job without a quark, to which tables of quarks are added.
NO_QUARK = [word for k in range(0, len(JOB), 2) if not JOB[k + 1].startswith("action.") for word in JOB[k:k + 2]]


def quarks(**kappas):
    """Quarks with these names and hopping parameters."""
    return [word for k, (name, kappa) in enumerate(kappas.items())
            for word in ("--set", "quark.%d.name=%s" % (k, name), "--set", "quark.%d.kappa=%s" % (k, kappa))]


FLAVOURS = ["--set", "correlators.flavours=['light', 'light', 'strange']"]
# Equal quarks: the same bits as of one quark, whatever they are called.
EQUAL_QUARKS = """
import h5py, numpy as np, sys
one, two = sys.argv[1:]
for time in ("t000", "t002"):
    expected = h5py.File(one + time + ".perambulators.h5")["/matrices/numbers"][()]
    for name in ("light", "strange"):
        assert np.array_equal(h5py.File(two + name + "." + time + ".perambulators.h5")["/matrices/numbers"][()], expected), name
expected = h5py.File(one + "correlators.h5")["/meson"]
for pair in ("light-light", "light-strange", "strange-strange"):
    found = h5py.File(two + pair + ".correlators.h5")["/meson"]
    assert sorted(found) == sorted(expected)
    for channel, data in found.items():
        assert np.array_equal(data[()], expected[channel][()]), (pair, channel)
        assert data.attrs["quarks"] in (pair, pair.encode())
found, expected = (h5py.File(name + "two_pions.correlators.h5")["/meson"] for name in (two, one))
for channel, data in found.items():
    assert np.array_equal(data[()], expected[channel][()]), channel
found, expected = (h5py.File(name + "baryons.correlators.h5")["/baryon"] for name in (two, one))
for channel, data in expected.items():
    assert np.array_equal(data[()], found[channel][()]), channel
sigma, proton = found["sigma_p_up"], found["proton_up"]
assert abs(sigma[()] - 4 / 3 * proton[()]).max() < 1e-12 * abs(proton[()]).max()
assert sigma.attrs["quarks"] in ("u light, s strange", b"u light, s strange"), sigma.attrs["quarks"]
"""
# Perambulators of quarks that differ in their solvers alone.
SAME_PERAMBULATORS = """
import h5py, sys
expected = h5py.File(sys.argv[1])["/matrices/numbers"][()]
for name in sys.argv[2:]:
    found = h5py.File(name)["/matrices/numbers"][()]
    assert 0 < abs(found - expected).max() < 1e-10 * abs(expected).max(), (name, abs(found - expected).max())
"""
# Noise of full dilution, in every channel, momentum and time.
EXACT_WITH_NOISE = """
import h5py, numpy as np, sys
name, count = sys.argv[1:]
def correlators(pair, ending):
    results = h5py.File(name + pair + ending)["/meson"]
    assert sorted(results) == sorted(names) and all(data.attrs["quarks"] in (pair, pair.encode()) for data in results.values())
    return np.array([results[channel][()] for channel in names])
names, all_exact = list(h5py.File(name + "light-light.correlators.h5")["/meson"]), []
for pair in ("light-light", "light-strange", "strange-strange"):
    exact, noisy = correlators(pair, ".correlators.h5"), correlators(pair, ".noise.correlators.h5")
    assert exact.shape == noisy.shape and len(names) == 16
    size = abs(exact).max()
    assert abs(noisy - exact).max() < 1e-9 * size, (pair, count, abs(noisy - exact).max() / size)
    assert all(abs(exact - other).max() > 1e-3 * size for other in all_exact), pair
    all_exact.append(exact)
"""
# The kaon's trace, with a perambulator of each quark.
KAON = GAMMAS + """
gammas = {"pion": g1 @ g2 @ g3 @ g4, "pion_A4": g1 @ g2 @ g3}
elementals = h5py.File(name + "elementals.h5")
names = [text.decode() for text in elementals["/matrices/names"][()]]
phi = elementals["/matrices/numbers"][()]
tau = {(q, t): h5py.File(name + "%s.t%03d.perambulators.h5" % (q, t))["/matrices/numbers"][()][:, 0] for q in ("light", "strange") for t in (0, 2)}
g5 = np.kron(gammas["pion"], np.eye(phi.shape[-1]))
assert abs(tau["light", 0] - tau["strange", 0]).max() > 1e-3
for quark, antiquark in (("light", "light"), ("light", "strange"), ("strange", "strange")):
    results = h5py.File(name + "%s-%s.correlators.h5" % (quark, antiquark))["/meson"]
    assert len(results) == 16
    for channel, data in results.items():
        sink, source = [(text.split("[")[0], text.split("[")[1][:-1]) for text in channel.split("-")]
        eta = 1 if np.allclose(g4 @ gammas[source[0]].conj().T @ g4, gammas[source[0]].conj().T) else -1
        for m, p in enumerate(np.array(data.attrs["momenta"]).reshape(-1, 3)):
            def operator(of, t):
                return np.kron(gammas[of[0]], phi[t, names.index("%s, p = %d %d %d" % (of[1], *p))])
            for delta in range(4):
                c = np.mean([-eta * np.trace(operator(sink, (t + delta) % 4) @ tau[quark, t][(t + delta) % 4] @ operator(source, t).conj().T
                                             @ g5 @ tau[antiquark, t][(t + delta) % 4].conj().T @ g5) for t in (0, 2)])
                assert abs(c - data[0, 0, m, delta]) < 1e-10 * abs(results["pion[1]-pion[1]"][0, 0, 0, 0]), (quark, antiquark, channel, p, delta)
"""
MESONLESS = [*NO_QUARK, "--set", "elementals.displacements=['1']", "--set", "eigenvectors.n=2", "--set", "correlators.mesons=[]"]
KAONS = [*MESONLESS, *FLAVOURS, "--set", "correlators.two_pion_isospin=[]", "--set", "correlators.two_pions=[[0, 0, 0], [0, 0, -1]]"]
BOTH = ["--set", "correlators.pion_kaon_isospin=['1/2', '3/2']", "--set", "correlators.pion_kaon_mesons=['K0star', 'Kstar', 'Kstar_g4']",
        "--set", "perambulators.spacing=1"]
QUARTET = ["--set", "correlators.pion_kaon_isospin=['3/2']"]
KAON_FILE = NAME + "pion_kaon.correlators.h5"
CONTRACTION = WICK + """
def pion_kaon(twice_isospin, p, q):
    plus, neutral = [(1, ("s", "u", g5, q))], [(1, ("s", "d", g5, q))]
    if twice_isospin == 3:
        return products([(1, pion(1, p), plus)])
    return products([((2 / 3)**0.5, pion(1, p), neutral), (-3**-0.5, pion(0, p), plus)])

def strange(factor, gamma, p):
    return [(factor, [("s", "u", gamma, p)])]

groups = {}
for twice, text in ((1, "I1o2"), (3, "I3o2")):
    names = ["pion_kaon_%s[%s]" % (text, pair) for pair in (*rest, moving, "1 0 0, 0 0 0")]
    signed = [(moved(k, sign), moved(k, -sign)) for k in range(3) for sign in (1, -1)]
    shell = sum((scaled(6**-0.5, pion_kaon(twice, p, q)) for p, q in signed), [])
    rows = [scaled(0.5**0.5, pion_kaon(twice, moved(k, 1), moved(k, -1))) + scaled(-0.5**0.5, pion_kaon(twice, moved(k, -1), moved(k, 1)))
            for k in range(3)]
    groups[text, zero, "A1"] = {names[0]: [pion_kaon(twice, zero, zero)], names[1]: [shell]}
    groups[text, zero, "T1"] = {names[1]: rows}
    groups[text, down, "A1"] = {names[2]: [pion_kaon(twice, zero, down)], names[3]: [pion_kaon(twice, down, zero)]}
groups["I1o2", zero, "A1"]["K0star_I1o2"] = [strange(1, np.eye(4), zero)]
groups["I1o2", zero, "T1"].update({"Kstar_I1o2": [strange(i, g, zero) for g in spatial], "Kstar_g4_I1o2": [strange(i, g @ g4, zero) for g in spatial]})
groups["I1o2", down, "A1"].update({"K0star_I1o2": [strange(1, np.eye(4), down)], "Kstar_I1o2": [strange(i, -g3, down)],
                                   "Kstar_g4_I1o2": [strange(i, -g3 @ g4, down)]})
light, heavy = read_quark("light."), read_quark("strange.")
assert abs(light[0] - heavy[0]).max() > 1e-3
results = h5py.File(name + "pion_kaon.correlators.h5")["/meson"]
check_groups((phi, {"u": light, "d": light, "s": heavy}), groups, results)
label = results["K0star_I1o2-K0star_I1o2"].attrs["quarks"]
assert label in ("u light, d light, s strange", b"u light, d light, s strange"), label
"""
# With SU(3), pi+ K+ is a member of the 27 as pi+ pi+ is, whose two pions can be exchanged: (dbar u)(dbar u) has the
# contractions of (dbar u)(sbar u) and those with the pions of the source exchanged.
SU3 = """
import h5py, numpy as np, sys
pions, kaons = (h5py.File(sys.argv[1] + of + ".correlators.h5")["/meson"] for of in ("two_pions", "pion_kaon"))

def values(results, start, sink, source, P):
    data = results["%s[%s]-%s[%s]" % (start, sink, start, source)]
    data = data["A1"] if isinstance(data, h5py.Group) else data
    found = [tuple(p) for p in np.array(data.attrs["momenta"]).reshape(-1, 3)]
    return data[0, 0, found.index(P)]

rest = ("0 0 0, 0 0 0", "1 0 0, -1 0 0")
for sink, source, factor in ((0, 0, 2), (0, 1, 2**0.5), (1, 0, 2**0.5), (1, 1, 1)):
    one, two = (values(results, start, rest[sink], rest[source], (0, 0, 0)) for results, start in ((pions, "pion_pion_I2"), (kaons, "pion_kaon_I3o2")))
    assert abs(one - factor * two).max() < 1e-12 * abs(one).max(), (sink, source, one / two)
a, b, down = "0 0 0, 1 0 0", "1 0 0, 0 0 0", (0, 0, -1)
one = values(pions, "pion_pion_I2", a, a, down)
for sink, others in ((a, (a, b)), (b, (b, a))):
    two = sum(values(kaons, "pion_kaon_I3o2", sink, source, down) for source in others)
    assert abs(one - two).max() < 1e-12 * abs(one).max(), (sink, one / two)
"""

DERIVATIVES = [*JOB, "--set", "eigenvectors.n=2", "--set", "perambulators.spacing=1", "--set", "elementals.displacements=['1', 'dx', 'dy', 'dz']",
               "--set", "correlators.two_pions=[[0, 0, 0], [0, 0, -1]]", "--set", "correlators.mesons=['a0', 'rho_x', 'rho_y', 'rho_z']"]
DISPLACED = [*DERIVATIVES, "--set", "correlators.two_pion_isospin=[0, 1]", "--set", "correlators.two_pion_mesons=['rho', 'a0[dx]', 'rho_y[dy]']"]
TWO_PIONS = NAME + "two_pions.correlators.h5"
DISPLACED_CONTRACTION = WICK + """
def two_pions(isospin, p, q):
    coupled = {0: [(3**-0.5, 1, -1), (-3**-0.5, 0, 0), (3**-0.5, -1, 1)], 1: [(0.5**0.5, 1, 0), (-0.5**0.5, 0, 1)]}[isospin]
    return products([(c, pion(k, p), pion(l, q)) for c, k, l in coupled])

def isoscalar(gamma, p):
    return [(0.5**0.5, [(f, f, gamma, p)]) for f in "ud"]

def isovector(gamma, p):
    return [(i, [("d", "u", gamma, p)])]

one = np.eye(4)
shell = sum((scaled(3**-0.5, two_pions(0, moved(k, -1), moved(k, 1))) for k in range(3)), [])
divergence = sum((scaled(3**-0.5, isoscalar(spatial[k], zero + ("d" + "xyz"[k],))) for k in range(3)), [])
across = sum((scaled(0.5**0.5, isoscalar(spatial[k], down + ("d" + "xyz"[k],))) for k in range(2)), [])
groups = {(0, zero, "A1"): {"pion_pion_I0[%s]" % rest[0]: [two_pions(0, zero, zero)], "pion_pion_I0[%s]" % rest[1]: [shell],
                            "rho_y[dy]_I0": [divergence], "vacuum": [[(1, [])]]},
          (0, down, "A1"): {"pion_pion_I0[%s]" % moving: [two_pions(0, zero, down)], "rho_y[dy]_I0": [across]},
          (1, zero, "T1"): {"pion_pion_I1[%s]" % rest[1]: [two_pions(1, moved(k, 1), moved(k, -1)) for k in range(3)],
                            "rho_I1": [isovector(g, zero) for g in spatial], "a0[dx]_I1": [isovector(one, zero + ("d" + k,)) for k in "xyz"]},
          (1, down, "A1"): {"pion_pion_I1[%s]" % moving: [two_pions(1, zero, down)], "rho_I1": [isovector(-g3, down)],
                            "a0[dx]_I1": [isovector(-one, down + ("dz",))]}}
light = read_quark("")
check_groups((phi, {"u": light, "d": light}), groups, h5py.File(name + "two_pions.correlators.h5")["/meson"])

# Of isospin 1 alone they are the single mesons of the other file.
single, both = h5py.File(name + "correlators.h5")["/meson"], h5py.File(name + "two_pions.correlators.h5")["/meson"]
def of_momentum(data, p):
    return data[0, 0, [tuple(q) for q in np.array(data.attrs["momenta"]).reshape(-1, 3)].index(p)]
def same(sink, source, singles, p, irrep):
    data = both["%s-%s" % (sink, source)]
    found = of_momentum(data[irrep] if isinstance(data, h5py.Group) else data, p)
    expected = np.mean([sign * of_momentum(single["%s-%s" % pair], p) for sign, pair in singles], axis=0)
    assert abs(found - expected).max() < 1e-11 * abs(expected).max(), (sink, source, p, found, expected)
vectors = [("rho_%s[1]" % k, "a0[d%s]" % k) for k in "xyz"]
for a, b in itertools.product(range(2), repeat=2):
    names = ("rho_I1", "a0[dx]_I1")
    same(names[a], names[b], [(1, (v[a], v[b])) for v in vectors], zero, "T1")
    same(names[a], names[b], [(1, (vectors[2][a], vectors[2][b]))], down, "A1")
"""


class DistillQuarks(DistillTest):
    def test_of_equal_masses_are_one_quark_bit_for_bit(self):
        self.need_h5py()
        hadrons = ["--set", "elementals.displacements=['1']", "--set", "elementals.max_baryon_momentum=0", "--set", "correlators.two_pions=[[0, 0, 0]]"]
        self.call("distill", *JOB, *hadrons, "--set", "correlators.baryons=['proton']")
        text = self.call("distill", *NO_QUARK, *hadrons, *quarks(light=0.12, strange=0.12), *FLAVOURS, "--set", "output.prefix=two",
                         "--set", "correlators.baryons=['proton', 'sigma_p']").stdout
        self.assertIn("quark strange   Wilson, kappa 0.12", text)
        self.assertIn("of 3 pairs of quarks", text)
        self.check_files(EQUAL_QUARKS, NAME, NAME.replace("distill", "two"))

    def test_have_the_solvers_of_propagators(self):
        self.need_h5py()
        ways = {"reference": ["precision=double", "tolerance=1e-13"], "reliable": ["precision=reliable"],
                "normal": ["method=cg", "precision=reliable", "deflation=4"], "fixed": ["precision=reliable-16", "links=12"],
                "temporal": ["gauge=temporal"], "basis": ["basis=nonrelativistic"], "single": ["columns=one by one", "links=8"],
                "block": ["method=block-cg"], "cgne": ["method=cgne", "preconditioner=none"],
                "blocks": ["method=gcr", "preconditioner=schwarz", "schwarz_block=[2, 2, 4, 2]"]}
        job = [*NO_QUARK, "--set", "correlators.mesons=[]", "--set", "solver.tolerance=1e-12", "--set", "solver.basis=chiral",
               *quarks(**dict.fromkeys(ways, 0.12))]
        for k, keys in enumerate(ways.values()):
            job += [word for key in keys for word in ("--set", "quark.%d.%s" % (k, key))]
        text = self.call("distill", *job).stdout
        self.assertIn("tolerance 1e-12, twelve columns together", text)
        for part in ("solved for by bicgstab, even-odd preconditioner, reliable precision, tolerance 1e-12, twelve columns together",
                     "reliable-16 precision, tolerance 1e-12, links of 12 reals", "links of 8 reals, columns one by one",
                     "in temporal gauge, twelve columns together", "by block-cg, even-odd preconditioner"):
            self.assertIn(part, text)
        self.check_files(SAME_PERAMBULATORS, *[NAME + name + ".t000.perambulators.h5" for name in ways])
        error = self.call("distill", *job, "--set", "quark.1.method=gcr", "--set", "quark.1.precision=mixed", code=1).stderr
        self.assertIn("with other parameters", error)

    def test_whose_solves_fail_are_named(self):
        short = [*NO_QUARK, *quarks(light=0.12, strange=0.11), "--set", "quark.1.max_iterations=2", "--set", "correlators.mesons=[]"]
        for more, source, columns in (([], "4 eigenvectors, source time 0", ", ".join(map(str, range(12)))),
                                      (["--set", "noise.count=2", "--set", "quark.1.columns=one by one"], "noise 0, class 0 in time", "0")):
            error = self.call("distill", *short, *more, code=3).stderr
            self.assertIn("beta6_seed1_update3, quark strange, %s, even-odd mixed-precision BiCGstab: 2 iterations" % source, error)
            self.assertRegex(error, "; not converged: columns? %s of 16: the limit of 2 iterations was reached; the solution is not usable" % columns)

    def test_warn_where_high_precision_went_on(self):
        error = self.call("distill", *NO_QUARK, *quarks(light=0.155), "--set", "gauge.extent=[4, 4, 4, 8]", "--set", "generate.thermalise=5",
                          "--set", "solver.columns=one by one", "--set", "solver.precision=reliable-16", "--set", "solver.tolerance=1e-13",
                          "--set", "correlators.mesons=[]", "--set", "perambulators.spacing=8").stderr
        self.assertIn("low precision brought columns no further, and higher precision went on", error)

    def test_have_exact_correlators_with_fully_diluted_noise(self):
        """Of as many noises as quarks and of more: no file stands for one of another quark or noise."""
        self.need_h5py()
        job = [*NO_QUARK, *quarks(light=0.12, strange=0.11), "--set", "solver.tolerance=1e-12"]
        self.call("distill", *job)
        for count in (2, 3):
            noise = ["--set", "noise.count=%d" % count, *(word for of in ("time", "spin", "eigenvectors") for word in ("--set", "noise.%s=full" % of))]
            self.call("distill", *job, *noise, ranks=count - 1)
            self.check_files(EXACT_WITH_NOISE, NAME, str(count))
            for name in [name for name in os.listdir(self.folder) if name.endswith(".noise.correlators.h5")]:
                os.remove(self.path(name))

    def test_have_any_angle_in_time(self):
        self.need_h5py()
        twins = [*NO_QUARK, *quarks(light=0.12, twin=0.12), "--set", "quark.1.boundary=periodic"]
        for angle in (0, 0.5):
            self.call("distill", *twins, *("--set", "quark.0.theta_t=%r" % angle, "--set", "quark.1.theta_t=%r" % (angle + math.pi)),
                      "--set", "output.prefix=angle%g" % angle)
        same = "import h5py, sys\na, b, c, d = (h5py.File(name)['/matrices/numbers'][()] for name in sys.argv[1:])\n"
        same += "assert abs(a - b).max() < 1e-14 * abs(a).max() and abs(c - d).max() < 1e-8 * abs(c).max() < abs(a - c).max()"
        self.check_files(same, *["%s.%s.%s.t000.perambulators.h5" % (prefix, NAME.split(".")[1], name)
                                 for prefix in ("angle0", "angle0.5") for name in ("light", "twin")])
        other = [*twins, *("--set", "quark.0.theta_t=0.25", "--set", "quark.1.theta_t=%r" % (0.25 + math.pi)), "--set", "output.prefix=angle0"]
        self.assertIn("with other parameters", self.call("distill", *other, code=1).stderr)

    def test_that_cannot_be_are_refused(self):
        two = [*NO_QUARK, *quarks(light=0.12, strange=0.11)]
        for settings, part in ((["action.kappa=0.12"], "beside tables [[quark]]"), (["quark.1.name=light"], "which another quark is called too"),
                               (["quark.1.boundary=periodic"], "different boundaries"), (["quark.1.theta_t=0.1"], "different boundaries"),
                               (["quark.1.mu=0.1"], "quark.1.mu is not 0"),
                               (["quark.%d.theta=[0.1, 0, 0]" % k for k in (0, 1)], "periodic in space"), (["quark.1.boost=[0, 0, 1]"], "quark.1.boost"),
                               (["quark.1.precision=single", "quark.1.tolerance=1e-5"], "set solver.precision to single, or that of the quark to"),
                               (["solver.precision=reliable-16", "solver.preconditioner=none"], "take even-odd"),
                               (["correlators.flavours=['light', 'charm', 'strange']"], "charm"), (["correlators.flavours=['light']"], "has 1 names"),
                               (["correlators.two_pions=[[0, 0, 0]]"], "an operator of two pions, whose quark u"),
                               (["correlators.two_pions=[[0, 0, 0]]", "correlators.flavours=['light', 'strange', 'strange']"], "u and d are different"),
                               (["correlators.baryons=['lambda_z']"], "by correlators.flavours"), (["correlators.baryons=['sigma']"], "sigma_p")):
            error = self.call("distill", *two, *[word for s in settings for word in ("--set", s)], code=1).stderr
            self.assertIn(part, error)
        self.assertEqual(os.listdir(self.folder), [])
        self.assertIn("correlators.flavours changes nothing", self.call("distill", *two, *FLAVOURS, "--dry-run").stderr)


class DistillQuarkTables(DistillTest):
    def test_make_kaons_with_a_perambulator_of_each_quark(self):
        self.need_h5py()
        self.call("distill", *NO_QUARK, *quarks(light=0.12, strange=0.11), ranks=2)
        self.check_files(KAON, NAME)
        files = [name for name in os.listdir(self.folder) if name.endswith(".correlators.h5")]
        self.assertIn("light-strange", self.call("analyze", *files, "--set", "fit.points=3", "--set", "output.rows=1000").stdout)

    def test_are_added_and_made_again_bit_for_bit(self):
        self.call("distill", *NO_QUARK, *quarks(light=0.12))
        first = self.bytes_of(sorted(os.listdir(self.folder)))
        dry = self.call("distill", *NO_QUARK, *quarks(light=0.12, strange=0.11), "--dry-run").stdout
        self.assertIn("finished        5 of 9 files", dry)
        self.assertIn("0 searches, 0 displacements, 32 solves and 2 files of correlators", dry)
        self.call("distill", *NO_QUARK, *quarks(light=0.12, strange=0.11))
        self.assertEqual(first, self.bytes_of(first))
        whole = self.bytes_of(sorted(os.listdir(self.folder)))
        self.assertEqual(len(whole), 9)
        # That of the light quark, too, which tells of no other.
        for ending in ("strange.t002.perambulators.h5", "light-strange.correlators.h5", "light-light.correlators.h5"):
            os.remove(self.path(NAME + ending))
        self.call("distill", *NO_QUARK, *quarks(light=0.12, strange=0.11))
        self.assertEqual(whole, self.bytes_of(sorted(os.listdir(self.folder))))
        # Another mass of a quark is refused where its files are.
        self.assertIn("was made with other parameters", self.call("distill", *NO_QUARK, *quarks(light=0.12, strange=0.1), code=1).stderr)

    def test_have_solvers_of_their_own(self):
        """A changed solver remakes the files of its quark alone, which are those that [solver] would give it."""
        two = [*NO_QUARK, "--set", "correlators.mesons=['pion']", *quarks(light=0.12, strange=0.11)]
        own = ["--set", "quark.1.tolerance=1e-11", "--set", "quark.1.method=gcr"]
        self.call("distill", *two, *own)
        made = self.bytes_of(sorted(os.listdir(self.folder)))
        self.assertIn("antiperiodic in time, solved for by gcr", self.call("distill", *two, *own, "--dry-run").stdout)
        self.assertIn("strange.t000.perambulators.h5 was made with other parameters", self.call("distill", *two, code=1).stderr)
        for name in [name for name in made if ".strange." in name or "-strange" in name]:
            os.remove(self.path(name))
        self.call("distill", *two)
        other = self.bytes_of(made)
        changed = [name for name in made if made[name] != other[name]]
        self.assertEqual(changed, [NAME + ending for ending in ("light-strange.correlators.h5", "strange-strange.correlators.h5",
                                                                "strange.t000.perambulators.h5", "strange.t002.perambulators.h5")])
        # The tables say as much as [solver] does.
        for name in changed:
            os.remove(self.path(name))
        light = [*own, "--set", "quark.0.method=bicgstab", "--set", "quark.0.tolerance=1e-9"]
        self.call("distill", *two, "--set", "solver.method=cg", "--set", "solver.tolerance=1e-8", *light)
        self.assertEqual(made, self.bytes_of(made))

    def test_with_solvers_of_their_own_go_on_after_a_kill(self):
        job = [*NO_QUARK, "--set", "correlators.mesons=['pion']", *quarks(light=0.12, strange=0.11), "--set", "quark.1.method=gcr"]
        self.call("distill", *job)
        whole = self.bytes_of(sorted(os.listdir(self.folder)))
        lost = [NAME + ending for ending in ("strange.t000.perambulators.h5", "strange.t002.perambulators.h5", "strange-strange.correlators.h5")]
        ended = []
        for fault in ("memory:0:1000000000", "kill:0:%d"):
            for name in lost:
                os.remove(self.path(name))
            if "%" in fault:
                fault %= int(re.search(r"did not strike: rank 0 ran (\d+) kernels", ended[0].stderr)[1]) * 3 // 4
            ended.append(subprocess.run([PROGRAM, "distill", *job], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=environment(KOV_FAULT=fault)))
        self.assertEqual(ended[1].returncode, -9, ended[1].stderr)
        self.assertEqual([os.path.exists(self.path(name)) for name in lost], [True, False, False])
        self.assertIn("quark strange   Wilson, kappa 0.11", self.call("distill", *job).stdout)
        self.assertEqual(whole, self.bytes_of(whole))

    def test_are_the_quarks_of_baryons(self):
        """xi_z is sigma_p with light and strange exchanged, and omega_m the Delta of the strange quark."""
        self.need_h5py()
        job = [*NO_QUARK, "--set", "elementals.displacements=['1']", "--set", "elementals.max_baryon_momentum=0", "--set", "correlators.mesons=[]",
               *quarks(light=0.12, strange=0.11)]
        self.call("distill", *job, *FLAVOURS, "--set", "correlators.baryons=['xi_z', 'omega_m']")
        self.call("distill", *job, "--set", "correlators.flavours=['strange', 'strange', 'light']", "--set", "output.prefix=two",
                  "--set", "correlators.baryons=['sigma_p', 'delta_pp']")
        script = ("import h5py, numpy as np, sys\n"
                  "one, two = (h5py.File(name)['/baryon'] for name in sys.argv[1:])\n"
                  "for a, b in (('xi_z_up', 'sigma_p_up'), ('omega_m_upup', 'delta_pp_upup')):\n"
                  "    x, y = one[a][()].ravel(), two[b][()].ravel()\n"
                  "    ratio = x[0] / y[0]\n"
                  "    assert abs(ratio.imag) < 1e-10 and 0.1 < abs(ratio.real) < 10, ratio\n"
                  "    assert abs(x - ratio * y).max() < 1e-10 * abs(x).max(), (a, x / y)\n"
                  "assert abs(one['xi_z_up'][()] / one['omega_m_upup'][()]).std() > 1e-3\n")
        self.check_files(script, *(prefix + NAME[7:] + "baryons.correlators.h5" for prefix in ("distill", "two")))


class DistillKaons(DistillTest):
    def test_are_wick_contractions_of_what_the_files_have(self):
        self.need_h5py()
        self.call("distill", *KAONS, *BOTH, *quarks(light=0.12, strange=0.11), ranks=2)
        self.check_files(CONTRACTION, NAME)

    def test_of_equal_masses_are_two_pions(self):
        self.need_h5py()
        self.call("distill", *KAONS, *QUARTET, *quarks(light=0.12, strange=0.12), "--set", "correlators.two_pion_isospin=[2]")
        self.check_files(SU3, NAME)

    def test_are_added_to_a_finished_run_with_the_same_bits_on_two_ranks(self):
        self.call("distill", *MESONLESS, *quarks(light=0.12, strange=0.11))
        first = self.bytes_of(sorted(os.listdir(self.folder)))
        dry = self.call("distill", *KAONS, *QUARTET, *quarks(light=0.12, strange=0.11), "--dry-run").stdout
        for part in ("finished        6 of 7 files", "0 solves and 1 files of correlators",
                     "pion and kaon   isospin 3/2 total momentum 0 0 0 A1: 2 operators, pion_kaon_I3o2[0 0 0, 0 0 0] ... pion_kaon_I3o2[1 0 0, -1 0 0]",
                     "isospin 3/2 total momentum 0 0 0 T1: 1 operator, pion_kaon_I3o2[1 0 0, -1 0 0]"):
            self.assertIn(part, dry)
        self.call("distill", *KAONS, *QUARTET, *quarks(light=0.12, strange=0.11))
        self.assertEqual(sorted(os.listdir(self.folder)), sorted([*first, KAON_FILE]))
        self.assertEqual(first, self.bytes_of(first))
        made = self.bytes_of([KAON_FILE])
        os.remove(self.path(KAON_FILE))
        self.call("distill", *KAONS, *QUARTET, *quarks(light=0.12, strange=0.11), ranks=2)
        self.assertEqual(made, self.bytes_of([KAON_FILE]))
        # The two quarks exchanged are another file.
        exchanged = ["--set", "correlators.flavours=['strange', 'strange', 'light']"]
        self.assertIn("was made with other parameters",
                      self.call("distill", *KAONS, *QUARTET, *exchanged, *quarks(light=0.12, strange=0.11), code=1).stderr)

    def test_that_cannot_be_are_refused(self):
        two = [*KAONS, *QUARTET, *quarks(light=0.12, strange=0.11)]
        for settings, part in ((["pion_kaon_isospin=['1/2']"], "perambulators.spacing = 1"), (["pion_kaon_isospin=['1']"], "1/2 or 3/2"),
                               (["pion_kaon_isospin=['3/2', '3/2']"], "twice"), (["two_pions=[]"], "without total momenta"),
                               (["pion_kaon_isospin=[]"], "is empty"), (["pion_kaon_mesons=['Kstar']"], "of isospin 1/2"),
                               (["pion_kaon_mesons=['rho']"], "Kstar_g4"), (["flavours=['light', 'strange', 'strange']"], "u and d are different quarks, but a pion and a kaon"),
                               (["flavours=[]"], "an operator of a pion and a kaon, whose quark u")):
            error = self.call("distill", *two, *[word for s in settings for word in ("--set", "correlators." + s)], code=1).stderr
            self.assertIn(part, error)
        one = [*MESONLESS, *QUARTET, "--set", "correlators.two_pions=[[0, 0, 0]]"]
        for names in ([], quarks(light=0.12)):
            self.assertIn("needs a strange quark", self.call("distill", *one, *names, code=1).stderr)
        self.assertEqual(os.listdir(self.folder), [])


class DistillKaonTables(DistillTest):
    def test_go_on_from_the_journal_after_a_kill(self):
        job = [*KAONS, *QUARTET, *quarks(light=0.12, strange=0.11)]
        self.call("distill", *job)
        whole = self.bytes_of(sorted(os.listdir(self.folder)))
        self.kill_near_the_end(job, [KAON_FILE])
        self.assertEqual(len(os.listdir(self.path("distill.journal"))), 1)
        self.assertIn("finished        6 of 7 files, and 1 source times of others", self.call("distill", *job, ranks=2).stdout)
        self.assertEqual(whole, self.bytes_of(sorted(os.listdir(self.folder))))

    def test_are_analysed_as_matrices(self):
        self.call("distill", *KAONS, *QUARTET, *quarks(light=0.12, strange=0.11), "--set", "generate.configurations=3", "--set", "generate.between=1")
        files = [name for name in os.listdir(self.folder) if name.endswith("pion_kaon.correlators.h5")]
        self.assertEqual(len(files), 3)
        text = self.call("analyze", *files, "--set", "gevp.operators=['pion_kaon_I3o2[0 0 0, 0 0 0]', 'pion_kaon_I3o2[1 0 0, -1 0 0]']",
                         "--set", "gevp.t0=0", "--set", "fit.points=3", "--set", "output.rows=1000").stdout
        for part in ("pion_kaon_I3o2[0 0 0, 0 0 0]-pion_kaon_I3o2[1 0 0, -1 0 0]", "GEVP"):
            self.assertIn(part, text)


class DistillDisplaced(DistillTest):
    def test_are_wick_contractions_of_what_the_files_have_and_single_mesons(self):
        self.need_h5py()
        self.call("distill", *DISPLACED, ranks=2)
        self.check_files(DISPLACED_CONTRACTION, NAME)

    def test_that_cannot_be_are_refused(self):
        for settings, part in ((["elementals.displacements=['1', 'dx']"], "needs the displacement 'dy'"), (["correlators.two_pion_mesons=['a0[dt]']"], "dt"),
                               (["correlators.two_pion_mesons=['a[dx]']"], "pion_A4"), (["correlators.two_pion_mesons=['a0[dx ]', 'a0[ dx]']"], "twice"),
                               (["correlators.two_pion_mesons=['a0[dx']"], "a0[dx]"), (["correlators.two_pion_mesons=['pion[dx]']"], "has no part in these irreps")):
            error = self.call("distill", *DISPLACED, *[word for s in settings for word in ("--set", s)], code=1).stderr
            self.assertIn(part, error)
        self.assertEqual(os.listdir(self.folder), [])

    def test_that_are_others_are_named(self):
        job = [*DISPLACED, "--set", "correlators.two_pion_mesons=['rho', 'a0[dx]', 'a0[dy]', 'rho_x[1]']", "--dry-run"]
        warned = self.call("distill", *job).stderr
        for text in ("a0[dy]_I1 with total momentum 0 0 0 is a0[dx]_I1 up to a factor", "rho_x[1]_I1 with total momentum 0 0 0 is rho_I1 up to"):
            self.assertEqual(warned.count(text), 1, warned)
        self.assertNotIn("up to a factor", self.call("distill", *DISPLACED, "--dry-run").stderr)


class DistillDisplacedTables(DistillTest):
    def test_go_on_from_the_journal_after_a_kill(self):
        job = [*DISPLACED, "--set", "correlators.two_pions=[[0, 0, 0]]", "--set", "correlators.mesons=[]"]
        self.call("distill", *job)
        whole = self.bytes_of(sorted(os.listdir(self.folder)))
        self.kill_near_the_end(job, [TWO_PIONS])
        self.assertIn("finished        6 of 7 files, and 3 source times of others", self.call("distill", *job, ranks=2).stdout)
        self.assertEqual(whole, self.bytes_of(sorted(os.listdir(self.folder))))
