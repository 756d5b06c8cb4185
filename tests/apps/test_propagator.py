# SPDX-License-Identifier: MIT
"""kovariant propagator: what it solves for, in every way, and the files that it writes."""
import array
import os
import re
import struct

from program_support import HAS_HDF5, MPIEXEC, ProgramTest

SITES, NUMBERS = 4 * 4 * 4 * 8, 144  # of JOB; complex numbers at a site
# A second for many propagators: 4^3 x 8, heavy quarks, one configuration.
JOB = ["--set", "gauge.extent=[4, 4, 4, 8]", "--set", "generate.thermalise=5", "--set", "links.steps=2", "--set", "source.width=1",
       "--set", "source.iterations=3", "--set", "quark.0.kappa=0.13", "--set", "output.format=scidac"]
NAME = "propagator.beta6_seed1_update5.quark0.0.0.0.0"


def options(**values):
    """Settings as arguments; a double underscore is the point between section and key."""
    return [word for key, value in values.items() for word in ("--set", "%s=%s" % (key.replace("__", "."), value))]


def records(path, wanted):
    """The data of all LIME records of this type."""
    found = []
    with open(path, "rb") as file:
        while header := file.read(144):
            magic, _, _, length = struct.unpack(">IHHQ", header[:16])
            assert magic == 0x456789ab
            data = file.read(length)
            file.read(-length % 8)
            if header[16:].split(b"\0")[0].decode() == wanted:
                found.append(data)
    return found


def record(path, wanted):
    """The data of the first of them."""
    found = records(path, wanted)
    assert found, "no record " + wanted
    return found[0]


class PropagatorTest(ProgramTest):
    def propagators(self, ending=".lime"):
        return sorted(name for name in os.listdir(self.folder) if name.endswith(ending))

    def payload(self, name):
        return record(self.path(name), "scidac-binary-data")

    def values(self, name):
        """The numbers as reals."""
        reals = array.array("d", self.payload(name))
        reals.byteswap()
        return reals

    def switches(self, name):
        """How often high precision had to go on."""
        return int(re.search(r"metadata precision_switches = (\d+)", record(self.path(name), "scidac-record-xml").decode()).group(1))

    def difference(self, name, other):
        """The largest difference of two numbers, in units of the largest."""
        a, b = self.values(name), self.values(other)
        self.assertEqual(len(a), len(b))
        return max(abs(x - y) for x, y in zip(a, b)) / max(map(abs, a))


class Propagator(PropagatorTest):
    def test_dry_run_prints_the_plan_and_writes_nothing(self):
        text = self.call("propagator", *JOB, *options(generate__configurations=2, source__count=2), "--dry-run").stdout
        for part in ("4 4 4 8", "17 updates and 48 solves", "MiB in each process", "4 files, 5 MiB to write", NAME, "columns one by one",
                     "[0 0 0 0], [2 2 2 4]"):
            self.assertIn(part, text)
        self.assertEqual(os.listdir(self.folder), [])

    def test_printed_job_is_read_back_the_same_and_documented(self):
        for arguments in ([], options(quark__0__kappa=0.13, quark__1__name="charm", quark__1__mu=0.2)):
            text = self.call("propagator", *arguments, "--print").stdout
            with open(self.path("run.toml"), "w") as file:
                file.write(text)
            self.assertEqual(self.call("propagator", "run.toml", "--print").stdout, text)
        documentation = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "program.md")
        with open(documentation) as file:
            self.assertIn("```toml\n" + self.call("propagator", "--print").stdout.strip() + "\n```", file.read())

    def test_residuals_of_every_column_are_written_and_drawn(self):
        for columns in "one by one", "together":
            self.call("propagator", *JOB, *options(output__residuals="true", solver__columns=columns, output__prefix=columns[0]))
            stem = columns[0] + NAME[len("propagator"):]
            lines = self.read(stem + ".residuals.txt").splitlines()
            self.assertIn(stem + ".lime: bicgstab", lines[0])
            self.assertEqual(lines[1], "# iteration" + "".join(" | column %d" % k for k in range(12)))
            rows = [list(map(float, line.split())) for line in lines[2:]]
            self.assertEqual([row[0] for row in rows], list(range(1, len(rows) + 1)))
            for column in zip(*(row[1:] for row in rows)):
                reached = [residual for residual in column if residual == residual]
                self.assertLess(reached[-1], 2e-9)
                self.assertGreater(reached[0], 1e-3)
            self.assertIn("tolerance", self.read(stem + ".residuals.svg"))
        # Nothing is solved for again, and there is nothing new to draw.
        text = self.call("propagator", *JOB, *options(output__residuals="true", output__prefix="o")).stdout
        self.assertIn("1 propagators are there", text)
        self.assertEqual(self.propagators(".residuals.svg"), sorted(p + NAME[len("propagator"):] + ".residuals.svg" for p in "ot"))

    def test_its_pion_is_that_of_the_spectrum(self):
        self.call("propagator", *JOB)
        self.assertEqual(self.propagators(), [NAME + ".lime"])
        shared = [word for word in JOB if word not in ("quark.0.kappa=0.13", "output.format=scidac")]
        shared = [a for a, b in zip(shared, shared[1:] + [""]) if not (a == "--set" and b in ("--set", ""))]
        self.call("spectrum", *shared, *options(action__kappa=0.13, generate__configurations=1, source__count=1,
                                                correlators__mesons="pion", correlators__baryons="[]"))
        reals, slice_reals = self.values(NAME + ".lime"), 2 * NUMBERS * SITES // 8
        for t, real, _ in self.numbers("spectrum.dat"):
            mine = sum(x * x for x in reals[int(t) * slice_reals:int(t + 1) * slice_reals])
            self.assertAlmostEqual(mine / real, 1, delta=1e-7)

    def test_both_formats_have_the_same_bits_and_records(self):
        self.call("propagator", *JOB)
        xml = record(self.path(NAME + ".lime"), "scidac-private-record-xml").decode()
        for part in ("<datatype>Lattice<", "<precision>D<", "<colors>3<", "<spins>4<", "<typesize>2304<", "<datacount>1<"):
            self.assertIn(part, xml)
        labels = record(self.path(NAME + ".lime"), "scidac-record-xml").decode()
        for part in ("real kappa = 0.13\n", "text action = Wilson\n", "propagator origin = 0 0 0 0\n", "metadata plaquette = 0."):
            self.assertIn(part, labels)
        self.call("propagator", *JOB, *options(output__prefix="single", output__precision=32))
        rounded = record(self.path(self.propagators()[1]), "scidac-binary-data")
        self.assertEqual(rounded, struct.pack(">%df" % (len(rounded) // 4), *self.values(NAME + ".lime")))
        if not HAS_HDF5:
            self.skipTest("NOT TESTED: this build has no HDF5")
        self.call("propagator", *JOB, *options(output__format="hdf5"))
        self.assertIn(self.values(NAME + ".lime").tobytes(), self.read(NAME + ".h5", "rb"))

    def test_files_of_usqcd_have_the_same_numbers_and_their_sources(self):
        shared = [*JOB, *options(source__smearing="none", source__origins="[[1, 0, 2, 3]]")]
        name, site = NAME[:-len("0.0.0.0")] + "1.0.2.3.lime", 1 + 4 * (4 * (2 + 4 * 3))
        self.call("propagator", *shared)
        smeared = self.call("propagator", *JOB, *options(output__format="usqcd"), code=1).stderr
        self.assertIn("set output.format to usqcd-pairs", smeared)
        whole = self.values(name)
        for kind, sources in (("usqcd", [0]), ("usqcd-pairs", range(0, 24, 2))):
            text = self.call("propagator", *shared, *options(output__format=kind, output__prefix=kind)).stdout
            self.assertIn("%d MiB to write" % (3 if kind == "usqcd-pairs" else 2), text)
            data = records(self.path(name.replace("propagator", kind)), "scidac-binary-data")
            columns = [array.array("d", part) for k, part in enumerate(data) if k not in sources]
            self.assertEqual(len(columns), 12)
            for k, column in enumerate(columns):
                column.byteswap()
                spin, color = divmod(k, 3)
                for number in range(0, 12 * SITES, 7):
                    x, (sink_spin, sink_color) = number // 12, divmod(number % 12, 3)
                    place = 144 * x + 9 * (4 * sink_spin + spin) + 3 * sink_color + color
                    self.assertEqual(column[2 * number:2 * number + 2], whole[2 * place:2 * place + 2])
            for k, part in enumerate(sources):
                source = array.array("d", data[part])
                source.byteswap()
                place = site if len(sources) == 1 else 12 * site + k
                self.assertEqual([i for i, x in enumerate(source) if x != 0], [2 * place])
                self.assertEqual(source[2 * place], 1)
            self.assertIn("finished        1 of 1", self.call("propagator", *shared, *options(output__format=kind, output__prefix=kind)).stdout)
            job = ["gauge.extent=[4, 4, 4, 8]", "generate.thermalise=5", "generate.configurations=1", "source.smearing=none",
                   "source.origins=[[1, 0, 2, 3]]", "correlators.mesons=pion", "correlators.baryons=[]", "quark.0.kappa=0.13",
                   "quark.0.name=quark0", "quark.0.propagators=" + kind, "output.prefix=s_" + kind]
            self.call("spectrum", *[word for setting in job for word in ("--set", setting)])
            pion = self.numbers("s_%s.dat" % kind)
            slice_reals = 2 * NUMBERS * SITES // 8
            for t, real, _ in pion:
                begin = (int(t) + 3) % 8 * slice_reals
                self.assertAlmostEqual(sum(x * x for x in whole[begin:begin + slice_reals]) / real, 1, delta=1e-12)

    def test_several_quarks_are_what_each_is_alone(self):
        second = options(quark__1__name="strange", quark__1__kappa=0.12, quark__1__c_sw=1.1, quark__1__mu=0.1)
        text = self.call("propagator", *JOB, *second).stdout
        self.assertIn("twisted clover, kappa 0.12", text)
        strange = NAME.replace("quark0", "strange") + ".lime"
        self.assertEqual(self.propagators(), [NAME + ".lime", strange])
        alone = [word.replace("quark.1.", "quark.0.") for word in second]
        self.call("propagator", *JOB, *alone, *options(output__prefix="alone"))
        self.assertEqual(self.payload(strange), self.payload(strange.replace("propagator", "alone")))
        # The same command finds everything done; a new quark is added.
        self.assertIn("finished        2 of 2", self.call("propagator", *JOB, *second).stdout)
        third = options(quark__2__kappa=0.11)
        self.assertIn("finished        2 of 3", self.call("propagator", *JOB, *second, *third).stdout)

    def test_every_way_to_solve_comes_to_the_same(self):
        reference = options(solver__precision="double", solver__tolerance=1e-12)
        self.call("propagator", *JOB, *reference, *options(output__prefix="reference"))
        name = NAME.replace("propagator", "reference") + ".lime"
        for k, changed in enumerate((options(solver__columns="together"), options(solver__precision="reliable"),
                                     options(solver__precision="reliable-16"), options(solver__precision="reliable-16", solver__columns="together"),
                                     options(solver__links=8, solver__columns="together"), options(solver__method="cg", solver__columns="together"),
                                     options(solver__method="cg", solver__precision="reliable"),
                                     options(solver__method="cg", solver__precision="reliable", solver__columns="together"),
                                     options(solver__method="cg", solver__precision="reliable-16"),
                                     options(solver__preconditioner="even-odd-symmetric"), options(solver__method="gcr"),
                                     options(solver__gauge="temporal"), options(solver__gauge="temporal", solver__columns="together"),
                                     options(solver__basis="chiral"), options(solver__basis="nonrelativistic"), options(solver__basis="nonrelativistic", solver__gauge="temporal"),
                                     options(solver__preconditioner="none", solver__columns="together", solver__precision="reliable"))):
            self.call("propagator", *JOB, *options(solver__tolerance=1e-11), *changed, *options(output__prefix="p%d" % k))
            written = NAME.replace("propagator", "p%d" % k) + ".lime"
            self.assertLess(self.difference(name, written), 1e-10, changed)
            self.assertEqual(self.switches(written), 0, changed)  # the operator in low precision is right
        payloads = set()
        for k, changed in enumerate((options(solver__precision="single"), options(solver__precision="single-16"),
                                     options(solver__precision="single-16", solver__preconditioner="even-odd-symmetric"),
                                     options(solver__precision="single-16", solver__gauge="temporal"),
                                     options(solver__precision="single-16", solver__links=12), options(solver__precision="single-16", solver__links=8))):
            text = self.call("propagator", *JOB, *options(solver__tolerance=1e-6), *changed, *options(output__prefix="single%d" % k)).stdout
            self.assertIn(changed[1].split("=")[1] + " precision", text)
            written = NAME.replace("propagator", "single%d" % k) + ".lime"
            self.assertLess(self.difference(name, written), 1e-5, changed)
            self.assertEqual(self.switches(written), 0, changed)
            payloads.add(self.payload(written))
        self.assertEqual(len(payloads), 6)  # each takes part

    def test_methods_that_a_mass_is_too_small_for_say_so(self):
        beyond = options(quark__0__kappa=0.3, solver__max_iterations=2000)
        for method, message in (("mr", "the limit of 2000 iterations was reached"), ("gcr", "the limit of 2000 iterations was reached"),
                                ("bicgstab-3", "conjugate gradients on normal equations")):
            error = self.call("propagator", *JOB, *beyond, *options(solver__method=method), code=3).stderr
            self.assertIn(message, error)
        self.assertEqual(self.propagators(), [])

    def test_every_action_and_source_is_solved_for(self):
        for k, changed in enumerate((options(quark__0__action="naik"), options(quark__0__action="hamber-wu", solver__preconditioner="none"),
                                     options(quark__0__xi0=2, quark__0__nu=0.9), options(quark__0__theta="[0.5, 0, -1]"),
                                     options(quark__0__mu=0.3, quark__0__boundary="periodic"), options(source__type="wall"),
                                     options(source__type="momentum", source__momentum="[1, 0, 0]", source__smearing="none"),
                                     options(source__type="grid", source__noise="none"), options(source__type="noise", source__noise="z4"),
                                     options(source__smearing="gaussian", source__boost="[0.5, 0, 1]"))):
            self.call("propagator", *JOB, *changed, *options(output__prefix="p%d" % k))
            self.call("propagator", *JOB, *changed, *options(output__prefix="t%d" % k, solver__columns="together"))
        names = self.propagators()
        self.assertEqual(len(names), 20)
        payloads = {self.payload(name) for name in names}
        self.assertEqual(len(payloads), 20)
        for name in names[:10]:
            self.assertLess(self.difference(name, "t" + name[1:]), 1e-7)

    def test_a_sequential_propagator_closes_to_the_two_point_function(self):
        point = options(source__smearing="none", solver__tolerance=1e-11)
        self.call("propagator", *JOB, *point)
        forward = self.values(NAME + ".lime")
        slice_reals = 2 * NUMBERS * SITES // 8
        sequential = options(source__type="sequential", source__propagators="propagator", output__prefix="sequential")
        for t in (1, 3):
            self.call("propagator", *JOB, *point, *sequential, *options(source__t_sink=t, output__prefix="t%d" % t))
            closed = self.values(NAME.replace("propagator", "t%d" % t) + ".lime")
            # tr g5 S_seq at the origin is the pion at t: sum over space of tr S S^+.
            trace = sum((1 if s < 2 else -1) * closed[2 * (36 * s + 9 * s + 4 * c)] for s in range(4) for c in range(3))
            pion = sum(x * x for x in forward[t * slice_reals:(t + 1) * slice_reals])
            self.assertAlmostEqual(trace / pion, 1, delta=1e-9)
        self.assertIn("is empty", self.call("propagator", *JOB, *options(source__type="sequential"), code=1).stderr)
        self.assertIn("there is no propagator", self.call("propagator", *JOB, *sequential, *options(source__quark="absent"), code=1).stderr)
        self.assertIn("did you mean 'pion'", self.call("propagator", *JOB, *sequential, *options(source__gamma="pien"), code=1).stderr)
        self.assertIn("source.t_sink", self.call("propagator", *JOB, *sequential, *options(source__t_sink=8), code=1).stderr)

    def test_random_positions_follow_the_seed_and_the_configuration(self):
        random = options(source__random="true", source__count=3, generate__configurations=2)

        def origins(*more):
            text = self.call("propagator", *JOB, *random, *more).stdout
            return re.findall(r"update(\d+)\.quark0\.(\S+)\.lime: \d+ iterations", text)
        first = origins()
        self.assertEqual(len(set(first)), 6)
        self.assertNotEqual({x for update, x in first if update == "5"}, {x for update, x in first if update == "17"})
        other = origins(*options(source__seed=2, output__prefix="other"))
        self.assertEqual(first, origins(*options(output__prefix="again")))
        self.assertNotEqual(first, other)
        walls = origins(*options(source__type="wall", output__prefix="wall"))
        self.assertTrue(all(x.startswith("0.0.0.") for _, x in walls))

    def test_two_processes_write_what_one_does(self):
        if not MPIEXEC:
            self.skipTest("NOT TESTED: this build has no MPI")
        self.call("propagator", *JOB)
        self.call("propagator", *JOB, *options(output__prefix="two"), ranks=2)
        self.assertLess(self.difference(NAME + ".lime", NAME.replace("propagator", "two") + ".lime"), 1e-8)
        # What one process began two can finish.
        self.assertIn("finished        1 of 1", self.call("propagator", *JOB, ranks=2).stdout)


class PropagatorSolvers(PropagatorTest):
    def test_every_method_comes_to_the_same(self):
        self.call("propagator", *JOB, *options(solver__precision="double", solver__tolerance=1e-12, output__prefix="reference"))
        name = NAME.replace("propagator", "reference") + ".lime"
        one, plain = options(solver__precision="double"), options(solver__preconditioner="none")
        ways = [("bicgstab-%d" % l, []) for l in (2, 5)]
        ways += [("bicgstab-8", one), ("gcr", plain), ("mr", []), ("mr", options(solver__preconditioner="even-odd-symmetric")), ("cg", plain),
                 ("cgne", []), ("cgne", one), ("cgne", options(solver__columns="together")), ("block-cg", []), ("block-cg", one + plain)]
        for k, (method, changed) in enumerate(ways):
            changed = options(solver__method=method, solver__tolerance=1e-11, output__prefix="p%d" % k) + changed
            text = self.call("propagator", *JOB, *changed).stdout
            self.assertRegex(text, r"solver +%s, " % method)
            self.assertIn("twelve columns together" if method == "block-cg" or "solver.columns=together" in changed else "one by one", text)
            written = NAME.replace("propagator", "p%d" % k) + ".lime"
            self.assertIn("metadata solver = %s, " % method, record(self.path(written), "scidac-record-xml").decode())
            self.assertLess(self.difference(name, written), 1e-10, changed)
            other = "bicgstab-3" if k == 0 else "bicgstab"
            if k % 4 == 0:  # the result of another method is of another job
                error = self.call("propagator", *JOB, *changed, *options(solver__method=other), code=1).stderr
                self.assertIn(written + " was made with other parameters", error)

    def test_gcr_with_blocks_comes_to_the_same(self):
        blocks = options(solver__method="gcr", solver__preconditioner="schwarz", solver__schwarz_block="[2, 4, 4, 2]")
        quarks = ([], options(quark__0__c_sw=1.2, quark__0__xi0=1.5), options(quark__0__mu=0.2))
        changes = ([], options(solver__precision="double"), options(solver__schwarz_form="additive", solver__columns="together"),
                   options(solver__gauge="temporal"), options(solver__basis="nonrelativistic", solver__schwarz_cycles=1, solver__schwarz_steps=3))
        for k, quark in enumerate(quarks):
            self.call("propagator", *JOB, *quark, *options(solver__precision="double", solver__tolerance=1e-12, output__prefix="reference%d" % k))
            for i, changed in enumerate(changes if k == 0 else changes[:1]):
                prefix = "p%d%d" % (k, i)
                text = self.call("propagator", *JOB, *quark, *blocks, *changed, *options(solver__tolerance=1e-11, output__prefix=prefix)).stdout
                form = "additive" if "solver.schwarz_form=additive" in changed else "multiplicative"
                cycles = "cycles 1, steps 3" if "solver.schwarz_cycles=1" in changed else "cycles 2, steps 2"
                self.assertIn(f"gcr, {form} schwarz preconditioner (blocks of 2 4 4 2, {cycles}), ", text)
                self.assertLess(self.difference(NAME.replace("propagator", "reference%d" % k) + ".lime", NAME.replace("propagator", prefix) + ".lime"), 1e-10, changed)
        single = options(solver__precision="single", solver__tolerance=1e-6, output__prefix="single")
        self.call("propagator", *JOB, *blocks, *single)
        self.assertLess(self.difference(NAME.replace("propagator", "reference0") + ".lime", NAME.replace("propagator", "single") + ".lime"), 1e-5)

    def test_links_of_12_and_8_reals_come_to_the_same(self):
        for k, quark in enumerate(([], options(quark__0__c_sw=1.2, quark__0__xi0=1.5), options(quark__0__mu=0.2))):
            self.call("propagator", *JOB, *quark, *options(solver__precision="double", solver__tolerance=1e-12, output__prefix="reference%d" % k))
        ways = [(links, options(solver__precision=precision)) for links in (12, 8) for precision in ("mixed", "double", "reliable", "reliable-16")]
        ways += [(links, options(solver__preconditioner="none", solver__precision=precision)) for links in (12, 8) for precision in ("mixed", "double")]
        ways += [(12, options(solver__columns="together", solver__precision=precision)) for precision in ("double", "reliable")]
        ways += [(12, options(solver__columns="together", solver__preconditioner="none")), (8, options(solver__gauge="temporal")),
                 (12, options(solver__gauge="temporal", solver__precision="double", solver__preconditioner="none")),
                 (12, options(quark__0__c_sw=1.2, quark__0__xi0=1.5)), (12, options(quark__0__mu=0.2, solver__precision="double"))]
        payloads = []
        for k, (links, changed) in enumerate(ways):
            text = self.call("propagator", *JOB, *options(solver__links=links, solver__tolerance=1e-11, output__prefix="p%d" % k), *changed).stdout
            self.assertIn("links of %d reals" % links, text)
            written = NAME.replace("propagator", "p%d" % k) + ".lime"
            reference = 1 if "quark.0.c_sw=1.2" in changed else 2 if "quark.0.mu=0.2" in changed else 0
            self.assertLess(self.difference(NAME.replace("propagator", "reference%d" % reference) + ".lime", written), 1e-10, changed)
            self.assertEqual(self.switches(written), 0, changed)
            if "solver.columns=together" not in changed:  # which may have the same bits
                payloads.append(self.payload(written))
        self.assertEqual(len(set(payloads)), len(payloads))  # each takes part
        single = options(solver__precision="single", solver__tolerance=1e-6, solver__links=12, output__prefix="single")
        self.call("propagator", *JOB, *single)
        self.assertLess(self.difference(NAME.replace("propagator", "reference0") + ".lime", NAME.replace("propagator", "single") + ".lime"), 1e-5)
        error = self.call("propagator", *JOB, *options(solver__tolerance=1e-11, output__prefix="p0"), code=1).stderr
        self.assertIn("was made with other parameters", error)

    def test_a_warning_says_where_high_precision_went_on(self):
        near_critical = options(quark__0__kappa=0.154, solver__tolerance=1e-13, solver__precision="reliable-16")
        self.assertIn("low precision brought columns no further, and higher precision went on", self.call("propagator", *JOB, *near_critical).stderr)
        self.assertGreater(self.switches(NAME + ".lime"), 0)

    def test_deflated_solves_come_to_the_same_in_fewer_iterations(self):
        job = [*JOB, *options(gauge__extent="[4, 4, 4, 8]", quark__0__kappa=0.155, solver__method="cg")]

        def iterations(text):
            return int(re.search(r": (\d+) iterations", text).group(1))
        self.call("propagator", *job, *options(solver__precision="double", solver__tolerance=1e-13, output__prefix="reference"))
        name = NAME.replace("propagator", "reference") + ".lime"
        for k, changed in enumerate(([], options(solver__precision="double"), options(solver__columns="together"),
                                     options(solver__precision="reliable"), options(solver__precision="reliable-16"),
                                     options(solver__precision="reliable", solver__columns="together"),
                                     options(solver__gauge="temporal", solver__links=12))):
            accurate = options(solver__tolerance=1e-11) + changed
            alone = self.call("propagator", *job, *accurate, *options(output__prefix="alone%d" % k)).stdout
            text = self.call("propagator", *job, *accurate, *options(solver__deflation=12, output__prefix="p%d" % k)).stdout
            self.assertIn("12 modes deflated", text)
            self.assertRegex(text, r"quark0: 12 eigenvectors of M\^\+ M on even sites in \S+ s, eigenvalues \S+ to \S+: up to \S+ times fewer")
            self.assertLess(iterations(text), 0.8 * iterations(alone), changed)
            self.assertLess(self.difference(name, NAME.replace("propagator", "p%d" % k) + ".lime"), 1e-9, changed)

    def test_naiks_quarks_are_solved_for_on_even_sites_too(self):
        naik = [*JOB, *options(quark__0__action="naik", solver__tolerance=1e-12)]
        self.call("propagator", *naik, *options(solver__precision="double", solver__preconditioner="none", output__prefix="reference"))
        name = NAME.replace("propagator", "reference") + ".lime"
        for k, changed in enumerate(([], options(solver__precision="double", solver__columns="together"),
                                     options(solver__preconditioner="even-odd-symmetric", solver__precision="reliable"),
                                     options(solver__method="cg", solver__deflation=4), options(solver__method="block-cg"))):
            self.call("propagator", *naik, *changed, *options(output__prefix="p%d" % k))
            self.assertLess(self.difference(name, NAME.replace("propagator", "p%d" % k) + ".lime"), 1e-10, changed)
