# SPDX-License-Identifier: MIT
"""kovariant spectrum with several quarks, and with propagators from files."""
import array
import cmath
import math
import os
import re
import unittest

from program_support import HAS_HDF5, MPIEXEC, TINY, ProgramTest
from test_propagator import PropagatorTest, options, record

SHARED = [a for pair in zip(TINY[::2], TINY[1::2]) if not pair[1].startswith("action.") for a in pair]
SOLVED = [a for pair in zip(SHARED[::2], SHARED[1::2]) if not pair[1].startswith("analysis.") for a in pair]
LIGHT = options(quark__0__name="light", quark__0__kappa=0.13)
HEAVY = options(quark__1__name="heavy", quark__1__kappa=0.1)


class QuarkTest(ProgramTest):
    def correlators(self, name, quarks=None):
        """{(channel, configuration): [(t, real, imaginary)]} of one pair."""
        found = {}
        for block in self.read(name).split("\n\n\n"):
            labels = dict(re.findall(r"^# (\w+) = (.*)$", block, re.M))
            kind = re.search(r"^# (meson|baryon) (\S+)", block, re.M)
            if kind and (quarks is None or labels.get("quarks") == quarks):
                rows = [tuple(map(float, line.split())) for line in block.splitlines() if line and not line.startswith("#")]
                found[kind.group(2), labels["configuration"]] = rows
        return found


class SpectrumMemory(QuarkTest):
    def least_limit(self, *job):
        """GiB, to a MiB, with which the smallest batches fit."""
        error = self.call("spectrum", *job, *options(memory__limit=1e-6), code=1).stderr
        self.assertEqual(os.listdir(self.folder), [])
        found = re.search("need ([0-9]+) MiB in each process with the smallest batches, but there are 0 MiB: run more processes", error)
        self.assertTrue(found, error)
        return int(found.group(1)) / 1024

    def test_correlators_have_the_same_bits_with_little_memory(self):
        job = [*SHARED, *LIGHT, *HEAVY, *options(
            generate__configurations=1, solver__precision="double", solver__columns="together", sink__smearings='["wuppertal"]',
            correlators__max_momentum2=3, correlators__baryons='["nucleon", "octet"]', correlators__flavours='["light", "light", "heavy"]',
            loops__hits=1)]
        limit = self.least_limit(*job)
        text = self.call("spectrum", *job, "--dry-run").stdout
        self.assertIn("solves of 12, 12 columns; operators kept; all momenta together; quarks at sinks kept\n", text)
        self.call("spectrum", *job)
        expected = self.correlators("spectrum.dat")
        self.assertGreater(len(expected), 30)
        text = self.call("spectrum", *job, *options(memory__limit=limit, output__prefix="tight")).stdout
        self.assertLessEqual(int(re.search("about ([0-9]+) MiB in each process", text)[1]), limit * 1024)
        for part in ("columns; operators made for every propagator;", "momenta at a time"):
            self.assertIn(part, text)
        self.assertNotIn("solves of 12, 12 columns", text)
        self.assertEqual(self.correlators("tight.dat"), expected)

    def test_a_journal_is_that_of_any_limit(self):
        self.call("spectrum", *TINY)
        self.assertIn(" 0 solves", self.call("spectrum", *TINY, *options(memory__limit=1)).stdout)
        # What is finished needs no memory but for links.
        self.assertNotIn("batches", self.call("spectrum", *TINY, *options(memory__limit=0.001), "--dry-run").stdout)

    def test_that_cannot_be_are_refused(self):
        self.assertIn("memory.limit is -1 - it must be positive, or 0", self.call("spectrum", *TINY, *options(memory__limit=-1), code=1).stderr)


class SpectrumQuarks(QuarkTest):
    def test_a_quark_with_a_name_is_what_the_action_describes(self):
        self.call("spectrum", *TINY)
        self.call("spectrum", *SHARED, *LIGHT, *options(output__prefix="named"))
        expected = self.correlators("spectrum.dat")
        self.assertEqual(len(expected), 34)
        self.assertEqual(self.correlators("named.dat", "light-light"), expected)
        self.assertIn("given beside tables [[quark]]", self.call("spectrum", *TINY, *LIGHT, code=1).stderr)

    def test_pairs_of_quarks_are_measured(self):
        done = self.call("spectrum", *SHARED, *LIGHT, *HEAVY)
        self.assertIn("7 updates and 48 solves", done.stdout)
        masses = {pair: float(re.search(r"quarks %s, .*?mass +([\d.]+)" % pair, done.stdout, re.S).group(1))
                  for pair in ("light-light", "light-heavy", "heavy-heavy")}
        self.assertLess(masses["light-light"] + 0.1, masses["light-heavy"])
        self.assertLess(masses["light-heavy"] + 0.1, masses["heavy-heavy"])
        self.assertEqual({channel for channel, _ in self.correlators("spectrum.dat", "heavy-light")}, {"nucleon"})
        alone = [word.replace("quark.1", "quark.0") for word in HEAVY]
        self.call("spectrum", *SHARED, *alone, *options(output__prefix="alone"))
        self.assertEqual(self.correlators("alone.dat", "heavy-heavy"), self.correlators("spectrum.dat", "heavy-heavy"))
        self.assertIn("0 solves", self.call("spectrum", *SHARED, *LIGHT, *HEAVY).stdout)

    def test_octet_and_decuplet_have_three_flavours(self):
        job = [*SHARED, *LIGHT, *HEAVY, *options(generate__configurations=1, solver__precision="double", solver__tolerance=1e-11)]
        flavours = options(correlators__flavours='["light", "light", "heavy"]')
        done = self.call("spectrum", *job, *flavours, *options(correlators__baryons='["octet", "sigma_star_p_np", "proton_unpol_cg5nr"]'))
        self.assertIn("u light, d light, s heavy", done.stdout)
        flavours_of = {"u light, d light": {"proton", "neutron"}, "u light, s heavy": {"sigma", "xi"},
                       "d light, s heavy": {"sigma", "xi"}, "u light, d light, s heavy": {"sigma", "lambda"}}
        found = {}
        for label, names in flavours_of.items():
            of_label = {channel: rows for (channel, _), rows in self.correlators("spectrum.dat", label).items()}
            self.assertEqual({channel.split("_")[0] for channel in of_label}, names)
            found.update(of_label)
        self.assertEqual(len(found), 8 * 2 + 4)
        pairs = {quarks: self.correlators("spectrum.dat", quarks)["proton_unpol_cg5nr", "beta6_seed1_update5"]
                 for quarks in ("light-light", "light-heavy")}

        def equal(up, down, factor, expected):
            for a, b, c in zip(found[up], found[down], expected):
                self.assertAlmostEqual((a[1] + b[1]) * factor / c[1], 1, delta=1e-7)
        # Twice the sum of both spins; a sigma has sqrt(4/3) in its operator.
        equal("proton_up", "proton_dn", 2, pairs["light-light"])
        equal("neutron_up", "neutron_dn", 2, pairs["light-light"])
        equal("sigma_p_up", "sigma_p_dn", 1.5, pairs["light-heavy"])
        self.assertEqual(set(found) & {"sigma_star_p_np_upup", "sigma_star_p_np_up"}, {"sigma_star_p_np_upup", "sigma_star_p_np_up"})
        # A quark without a name is all three flavours.
        self.call("spectrum", *TINY, *options(correlators__baryons='["delta_pp", "omega_m"]', output__prefix="one"))
        one = self.correlators("one.dat")
        self.assertEqual(one["delta_pp_upup", "beta6_seed1_update5"], one["omega_m_upup", "beta6_seed1_update5"])
        for given, message in ((options(correlators__baryons="octet"), "correlators.flavours"),
                               (options(correlators__flavours='["light", "heavy"]'), "2 names"),
                               (options(correlators__flavours='["light", "light", "charm"]'), "charm"),
                               (options(correlators__baryons="sigma_q"), "sigma_p")):
            self.assertIn(message, self.call("spectrum", *job, *given, code=1).stderr)

    def test_a_heavy_light_pion_is_the_sum_over_both_propagators(self):
        self.call("spectrum", *SHARED, *LIGHT, *HEAVY)
        self.call("propagator", *SOLVED, *LIGHT, *HEAVY, *options(output__format="scidac"))
        values = []
        for quark in ("light", "heavy"):
            reals = array.array("d", record(self.path("propagator.beta6_seed1_update5.%s.0.0.0.0.lime" % quark), "scidac-binary-data"))
            reals.byteswap()
            values.append(reals)
        n = len(values[0]) // 8
        for t, real, _ in self.correlators("spectrum.dat", "light-heavy")["pion-pion", "beta6_seed1_update5"]:
            begin = int(t) * n
            mine = sum(a * b for a, b in zip(values[0][begin:begin + n], values[1][begin:begin + n]))
            self.assertAlmostEqual(mine / real, 1, delta=1e-12)

    def test_propagators_from_files_give_the_same_bits(self):
        self.call("spectrum", *SHARED, *LIGHT, *HEAVY)
        expected = {pair: self.correlators("spectrum.dat", pair) for pair in ("light-light", "light-heavy", "heavy-light", "heavy-heavy")}
        formats = [("scidac", "propagator"), ("scidac", "propagator.{configuration}.{quark}.{x}.{y}.{z}.{t}.lime")]
        for k, (file_format, name) in enumerate(formats + ([("hdf5", "propagator")] if HAS_HDF5 else [])):
            self.call("propagator", *SOLVED, *LIGHT, *options(output__format=file_format))
            stored = options(quark__0__propagators=name, output__prefix="p%d" % k)
            done = self.call("spectrum", *SHARED, *LIGHT, *HEAVY, *stored)
            self.assertIn("7 updates and 24 solves", done.stdout)
            for pair, correlators in expected.items():
                self.assertEqual(self.correlators("p%d.dat" % k, pair), correlators, (file_format, name, pair))
            self.assertIn(" 0 solves", self.call("spectrum", *SHARED, *LIGHT, *HEAVY, *stored).stdout)
        if MPIEXEC:
            self.call("spectrum", *SHARED, *LIGHT, *options(quark__0__propagators="propagator", output__prefix="two"), ranks=2)
            for channel, rows in self.correlators("two.dat", "light-light").items():
                for mine, other in zip(rows, expected["light-light"][channel]):
                    self.assertAlmostEqual(mine[1], other[1], delta=1e-12 * abs(rows[0][1]) + 1e-15)

    def test_what_a_file_does_not_record_is_taken_from_the_job(self):
        job = [*LIGHT, *options(generate__configurations=1, source__origins="[[1, 0, 2, 3]]", quark__0__boundary="periodic")]
        self.call("spectrum", *SHARED, *job)
        self.call("propagator", *SOLVED, *job, *options(output__format="scidac"))
        name = "propagator.beta6_seed1_update5.light.1.0.2.3.lime"
        content = self.read(name, "rb")
        for label in (b"propagator origin", b"propagator boundary_angles", b"text action"):
            self.assertIn(label, content)
            content = content.replace(label, label[:-1] + b"_")
        with open(self.path(name), "wb") as file:
            file.write(content)
        self.call("spectrum", *SHARED, *job, *options(quark__0__propagators="propagator", output__prefix="read"))
        self.assertEqual(self.correlators("read.dat", "light-light"), self.correlators("spectrum.dat", "light-light"))
        # The kind of a source is a label of correlators where it is no point.
        self.assertNotIn("source_type", self.read("read.dat"))
        self.assertIn(b"propagator source = point", content)
        for written, kind in ((b"propagator source = plane", "plane"), (b"propagator sourc_ = point", "unknown")):
            with open(self.path(name), "wb") as file:
                file.write(content.replace(b"propagator source = point", written))
            self.call("spectrum", *SHARED, *job, *options(quark__0__propagators="propagator", output__prefix=kind))
            self.assertIn("# source_type = " + kind, self.read(kind + ".dat"))

    def test_a_warning_says_where_high_precision_went_on(self):
        near_critical = options(quark__0__name="light", quark__0__kappa=0.154, solver__tolerance=1e-13, solver__precision="reliable-16",
                                generate__configurations=1)
        error = self.call("spectrum", *SOLVED, *near_critical).stderr
        self.assertIn("beta6_seed1_update5 at 0 0 0 0: low precision brought columns no further, and higher precision went on", error)

    def test_a_sequential_solve_that_fails_is_named(self):
        job = [*LIGHT, *options(generate__configurations=1)]
        self.call("propagator", *SOLVED, *job, *options(output__format="scidac"))
        three_points = options(three_point__0__times="[2]", three_point__0__hadron="pion", three_point__0__currents="a0_g4")
        error = self.call("spectrum", *SHARED, *job, *three_points, *options(quark__0__propagators="propagator", solver__max_iterations=3), code=3).stderr
        self.assertIn("beta6_seed1_update5, quark light, sequential source of the pion with the sink at t = 2, source at [0 0 0 0], even-odd ", error)
        self.assertIn("; not converged: column 0 of 12: the limit of 3 iterations", error)

    def test_propagators_that_do_not_fit_are_refused(self):
        self.call("propagator", *SOLVED, *LIGHT, *options(output__format="scidac", generate__configurations=1))
        stored = options(quark__0__propagators="propagator", generate__configurations=1)

        def refusal(*more, code=1):
            return self.call("spectrum", *SHARED, *LIGHT, *stored, *more, code=code).stderr
        self.assertIn("there is no propagator", refusal(*options(generate__configurations=2)))
        self.assertIn("there is no propagator", refusal(*options(quark__0__propagators="absent")))
        self.assertIn("there is no propagator", refusal(*options(source__origins="[[0, 0, 0, 1]]")))
        self.assertIn("kappa", refusal(*options(quark__0__kappa=0.12)))
        self.assertIn("boundary", refusal(*options(quark__0__boundary="periodic")))
        self.assertIn("links", refusal(*options(generate__overrelaxation=3)))
        for key, value in (("c_sw", 1), ("mu", 0.1), ("xi0", 1.1), ("nu", 0.9), ("theta", "[0.1, 0, 0]"), ("theta_t", 0.1)):
            self.assertRegex(refusal(*options(**{"quark__0__" + key: value})), "boundary" if "theta" in key else "with (action|%s)" % key)
        name = "propagator.beta6_seed1_update5.light.0.0.0.0.lime"
        content = self.read(name, "rb")
        with open(self.path(name), "wb") as file:
            file.write(content.replace(b"<datatype>Lattice<", b"<datatype>Unknown<"))
        self.assertIn("two orders of spin and colour", refusal())
        with open(self.path(name), "wb") as file:
            file.write(content[:-100000])
        self.assertIn("truncated", refusal(code=2))
        self.assertNotIn("spectrum.dat", os.listdir(self.folder))

    def test_a_table_that_is_missing_is_said(self):
        error = self.call("spectrum", *SHARED, *options(quark__1__kappa=0.13), code=1).stderr
        self.assertIn("--set quark.1.kappa is of table 1 of the list [[quark]], which has no table 0: give a key of quark.0 before it", error)

    def test_bad_quarks_are_refused(self):
        for changed, message in ((options(quark__1__name="light"), "another quark is called too"),
                                 (options(quark__1__boundary="periodic"), "quarks of one boundary"),
                                 (options(quark__1__action="hamber-wu"), "solver.preconditioner to none"),
                                 (options(quark__1__name="a-b"), "letters, digits")):
            self.assertIn(message, self.call("spectrum", *SHARED, *LIGHT, *changed, "--dry-run", code=1).stderr)


class QuarkLegs(QuarkTest):
    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
    def test_legs_beyond_the_next_process_are_refused_by_all_programs_before_any_work(self):
        jobs = [("spectrum", "action", "naik", 3, 4), ("propagator", "quark.0", "naik", 3, 4), ("spectrum", "quark.0", "hamber-wu", 2, 2)]
        if HAS_HDF5:
            jobs.append(("distill", "action", "naik", 3, 4))
        for program, table, action, length, n in jobs:
            job = ["--set", "gauge.extent=[%d, %d, %d, %d]" % (n, n, n, n), "--set", "%s.action=%s" % (table, action),
                   "--set", "solver.preconditioner=none", *["--dry-run"] * (program != "spectrum")]
            self.assertIn(
                "--set %s.action is %s, whose legs of %d links must end on the next process, but each of 2 has %d %d %d %d sites"
                % (table, action, length, n, n, n, n // 2), self.call(program, *job, ranks=2, code=1).stderr)
            self.assertEqual(os.listdir(self.folder), [])


class QuarkAngleInTime(PropagatorTest, QuarkTest):
    """On links of 1, which repeat in time, so that propagators on longer lattices are sums of those on shorter ones."""
    COLD = options(generate__thermalise=0, generate__configurations=1, source__smearing="none", solver__precision="double", solver__tolerance=1e-13)

    def propagator(self, prefix, n_t, **quark):
        """[t][number on the slice]"""
        changed = options(gauge__extent="[4, 4, 2, %d]" % n_t, quark__0__kappa=0.12, output__format="scidac", output__prefix=prefix)
        self.call("propagator", *self.COLD, *changed, *options(**{"quark__0__" + key: value for key, value in quark.items()}))
        name, = [name for name in self.propagators() if name.startswith(prefix + ".")]
        reals = self.values(name)
        z = [complex(*pair) for pair in zip(reals[::2], reals[1::2])]
        size = len(z) // n_t
        return [z[t * size:(t + 1) * size] for t in range(n_t)]

    def test_adds_up_images_of_the_source_with_its_phases(self):
        a, n_t = 0.3, 4
        for action in ({}, {"action": "naik"}, {"xi0": 1.5, "gauge": "temporal"}):
            k = len(self.propagators())
            long = self.propagator("long%d" % k, 2 * n_t, boundary="periodic", theta_t=2 * a, **action)
            even = self.propagator("even%d" % k, n_t, boundary="periodic", theta_t=a, **action)
            odd = self.propagator("odd%d" % k, n_t, boundary="antiperiodic", theta_t=a, **action)
            largest = max(map(abs, long[0]))
            for t in range(n_t):
                for image, x, y in zip(long[t], even[t], odd[t]):
                    self.assertAlmostEqual(image, (x + y) / 2, delta=1e-11 * largest)
                for image, x, y in zip(long[t + n_t], even[t], odd[t]):
                    self.assertAlmostEqual(image, cmath.exp(1j * a) * (x - y) / 2, delta=1e-11 * largest)

    def test_of_pi_makes_periodic_quarks_antiperiodic(self):
        self.assertEqual(self.propagator("angle", 4, boundary="periodic", theta_t=math.pi), self.propagator("word", 4))
        self.assertNotEqual(self.propagator("other", 4, boundary="periodic"), self.propagator("word", 4))

    def test_is_the_same_boundary_modulo_two_pi(self):
        job = [*LIGHT, *HEAVY, *options(generate__configurations=1, correlators__baryons="[]")]
        spellings = ({}, {"quark__1__theta": "[%r, 0, %r]" % (2 * math.pi, -2 * math.pi)}, {"quark__1__boundary": "periodic", "quark__1__theta_t": -math.pi})
        found = []
        for k, spelling in enumerate(spellings):
            self.call("spectrum", *SHARED, *job, *options(**spelling, output__prefix="run%d" % k))
            text = re.sub("(?m)^# parameter .*\n", "", self.read("run%d.dat" % k))
            self.assertIn("# boundary = antiperiodic", text)
            found.append(text)
        self.assertEqual(found[1], found[0])
        self.assertEqual(found[2], found[0])

    def test_beyond_two_pi_is_refused(self):
        for key, value in (("theta_t", 6.3), ("theta_t", -1e17), ("theta", "[0, 7, 0]")):
            error = self.call("spectrum", *self.COLD, *options(**{"action__" + key: value}), code=1).stderr
            self.assertIn("action.%s" % key, error)
            self.assertIn("6.28", error)

    def test_is_in_baryons_wherever_their_source_is(self):
        job = [*self.COLD, *options(gauge__extent="[4, 4, 2, 8]", action__kappa=0.12, correlators__baryons="octet", sink__smearings="none",
                                    correlators__mesons="pion")]
        job = [*job, *options(action__theta_t=0.3, source__origins="[[0, 0, 0, 0], [0, 0, 0, 6]]")]
        self.call("spectrum", *job)
        blocks = [block for block in self.read("spectrum.dat").split("\n\n\n") if re.search("^# (meson|baryon) ", block, re.M)]
        rows = {(re.search("^# (meson|baryon) (\\S+)", block, re.M)[2], re.search("^# source (.*)$", block, re.M)[1]):
                [complex(*map(float, line.split()[1:3])) for line in block.splitlines() if line and line[0] != "#"] for block in blocks}
        self.assertGreater(len(rows), 4)
        for (channel, origin), values in rows.items():
            for x, y in zip(values, rows[channel, "0 0 0 0"]):
                self.assertAlmostEqual(x, y, delta=1e-10 * abs(values[0]), msg=(channel, origin))
        self.assertGreater(max(abs(z.imag) for z in rows["proton_up", "0 0 0 0"]), 1e-6 * abs(rows["proton_up", "0 0 0 0"][0]))
        self.assertEqual(set(re.findall("^# theta_t = (.*)$", self.read("spectrum.dat"), re.M)), {"0.3"})

    def test_is_compared_with_that_of_propagators(self):
        job = [*LIGHT, *options(quark__0__theta_t=0.5, generate__configurations=1)]
        self.call("propagator", *SOLVED, *job, *options(output__format="scidac"))
        stored = options(quark__0__propagators="propagator")
        self.call("spectrum", *SHARED, *job, *stored)
        self.assertEqual(set(re.findall("^# theta_t = (.*)$", self.read("spectrum.dat"), re.M)), {"0.5"})
        for changed in (options(quark__0__theta_t=0.25), options(quark__0__theta_t=0)):
            self.assertIn("theta_t as they were", self.call("spectrum", *SHARED, *job, *stored, *changed, code=1).stderr)
        again = self.call("propagator", *SOLVED, *job, *options(output__format="scidac", quark__0__theta_t=0.25), code=1)
        self.assertIn("with other parameters", again.stderr)
        two = options(quark__1__name="heavy", quark__1__theta_t=0.25)
        self.assertIn("quarks of one boundary", self.call("spectrum", *SHARED, *job, *two, "--dry-run", code=1).stderr)


class SpectrumSourceTables(QuarkTest):
    """Every source and solver of `kovariant propagator` is one of `kovariant spectrum`."""

    def test_its_sources_are_those_of_propagator(self):
        one = options(generate__configurations=1)
        for k, source in enumerate((options(source__type="wall"),
                                    options(source__type="momentum", source__momentum="[1, 0, 0]", source__smearing="none"),
                                    options(source__type="grid", source__noise="none"),
                                    options(source__type="noise", source__noise="z4", correlators__baryons="[]"),
                                    options(source__smearing="gaussian", source__boost="[0.5, 0, 1]"),
                                    options(source__random="true", source__count=2, source__seed=3))):
            of_spectrum = [*SHARED, *one, *source, *LIGHT, *options(sink__smearings="['none', 'wuppertal']")]
            of_propagator = [a for pair in zip(source[::2], source[1::2]) if not pair[1].startswith("correlators.") for a in pair]
            self.call("spectrum", *of_spectrum, *options(output__prefix="s%d" % k))
            self.call("propagator", *SOLVED, *one, *of_propagator, *LIGHT, *options(output__format="scidac", output__prefix="p%d" % k))
            done = self.call("spectrum", *of_spectrum, *options(quark__0__propagators="p%d" % k, output__prefix="r%d" % k))
            self.assertIn(" 0 solves", done.stdout)
            self.assertNotIn("has a source", done.stderr)
            self.assertEqual(self.numbers("r%d.dat" % k), self.numbers("s%d.dat" % k), source)
            kind = re.search("source.type=(.*)", " ".join(source[:2]))
            self.assertEqual(re.findall("^# source_type = (.*)$", self.read("s%d.dat" % k), re.M)[:1], [kind[1]] if kind else [])
        other = self.call("spectrum", *SHARED, *one, *LIGHT, *options(quark__0__propagators="p0", source__origins="[[0, 0, 0, 0]]", output__prefix="o"))
        self.assertIn("has a source of the type wall, and [source] says point", other.stderr)

    def test_quarks_have_solvers_and_boosts_of_their_own(self):
        job = [*SHARED, *LIGHT, *HEAVY, *options(generate__configurations=1, solver__tolerance=1e-11)]
        self.call("spectrum", *job)
        for k, own in enumerate((options(quark__1__method="cg", quark__1__precision="double", quark__1__columns="together"),
                                 options(quark__0__preconditioner="none", quark__1__precision="reliable-16"),
                                 options(solver__columns="together", quark__1__columns="one by one"))):
            done = self.call("spectrum", *job, *own, *options(output__prefix="own%d" % k))
            self.assertIn("24 solves", done.stdout)
            self.assertIn("solved for by", done.stdout)
            for a, b in zip(self.numbers("spectrum.dat"), self.numbers("own%d.dat" % k)):
                self.assertAlmostEqual(a[1], b[1], delta=1e-8 * abs(b[1]) + 1e-14)
        # Loops and sequential sources too.
        one_by_one, together = options(solver__columns="one by one"), options(solver__columns="together")
        others = options(loops__hits=1, three_point__0__times="[2]", three_point__0__hadron="pion", three_point__0__currents="a0_g4")
        for name, columns in (("c", one_by_one), ("t", together)):
            self.call("spectrum", *job, *others, *columns, *options(correlators__baryons="[]", output__prefix=name))
        for a, b in zip(self.numbers("c.dat"), self.numbers("t.dat")):
            self.assertAlmostEqual(a[1], b[1], delta=1e-8 * abs(b[1]) + 1e-9)
        # A boost of a table is that of [source], for sources and sinks.
        sinks = options(sink__smearings="wuppertal")
        self.call("spectrum", *job, *sinks, *options(source__boost="[1, 0, 0.5]", output__prefix="of_all"))
        self.call("spectrum", *job, *sinks, *options(quark__0__boost="[1, 0, 0.5]", output__prefix="of_one"))
        for pair, equal in (("light-light", True), ("light-heavy", False), ("heavy-heavy", False)):
            both = [self.correlators(name, pair) for name in ("of_all.dat", "of_one.dat")]
            (self.assertEqual if equal else self.assertNotEqual)(*both)
        self.call("propagator", *SOLVED, *LIGHT, *HEAVY, *options(quark__1__boost="[0, 0, 1]", quark__1__method="cg",
                                                                  generate__configurations=1, output__format="scidac"))
        for quark, boosted in ("light", False), ("heavy", True):
            content = self.read("propagator.beta6_seed1_update5.%s.0.0.0.0.lime" % quark, "rb")
            self.assertEqual((b"source_boost = 0 0 1" in content, b"metadata solver = cg" in content), (boosted, boosted))

    def test_what_only_propagator_has_is_refused(self):
        for changed, message in ((options(source__propagators="p"), "source.propagators is not a known key"),
                                 (options(source__tipe="wall"), "did you mean 'source.type'"),
                                 (options(source__type="sequential"), "source.type"),
                                 (options(quark__0__tolerence=1), "did you mean 'quark.0.tolerance'")):
            self.assertIn(message, self.call("spectrum", *SHARED, *LIGHT, *changed, "--dry-run", code=1).stderr)
