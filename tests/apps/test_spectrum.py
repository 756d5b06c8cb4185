# SPDX-License-Identifier: MIT
"""kovariant spectrum."""
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from program_support import HAS_HDF5, MPIEXEC, PICTURES, PROGRAM, TINY, ProgramTest, environment


class Spectrum(ProgramTest):
    def test_dry_run_prints_the_plan_and_writes_nothing(self):
        text = self.call("spectrum", *TINY, "--dry-run").stdout
        self.assertIn("4 4 4 8", text)
        self.assertIn("7 updates and 24 solves", text)
        self.assertIn("MiB", text)
        files = (["spectrum.h5"] if HAS_HDF5 else []) + ["spectrum.dat"] + ["spectrum" + ending for ending in PICTURES]
        self.assertIn(", ".join(files[:-1]) + " and " + files[-1] + "\n", text)
        self.assertEqual(os.listdir(self.folder), [])

    def test_printed_configuration_is_read_back_the_same(self):
        text = self.call("spectrum", *TINY, "--print").stdout
        with open(self.path("run.toml"), "w") as file:
            file.write(text)
        self.assertEqual(self.call("spectrum", "run.toml", "--print").stdout, text)

    def test_documentation_lists_the_keys_as_the_program_does(self):
        documentation = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "program.md")
        with open(documentation) as file:
            self.assertIn("```toml\n" + self.call("spectrum", "--print").stdout.strip() + "\n```", file.read())

    def test_examples_are_understood(self):
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "apps", "examples")
        names = [name for name in os.listdir(folder) if name.endswith(".toml")]
        self.assertTrue(names)
        for name in names:
            command = "propagator" if name.startswith("propagator") else "spectrum"
            self.call(command, os.path.join(folder, name), "--print")

    def test_results_are_there_and_a_second_run_takes_them_from_the_journal(self):
        first = self.call("spectrum", *TINY)
        for word in ("pion", "rho", "nucleon", "mass", "jackknife over 2 configurations"):
            self.assertIn(word, first.stdout)
        self.assertIn("</svg>", self.read("spectrum.svg"))
        for note in ("iterations", "worst_residual"):
            self.assertEqual(len(re.findall("^# solve .* %s = " % note, self.read("spectrum.dat"), re.M)), 2)
        files = ["spectrum.dat", "spectrum.svg"] + (["spectrum.h5"] if HAS_HDF5 else [])
        content = {name: self.read(name, "rb") for name in files if not name.endswith(".h5")}
        self.assertEqual(len(os.listdir(self.path("spectrum.journal"))), 2)
        for name in files:
            os.remove(self.path(name))
        again = self.call("spectrum", *TINY).stdout
        self.assertIn("0 updates and 0 solves", again)
        self.assertRegex(first.stdout, r"configuration 2 of 2: .*, 12 solves, \d+ iterations")
        self.assertRegex(again, r"configuration 2 of 2: .*, 0 solves and 12 in the journal, \d+ iterations")
        self.assertEqual({name: self.read(name, "rb") for name in content}, content)
        # From nothing again: the same bits.
        shutil.rmtree(self.path("spectrum.journal"))
        self.call("spectrum", *TINY)
        self.assertEqual({name: self.read(name, "rb") for name in content}, content)
        self.assertEqual(self.leftovers(), [])

    def test_a_clover_term_is_labelled_and_changes_the_masses(self):
        self.call("spectrum", *TINY)
        wilson = self.read("spectrum.dat")
        self.assertIn("# action = Wilson\n", wilson)
        plan = self.call("spectrum", *TINY, "--set", "action.c_sw=1.2", "--dry-run").stdout
        self.assertIn("Wilson-clover, kappa 0.13 (mass -0.153846), c_sw 1.2, antiperiodic in time", plan)
        self.call("spectrum", *TINY, "--set", "action.c_sw=1.2")
        clover = self.read("spectrum.dat")
        self.assertIn("# action = Wilson-clover\n", clover)
        self.assertIn("# c_sw = 1.2\n", clover)
        numbers = [[line for line in text.splitlines() if not line.startswith("#")] for text in (wilson, clover)]
        self.assertNotEqual(numbers[0], numbers[1])

    def test_other_parameters_do_not_take_finished_parts(self):
        self.call("spectrum", *TINY)
        changed = self.call("spectrum", *TINY, "--set", "action.kappa=0.131").stdout
        self.assertIn("24 solves", changed)
        self.assertIn("12 solves", self.call("spectrum", *TINY, "--set", "generate.beta=6.0000004", "--dry-run",
                                             "--set", "generate.configurations=1").stdout)
        self.assertIn(" 0 solves", self.call("spectrum", *TINY, "--dry-run").stdout)
        more = self.call("spectrum", *TINY, "--set", "action.kappa=0.131", "--set", "generate.configurations=3", "--dry-run")
        self.assertIn("9 updates and 12 solves", more.stdout)

    def test_a_printed_job_takes_files_of_any_extents_unless_some_were_given(self):
        self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 2, "--output", "c", "-q")
        for name, given, code in (("open", [], 0), ("given", ["--set", "gauge.extent=[8, 8, 8, 8]"], 1)):
            with open(self.path(name + ".toml"), "w") as file:
                file.write(self.call("spectrum", "--print", *given).stdout)
            done = self.call("spectrum", name + ".toml", "--set", "gauge.files=c.0001.lime", "--dry-run", code=code)
        self.assertIn("gauge.extent", done.stderr)

    def test_one_configuration_says_what_its_errors_are_over(self):
        job = [*TINY, "--set", "generate.configurations=1"]
        one = self.call("spectrum", *job)
        self.assertIn("no errors, which take two samples: one source on one configuration", one.stdout)
        self.assertIn("warning: there are no errors", one.stderr)
        two = self.call("spectrum", *job, "--set", "source.count=2")
        self.assertIn("errors: jackknife over 2 sources on one configuration", two.stdout)
        self.assertIn("warning: the errors are over sources", two.stderr)
        self.assertNotIn("warning: the errors", self.call("spectrum", *TINY).stderr)
        self.assertIn("analysis.bin", self.call("spectrum", *TINY, "--set", "analysis.bin=3", code=1).stderr)

    def test_patterns_are_the_files_that_they_match(self):
        self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 2, "--between", 1, "--configurations", 2, "--output", "c", "-q")
        for old, new in (("c.0001.lime", "conf.9"), ("c.0002.lime", "conf.10")):
            os.rename(self.path(old), self.path(new))
        printed = self.call("spectrum", "--set", "gauge.files=conf.*", "--print").stdout
        self.assertIn("files = ['conf.9', 'conf.10']", printed)
        self.assertIn("matches no file", self.call("spectrum", "--set", "gauge.files=none.*", "--print", code=1).stderr)
        self.assertIn("twice", self.call("spectrum", "--set", "gauge.files=['conf.9', 'conf.?']", "--dry-run", code=1).stderr)
        job = [argument for argument in TINY if argument not in ("generate.configurations=2", "generate.thermalise=5",
                                                                 "generate.between=2", "gauge.extent=[4, 4, 4, 8]")]
        job = [argument for argument, following in zip(job, [*job[1:], ""]) if (argument, following) != ("--set", "--set")]
        text = self.call("spectrum", *job, "--set", "gauge.files=conf.*").stdout
        self.assertIn("configuration 1 of 2: conf.9,", text)
        # The journal knows the files, not how they were named.
        self.assertIn("0 solves", self.call("spectrum", *job, "--set", "gauge.files=['conf.9', 'conf.10']").stdout)

    def test_a_killed_run_goes_on(self):
        self.call("spectrum", *TINY, "--set", "output.prefix=whole")
        slow = [*TINY, "--set", "generate.configurations=2"]
        with open(self.path("log"), "w") as log:
            process = subprocess.Popen([PROGRAM, "spectrum", *slow], cwd=self.folder, stdout=log, stderr=log,
                                       env=environment())
            journal = self.path("spectrum.journal")
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and process.poll() is None:
                if os.path.isdir(journal) and any(name.endswith(".journal") for name in os.listdir(journal)):
                    break
                time.sleep(0.002)
            process.send_signal(signal.SIGKILL)
            process.wait()
        finished = [name for name in os.listdir(journal) if name.endswith(".journal")]
        self.assertGreaterEqual(len(finished), 1)
        text = self.call("spectrum", *slow).stdout
        self.assertIn("finished        %d of 2" % len(finished), text)
        self.assertEqual(self.read("spectrum.dat"), self.read("whole.dat"))

    def test_files_are_measured_like_the_configurations_they_hold(self):
        self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 5, "--between", 2, "--configurations", 2,
                  "--output", "cfg", "-q")
        self.call("spectrum", *TINY, "--set", "output.prefix=generated")
        files = 'gauge.files=["cfg.0001.lime", "cfg.0002.lime"]'
        self.call("spectrum", *TINY, "--set", files, "--set", "output.prefix=read")
        self.assertEqual(self.numbers("read.dat"), self.numbers("generated.dat"))
        self.assertIn("twice", self.call("spectrum", "--set", 'gauge.files=["cfg.0001.lime", "cfg.0001.lime"]', code=1).stderr)

    def test_one_configuration_under_two_names_is_told(self):
        self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 2, "--output", "a", "-q")
        shutil.copy(self.path("a.0001.lime"), self.path("copy.lime"))
        self.call("convert", "a.0001.lime", "a.nersc", "-q")
        job = TINY[TINY.index("action.kappa=0.13") - 1:]
        both = "--set", "gauge.files=['a.0001.lime', 'copy.lime']"
        self.assertIn("warning: a.0001.lime and copy.lime have the same links", self.call("spectrum", *job, *both, "--dry-run").stderr)
        text = self.call("spectrum", *job, "--set", "gauge.files=['a.0001.lime', 'a.nersc']").stderr
        self.assertEqual(text.count("a.0001.lime and a.nersc have the same links"), 1, text)

    def test_a_journal_that_cannot_be_written_is_told_before_the_work(self):
        self.call("spectrum", *TINY)
        journal = self.path("spectrum.journal")
        entry = sorted(os.listdir(journal))[0]
        os.remove(os.path.join(journal, entry))
        os.mkdir(os.path.join(journal, entry))
        for dry_run in ([], ["--dry-run"]):
            text = self.call("spectrum", *TINY, *dry_run, code=1).stderr
            self.assertIn(os.path.join("spectrum.journal", entry) + ", a folder, where it keeps a result in a file: move it away", text)
        if os.path.isdir("/proc/self"):
            text = self.call("spectrum", *TINY, "--set", "output.journal=/proc/journal", code=1).stderr
            self.assertIn("set output.journal to another", text)
            self.assertNotIn("updates", text)

    def test_a_tail_that_the_solver_does_not_resolve_is_told(self):
        heavy = [*TINY, "--set", "generate.configurations=1", "--set", "action.kappa=0.02", "--set", "correlators.mesons=pion",
                 "--set", "correlators.baryons=[]"]
        loose = self.call("spectrum", *heavy, "--set", "solver.tolerance=1e-4").stderr
        self.assertRegex(loose, r"warning: the correlator of the pion, sink none, is .* at t = \d, .*: ask for solver.tolerance")
        self.assertNotIn("of its largest value", self.call("spectrum", *heavy, "--set", "solver.tolerance=1e-12").stderr)

    def test_two_times_have_no_mass_of_the_nucleon(self):
        job = [*TINY[:TINY.index("analysis.pion=[1, 3]") - 1], "--set", "gauge.extent=[4, 4, 4, 2]"]
        done = self.call("spectrum", *job, "--set", "generate.configurations=1")
        self.assertIn("there is no mass of the nucleon on this lattice", done.stderr)
        self.assertRegex(done.stdout, r"from +t = 0 to 0 +t = 0 to 0 +no times")

    def test_an_assignment_that_another_one_replaces_is_told(self):
        text = self.call("spectrum", "--set", "action.kappa=0.12", "--set", "action.kappa=0.13", "--dry-run").stderr
        self.assertIn("warning: --set action.kappa is given twice, as 0.12 and as 0.13", text)

    def test_solvers_and_precisions_agree(self):
        base = [*TINY, "--set", "generate.configurations=1", "--set", 'correlators.mesons=["pion"]',
                "--set", "solver.tolerance=1e-11"]
        want = None
        for method in ("bicgstab", "bicgstab-2", "gcr", "cg"):
            for precision in ("double", "mixed"):
                for preconditioner in ("even-odd", "even-odd-symmetric", "none"):
                    if method in ("bicgstab-2", "gcr") and preconditioner == "none":
                        continue
                    self.call("spectrum", *base, "--set", "solver.method=" + method, "--set", "solver.precision=" + precision,
                              "--set", "solver.preconditioner=" + preconditioner, "--set", "output.journal=j")
                    found = self.numbers("spectrum.dat")
                    want = want or found
                    for a, b in zip(found, want):
                        self.assertAlmostEqual(a[1], b[1], delta=1e-8 * abs(b[1]) + 1e-14)
        single = ["--set", "solver.precision=single", "--set", "solver.tolerance=1e-6"]
        self.call("spectrum", *base, *single)
        for a, b in zip(self.numbers("spectrum.dat"), want):
            self.assertAlmostEqual(a[1], b[1], delta=1e-3 * abs(b[1]) + 1e-8)

    def test_pion_is_positive_and_sinks_and_momenta_are_labelled(self):
        self.call("spectrum", *TINY, "--set", "generate.configurations=1", "--set", "correlators.mesons=pion",
                  "--set", "correlators.baryons=[]", "--set", "correlators.max_momentum2=1",
                  "--set", 'sink.smearings=["none", "wuppertal"]')
        rows = self.numbers("spectrum.dat")
        self.assertEqual(len(rows), 2 * 7 * 8)
        text = self.read("spectrum.dat")
        self.assertIn("wuppertal", text)
        zero = [row for row in rows[:8]]
        self.assertTrue(all(row[1] > 0 for row in zero))

    def test_a_momentum_at_the_edge_is_measured_once(self):
        job = [*TINY, "--set", "generate.configurations=1", "--set", "correlators.mesons=pion", "--set", "correlators.baryons=[]",
               "--set", "correlators.max_momentum2=4", "--set", "links.ape_weight=3"]
        done = self.call("spectrum", *job, "--set", "source.sigma=3")
        self.assertIn("30 momenta", done.stdout)  # 33, of which three come twice: 2 0 0 is -2 0 0
        blocks = self.read("spectrum.dat").split("\n\n\n")[1:]
        self.assertEqual(len(blocks), 30)
        self.assertEqual(len({block.split("# t real imag")[1] for block in blocks}), 30)
        self.assertIn("warning: --set source.sigma changes nothing", done.stderr)

    def test_source_and_sinks_have_any_smearing_of_their_own(self):
        base = [*TINY, "--set", "generate.configurations=1", "--set", "correlators.mesons=pion", "--set", "correlators.baryons=[]",
                "--set", "output.journal=j", "--set", "source.accuracy=1e-11"]
        sinks = ["none", "theta", "gaussian", "node", "wuppertal"]
        plan = self.call("spectrum", *base, "--set", "source.smearing=gaussian", "--set", "source.sigma=1.2",
                         "--set", "sink.smearings=%s" % json.dumps(sinks), "--set", "sink.p2_max=20", "--set", "sink.sigma=0.8").stdout
        self.assertIn("sigma = 1.2", plan)
        self.assertIn("sigma = 0.8", plan)
        rows = self.numbers("spectrum.dat")
        blocks = {sink: rows[8 * k:8 * k + 8] for k, sink in enumerate(sinks)}
        self.assertEqual(len(rows), 8 * len(sinks))
        for name in sinks:
            self.assertRegex(self.read("spectrum.dat"), "sink_smearing.*" + name)
        # A threshold above the spectrum keeps everything: a point.
        for a, b in zip(blocks["theta"], blocks["none"]):
            self.assertAlmostEqual(a[1], b[1], delta=1e-8 * abs(b[1]))
        for name in ("gaussian", "node", "wuppertal"):
            self.assertGreater(abs(blocks[name][0][1] / blocks["none"][0][1] - 1), 0.01, name)
        # A source without extent is the point again, and the wide theta too.
        for smearing in (["source.smearing=none"], ["source.smearing=theta", "source.p2_max=20"]):
            settings = [word for s in smearing for word in ("--set", s)]
            self.call("spectrum", *base, *settings)
            point = self.numbers("spectrum.dat")
            want = want if smearing[0] != "source.smearing=none" else point
            for a, b in zip(point, want):
                self.assertAlmostEqual(a[1], b[1], delta=1e-6 * abs(b[1]))

    def test_errors_of_files_name_the_key_that_helps(self):
        self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 1, "--output", "a", "-q")
        content = self.read("a.0001.lime", "rb")
        flipped, nameless = bytearray(content), content
        flipped[content.index(b"ildg-binary-data") + 1000] ^= 1
        for record in (b"ildg-format", b"scidac-private-file-xml"):
            nameless = nameless.replace(record, b"x" * len(record))
        for name, changed in (("flipped.lime", flipped), ("nameless.lime", nameless)):
            with open(self.path(name), "wb") as file:
                file.write(changed)

        def error(name, code, *more):
            return self.call("spectrum", "--set", 'gauge.files=["%s"]' % name, *more, code=code).stderr
        windows = [word for key in ("pion", "rho", "nucleon") for word in ("--set", "analysis.%s=[0, 1]" % key)]
        self.assertIn("go on with gauge.ignore = ['checksums']", error("flipped.lime", 2, *windows))
        self.assertIn("leave gauge.extent out", error("a.0001.lime", 1, "--set", "gauge.extent=[4, 4, 4, 4]", "--dry-run"))
        self.assertIn("give the extents: gauge.extent = [X, Y, Z, T]", error("nameless.lime", 1, "--dry-run"))
        self.assertNotIn("extents:", self.call("spectrum", "--set", 'gauge.files=["nameless.lime"]', "--set",
                                               "gauge.extent=[4, 4, 4, 8]", "--dry-run").stderr)
        ignored = error("a.0001.lime", 1, "--set", 'gauge.ignore=["checksum"]')
        self.assertIn("--set gauge.ignore has 'checksum'", ignored)
        self.assertIn("did you mean 'checksums'?", ignored)
        # Links that are read for the plan.
        self.call("convert", "a.0001.lime", "sum.nersc")
        job = [*TINY, "--set", "gauge.files=sum.nersc"]
        self.call("spectrum", *job)
        content = bytearray(self.read("sum.nersc", "rb"))
        content[-1] ^= 1
        with open(self.path("sum.nersc"), "wb") as file:
            file.write(content)
        self.assertIn("gauge.ignore = ['checksums']", self.call("spectrum", *job, "--dry-run", code=2).stderr)

    def test_a_solver_that_does_not_converge_ends_with_three(self):
        short = [*TINY, "--set", "solver.max_iterations=3"]
        error = self.call("spectrum", *short, code=3).stderr
        self.assertIn("beta6_seed1_update5, the quark, source at [0 0 0 0], even-odd mixed-precision BiCGstab: 3 iterations", error)
        self.assertIn("; not converged: column 0 of 12: the limit of 3 iterations", error)
        loops = ["--set", "loops.hits=1", "--set", "correlators.mesons=[]", "--set", "correlators.baryons=[]"]
        error = self.call("spectrum", *short, *loops, code=3).stderr
        self.assertIn("beta6_seed1_update5, the quark, solve 1 for its loops, even-odd mixed-precision BiCGstab: 3 iterations", error)
        self.assertFalse(os.path.exists(self.path("spectrum.h5")))
        self.assertFalse(os.path.exists(self.path("spectrum.dat")))

    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
    def test_two_ranks_agree_with_one_within_rounding(self):
        self.call("spectrum", *TINY, "--set", "output.prefix=one")
        self.call("spectrum", *TINY, "--set", "output.prefix=two", ranks=2)
        one, two = self.numbers("one.dat"), self.numbers("two.dat")
        self.assertEqual(len(one), len(two))
        # Solutions agree to the tolerance of the solver, 1e-9, relative to each correlator's largest value.
        for begin in range(0, len(one), 8):
            largest = max(abs(row[1]) + abs(row[2]) for row in one[begin:begin + 8])
            for a, b in zip(one[begin:begin + 8], two[begin:begin + 8]):
                self.assertAlmostEqual(a[1], b[1], delta=1e-7 * largest)


if __name__ == "__main__":
    unittest.main()
