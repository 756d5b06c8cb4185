# SPDX-License-Identifier: MIT
"""The program as a user calls it: results, messages, exit codes, resuming, several processes.

ctest sets KOVARIANT (the program), KOVARIANT_MPIEXEC (a launcher with its flags, or empty) and KOV_TEST_DATA.
"""
import json
import math
import os
import re
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["KOVARIANT"]
MPIEXEC = shlex.split(os.environ.get("KOVARIANT_MPIEXEC", ""))
DATA = os.environ.get("KOV_TEST_DATA", "")
HAS_HDF5 = os.environ.get("KOVARIANT_HDF5", "1") == "1"
HAS_PDF = os.environ.get("KOVARIANT_PDF", "1") == "1"
PICTURES = [".svg", ".pdf"] if HAS_PDF else [".svg"]

# A job of a second: 4^3 x 8, heavy quarks, two configurations.
TINY = ["--set", "gauge.extent=[4, 4, 4, 8]", "--set", "generate.configurations=2", "--set", "generate.thermalise=5",
        "--set", "generate.between=2", "--set", "action.kappa=0.13", "--set", "links.steps=2", "--set", "source.width=1",
        "--set", "source.iterations=3", "--set", "source.count=1", "--set", "analysis.pion=[1, 3]", "--set", "analysis.rho=[1, 3]",
        "--set", "analysis.nucleon=[1, 2]"]


def environment(**more):
    return {**os.environ, "OMP_NUM_THREADS": "1", **more}


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="kovariant-test-")
        self.addCleanup(shutil.rmtree, self.folder)

    def call(self, *arguments, ranks=1, code=0, timeout=100):
        command = [PROGRAM, *map(str, arguments)]
        if ranks > 1:
            command = [*MPIEXEC, "-n", str(ranks), *command]
        done = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=timeout, env=environment())
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name, mode="r"):
        with open(self.path(name), mode) as file:
            return file.read()

    def numbers(self, name):
        """The columns t, real, imaginary of a correlator text file, all blocks."""
        rows = [line.split() for line in self.read(name).splitlines() if line.strip() and not line.startswith("#")]
        return [[float(word) for word in row] for row in rows]

    def published(self, name):
        """Path of a published file; where it is not, the test ends here, skipped."""
        path = os.path.join(DATA, name)
        if not DATA or not os.path.exists(path):
            self.skipTest("NOT TESTED against published data: KOV_TEST_DATA names no folder with " + name)
        return path

    def leftovers(self):
        return [name for name in os.listdir(self.folder) if "tmp" in name.lower() or name.startswith(".")]


class Usage(ProgramTest):
    def test_help_everywhere(self):
        self.assertIn("exit codes", self.call("--help").stdout)
        for command in ("spectrum", "smear", "flow", "loops", "gaugefix", "info", "convert", "generate"):
            self.assertIn("--quiet", self.call(command, "--help").stdout)
        self.assertRegex(self.call("--version").stdout, r"kovariant \d+\.\d+\.\d+")

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

    def test_parameter_files_that_are_empty_or_none_of_ours(self):
        open(self.path("empty.toml"), "w").close()
        self.assertEqual(self.call("spectrum", "empty.toml", "--dry-run").stdout, self.call("spectrum", "--dry-run").stdout)
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 1, "--output", "a", "-q")
        self.assertIn("gauge.files", self.call("spectrum", "a.0001.lime", code=1).stderr)

    def test_a_dry_run_says_that_results_could_not_be_written(self):
        text = self.call("spectrum", "--set", "output.prefix=absent/folder", "--dry-run", code=1).stderr
        self.assertIn("the folder absent does not exist", text)

    def test_numbers_that_make_no_sense_are_refused(self):
        self.assertIn("--width", self.call("smear", "--width", -1, code=1).stderr)
        self.assertIn("nucleon, all", self.call("spectrum", "--set", 'correlators.baryons=["proton"]', code=1).stderr)

    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "one processor")
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

    @unittest.skipUnless(MPIEXEC, "no MPI in this build")
    def test_mpi_is_started_under_a_launcher_or_where_it_is_asked_for(self):
        def says_without_mpi(ranks=1, **more):
            command = [*([*MPIEXEC, "-n", str(ranks)] if ranks > 1 else []), PROGRAM, "info", "absent.lime", "--verbose"]
            done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  timeout=100, env=environment(**more))
            self.assertIn("lanes", done.stderr)
            return "without MPI" in done.stderr
        self.assertTrue(says_without_mpi())
        self.assertFalse(says_without_mpi(KOV_MPI="1"))
        self.assertFalse(says_without_mpi(ranks=2))
        self.assertTrue(says_without_mpi(ranks=2, KOV_MPI="0"))

    @unittest.skipUnless(MPIEXEC, "no MPI in this build")
    def test_an_error_is_said_once_and_every_rank_fails(self):
        done = self.call("info", "absent.lime", ranks=2, code=None)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("kovariant: cannot read absent.lime"), 1, done.stderr)


class BadFiles(ProgramTest):
    """Whatever a file holds: exit code 1 or 2 and a message that names it, in under a second, and nothing written."""

    def refuse(self, path, code=2, says=""):
        begin, used = time.monotonic(), os.times()
        done = self.call("info", path, code=code)
        seconds, now = time.monotonic() - begin, os.times()
        work = now.children_user + now.children_system - used.children_user - used.children_system
        self.assertLess(work, 1)
        self.assertLess(seconds, 1 if os.cpu_count() > 1 and os.getloadavg()[0] < os.cpu_count() else 10)
        self.assertEqual(done.stdout, "")
        self.assertIn(os.path.basename(str(path)), done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual(done.stderr.strip().count("\n"), 0, done.stderr)
        before = sorted(os.listdir(self.folder))
        self.call("convert", path, "out.lime", code=code)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def make(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return name

    def configuration(self, format="nersc"):
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 2, "--format", format, "--output", "good", "-q")
        return self.read("good.0001." + {"nersc": "nersc", "ildg": "lime"}[format], "rb")

    def test_absent(self):
        self.refuse("absent.lime", code=1)

    def test_empty(self):
        self.refuse(self.make("empty.lime", b""), says="empty")

    def test_folder(self):
        os.mkdir(self.path("folder.lime"))
        self.refuse("folder.lime", says="folder")

    def test_text(self):
        self.refuse(self.make("poem.lime", b"The quality of mercy is not strained,\n" * 100), says="no gauge configuration")

    def test_flipped_bit(self):
        for format in ("nersc", "ildg"):
            content = bytearray(self.configuration(format))
            content[len(content) // 2] ^= 4
            self.refuse(self.make("flipped." + format, bytes(content)), says="records")

    def test_truncated(self):
        for format in ("nersc", "ildg"):
            content = self.configuration(format)
            self.refuse(self.make("short." + format, content[:-1000]))
            self.refuse(self.make("stub." + format, content[:100]))

    def test_header_that_promises_more_than_there_is(self):
        content = self.configuration()
        self.refuse(self.make("more.nersc", content.replace(b"DIMENSION_4 = 4", b"DIMENSION_4 = 8")), says="bytes")

    def test_impossible_extents(self):
        content = self.configuration()
        for extent in (b"0", b"1099511627776", b"-4", b"4.5"):
            self.refuse(self.make("extent.nersc", content.replace(b"DIMENSION_4 = 4", b"DIMENSION_4 = " + extent)))

    def test_link_that_is_no_number(self):
        content = bytearray(self.configuration())
        content[-8:] = struct.pack(">d", float("nan"))
        path = self.make("nan.nersc", bytes(content))
        self.refuse(path)
        self.assertIn("finite", self.call("info", path, "--ignore", "checksums", code=2).stderr)

    def test_published_ones_that_were_damaged(self):
        for name in ("bad_checksum.lime", "bad_checksum.milc", "truncated.nersc"):
            self.refuse(self.published("derived/" + name))

    def test_a_check_that_is_ignored_on_request_is_recorded(self):
        content = bytearray(self.configuration())
        content[-1] ^= 1  # the lowest bit of the last link
        path = self.make("flipped.nersc", bytes(content))
        self.assertIn("--ignore checksums", self.call("info", path, code=2).stderr)
        done = self.call("info", path, "--ignore", "checksums")
        self.assertIn("warning", done.stderr)
        self.assertIn("ignored on request", done.stdout)
        self.call("convert", path, "copy.lime", "--ignore", "checksums")
        self.assertIn("checks_overridden", self.call("info", "copy.lime", "--metadata").stdout)
        # Every output made from it says so.
        for command in (["flow", path, "--time", 0.1], ["loops", path], ["smear", path, "--width", 1],
                        ["gaugefix", path, "fixed.lime"],
                        ["spectrum", "--set", 'gauge.files=["%s"]' % path, "--set", 'gauge.ignore=["checksums"]',
                         "--set", "action.kappa=0.11", "--set", "analysis.pion=[0, 1]", "--set", "analysis.rho=[0, 1]",
                         "--set", "analysis.nucleon=[0, 0]"]):
            name = command[0]
            self.call(*command, *(["--ignore", "checksums"] if name != "spectrum" else []))
            self.assertIn("IGNORED CHECKS", self.read(name + ".svg"))
            if name != "spectrum":
                self.assertRegex(self.read(name + ".txt"), "# check that failed and was ignored: .*checksum")
                self.call(name, "good.0001.nersc", *command[2:])
                self.assertNotIn("ignored", self.read(name + ".txt"))
                self.assertNotIn("IGNORED", self.read(name + ".svg"))


class Gauge(ProgramTest):
    def plaquette(self, name, *options):
        return re.search(r"^plaquette +(\S+)", self.call("info", name, *options).stdout, re.M).group(1)

    def links(self, name):
        return re.search(r"^links +(\S+ \S+)", self.call("info", name).stdout, re.M).group(1)

    def test_round_trips_through_every_format_keep_every_bit(self):
        self.call("generate", "--extent", 4, 6, 4, 8, "--thermalise", 3, "--output", "a", "-q")
        want, links = self.plaquette("a.0001.lime"), self.links("a.0001.lime")
        chain = ["a.0001.lime", "b.nersc"] + (["c.h5"] if HAS_HDF5 else []) + ["d.ildg"]
        for source, target in zip(chain, chain[1:]):
            self.call("convert", source, target)
            self.assertEqual(self.plaquette(target), want)
            self.assertEqual(self.links(target), links)

    def test_single_precision_and_two_rows_keep_seven_digits(self):
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 3, "--output", "a", "-q")
        self.call("convert", "a.0001.lime", "b.nersc", "--format", "nersc-3x2", "--precision", 32)
        self.assertLess(os.path.getsize(self.path("b.nersc")), os.path.getsize(self.path("a.0001.lime")) / 2.5)
        self.assertAlmostEqual(float(self.plaquette("b.nersc")), float(self.plaquette("a.0001.lime")), delta=1e-6)

    def test_the_same_seed_gives_the_same_links_and_another_seed_others(self):
        for name, seed in (("a", 5), ("b", 5), ("c", 6)):
            self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 3, "--seed", seed, "--output", name, "-q")
        self.assertEqual(self.links("a.0001.lime"), self.links("b.0001.lime"))
        self.assertNotEqual(self.links("a.0001.lime"), self.links("c.0001.lime"))

    @unittest.skipUnless(MPIEXEC, "no MPI in this build")
    def test_two_ranks_make_the_same_links_and_the_same_plaquette(self):
        for name, ranks in (("a", 1), ("b", 2)):
            self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 3, "--output", name, "-q", ranks=ranks)
        one, two = (self.call("info", "a.0001.lime", ranks=ranks).stdout for ranks in (1, 2))
        self.assertEqual(one, two)
        self.assertEqual(self.links("a.0001.lime"), self.links("b.0001.lime"))

    def test_history_has_a_line_for_every_update(self):
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 4, "--between", 3, "--configurations", 2,
                  "--output", "a", "-q")
        rows = [line for line in self.read("a.history.txt").splitlines() if not line.startswith("#")]
        self.assertEqual(len(rows), 7)
        self.assertEqual(float(rows[3].split()[1]), float(self.plaquette("a.0001.lime")))
        for ending in PICTURES:
            self.assertGreater(os.path.getsize(self.path("a.history" + ending)), 1000)

    # A chain of a few tenths of a second, most of it updates.
    CHAIN = ["generate", "--extent", 4, 4, 4, 8, "--beta", 5.7, "--seed", 3, "--thermalise", 30, "--between", 10, "-q"]

    def data(self, name):
        """The bytes of the links in a LIME file."""
        content = self.read(name, "rb")
        begin = content.index(b"ildg-binary-data") - 16
        length = struct.unpack(">Q", content[begin + 8:begin + 16])[0]
        self.assertEqual(length, 4 * 4 * 4 * 8 * 4 * 144)
        return content[begin + 144:begin + 144 + length]

    def assert_same_chain(self, one, other, configurations):
        for k in range(1, configurations + 1):
            self.assertTrue(self.data("%s.%04d.lime" % (one, k)) == self.data("%s.%04d.lime" % (other, k)), k)
        for ending in ("history.txt", "history.svg"):
            self.assertEqual(self.read("%s.%s" % (one, ending)), self.read("%s.%s" % (other, ending)))

    def begin(self, *arguments, wait_for, ranks=1):
        """Starts the program, waits until a file of such a name is there, and returns the process."""
        command = [PROGRAM, *map(str, arguments)]
        if ranks > 1:
            command = [*MPIEXEC, "-n", str(ranks), *command]
        process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, env=environment())
        self.addCleanup(process.stderr.close)
        deadline = time.monotonic() + 60
        while process.poll() is None and not any(map(re.compile(wait_for).search, os.listdir(self.folder))):
            self.assertLess(time.monotonic(), deadline, "it never wrote " + wait_for)
            time.sleep(0.001)
        return process

    def test_a_killed_chain_goes_on_as_if_it_had_not_been(self):
        self.call(*self.CHAIN, "--configurations", 5, "--output", "whole")
        for done in (1, 3):
            name = "killed%d" % done
            arguments = [*self.CHAIN, "--configurations", 5, "--output", name]
            process = self.begin(*arguments, wait_for="^%s.%04d.lime" % (name, done))
            process.kill()
            process.wait()
            self.assertFalse(os.path.exists(self.path(name + ".0005.lime")), "it was not killed in time")
            self.assertRegex(self.call(*arguments).stdout, "^[%d-4] of 5 configurations are there" % done)
            self.assert_same_chain("whole", name, 5)
            self.assertIn("nothing to do", self.call(*arguments).stdout)

    @unittest.skipUnless(MPIEXEC, "no MPI in this build")
    def test_a_chain_goes_on_with_another_number_of_processes(self):
        self.call(*self.CHAIN, "--configurations", 3, "--output", "whole")
        self.call(*self.CHAIN, "--configurations", 2, "--output", "part", ranks=2)
        self.call(*self.CHAIN, "--configurations", 3, "--output", "part")
        self.assert_same_chain("whole", "part", 3)

    def test_more_configurations_and_missing_ones_are_made_as_they_would_have_been(self):
        self.call(*self.CHAIN, "--configurations", 4, "--output", "whole")
        self.call(*self.CHAIN, "--configurations", 2, "--output", "part")
        self.call(*self.CHAIN, "--configurations", 4, "--output", "part")
        self.assert_same_chain("whole", "part", 4)
        for k in (1, 3):
            os.remove(self.path("part.%04d.lime" % k))
        os.remove(self.path("part.history.txt"))
        self.assertIn("2 of 4 configurations are there", self.call(*self.CHAIN, "--configurations", 4, "--output", "part").stdout)
        for k in range(1, 5):
            self.assertTrue(self.data("part.%04d.lime" % k) == self.data("whole.%04d.lime" % k), k)

    def test_every_format_goes_on(self):
        for extra in (["--format", "nersc"], ["--format", "nersc-3x2"], ["--format", "ildg", "--precision", 32],
                      *([["--format", "hdf5"]] if HAS_HDF5 else [])):
            with self.subTest(extra):
                name = "".join(map(str, extra)).replace("-", "")
                chain = [*self.CHAIN, *extra, "--output"]
                whole = self.call(*chain, name + "w", "--configurations", 2).stdout.splitlines()
                self.call(*chain, name + "p")
                part = self.call(*chain, name + "p", "--configurations", 2).stdout.splitlines()
                self.assertIn("1 of 2 configurations are there", part[0])
                # Update, plaquette and checksums of the links as they are in the file.
                self.assertEqual(part[-1].replace(name + "p", name + "w"), whole[-1])
                self.assertEqual(self.read(name + "w.history.txt"), self.read(name + "p.history.txt"))

    def test_another_chain_is_refused_and_its_files_stay(self):
        self.call(*self.CHAIN, "--configurations", 2, "--output", "a")
        before = {name: self.read(name, "rb") for name in os.listdir(self.folder)}
        for option, value in (("--beta", 5.700000001), ("--seed", 4), ("--thermalise", 31), ("--between", 9),
                              ("--overrelaxation", 3), ("--start", "hot"), ("--precision", 32)):
            chain = [*self.CHAIN, option, value]
            if option in self.CHAIN:
                chain = [*self.CHAIN]
                chain[chain.index(option) + 1] = value
            done = self.call(*chain, "--configurations", 3, "--output", "a", code=1)
            self.assertIn("a.0001.lime is there already", done.stderr)
            self.assertIn("%s %s" % (option, value), done.stderr)
            self.assertIn("another --output", done.stderr)
        self.assertIn("--extent 4 4 4 8", self.call("generate", "--extent", 4, 4, 4, 4, "--output", "a", code=1).stderr)
        self.call("convert", "a.0001.lime", "b.0001.nersc")
        with open(self.path("d.0001.lime"), "w") as file:
            file.write("a shopping list")
        self.call(*self.CHAIN, "--format", "nersc", "--output", "b", code=1)
        self.assertIn("d.0001.lime", self.call(*self.CHAIN, "--output", "d", code=2).stderr)
        self.assertEqual({name: self.read(name, "rb") for name in before}, before)

    def test_a_configuration_of_another_program_is_no_chain_to_go_on_from(self):
        shutil.copy(self.published("milc/lat.sample.l4444"), self.path("e.0001.lime"))
        self.assertIn("no chain of this program", self.call(*self.CHAIN, "--output", "e", code=1).stderr)
        self.assertEqual(os.listdir(self.folder), ["e.0001.lime"])

    def test_signals_end_it_with_their_code_and_leave_no_temporary_files(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            # Writing takes longest here, and it is waited for; afterwards the chain goes on.
            name = "s%d" % code
            arguments = ["generate", "--extent", 8, 8, 8, 16, "--thermalise", 0, "--between", 1, "--overrelaxation", 0,
                         "--configurations", 50, "--output", name, "-q"]
            process = self.begin(*arguments, wait_for=r"^\.%s.*lime.*\.part$" % name)
            process.send_signal(number)
            text = process.communicate()[1]
            self.assertEqual(process.returncode, code, text)
            self.assertEqual(self.leftovers(), [])
            self.assertEqual(len(text.splitlines()), 1, text)
            self.assertIn("kovariant: ", text)

    def test_ignored_signals_stay_ignored(self):
        command = ["nohup", PROGRAM, *map(str, self.CHAIN), "--output", "a"]
        process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=environment())
        time.sleep(0.2)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(), 0)

    def test_an_output_that_cannot_be_written_is_said_before_the_work(self):
        done = self.call("generate", "--output", "absent/folder/a", code=1)
        self.assertIn("absent/folder", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])


class Smear(ProgramTest):
    def tables(self, text):
        """The tables of numbers: line, radial, plane, spectrum."""
        blocks = [[[float(word) for word in line.split()] for line in block.splitlines()
                   if line and not line.startswith(("#", "wrote"))] for block in text.split("\n\n\n")]
        return [block for block in blocks if block]

    def profile(self, text):
        return [row[1] for row in self.tables(text)[0]]

    def test_free_profile_is_that_of_repeated_averaging(self):
        n, width, size = 6, 2.0, 8
        text = self.call("smear", "--extent", size, size, size, 2, "--width", width, "--iterations", n).stdout
        found = self.profile(text)
        # (1 + s Laplacian)^n on numbers: spin and colour take no part when all links are 1.
        s = width * width / (4 * n)
        psi = {(size // 2,) * 3: 1.0}
        for _ in range(n):
            new = {}
            for (x, y, z), v in psi.items():
                new[x, y, z] = new.get((x, y, z), 0.0) + (1 - 6 * s) * v
                for step in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)):
                    to = ((x + step[0]) % size, (y + step[1]) % size, (z + step[2]) % size)
                    new[to] = new.get(to, 0.0) + s * v
            psi = new
        want = [abs(psi.get((x, size // 2, size // 2), 0.0)) for x in range(size)]
        self.assertEqual(len(found), size)
        for a, b in zip(found, want):
            self.assertAlmostEqual(a, b, delta=1e-12)
        self.assertEqual(self.profile(self.read("smear.txt")), found)
        self.assertIn("</svg>", self.read("smear.svg"))

    def test_gaussian_is_its_fourier_sum_and_momentum_moves_its_peak(self):
        size, sigma, momentum = 8, 1.5, (1, 0, -2)
        self.call("smear", "--extent", size, size, size, 2, "--profile", "gaussian", "--sigma", sigma,
                  "--momentum", *momentum)
        line, radial, plane, spectrum = self.tables(self.read("smear.txt"))
        # The Gaussian of p^2 = sum of 4 sin^2(p_j / 2) is a product; the phase of a momentum is not in |psi|.
        f = lambda n: math.exp(-0.5 * (2 * sigma * math.sin(math.pi * n / size)) ** 2)
        g = [sum(f(n) * math.cos(2 * math.pi * n * d / size) for n in range(size)) / size for d in range(size)]
        for x, value in line:
            self.assertAlmostEqual(value, g[abs(int(x) - size // 2)] * g[0] ** 2, delta=1e-9)
        self.assertEqual(len(plane), size * size)
        for x, y, value in plane:
            self.assertAlmostEqual(value, g[abs(int(x) - 4)] * g[abs(int(y) - 4)] * g[0], delta=1e-9)
        self.assertEqual(radial[0][2], 1)
        self.assertEqual(radial[1][1:], [line[3][1], 6])
        for n, value in spectrum:
            self.assertAlmostEqual(value, f(n - momentum[0]), delta=1e-9)
        for name in ("smear.svg", "smear.radial.svg", "smear.plane.svg", "smear.spectrum.svg"):
            self.assertIn("</svg>", self.read(name))
        self.assertIn("lattice", self.read("smear.radial.svg"))

    def test_momentum_need_not_be_whole_and_serves_wuppertal_too(self):
        self.call("smear", "--extent", 8, 8, 8, 2, "--width", 3, "--iterations", 20, "--momentum", 0, -1.6, 0,
                  "--direction", "y")
        spectrum = self.tables(self.read("smear.txt"))[3]
        self.assertEqual(max(spectrum, key=lambda row: row[1])[0], -2)

    def test_node_is_where_it_was_asked_for(self):
        found = self.profile(self.call("smear", "--extent", 24, 24, 24, 2, "--profile", "node", "--sigma", 3, "--node", 5).stdout)
        self.assertLess(found[17], 0.01 * found[12])
        self.assertGreater(found[15], 0.2 * found[12])
        self.assertGreater(found[20], 4 * found[17])

    def test_theta_with_a_high_threshold_is_a_point_and_says_its_order(self):
        text = self.call("smear", "--extent", 4, 4, 4, 2, "--profile", "theta", "--p2-max", 20, "--edge", 0.5).stdout
        for a, b in zip(self.profile(text), [0, 0, 1, 0]):
            self.assertAlmostEqual(a, b, delta=1e-9)
        text = self.call("smear", "--extent", 4, 4, 4, 2, "--profile", "theta", "--p2-max", 3, "--edge", 0.5).stdout
        self.assertGreater(int(re.search(r"# order: (\d+)", text).group(1)), 20)
        self.assertLess(float(re.search(r"# error: (\S+)", text).group(1)), 1e-10)

    def test_every_source_on_hot_links_is_the_same_on_two_ranks(self):
        for source in ("point", "wall", "grid", "z2", "z4", "u1"):
            results = []
            for ranks in (1, 2) if MPIEXEC else (1, 1):
                text = self.call("smear", "--links", "hot", "--extent", 4, 4, 4, 4, "--source", source, "--profile", "gaussian",
                                 "--sigma", 1, "--seed", 3, ranks=ranks).stdout
                results.append(self.profile(text))
            for a, b in zip(*results):
                self.assertAlmostEqual(a, b, delta=1e-11)
            self.assertGreater(max(results[0]), 0)

    def test_a_formula_is_the_profile_it_says(self):
        self.call("smear", "--extent", 8, 8, 8, 2, "--profile", "gaussian", "--sigma", 1.5, "--output", "a", "-q")
        self.call("smear", "--extent", 8, 8, 8, 2, "--profile", "formula", "--formula", "exp(-p2 * 1.5^2 / 2)", "--output", "b", "-q")
        rows = [[float(w) for w in line.split()] for name in "ab" for line in self.read(name + ".txt").splitlines()
                if line.strip() and not line.startswith("#")]
        half = len(rows) // 2
        self.assertGreater(half, 60)
        for one, two in zip(rows[:half], rows[half:]):
            for x, y in zip(one, two):
                self.assertAlmostEqual(x, y, delta=1e-10)
        for formula, says in (("exp(-p2", "lacks a ')'"), ("q^2", "p2"), ("", "empty"), ("1 / (p2 - 1)", "finite")):
            self.assertIn(says, self.call("smear", "--profile", "formula", "--formula", formula, code=1).stderr)
        self.assertIn("finite", self.call("smear", "--extent", 4, 4, 4, 2, "--profile", "formula", "--formula", "sqrt(3 - p2)",
                                          code=1).stderr)

    def test_a_plane_wave_is_multiplied_by_the_profile(self):
        self.call("smear", "--extent", 8, 8, 8, 2, "--source", "momentum", "--wave", 1, 2, 0, "--profile", "gaussian", "--sigma", 1.5,
                  "-q")
        p2 = sum(4 * math.sin(math.pi * n / 8) ** 2 for n in (1, 2))
        line = [row for row in self.read("smear.txt").split("\n\n\n")[0].splitlines() if not row.startswith("#")]
        for row in line:
            if row.strip():
                self.assertAlmostEqual(float(row.split()[1]), math.exp(-p2 * 1.5 ** 2 / 2), delta=1e-9)
        self.assertIn("whole number", self.call("smear", "--source", "momentum", "--wave", 0.5, 0, 0, code=1).stderr)

    def test_a_dry_run_says_the_plan_and_writes_nothing(self):
        text = self.call("smear", "--profile", "node", "--sigma", 3, "--stout", 2, "--dry-run").stdout
        self.assertIn("stout x 2", text)
        self.assertIn("node at r", text)
        self.assertEqual(os.listdir(self.folder), [])

    def test_stout_links_smear_further(self):
        def radius(*options):
            text = self.call("smear", "--extent", 8, 8, 8, 2, "--links", "hot", "--width", 2, "-q", *options).stdout
            return float(re.search("mean square radius = (.*)", text).group(1))
        self.assertGreater(radius("--stout", 20), 1.1 * radius())

    def test_bounds_may_be_found(self):
        arguments = ("smear", "--links", "hot", "--extent", 4, 4, 4, 4, "--profile", "gaussian", "--sigma", 2)
        given, found = self.call(*arguments).stdout, self.call(*arguments, "--find-bounds").stdout
        self.assertIn("# spectrum: 0 to 12", given)
        self.assertNotIn("# spectrum: 0 to 12", found)
        for a, b in zip(self.profile(given), self.profile(found)):
            self.assertAlmostEqual(a, b, delta=1e-9)

    def test_what_makes_no_sense_is_refused(self):
        for arguments, says in ((("--profile", "theta", "--edge", 0), "edge"), (("--sigma", -1), "--sigma"),
                                (("--source", "grid", "--spacing", 5), "5"), (("--at", 99, 0, 0, 0), "--at"),
                                (("--profile", "theta", "--edge", 1e-4), "larger order"), (("--momentum", 1, 0), "3"),
                                (("--source", "momentum", "--wave", 3e9, 0, 0), "--wave"),
                                (("--momentum", 1e30, 0, 0), "--momentum"),
                                (("--profile", "formula", "--formula", "exp(-((p2 - 5.3) / 0.001)^2)"), "larger order")):
            self.assertIn(says, self.call("smear", *arguments, code=1).stderr)
            self.assertEqual(os.listdir(self.folder), [])

    def test_what_is_written_is_said_and_doubts_are(self):
        done = self.call("smear", "--extent", 4, 4, 4, 2, "--width", 1, "--iterations", 2)
        files = ["smear.txt"] + (["smear.h5"] if HAS_HDF5 else [])
        files += ["smear" + picture + ending for picture in ("", ".radial", ".plane", ".spectrum") for ending in PICTURES]
        self.assertIn("wrote " + ", ".join(files[:-1]) + " and " + files[-1] + "\n", done.stdout)
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(files))
        self.assertEqual("no cairo" in done.stdout, not HAS_PDF)
        self.assertNotIn("warning", done.stderr)
        done = self.call("smear", "--extent", 4, 4, 4, 2, "--width", 2, "--iterations", 5)
        self.assertIn("takes 6 iterations", done.stderr)

    def test_no_iterations_leave_the_delta(self):
        found = self.profile(self.call("smear", "--extent", 4, 4, 4, 2, "--iterations", 0).stdout)
        self.assertEqual(found, [0, 0, 1, 0])

    def test_works_on_a_file_and_shrinks_the_peak(self):
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 3, "--output", "a", "-q")
        found = self.profile(self.call("smear", "a.0001.lime", "--iterations", 5, "--width", 1.5, "--ape", 2).stdout)
        self.assertEqual(len(found), 4)
        self.assertLess(found[2], 1)
        self.assertEqual(max(found), found[2])

    @unittest.skipUnless(MPIEXEC, "no MPI in this build")
    def test_two_ranks_give_the_same_profile(self):
        arguments = ("smear", "--extent", 8, 4, 4, 4, "--width", 1.5, "--iterations", 4)
        one, two = self.profile(self.call(*arguments).stdout), self.profile(self.call(*arguments, ranks=2).stdout)
        for a, b in zip(one, two):
            self.assertAlmostEqual(a, b, delta=1e-14)


class Links(ProgramTest):
    """flow, loops and gaugefix on a small configuration of the test's own."""

    def setUp(self):
        super().setUp()
        self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 5, "--output", "a", "-q")
        self.before = sorted(os.listdir(self.folder))

    def rows(self, text, table=0):
        """The columns of one table of a text; '-' is None."""
        blocks = [[line.split() for line in block.splitlines() if line.strip() and not line.startswith("#")]
                  for block in text.split("\n\n\n")]
        return [[None if word == "-" else float(word) for word in row] for row in blocks[table]]

    def plaquette(self, name):
        return float(re.search(r"^plaquette +(\S+)", self.call("info", name).stdout, re.M).group(1))

    def new_files(self):
        return sorted(set(os.listdir(self.folder)) - set(self.before))

    def outputs(self, prefix):
        return sorted(prefix + ending for ending in ([".h5"] if HAS_HDF5 else []) + PICTURES + [".txt"])

    def tables_in_hdf5(self, name):
        """{dataset: rows} as h5py reads them, or None without h5py."""
        python = next((p for p in ("/usr/bin/python3", "python3")
                       if subprocess.run([p, "-c", "import h5py"], stderr=subprocess.DEVNULL).returncode == 0), None)
        if python is None or not HAS_HDF5:
            return None
        script = ("import h5py, json, sys\nf = h5py.File(sys.argv[1])\n"
                  "assert 'links_checksum' in f['inputs'].attrs, list(f['inputs'].attrs)\n"
                  "assert list(f.attrs['extent']) == [4, 4, 4, 8]\n"
                  "for k in f:\n"
                  "    if isinstance(f[k], h5py.Dataset): assert len(f[k].attrs['columns']) == f[k].shape[1]\n"
                  "print(json.dumps({k: f[k][()].tolist() for k in f if isinstance(f[k], h5py.Dataset)}))\n")
        done = subprocess.run([python, "-c", script, name], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_flow_prints_a_table_that_begins_at_the_plaquette(self):
        text = self.call("flow", "a.0001.lime", "--time", 0.5, "--step", 0.05, "--every", 2, "--write", "f.lime").stdout
        rows = self.rows(self.read("flow.txt"))
        self.assertEqual([row[0] for row in rows], [0, 0.1, 0.2, 0.3, 0.4, 0.5])
        self.assertAlmostEqual(rows[0][1], 36 * (1 - self.plaquette("a.0001.lime")), delta=1e-9)
        self.assertAlmostEqual(rows[-1][1], 36 * (1 - self.plaquette("f.lime")), delta=1e-9)
        for before, after in zip(rows, rows[1:]):
            self.assertLess(after[1], before[1])
        for row in rows:
            self.assertAlmostEqual(row[2], row[3] + row[4], delta=1e-9)
            self.assertAlmostEqual(row[5], row[0] ** 2 * row[2], delta=1e-9)
        self.assertIn(self.read("flow.txt"), text)
        self.assertIn("not reached", text)
        self.assertIn("</svg>", self.read("flow.svg"))
        self.assertEqual(self.new_files(), sorted(self.outputs("flow") + ["f.lime"]))
        stored = self.tables_in_hdf5("flow.h5")
        if stored:
            for a, b in zip(stored["flow"], rows):
                self.assertAlmostEqual(a[1], b[1], delta=1e-10 * abs(b[1]))

    def test_flow_of_a_published_configuration_is_that_of_milc(self):
        with open(self.published("oracles/milc_symanzik_flow_l4448.json")) as file:
            want = json.load(file)["values"]
        self.call("flow", self.published("milc/lat.sample.l4448"), "--action", "symanzik", "--step", 0.1, "--time", 1,
                  "--every", 1)
        rows = self.rows(self.read("flow.txt"))
        self.assertEqual(len(rows), len(want))
        for row, (t, temporal, spatial, charge) in zip(rows, want):
            self.assertAlmostEqual(row[0], t, delta=1e-9)
            self.assertAlmostEqual(row[3], temporal, delta=5e-6 * temporal)
            self.assertAlmostEqual(row[4], spatial, delta=5e-6 * spatial)
            self.assertAlmostEqual(row[7], charge, delta=5e-8)

    def test_flow_finds_scales_where_it_goes_far_enough(self):
        text = self.call("flow", "a.0001.lime", "--time", 1.5, "--step", 0.05, "--reference", 0.02).stdout
        t0 = float(re.search(r"^# t0/a\^2 clover = (\S+)", text, re.M).group(1))
        rows = self.rows(self.read("flow.txt"))
        k = next(k for k in range(len(rows)) if rows[k][5] >= 0.02)
        self.assertLess(rows[k - 1][0], t0)
        self.assertLessEqual(t0, rows[k][0])

    def test_loops_hold_the_plaquette_and_shrink(self):
        text = self.call("loops", "a.0001.lime", "--max-r", 2, "--max-t", 3).stdout
        self.assertIn(self.read("loops.txt"), text)
        info = self.call("info", "a.0001.lime").stdout
        time, space = self.rows(self.read("loops.txt"), 0), self.rows(self.read("loops.txt"), 1)
        self.assertEqual([row[:2] for row in time], [[r, t] for r in (1, 2) for t in (1, 2, 3)])
        self.assertEqual([row[:2] for row in space], [[1, 1], [2, 1], [2, 2]])
        for row, name in ((time[0], "temporal"), (space[0], "spatial")):
            self.assertAlmostEqual(row[2], float(re.search(name + r" +(\S+)", info).group(1)), delta=1e-11)
        self.assertIsNone(time[2][3])
        self.assertAlmostEqual(time[0][3], math.log(time[0][2] / time[1][2]), delta=1e-9)
        line = re.search(r"Polyakov loop +(\S+) (\S+) i", info)
        self.assertAlmostEqual(float(re.search(r"Polyakov loop t real = (\S+)", text).group(1)), float(line.group(1)),
                               delta=1e-11)
        self.assertEqual(self.new_files(), self.outputs("loops"))
        stored = self.tables_in_hdf5("loops.h5")
        if stored:
            self.assertEqual(sorted(stored), ["space_space", "space_time"])
            self.assertAlmostEqual(stored["space_time"][0][2], time[0][2], delta=1e-11)

    def test_loops_say_why_there_is_no_picture(self):
        done = self.call("loops", "a.0001.lime", "--max-t", 1)
        self.assertRegex(done.stdout, "no picture loops.svg: .*--max-t")
        self.assertFalse(os.path.exists(self.path("loops.svg")))
        self.assertNotIn("svg", done.stdout.splitlines()[-1])

    def test_gaugefix_says_why_there_is_no_picture(self):
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 0, "--output", "cold", "-q")
        done = self.call("gaugefix", "cold.0001.lime", "fixed.lime")  # theta is 0
        self.assertRegex(done.stdout, "no picture gaugefix.svg: .*no positive number")
        self.assertTrue(os.path.exists(self.path("fixed.lime")))

    def test_loops_take_every_parameter_of_the_smearing(self):
        def first(*options):
            text = self.call("loops", "a.0001.lime", "--steps", 1, "--max-r", 1, "--max-t", 2, *options).stdout
            return self.rows(text)[0][2], text
        for smearing, option, value, says in (("ape", "--weight", 1, "weight 1"), ("stout", "--rho", 0.05, "rho 0.05"),
                                              ("hyp", "--alpha2", 0.3, "alpha2 0.3"), ("hyp", "--alpha3", 0.1, "alpha3 0.1")):
            usual, text = first("--smearing", smearing)
            self.assertIn("spatial", text)
            other, text = first("--smearing", smearing, option, value)
            self.assertNotAlmostEqual(usual, other, delta=1e-4)
            self.assertIn(says, text)
            whole, text = first("--smearing", smearing, "--directions", "all")
            self.assertGreater(whole, usual)
            self.assertIn("all directions", text)
        self.assertEqual(first("--smearing", "hyp")[0], first("--smearing", "hyp", "--alpha1", 0.2)[0])
        self.assertNotEqual(first("--smearing", "hyp", "--directions", "all")[0],
                            first("--smearing", "hyp", "--directions", "all", "--alpha1", 0.2)[0])

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

    def test_smearing_raises_loops(self):
        thin = self.rows(self.call("loops", "a.0001.lime", "-q").stdout)[0][2]
        for method in ("ape", "stout", "hyp"):
            done = self.call("loops", "a.0001.lime", "--smearing", method, "--steps", 2, "--output", method)
            self.assertGreater(self.rows(self.read(method + ".txt"))[0][2], thin)
            self.assertIn("2 steps", done.stdout)

    def test_gauges_keep_the_plaquette_and_reach_their_tolerance(self):
        plaquette = self.plaquette("a.0001.lime")
        for gauge in ("coulomb", "landau"):
            text = self.call("gaugefix", "a.0001.lime", gauge + ".lime", "--gauge", gauge, "--tolerance", 1e-10,
                             "--output", gauge).stdout
            rows = self.rows(self.read(gauge + ".txt"))
            self.assertLessEqual(rows[-1][2], 1e-10)
            self.assertGreater(rows[-1][1], rows[0][1])
            self.assertIn(self.read(gauge + ".txt"), text)
            self.assertAlmostEqual(self.plaquette(gauge + ".lime"), plaquette, delta=2e-12)
            self.assertIn(gauge, self.call("info", gauge + ".lime", "--metadata").stdout)
            # Fixed links have nothing left to do.
            again = self.call("gaugefix", gauge + ".lime", "again.lime", "--gauge", gauge, "--tolerance", 1.1e-10,
                              "--output", "again").stdout
            self.assertIn("# iterations = 0", again)
        self.call("gaugefix", "a.0001.lime", "temporal.lime", "--gauge", "temporal", "--output", "temporal")
        self.assertAlmostEqual(self.plaquette("temporal.lime"), plaquette, delta=2e-12)
        self.assertFalse(os.path.exists(self.path("temporal.txt")))
        self.assertEqual(self.leftovers(), [])

    def test_the_configuration_that_is_read_is_never_overwritten(self):
        before = self.read("a.0001.lime", "rb")
        os.symlink("a.0001.lime", self.path("b.lime"))
        for name in ("a.0001.lime", "./a.0001.lime", "b.lime"):
            for command in (["gaugefix", "a.0001.lime", name], ["convert", "a.0001.lime", name],
                            ["flow", "a.0001.lime", "--write", name]):
                self.assertIn("overwritten", self.call(*command, code=1).stderr)
        os.remove(self.path("b.lime"))
        self.assertEqual(self.read("a.0001.lime", "rb"), before)

    @unittest.skipUnless(HAS_HDF5, "no HDF5 in this build")
    def test_nor_by_the_tables_or_by_another_output(self):
        self.call("convert", "a.0001.lime", "x.h5")
        self.call("gaugefix", "a.0001.lime", "b.lime", "--gauge", "temporal", "--transformation", "g.h5")
        self.before = sorted(os.listdir(self.folder))
        before = {name: self.read(name, "rb") for name in self.before}
        os.mkdir(self.path("folder"))
        os.mkdir(self.path("taken.svg"))
        os.symlink("linked.txt", self.path("linked.svg"))
        self.before = sorted(os.listdir(self.folder))
        here = os.path.join(os.path.realpath(self.folder), "x")
        for command in (["flow", "x.h5", "--output", "x"], ["flow", "x.h5", "--output", "./x"],
                        ["loops", "x.h5", "--output", here], ["smear", "x.h5", "--output", "folder/../x"],
                        ["gaugefix", "x.h5", "y.h5", "--output", "x"], ["gaugefix", "x.h5", "y.h5", "--output", "y"],
                        ["gaugefix", "x.h5", "y.h5", "--transformation", "./y.h5"],
                        ["gaugefix", "x.h5", "y.h5", "--transformation", "./gaugefix.txt"],
                        ["gaugefix", "x.h5", "y.h5", "--transformation", here + ".h5"],
                        ["gaugefix", "a.0001.lime", "g.h5", "--apply", "g.h5"],
                        ["flow", "x.h5", "--write", "flow.h5"], ["flow", "x.h5", "--output", "linked"],
                        ["flow", "x.h5", "--log", "flow.txt"], ["generate", "--log", "quenched.history.txt"],
                        ["spectrum", "--set", 'output.journal="spectrum.dat"'],
                        ["spectrum", "--set", 'gauge.files=["x.h5"]', "--set", 'output.prefix="x"'],
                        ["spectrum", "--set", 'gauge.files=["x.h5"]', "--set", f'output.prefix="{here}"']):
            self.assertIn("overwritten", self.call(*command, code=1).stderr, command)
        for log in ("flow.txt", "quenched.history.txt"):
            os.remove(self.path(log))
        for command, says in ((["flow", "x.h5", "--output", "taken"], "folder"),
                              (["gaugefix", "x.h5", "y.h5", "--output", "taken"], "folder"),
                              (["smear", "--output", "folder/"], "names no file"),
                              (["smear", "--output", "folder/."], "names no file"),
                              (["smear", "--output", "a" * 252], "255"),
                              (["spectrum", "--set", 'output.journal="g.h5/journal"'], "is a file"),
                              (["spectrum", "--set", 'gauge.files=["x.h5", "./x.h5"]'], "twice"),
                              (["loops", "x.h5", "--output", ""], "names no file"),
                              (["flow", "x.h5", "--log", "x.h5"], "no log"),
                              (["flow", "x.h5", "--log", "absent/log"], "absent")):
            self.assertIn(says, self.call(*command, code=1).stderr, command)
        self.assertEqual(self.new_files(), [])
        for name, bytes_before in before.items():
            self.assertEqual(self.read(name, "rb"), bytes_before, name)

    def test_a_symbolic_link_to_nothing_yet_is_followed(self):
        os.mkdir(self.path("scratch"))
        os.symlink(os.path.join("scratch", "new.lime"), self.path("out.lime"))
        self.call("convert", "a.0001.lime", "out.lime")
        self.assertTrue(os.path.islink(self.path("out.lime")))
        self.assertIn("new.lime", os.listdir(self.path("scratch")))

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
    def test_a_log_that_is_lost_is_an_error_in_the_end(self):
        done = self.call("info", "a.0001.lime", "--log", "/dev/full", code=1)
        self.assertIn("plaquette", done.stdout)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("log", done.stderr)

    def test_a_log_into_a_pipe_is_refused_at_once(self):
        os.mkfifo(self.path("pipe"))
        self.assertIn("pipe", self.call("info", "a.0001.lime", "--log", "pipe", code=1, timeout=20).stderr)

    def test_logs_are_appended_to(self):
        for _ in range(2):
            self.call("info", "a.0001.lime", "--log", "log")
        self.assertEqual(self.read("log").count("info a.0001.lime"), 2)

    def test_a_flow_that_is_unstable_says_so(self):
        done = self.call("flow", "a.0001.lime", "--step", 0.2, "--every", 1, code=3)
        self.assertIn("0.157", done.stderr)
        self.assertIn("unstable", done.stderr)
        self.assertEqual(self.new_files(), [])
        self.assertNotIn("warning", self.call("flow", "a.0001.lime", "--time", 0.3, "--step", 0.15).stderr)

    def test_scales_say_how_sure_they_are(self):
        def scales(every):
            done = self.call("flow", "a.0001.lime", "--time", 2, "--reference", 0.02, "--every", every)
            value, error = (float(re.search(rf"^# t0/a\^2 clover{word} = (\S+)", done.stdout, re.M).group(1))
                            for word in ("", " interpolation error"))
            return value, error, done.stderr
        fine, coarse = scales(1), scales(25)
        self.assertLess(fine[1], 1e-3 * fine[0])
        self.assertNotIn("t0/a^2 clover", fine[2])
        self.assertGreater(coarse[1], 1e-3 * coarse[0])
        self.assertIn("t0/a^2 clover", coarse[2])
        self.assertIn("lower --every", coarse[2])

    @unittest.skipUnless(MPIEXEC, "no MPI in this build")
    def test_ranks_with_other_options_are_refused(self):
        def call(name):
            return [PROGRAM, "smear", "--extent", "4", "4", "4", "4", "--width", "1", "--iterations", name]
        for one, two in ((call("4"), call("5")), (call("4"), call("4") + ["--log", "log"])):
            done = subprocess.run([*MPIEXEC, "-n", "1", *one, ":", "-n", "1", *two], cwd=self.folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=100, env=environment())
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("ranks disagree about the command line", done.stderr)
        self.assertEqual(self.new_files(), [])

    @unittest.skipUnless(HAS_HDF5, "no HDF5 in this build")
    def test_a_transformation_that_was_kept_gives_the_fixed_links_again(self):
        for gauge in ("coulomb", "landau", "temporal"):
            text = self.call("gaugefix", "a.0001.lime", "fixed.lime", "--gauge", gauge, "--tolerance", 1e-10,
                             "--transformation", "g.h5").stdout
            self.assertIn("g.h5", text)
            self.call("gaugefix", "a.0001.lime", "applied.lime", "--apply", "g.h5", *(["-q"] if gauge == "landau" else []))
            checksum = [line for line in self.call("info", "fixed.lime").stdout.splitlines() if "checksum" in line]
            self.assertEqual([line for line in self.call("info", "applied.lime").stdout.splitlines() if "checksum" in line],
                             checksum)
            if gauge == "landau" and MPIEXEC:
                self.call("gaugefix", "a.0001.lime", "applied.lime", "--apply", "g.h5", ranks=2)
                self.assertEqual([line for line in self.call("info", "applied.lime").stdout.splitlines()
                                  if "checksum" in line], checksum)
        self.assertEqual(self.leftovers(), [])
        self.assertIn("no dataset", self.call("gaugefix", "a.0001.lime", "b.lime", "--apply", "gaugefix.h5", code=2).stderr)
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 1, "--output", "small", "-q")
        self.assertIn("4 4 4 4", self.call("gaugefix", "small.0001.lime", "b.lime", "--apply", "g.h5", code=2).stderr)
        for arguments in (["--apply", "g.h5", "--transformation", "h.h5"], ["--transformation", "b.lime"],
                          ["--transformation", "gaugefix.h5"], ["--transformation", "absent/g.h5"]):
            self.call("gaugefix", "a.0001.lime", "b.lime", *arguments, code=1)
        self.assertFalse(os.path.exists(self.path("b.lime")))

    def test_too_few_iterations_end_with_three_and_write_nothing(self):
        done = self.call("gaugefix", "a.0001.lime", "b.lime", "--iterations", 5, code=3)
        self.assertIn("theta", done.stderr)
        self.assertEqual(self.new_files(), [])

    def test_errors_name_the_option_that_helps(self):
        self.assertIn("leave --extent out", self.call("info", "a.0001.lime", "--extent", 4, 4, 4, 4, code=1).stderr)

    def test_dry_runs_say_the_plan_and_write_nothing(self):
        text = self.call("generate", "--extent", 4, 4, 4, 8, "--configurations", 3, "--between", 7, "--dry-run").stdout
        for says in ("4 4 4 8", "3 the first after 100", "to do           114 updates", "MiB", "quenched.0001.lime to quenched.0003.lime"):
            self.assertIn(says, text)
        self.assertIn("50 steps", self.call("flow", "a.0001.lime", "--time", 1, "--dry-run").stdout)
        self.assertIn("3 in time", self.call("loops", "a.0001.lime", "--max-t", 3, "--dry-run").stdout)
        self.assertIn("landau", self.call("gaugefix", "a.0001.lime", "b.lime", "--dry-run").stdout)
        self.assertEqual(self.new_files(), [])

    def test_nonsense_is_refused_before_the_work(self):
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

    @unittest.skipUnless(MPIEXEC, "no MPI in this build")
    def test_two_ranks_find_the_same(self):
        for command, more in (("flow", ["--time", 0.2]), ("loops", ["--smearing", "hyp", "--steps", 1])):
            for name, ranks in (("one", 1), ("two", 2)):
                self.call(command, "a.0001.lime", *more, "--output", name, ranks=ranks)
            one, two = (self.rows(self.read(name + ".txt")) for name in ("one", "two"))
            self.assertEqual(len(one), len(two))
            for a, b in zip(one, two):
                for x, y in zip(a, b):
                    self.assertAlmostEqual(x or 0, y or 0, delta=1e-10)
        for name, ranks in (("one", 1), ("two", 2)):
            self.call("gaugefix", "a.0001.lime", name + ".lime", "--gauge", "coulomb", "--output", name, ranks=ranks)
        self.assertEqual(self.read("one.txt").replace("one", "two"), self.read("two.txt"))
        links = [re.search(r"^links +(\S+ \S+)", self.call("info", name + ".lime").stdout, re.M).group(1)
                 for name in ("one", "two")]
        self.assertEqual(links[0], links[1])


class Spectrum(ProgramTest):
    def test_dry_run_prints_the_plan_and_writes_nothing(self):
        text = self.call("spectrum", *TINY, "--dry-run").stdout
        self.assertIn("4 4 4 8", text)
        self.assertIn("7 updates and 24 solves", text)
        self.assertIn("MiB", text)
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
            self.call("spectrum", os.path.join(folder, name), "--print")

    def test_results_are_there_and_a_second_run_takes_them_from_the_journal(self):
        first = self.call("spectrum", *TINY)
        for word in ("pion", "rho", "nucleon", "mass", "jackknife over 2 configurations"):
            self.assertIn(word, first.stdout)
        self.assertIn("</svg>", self.read("spectrum.svg"))
        files = ["spectrum.dat", "spectrum.svg"] + (["spectrum.h5"] if HAS_HDF5 else [])
        content = {name: self.read(name, "rb") for name in files if not name.endswith(".h5")}
        self.assertEqual(len(os.listdir(self.path("spectrum.journal"))), 2)
        for name in files:
            os.remove(self.path(name))
        self.assertIn("0 updates and 0 solves", self.call("spectrum", *TINY).stdout)
        self.assertEqual({name: self.read(name, "rb") for name in content}, content)
        # From nothing again: the same bits.
        shutil.rmtree(self.path("spectrum.journal"))
        self.call("spectrum", *TINY)
        self.assertEqual({name: self.read(name, "rb") for name in content}, content)
        self.assertEqual(self.leftovers(), [])

    def test_other_parameters_do_not_take_finished_parts(self):
        self.call("spectrum", *TINY)
        changed = self.call("spectrum", *TINY, "--set", "action.kappa=0.131").stdout
        self.assertIn("24 solves", changed)
        self.assertIn("12 solves", self.call("spectrum", *TINY, "--set", "generate.beta=6.0000004", "--dry-run",
                                             "--set", "generate.configurations=1").stdout)
        self.assertIn(" 0 solves", self.call("spectrum", *TINY, "--dry-run").stdout)
        more = self.call("spectrum", *TINY, "--set", "action.kappa=0.131", "--set", "generate.configurations=3", "--dry-run")
        self.assertIn("9 updates and 12 solves", more.stdout)

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

    def test_solvers_and_precisions_agree(self):
        base = [*TINY, "--set", "generate.configurations=1", "--set", 'correlators.mesons=["pion"]',
                "--set", "solver.tolerance=1e-11"]
        want = None
        for method in ("bicgstab", "cg"):
            for precision in ("double", "mixed"):
                for preconditioner in ("even-odd", "none"):
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

    def test_a_solver_that_does_not_converge_ends_with_three(self):
        done = self.call("spectrum", *TINY, "--set", "solver.max_iterations=3", code=3)
        self.assertIn("3", done.stderr)
        self.assertFalse(os.path.exists(self.path("spectrum.h5")))
        self.assertFalse(os.path.exists(self.path("spectrum.dat")))

    @unittest.skipUnless(MPIEXEC, "no MPI in this build")
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
