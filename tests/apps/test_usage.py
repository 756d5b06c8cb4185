# SPDX-License-Identifier: MIT
"""The command line, how the program starts, plans, and requests that cannot be met, of every program."""
import math
import os
import re
import subprocess
import unittest

from program_support import HAS_HDF5, HAS_PDF, MPIEXEC, PROGRAM, TINY, LinksTest, ProgramTest, environment, errors_said, run


GOOD = [PROGRAM, "smear", "--extent", "4", "4", "4", "2", "--dry-run"]
WRONG_ON_A_RANK = (([*GOOD, "--nonsense"], "unknown argument '--nonsense'"),
                   ([*GOOD, "--kokkos-num-threads=many"], "--kokkos-num-threads=many is wrong"),
                   (["env", "OMP_NUM_THREADS=513", *GOOD], "at most 512"),
                   (["env", "KOV_MPI=yes", *GOOD], "the environment variable KOV_MPI is yes"))


def expect_errors_of_one_rank(test, ranks_of):
    """ranks_of(k): the ranks of three that have wrong command k, one after the other."""
    for k, (wrong, says) in enumerate(WRONG_ON_A_RANK):
        for rank in ranks_of(k):
            with test.subTest(wrong=wrong, rank=rank):
                parts = [["-n", "1", *(wrong if r == rank else GOOD)] for r in range(3)]
                done = run([*MPIEXEC, *parts[0], ":", *parts[1], ":", *parts[2]], launcher=True, cwd=test.folder, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, env=environment())
                test.assertEqual(done.returncode, 1, done.stderr)
                test.assertEqual(len(errors_said(done.stderr, "kovariant")), 1, done.stderr)
                test.assertIn("kovariant: rank %d: " % rank, done.stderr)
                test.assertIn(says, done.stderr)


class UsageOnEveryRank(ProgramTest):
    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
    def test_an_error_that_one_rank_alone_has_before_mpi_starts_is_said_once(self):
        expect_errors_of_one_rank(self, lambda k: (0, 1, 2))


class Usage(ProgramTest):
    def test_every_subcommand_has_help(self):
        self.assertIn("exit codes", self.call("--help").stdout)
        for command in ("spectrum", "propagator", "distill", "smear", "flow", "loops", "gaugefix", "info", "convert", "generate"):
            self.assertIn("--quiet", self.call(command, "--help").stdout)

    def test_the_version_says_which_optional_parts_there_are(self):
        lines = self.call("--version").stdout.splitlines()
        self.assertRegex(lines[0], r"^kovariant \d+\.\d+\.\d+( \(\S+\))?$")
        parts = (("MPI", MPIEXEC), ("HDF5", HAS_HDF5), ("PDF", HAS_PDF))
        self.assertEqual(lines[2:], [", ".join(name + (" yes" if there else " no") for name, there in parts)])

    def test_wrong_usage_ends_with_one_and_says_what_would_be_right(self):
        self.assertIn("did you mean 'info'?", self.call("inof", "x", code=1).stderr)
        self.assertIn("--help", self.call(code=1).stderr)
        self.assertIn("did you mean '--format'?", self.call("convert", "a", "b", "--frmat", "ildg", code=1).stderr)
        self.assertIn("did you mean 'gaussian'?", self.call("smear", "--profile", "gausian", code=1).stderr)
        self.assertIn("did you mean 'coulomb'?", self.call("gaugefix", "a", "b", "--gauge", "couloumb", code=1).stderr)
        self.assertIn("did you mean 'checksums'?", self.call("info", "a", "--ignore", "checksum", code=1).stderr)

    def test_unknown_key_names_the_nearest(self):
        self.assertIn("did you mean 'action.kappa'?", self.call("spectrum", "--set", "action.kapa=0.1", code=1).stderr)
        with open(self.path("run.toml"), "w") as file:
            file.write("[solver]\ntolerence = 1e-9\n")
        text = self.call("spectrum", "run.toml", "--dry-run", code=1).stderr
        self.assertIn("run.toml, line 2", text)
        self.assertIn("did you mean 'solver.tolerance'?", text)

    def test_empty_and_foreign_parameter_files(self):
        open(self.path("empty.toml"), "w").close()
        self.assertEqual(self.call("spectrum", "empty.toml", "--dry-run").stdout, self.call("spectrum", "--dry-run").stdout)
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 1, "--output", "a", "-q")
        self.assertIn("gauge.files", self.call("spectrum", "a.0001.lime", code=1).stderr)

    def test_a_dry_run_says_that_results_could_not_be_written(self):
        text = self.call("spectrum", "--set", "output.prefix=absent/folder", "--dry-run", code=1).stderr
        self.assertIn("the folder absent does not exist", text)

    def test_more_threads_than_kokkos_has_room_for_are_refused(self):
        for more, option in (({"OMP_NUM_THREADS": "513"}, []), ({"KOKKOS_NUM_THREADS": "513"}, []), ({"KOKKOS_NUM_THREADS": "x"}, []),
                             ({}, ["--kokkos-num-threads=513"])):
            done = subprocess.run([PROGRAM, "smear", "--extent", "4", "4", "4", "2", "--dry-run", *option], cwd=self.folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, env=environment(**more))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, "512")

    def test_what_kokkos_would_abort_on_is_one_error(self):
        for more, option, says in (
                ({"KOKKOS_MAP_DEVICE_ID_BY": "nonsense"}, [], "give KOKKOS_MAP_DEVICE_ID_BY=mpi_rank or KOKKOS_MAP_DEVICE_ID_BY=random"),
                ({"KOKKOS_DISABLE_WARNINGS": "maybe"}, [], "KOKKOS_DISABLE_WARNINGS=maybe is wrong: give KOKKOS_DISABLE_WARNINGS=yes or"),
                ({"KOKKOS_PRINT_CONFIGURATION": "2"}, [], "KOKKOS_PRINT_CONFIGURATION=2 is wrong"),
                ({"KOKKOS_TUNE_INTERNALS": ""}, [], "KOKKOS_TUNE_INTERNALS= is wrong"), ({"KOKKOS_DEVICE_ID": "-1"}, [], "KOKKOS_DEVICE_ID"),
                ({"KOKKOS_PROFILE_LIBRARY": "a", "KOKKOS_TOOLS_LIBS": "b"}, [], "name different tools"),
                ({}, ["--kokkos-map-device-id-by=x"], "--kokkos-map-device-id-by=x is wrong"), ({}, ["--kokkos-tools-args"], "give --kokkos-tools-args=TEXT"),
                ({}, ["--kokkos-disable-warnings=x"], "give --kokkos-disable-warnings=yes"), ({}, ["--kokkos-tools-libs="], "is wrong"),
                ({}, ["--kokkos-num-threadsx"], "is not an option of Kokkos"), ({}, ["--kokkos-nonsense"], "--kokkos-nonsense is not an option of Kokkos")):
            with self.subTest(more=more, option=option):
                done = subprocess.run([PROGRAM, "info", "absent.lime", *option], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, timeout=60, env=environment(**more))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertTrue(done.stderr.startswith("kovariant: "), done.stderr)
                self.assertIn(says, done.stderr)
        done = subprocess.run([PROGRAM, "info", "absent.lime", "--kokkos-disable-warnings", "--kokkos-tune-internals=No"], cwd=self.folder,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, env=environment(KOKKOS_DISABLE_WARNINGS="TRUE"))
        self.assertIn("cannot read absent.lime", done.stderr)

    def test_a_gpu_that_is_not_there_is_one_error(self):
        if "CUDA" not in self.call("--version").stdout:
            self.skipTest("does not apply: this build computes on CPUs")

        def says(*option, **more):
            clean = {name: value for name, value in environment().items() if not name.startswith("KOKKOS_")}
            done = subprocess.run([PROGRAM, "info", "absent.lime", *option], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=60, env={**clean, **more})
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("kovariant: "), done.stderr)
            return done.stderr
        self.assertIn("this build computes on NVIDIA GPUs, and CUDA finds none (", says(CUDA_VISIBLE_DEVICES=""))
        if "CUDA finds none" in says():
            self.skipTest("NOT TESTED: there is no GPU")
        for visible in ("1000", "-1", "first", "", "0,", ",0", "0,1000"):
            self.assertIn("KOKKOS_VISIBLE_DEVICES=%s is wrong: give numbers of GPUs" % visible, says(KOKKOS_VISIBLE_DEVICES=visible))
        for visible in ({}, {"KOKKOS_VISIBLE_DEVICES": "0"}):
            self.assertIn("GPU 1000, but there are ", says(KOKKOS_DEVICE_ID="1000", **visible))
            self.assertIn("GPU 1000, but there are ", says("--kokkos-device-id=1000", **visible))
            self.assertIn("cannot read absent.lime", says("--kokkos-device-id=0", KOKKOS_DEVICE_ID="1000", **visible))
            self.assertIn("cannot read absent.lime", says(**visible))
        self.assertIn("GPU 1, but there are 1 here", says(KOKKOS_DEVICE_ID="1", KOKKOS_VISIBLE_DEVICES="0"))

    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
    def test_an_error_that_one_rank_alone_has_before_mpi_starts_is_said_once(self):
        expect_errors_of_one_rank(self, lambda k: (k % 3,))

    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
    def test_ranks_with_too_many_threads_say_so_once(self):
        done = subprocess.run([*MPIEXEC, "-n", "2", PROGRAM, "smear", "--extent", "4", "4", "4", "2", "--dry-run"], cwd=self.folder,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              env=environment(OMP_NUM_THREADS="513"))
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("at most 512"), 1, done.stderr)

    def test_a_limit_of_processor_time_ends_a_run_as_a_signal_does(self):
        done = subprocess.run(["bash", "-c", 'ulimit -S -t 1; exec "$0" generate --extent 8 8 8 8 --thermalise 1000 --output long', PROGRAM],
                              cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, env=environment())
        self.assertEqual(done.returncode, 152, done.stderr)
        self.assertIn("ended by a signal", done.stderr)

    def test_a_closed_output_and_a_file_size_limit_are_errors(self):
        def shell(text):
            return subprocess.run(["bash", "-c", text, PROGRAM], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=60, env=environment())
        done = shell('"$0" smear --extent 4 4 4 2 --iterations 1 >&-')
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("standard output cannot be written", done.stderr)
        before = sorted(os.listdir(self.folder))
        done = shell('ulimit -f 20; "$0" generate --extent 4 4 4 8 --thermalise 1 --output big -q')
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertEqual([n for n in os.listdir(self.folder) if n not in before and not n.startswith("big.history")], [])

    @unittest.skipUnless(os.path.exists("/dev/full"), "NOT TESTED: this machine has no /dev/full")
    def test_help_and_version_that_cannot_be_written_are_errors(self):
        for arguments in (["--version"], ["--help"], ["info", "--help"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, text=True, stdout=full, stderr=subprocess.PIPE, timeout=60,
                                      env=environment())
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("standard output cannot be written", done.stderr)

    def test_an_empty_name_is_shown_and_refused(self):
        small = ("smear", "--extent", 4, 4, 4, 2, "--dry-run")
        self.assertIn("--log is '', which names no file", self.call(*small, "--log", "", code=1).stderr)
        self.assertIn("FILE: is '', which names no file", self.call("info", "", code=1).stderr)
        self.assertIn("cannot read '':", self.call("spectrum", "--dry-run", "--set", "gauge.files=['']", code=1).stderr)

    def test_lattices_that_cannot_be_counted_are_refused(self):
        for extent in ([65536] * 4, [32768, 65536, 65536, 65536], [60000] * 4):
            done = self.call("generate", "--extent", *extent, "--dry-run", code=1)
            self.assertIn("more sites than", done.stderr)

    def test_numbers_that_make_no_sense_are_refused(self):
        self.assertIn("--width", self.call("smear", "--width", -1, code=1).stderr)
        self.assertIn("'nucleon', 'all'", self.call("spectrum", "--set", 'correlators.baryons=["protium"]', code=1).stderr)

    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "NOT TESTED: there is one processor")
    def test_threads_spread_however_little_of_the_environment_is_set(self):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_"))}
        for given in ({}, {"OMP_PROC_BIND": "true"}, {"OMP_PROC_BIND": "true", "OMP_PLACES": "cores"}):
            done = subprocess.run([PROGRAM, "info", "absent.lime"], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=100,
                                  env={**clean, **given, "OMP_NUM_THREADS": "2", "OMP_DISPLAY_AFFINITY": "true",
                                       "OMP_AFFINITY_FORMAT": "thread %n on %A"})
            places = dict(re.findall(r"thread (\d+) on (\S+)", done.stdout))
            if places:  # OpenMP
                self.assertEqual(len(set(places.values())), 2, done.stdout)

    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
    def test_mpi_is_started_under_a_launcher_or_where_it_is_asked_for(self):
        def says_without_mpi(ranks=1, **more):
            command = [*([*MPIEXEC, "-n", str(ranks)] if ranks > 1 else []), PROGRAM, "info", "absent.lime", "--verbose"]
            done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  timeout=100, env=environment(**more))
            self.assertIn("lanes", done.stderr)
            return "one process, for which MPI was not started" in done.stderr
        self.assertTrue(says_without_mpi())
        self.assertFalse(says_without_mpi(KOV_MPI="1"))
        self.assertFalse(says_without_mpi(ranks=2))
        self.assertTrue(says_without_mpi(ranks=2, KOV_MPI="0"))

    @unittest.skipIf(MPIEXEC, "does not apply: this build has MPI")
    def test_a_build_without_mpi_refuses_where_it_is_asked_for(self):
        for rank in ("0", "1"):
            for choice, code, says in (("1", 5, "(KOV_MPI=1), which this build does not have"), ("yes", 1, "KOV_MPI is yes"),
                                       ("", 1, "cannot read absent.lime"), ("0", 1, "cannot read absent.lime")):
                done = subprocess.run([PROGRAM, "info", "absent.lime"], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, timeout=60,
                                      env=environment(KOV_MPI=choice, OMPI_COMM_WORLD_RANK=rank, OMPI_COMM_WORLD_SIZE="2"))
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual(done.stderr.count("kovariant: "), 1, done.stderr)
                self.assertIn(says, done.stderr)

    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
    def test_an_error_is_said_once_and_every_rank_fails(self):
        done = self.call("info", "absent.lime", ranks=2, code=None)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("kovariant: cannot read absent.lime"), 1, done.stderr)


class Requests(LinksTest):
    def test_plans_that_are_larger_than_memory_warn(self):
        # As many sites as a process can have, of at least 1344 bytes.
        memory, large = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE"), (128, 128, 128, 254)
        for command in ("smear", "generate"):
            done = self.call(command, "--extent", *large, "--dry-run")
            if memory < 1344 * math.prod(large):
                self.assertIn("warning: the fields take about", done.stderr)
            self.assertNotIn("warning", self.call(command, "--extent", 4, 4, 4, 4, "--dry-run").stderr)
        for command in (["flow", "a.0001.lime"], ["loops", "a.0001.lime"], ["gaugefix", "a.0001.lime", "b.lime"]):
            self.assertNotIn("warning", self.call(*command, "--dry-run").stderr)

    def test_dry_runs_say_the_plan_and_write_nothing(self):
        text = self.call("generate", "--extent", 4, 4, 4, 8, "--configurations", 3, "--between", 7, "--dry-run").stdout
        for says in ("4 4 4 8", "3 the first after 100", "to do           114 updates", "MiB", "quenched.0001.lime to quenched.0003.lime"):
            self.assertIn(says, text)
        self.assertIn("50 steps", self.call("flow", "a.0001.lime", "--time", 1, "--dry-run").stdout)
        self.assertIn("3 in time", self.call("loops", "a.0001.lime", "--max-t", 3, "--dry-run").stdout)
        self.assertIn("landau", self.call("gaugefix", "a.0001.lime", "b.lime", "--dry-run").stdout)
        self.assertEqual(self.new_files(), [])

    def test_impossible_requests_are_refused_before_the_work(self):
        for arguments, says in ((("flow", "a.0001.lime", "--step", 0), "step"),
                                (("flow", "a.0001.lime", "--time", -1), "time"),
                                (("generate", "--configurations", 2000000000, "--dry-run"), "takes at most 1000000"),
                                (("flow", "a.0001.lime", "--every", 0), "every"),
                                (("flow", "a.0001.lime", "--action", "iwasaki"), "wilson"),
                                (("flow", "a.0001.lime", "--write", "x.dat"), "format"),
                                (("flow", "a.0001.lime", "--write", "y.h5", "--output", "./y"), "overwritten"),
                                (("flow", "absent.lime"), "absent.lime"),
                                (("loops", "a.0001.lime", "--max-r", -1), "--max-r"),
                                (("loops", "a.0001.lime", "--max-r", 50000), "up to 4"),
                                (("loops", "a.0001.lime", "--max-t", 9), "and 8"),
                                (("loops", "a.0001.lime", "--steps", -1), "--steps"),
                                (("gaugefix", "a.0001.lime"), "OUT"),
                                (("gaugefix", "a.0001.lime", "b.lime", "--overrelaxation", 2), "overrelaxation"),
                                (("gaugefix", "a.0001.lime", "b.lime", "--tolerance", 0), "tolerance"),
                                (("gaugefix", "a.0001.lime", "absent/b.lime"), "absent")):
            self.assertIn(says, self.call(*arguments, code=1).stderr)
        self.assertEqual(self.new_files(), [])

    def test_numbers_that_are_too_large_are_refused_or_end_the_run(self):
        for option, smearing in (("--rho", "stout"), ("--weight", "ape"), ("--alpha2", "hyp")):
            self.assertIn(option + " is 1e+300", self.call("loops", "a.0001.lime", "--smearing", smearing, option, 1e300, code=1).stderr)
        for key in ("action.kappa", "links.stout_rho", "links.ape_weight", "source.width", "source.p2_max"):
            self.assertIn(key + " is 1e+300", self.call("spectrum", "--dry-run", "--set", key + "=1e300", code=1).stderr)
        self.assertIn("action.kappa", self.call("spectrum", "--dry-run", "--set", "action.kappa=1e-320", code=1).stderr)
        self.assertIn("action.mass", self.call("spectrum", "--dry-run", "--set", "action.mass=1e300", code=1).stderr)
        # Each number is possible by itself, all of them together are not.
        growing = ("--width", 1e6, "--iterations", 60)
        text = self.call("smear", "--extent", 4, 4, 4, 2, *growing, code=3).stderr
        self.assertRegex(text, "is -?(inf|nan) - parameters or links")
        text = self.call("spectrum", *TINY, "--set", "source.width=1e6", "--set", "source.iterations=60", code=3).stderr
        self.assertRegex(text, "inf|nan")
        self.assertEqual([name for name in self.new_files() if "journal" not in name], [])

    def test_sources_of_which_nothing_is_left_are_refused(self):
        formula = ("smear", "--extent", 4, 4, 4, 2, "--profile", "formula", "--formula")
        self.assertIn("--formula is '0', which is 0 from p2 = 0 to 12", self.call(*formula, "0", code=1).stderr)
        self.assertIn("multiply it by a number", self.call(*formula, "1e-300*exp(-p2)", code=1).stderr)
        self.assertIn("--p2-max is -100", self.call("smear", "--profile", "theta", "--p2-max", -100, code=1).stderr)
        # Smaller than single precision can follow, and larger than its squares can be.
        for size in ("1e-20", "1e20"):
            text = self.call("spectrum", *TINY, "--set", "source.smearing=formula", "--set", "source.formula=%s*exp(-p2)" % size,
                             "--set", "solver.precision=single", "--set", "solver.tolerance=1e-6", code=3).stderr
            self.assertRegex(text, r"the smeared source at 0 0 0 0 has the norm .*multiply source.formula by a number")
        self.assertEqual([name for name in self.new_files() if "journal" not in name], [])

    def test_errors_name_the_option_that_helps(self):
        self.assertIn("leave --extent out", self.call("info", "a.0001.lime", "--extent", 4, 4, 4, 4, code=1).stderr)


if __name__ == "__main__":
    unittest.main()
