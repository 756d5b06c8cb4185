# SPDX-License-Identifier: MIT
"""kovariant propagator as a job: in little memory, going on after a kill, and refused for what its settings or files are."""
import os
import re
import signal
import subprocess
import time

from program_support import MPIEXEC, PROGRAM, environment
from test_propagator import JOB, NAME, PropagatorTest, options


class PropagatorMemory(PropagatorTest):
    def test_propagators_have_the_same_bits_with_little_memory(self):
        job = [*JOB, *options(quark__0__kappa=0.13, quark__1__name="heavy", quark__1__kappa=0.1, solver__precision="double", solver__columns="together",
                              source__count=2)]
        error = self.call("propagator", *job, *options(memory__limit=1e-6), code=1).stderr
        self.assertEqual(os.listdir(self.folder), [])
        found = re.search("solves need ([0-9]+) MiB in each process with the smallest batches, but there are 0 MiB: run more processes", error)
        self.assertTrue(found, error)
        self.assertIn("solves of 12, 12 columns; operators kept\n", self.call("propagator", *job, "--dry-run").stdout)
        self.call("propagator", *job)
        tight = self.call("propagator", *job, *options(memory__limit=int(found.group(1)) / 1024, output__prefix="tight")).stdout
        self.assertIn("columns; operators made for every propagator\n", tight)
        self.assertNotIn("solves of 12, 12 columns", tight)
        names = sorted(name for name in self.propagators() if name.startswith("propagator"))
        self.assertEqual(len(names), 4)
        for name in names:
            self.assertEqual(self.payload(name), self.payload(name.replace("propagator", "tight")))


class PropagatorResume(PropagatorTest):
    def columns(self):
        journal = self.path("propagator.journal")
        return [name for name in os.listdir(journal) if ".column" in name and not name.startswith(".")] if os.path.isdir(journal) else []

    def kill(self, job, after):
        """Starts a job and kills it when so many columns are there, but not all; again if it was faster."""
        def files():
            return {os.path.join(folder, name) for folder, _, names in os.walk(self.folder) for name in names}
        before = files()
        for _ in range(5):
            with open(self.path("log"), "w") as log:
                process = subprocess.Popen([PROGRAM, "propagator", *job], cwd=self.folder, stdout=log, stderr=log, env=environment())
                deadline = time.monotonic() + 60
                while time.monotonic() < deadline and process.poll() is None and len(self.columns()) < after:
                    time.sleep(0.002)
                process.send_signal(signal.SIGKILL)
                process.wait()
            if after <= len(self.columns()) < 12:
                return
            for file in files() - before:
                os.remove(file)

    def test_a_killed_run_repeats_no_finished_column(self):
        job = [*JOB, *options(gauge__extent="[8, 8, 8, 8]", quark__0__kappa=0.14, solver__precision="double", solver__tolerance=1e-12)]
        self.call("propagator", *job, *options(output__prefix="whole"))
        self.kill(job, 3)
        kept = len(self.columns())
        self.assertTrue(3 <= kept < 12, kept)
        self.assertEqual(self.propagators(), [NAME.replace("propagator", "whole") + ".lime"])
        with open(self.path("propagator.journal/" + self.columns()[0]), "r+b") as file:  # a damaged one is solved for again
            file.seek(5000)
            file.write(b"damaged")
        done = self.call("propagator", *job, "--dry-run")
        # The header does not tell; the numbers do when they are read.
        self.assertIn("%d solves" % (12 - kept), done.stdout)
        self.assertIn("12 solves", self.call("propagator", *job, *options(solver__columns="together"), "--dry-run").stdout)
        other = self.call("propagator", *job, *options(solver__method="bicgstab-2"), "--dry-run")
        self.assertIn("12 solves", other.stdout)
        self.assertIn("is not used: it was made with other parameters", other.stderr)
        done = self.call("propagator", *job)
        self.assertIn("is not used", done.stderr)
        self.assertEqual(self.payload(NAME + ".lime"), self.payload(NAME.replace("propagator", "whole") + ".lime"))
        self.assertFalse(os.path.exists(self.path("propagator.journal")))
        self.assertEqual([name for name in self.leftovers() if not name.endswith(".part")], [])

    def test_a_journal_of_others_stays(self):
        os.mkdir(self.path("mine"))
        os.symlink("mine", self.path("propagator.journal"))
        self.call("propagator", *JOB)
        self.call("propagator", *JOB, *options(output__prefix="other", output__journal="mine"))
        self.assertTrue(os.path.islink(self.path("propagator.journal")))
        self.assertEqual(os.listdir(self.path("mine")), [])
        self.call("propagator", *JOB, *options(output__prefix="third", output__journal="made"))
        self.assertFalse(os.path.exists(self.path("made")))

    def test_prefixes_in_two_folders_share_a_journal(self):
        job = [*JOB, *options(gauge__extent="[8, 8, 8, 8]", quark__0__kappa=0.14, solver__precision="double",
                             solver__tolerance=1e-12, output__journal="propagator.journal")]
        for folder in "ab":
            os.mkdir(self.path(folder))
        self.kill([*job, *options(output__prefix="a/p")], 2)
        kept = len(self.columns())
        self.assertTrue(2 <= kept < 12, kept)
        for prefix, solves in (("a/p", 12 - kept), ("b/p", 12)):
            self.assertIn("%d solves" % solves, self.call("propagator", *job, *options(output__prefix=prefix), "--dry-run").stdout)
        self.call("propagator", *job, *options(output__prefix="b/p"))
        self.assertEqual(len(self.columns()), kept)

    def test_finished_propagators_are_not_solved_for_again(self):
        job = [*JOB, *options(source__count=3)]
        self.call("propagator", *job)
        before = {name: self.payload(name) for name in self.propagators()}
        self.assertEqual(len(before), 3)
        lost = self.propagators()[1]
        os.remove(self.path(lost))
        text = self.call("propagator", *job).stdout
        self.assertIn("finished        2 of 3", text)
        self.assertIn("12 solves", text)
        self.assertEqual({name: self.payload(name) for name in self.propagators()}, before)

    def test_what_is_not_of_this_job_stays_and_stops_it(self):
        self.call("propagator", *JOB)
        good = self.read(NAME + ".lime", "rb")
        self.call("propagator", *JOB, *options(output__prefix="theta", quark__0__theta="[0.5, 0, 0]"))
        theta = options(output__prefix="theta", quark__0__theta="[0.50000001, 0, 0]")
        self.assertIn("with other parameters", self.call("propagator", *JOB, *theta, code=1).stderr)
        for changed in (options(quark__0__kappa=0.131), options(solver__tolerance=1e-8), options(source__width=1.5), options(links__steps=3),
                        options(generate__overrelaxation=3), options(output__precision=32), options(solver__tolerance="1.0000001e-9"),
                        options(source__accuracy="1.0000001e-8")):
            self.assertIn("with other parameters", self.call("propagator", *JOB, *changed, code=1).stderr, changed)
        self.assertEqual(self.read(NAME + ".lime", "rb"), good)
        for content, code, message in ((good[:len(good) // 2], 2, "truncated"), (b"not a propagator", 2, "neither HDF5 nor SciDAC")):
            with open(self.path(NAME + ".lime"), "wb") as file:
                file.write(content)
            error = self.call("propagator", *JOB, code=code).stderr
            self.assertIn(message, error)
            self.assertIn("move it away", error)
            self.assertEqual(self.read(NAME + ".lime", "rb"), content)

    def test_the_same_links_in_another_folder_are_the_same_job(self):
        self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 2, "--output", "c", "-q")
        job = [*JOB[2:], *options(output__prefix="p")]
        self.call("propagator", *job, *options(gauge__files="c.0001.lime"))
        os.mkdir(self.path("links"))
        os.rename(self.path("c.0001.lime"), self.path("links/c.0001.lime"))
        self.assertIn("finished        1 of 1", self.call("propagator", *job, *options(gauge__files="links/c.0001.lime")).stdout)
        self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 3, "--output", "c", "-q")
        self.assertIn("another configuration", self.call("propagator", *job, *options(gauge__files="c.0001.lime"), code=1).stderr)

    def test_what_was_made_of_unchecked_links_is_not_that_of_checked_ones(self):
        self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 2, "--output", "c", "-q")
        good = self.read("c.0001.lime", "rb")
        damaged = bytearray(good)
        damaged[len(damaged) // 2] ^= 1
        job = [*JOB[2:], *options(gauge__files="c.0001.lime")]
        unchecked = options(gauge__ignore='["checksums", "plaquette", "link-trace", "unitarity"]')
        for content, more, code in ((damaged, unchecked, 0), (good, [], 1)):
            with open(self.path("c.0001.lime"), "wb") as file:
                file.write(content)
            error = self.call("propagator", *job, *more, code=code).stderr
        self.assertIn("with other parameters", error)
        self.assertIn("from other links", self.call("propagator", *job, *unchecked, code=1).stderr)

    def test_columns_of_links_that_no_header_identifies_are_not_kept(self):
        self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 2, "--output", "c", "--format", "nersc", "-q")
        file = [name for name in os.listdir(self.folder) if name.startswith("c.0001")][0]
        # Nothing can be written where the first column would be.
        os.makedirs(self.path("propagator.journal/propagator.%s.quark0.0.0.0.0.lime.column00/full" % file))
        self.call("propagator", *JOB[2:], *options(gauge__files=file))
        self.assertEqual(len(self.propagators()), 1)


class PropagatorSettings(PropagatorTest):
    def test_fields_and_links_without_kernels_are_refused(self):
        if "CUDA" in self.call("--version").stdout:
            self.skipTest("does not apply: GPUs have the basis in 16 bits and on links of 12 reals")
        for changed, message in ((options(solver__precision="reliable-16"), "or precision reliable"),
                                 (options(solver__precision="single-16", solver__tolerance=1e-6), "or precision single"),
                                 (options(solver__links=12), "take 18, or basis chiral")):
            error = self.call("propagator", *JOB, *options(solver__basis="nonrelativistic"), *changed, code=1).stderr
            self.assertIn(message, error)

    def test_bad_settings_are_refused_before_anything_is_written(self):
        for changed, message in ((options(quark__0__kapa=0.1), "did you mean 'quark.0.kappa'"),
                                 (options(quark__0__kappa=0), "quark.0.kappa"),
                                 (options(quark__0__name="a/b"), "letters, digits"),
                                 (options(quark__1__name="quark0"), "another quark is called too"),
                                 (options(quark__0__action="hamber-wu"), "solver.preconditioner to none"),
                                 (options(quark__0__action="naik", solver__precision="reliable-16"), "solver.precision to reliable"),
                                 (options(quark__0__action="naik", quark__0__links=12), "set quark.0.links to 18"),
                                 (options(quark__0__action="naik", quark__0__mu=1), "no clover term"),
                                 (options(quark__0__action="naik", solver__gauge="temporal"), "solver.gauge to given"),
                                 (options(quark__0__action="naik", quark__0__preconditioner="none", quark__0__gauge="temporal"),
                                  "quark.0.gauge to given"),
                                 (options(quark__0__action="naik", solver__basis="nonrelativistic"),
                                  "solver.basis to chiral"),
                                 (options(solver__basis="dirac"), "must be one of"),
                                 (options(quark__0__mu=1e300), "quark.0.mu"), (options(quark__0__xi0=0), "quark.0.xi0"),
                                 (options(solver__precision="reliable", solver__method="gcr"), "only bicgstab and cg have reliable updates"),
                                 (options(solver__precision="reliable", solver__method="block-cg"), "only bicgstab and cg have reliable updates"),
                                 (options(solver__method="block-cg", solver__columns="one by one"), "take together, or method cg"),
                                 (options(solver__method="bicgstab-9"), "must be one of"),
                                 (options(solver__links=10), "18, 12 or 8 reals"),
                                 (options(solver__preconditioner="schwarz"), "for method gcr alone"),
                                 (options(solver__preconditioner="schwarz", solver__method="gcr", solver__links=12), "links of 18 reals"),
                                 (options(solver__preconditioner="schwarz", solver__method="gcr", solver__schwarz_steps=0), "must be positive"),
                                 (options(solver__preconditioner="schwarz", solver__method="gcr", solver__schwarz_cycles=0), "must be positive"),
                                 (options(solver__preconditioner="schwarz", solver__method="gcr", solver__schwarz_block="[4, 4, 4, 3]"), "does not fit into the lattice"),
                                 (options(solver__preconditioner="schwarz", solver__method="gcr", solver__schwarz_block="[1, 1, 4, 4]"), "more than one odd extent"),
                                 (options(solver__preconditioner="schwarz", solver__method="gcr", quark__0__action="naik"), "solver.preconditioner to none"),
                                 (options(solver__deflation=-1), "0 or more eigenvectors"),
                                 (options(solver__deflation=4), "take method cg"),
                                 (options(solver__deflation=1000, solver__method="cg"), "too many for the even sites"),
                                 (options(solver__deflation=4, solver__method="cg", solver__preconditioner="none"), "preconditioner even-odd"),
                                 (options(solver__deflation=4, solver__method="cg", quark__0__mu=0.1), "quark.0.mu is 0.1"),
                                 (options(quark__0__action="naik", solver__preconditioner="none", solver__links=12), "set solver.links to 18"),
                                 (options(solver__precision="reliable-16", solver__preconditioner="none"), "take even-odd, or precision reliable"),
                                 (options(solver__precision="single-16"), "single precision reaches 1e-06 at best"),
                                 (options(solver__precision="single-16", solver__tolerance=1e-6, solver__preconditioner="none"), "or precision single"),
                                 (options(solver__precision="single-16", solver__tolerance=1e-6, solver__method="cgne"), "or precision single"),
                                 (options(solver__tolerance=0), "solver.tolerance"), (options(output__precision=16), "32 or 64"),
                                 (options(output__format="nersc"), "must be one of"), (options(output__prefix="no/folder"), "no"),
                                 (options(source__origins="[[0, 0, 0, 8]]"), "outside the lattice"),
                                 (options(source__type="wall", source__origins="[[1, 0, 0, 0]]"), "[0, 0, 0, t]"),
                                 (options(source__origins="[[0, 0, 0, 0]]", source__random="true"), "leave one"),
                                 (options(source__type="grid", source__spacing="[3, 1, 1]"), "does not divide"),
                                 (options(source__type="noise", source__noise="none"), "take z2, z4 or u1"),
                                 (options(source__count=17), "at most"), (options(source__boost="[1, 2]"), "three finite numbers"),
                                 (options(gauge__extent="[4, 4, 4, 7]"), "7"), (options(gauge__files="absent.lime"), "absent.lime")):
            error = self.call("propagator", *JOB, *changed, code=1).stderr
            self.assertIn(message, error, changed)
        self.assertEqual(os.listdir(self.folder), [])

    def test_settings_without_effect_are_named(self):
        error = self.call("propagator", *JOB, *options(source__sigma=3, source__smearing="none", source__momentum="[1, 0, 0]"),
                          "--dry-run").stderr
        for key in ("source.sigma", "links.steps", "source.width", "source.momentum"):
            self.assertIn("--set %s changes nothing" % key, error)
        blocks = options(solver__schwarz_cycles=3, quark__0__schwarz_steps=3)
        for command in ("propagator", "spectrum", "distill"):
            job = options(gauge__extent="[4, 4, 4, 8]", quark__0__name="light", quark__0__kappa=0.13)
            error = self.call(command, *job, *blocks, "--dry-run").stderr
            self.assertIn("--set solver.schwarz_cycles changes nothing", error)
            self.assertIn("--set quark.0.schwarz_steps changes nothing", error)
            used = options(quark__0__preconditioner="schwarz", quark__0__method="gcr")
            self.assertNotIn("schwarz", self.call(command, *job, *blocks, *used, "--dry-run").stderr)

    def test_blocks_on_two_processes_are_refused_before_anything_is_made(self):
        if not MPIEXEC:
            self.skipTest("NOT TESTED: this build has no MPI")
        blocks = options(solver__preconditioner="schwarz", solver__method="gcr", solver__schwarz_block="[4, 4, 4, 8]")
        for command in ("propagator", "spectrum", "distill"):
            job = [*options(gauge__extent="[4, 4, 4, 8]", quark__0__name="light", quark__0__kappa=0.13), *blocks]
            error = self.call(command, *job, ranks=2, code=1).stderr
            self.assertIn("solver.schwarz_block is 4 4 4 8, but a block must lie on one process, and each of 2 has 4 4 4 4 sites", error)
            self.call(command, *job, "--dry-run")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_damaged_configuration_leaves_nothing(self):
        self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 2, "--output", "c", "-q")
        content = bytearray(self.read("c.0001.lime", "rb"))
        content[len(content) // 2] ^= 1
        with open(self.path("bad.lime"), "wb") as file:
            file.write(content)
        before = sorted(os.listdir(self.folder))
        self.assertIn("suma", self.call("propagator", *JOB[2:], *options(gauge__files="bad.lime"), code=2).stderr)
        self.assertEqual([name for name in sorted(os.listdir(self.folder)) if not name.endswith(".lock")], before)

    def test_two_files_of_one_name_are_refused(self):
        for folder in ("a", "b"):
            os.mkdir(self.path(folder))
            self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 2 if folder == "a" else 3, "--output", folder + "/c", "-q")
        error = self.call("propagator", *options(gauge__files='["a/c.0001.lime", "b/c.0001.lime"]'), "--dry-run", code=1).stderr
        self.assertIn("of one name", error)

    def test_a_solve_that_does_not_converge_ends_the_run(self):
        job = [*JOB, *options(quark__0__name="light", source__origins="[[1, 0, 2, 3]]", solver__max_iterations=2)]
        for columns, failed in (("one by one", "column 0"), ("together", "columns 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11")):
            error = self.call("propagator", *job, *options(solver__columns=columns), code=3).stderr
            self.assertIn("beta6_seed1_update5, quark light, source at [1 0 2 3], even-odd mixed-precision BiCGstab: 2 iterations", error)
            self.assertIn("; not converged: %s of 12: the limit of 2 iterations" % failed, error)
            self.assertIn("not usable: allow more iterations, ask for less, or check the operator and the links\n", error)
        self.assertEqual(self.propagators(), [])

    def test_a_tolerance_out_of_reach_has_a_remedy_that_fits_the_solve(self):
        light = [word.replace("kappa=0.13", "kappa=0.15") for word in JOB]
        job = [*light, *options(solver__method="cg", solver__preconditioner="none", solver__tolerance=1e-15, solver__precision="double")]
        error = self.call("propagator", *job, code=3).stderr
        self.assertRegex(error, "double precision reaches about 1e-15 at best, and this solve [0-9.e-]+: ask for a larger tolerance, or take CGNE or even sites")
        self.assertNotIn("mixed precision", error)
