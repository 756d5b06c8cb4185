# SPDX-License-Identifier: MIT
"""What the tests of kovariant distill share: a job of seconds, its files, how numbers in files are checked."""
import os
import re
import subprocess

from program_support import HAS_HDF5, PROGRAM, ProgramTest, environment, python_with

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

# Every way to pair quarks with antiquarks, for mesons of u, d and s: quark lines that stay on a slice are from perambulators
# of its own time.  A script calls check_groups() with elementals and, by flavour, perambulators from read_quark().
WICK = GAMMAS + """
g5, i = g1 @ g2 @ g3 @ g4, 1j
elementals = h5py.File(name + "elementals.h5")
labels = [text.decode() for text in elementals["/matrices/names"][()]]
momenta = [p for p in itertools.product((-1, 0, 1), repeat=3) if np.dot(p, p) <= 1]
phi = {p: elementals["/matrices/numbers"][:, labels.index("1, p = %d %d %d" % p)] for p in momenta}
# Of derivatives too, phi[nx, ny, nz, "dx"].
phi |= {p + (d,): elementals["/matrices/numbers"][:, labels.index("%s, p = %d %d %d" % (d, *p))]
        for p in momenta for d in {text.split(",")[0] for text in labels} - {"1"}}
times = range(4)

def read_quark(of):  # [source][sink]
    return [h5py.File(name + of + "t%03d.perambulators.h5" % t)["/matrices/numbers"][()][:, 0] for t in times]

n = phi[0, 0, 0].shape[-1]

def wide(gamma):
    return np.kron(gamma, np.eye(n))

def propagator(tau, sink, source, known):
    if source != known and sink == known:
        return wide(g5) @ tau[sink][source].conj().T @ wide(g5)
    return tau[source][sink]

# An operator is a list of (coefficient, [(antiquark, quark, gamma, momentum), ...]).
def pion(i3, p):
    return {1: [(1, ("d", "u", g5, p))], -1: [(-1, ("u", "d", g5, p))], 0: [(0.5**0.5, ("d", "d", g5, p)), (-0.5**0.5, ("u", "u", g5, p))]}[i3]

def products(coupled):
    return [(c * a * b, [x, y]) for c, one, two in coupled for a, x in one for b, y in two]

def scaled(factor, op):
    return [(factor * c, mesons) for c, mesons in op]

# Lines and loops of quarks that many correlators share, for each of the fields.
kept = []

def once(fields, of, make):
    known = next((known for other, known in kept if other is fields), None)
    if known is None:
        kept.append((fields, known := {}))
    if of not in known:
        known[of] = make()
    return known[of]

def vertex(fields, at_sink, gamma, p, t):
    if at_sink:
        return np.kron(gamma, fields[0][p][t])
    # (qbar M q')^+ = q'bar g4 M^+ g4 q
    return np.kron(g4 @ gamma.conj().T @ g4, fields[0][p][t].conj().T)

def loop(fields, corners, t0):
    line = wide(np.eye(4))
    for (at_sink, gamma, p, t), quark, t_next in corners:
        gamma = np.frombuffer(gamma, dtype=complex).reshape(4, 4)
        line = line @ once(fields, (at_sink, gamma.tobytes(), p, t), lambda: vertex(fields, at_sink, gamma, p, t))
        line = line @ once(fields, (quark, t, t_next, t0), lambda: propagator(fields[1][quark], t, t_next, t0))
    return -np.trace(line)

def correlator(fields, sink, source, t, t0):
    total = 0
    for (a, at_sink), (b, at_source) in itertools.product(sink, source):
        M = [(bar, q, (True, gamma.astype(complex).tobytes(), p, t)) for bar, q, gamma, p in at_sink]
        M += [(q, bar, (False, gamma.astype(complex).tobytes(), p, t0)) for bar, q, gamma, p in at_source]
        for order in itertools.permutations(range(len(M))):
            if any(M[k][1] != M[order[k]][0] for k in range(len(M))):
                continue
            product, left = 1, set(range(len(M)))
            while left:
                k, corners = min(left), ()
                while k in left:
                    left.remove(k)
                    corners += ((M[k][2], M[k][1], M[order[k]][2][3]),)
                    k = order[k]
                product *= once(fields, (corners, t0), lambda: loop(fields, corners, t0))
            total += a * np.conj(b) * product
    return total

def matrix_element(fields, sink, source, delta, sources=times):
    return np.mean([correlator(fields, sink, source, (t0 + delta) % 4, t0) for t0 in sources])

def moved(axis, sign):
    return tuple(sign if k == axis else 0 for k in range(3))

zero, down = (0, 0, 0), (0, 0, -1)
rest, moving = ("0 0 0, 0 0 0", "1 0 0, -1 0 0"), "0 0 0, 1 0 0"
spatial = [g1, g2, g3]

def check_groups(fields, groups, results):
    # groups: by isospin, total momentum and irrep, the rows of each operator.
    seen, sizes = 0, {}
    for (isospin, P, irrep), operators in groups.items():
        for name in operators:
            sizes[isospin, P, irrep, name] = abs(matrix_element(fields, operators[name][0], operators[name][0], 0))**0.5
        for sink, source in itertools.product(operators, repeat=2):
            data = results["%s-%s" % (sink, source)]
            data = data[irrep] if isinstance(data, h5py.Group) else data
            found = [tuple(p) for p in np.array(data.attrs["momenta"]).reshape(-1, 3)]
            rows = list(zip(operators[sink], operators[source]))
            expected = [np.mean([matrix_element(fields, a, b, delta) for a, b in rows]) for delta in times]
            deviation = abs(data[0, 0, found.index(P)] - expected).max() / (sizes[isospin, P, irrep, sink] * sizes[isospin, P, irrep, source])
            assert deviation < 1e-10, (isospin, P, irrep, sink, source, deviation, data[0, 0, found.index(P)], expected)
            seen += 1
            assert data.attrs["irrep"] in (irrep, irrep.encode())
    counts = []
    results.visititems(lambda _, data: counts.append(data.attrs["momenta"].size // 3) if isinstance(data, h5py.Dataset) else None)
    assert seen == sum(counts) == sum(len(operators)**2 for operators in groups.values()), (seen, counts)

    # Charge conjugation and parity leave the mean over configurations as it is, and make it real.
    B = next(b for b in (g1 @ g3, g2 @ g4, g5 @ g1 @ g3, g5 @ g2 @ g4) if all(np.allclose(b @ g.conj() @ np.linalg.inv(b), g) for g in (g1, g2, g3, g4)))
    def moved_back(p):
        return tuple(-k for k in p[:3]) + p[3:]
    def conjugated(fields):
        return ({p: fields[0][moved_back(p)].conj() for p in fields[0]},
                {q: [wide(B) @ t.conj() @ wide(np.linalg.inv(B)) for t in tau] for q, tau in fields[1].items()})
    def reflected(fields):
        return ({p: (-1)**str(p[3:]).count("d") * fields[0][moved_back(p)] for p in fields[0]}, {q: [wide(g4) @ t @ wide(g4) for t in tau] for q, tau in fields[1].items()})
    images = [fields, conjugated(fields), reflected(fields), reflected(conjugated(fields))]
    for (isospin, P, irrep), operators in groups.items():
        for sink, source in itertools.product(operators, repeat=2):
            mean = np.mean([matrix_element(f, operators[sink][0], operators[source][0], 1) for f in images])
            size = sizes[isospin, P, irrep, sink] * sizes[isospin, P, irrep, source]
            assert abs(mean.imag) < 1e-12 * size, (isospin, P, irrep, sink, source, mean, size)
            assert abs(mean.real) > 1e-9 * size, (isospin, P, irrep, sink, source, mean, size)
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

    def kill_near_the_end(self, job, names):
        """Starts a finished job without these files of it, and kills it five kernels before its end."""
        def start(fault):
            for name in names:
                os.remove(self.path(name))
            return subprocess.run([PROGRAM, "distill", *job], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env=environment(KOV_FAULT=fault))
        kernels = int(re.search(r"did not strike: rank 0 ran (\d+) kernels", start("memory:0:1000000000").stderr)[1])
        done = start("kill:0:%d" % (kernels - 5))
        self.assertEqual(done.returncode, -9, done.stderr)

    def bytes_of(self, names):
        return {name: self.read(name, "rb") for name in names}
