# SPDX-License-Identifier: MIT
"""kovariant generate, convert and info: chains of configurations, how they go on, and their files in other formats."""
import os
import re
import shutil
import signal
import struct
import subprocess
import time
import unittest

from program_support import HAS_HDF5, MPIEXEC, PICTURES, PROGRAM, ProgramTest, environment


class Generate(ProgramTest):
    def test_the_same_seed_gives_the_same_links_and_another_seed_others(self):
        for name, seed in (("a", 5), ("b", 5), ("c", 6)):
            self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 3, "--seed", seed, "--output", name, "-q")
        self.assertEqual(self.links("a.0001.lime"), self.links("b.0001.lime"))
        self.assertNotEqual(self.links("a.0001.lime"), self.links("c.0001.lime"))

    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
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
            for name in ("killed%d%s" % (done, k) for k in "abcde"):
                arguments = [*self.CHAIN, "--configurations", 5, "--output", name]
                process = self.begin(*arguments, wait_for="^%s.%04d.lime" % (name, done))
                process.kill()
                process.wait()
                if not os.path.exists(self.path(name + ".0005.lime")):
                    break
            else:
                self.fail("it was never killed in time")
            self.assertRegex(self.call(*arguments).stdout, "^[%d-4] of 5 configurations are there" % done)
            self.assert_same_chain("whole", name, 5)
            self.assertIn("nothing to do", self.call(*arguments).stdout)

    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
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
            self.assertIn("a.0001.lime exists already", done.stderr)
            self.assertIn("%s %s" % (option, value), done.stderr)
            self.assertIn("another --output", done.stderr)
        self.assertIn("--extent 4 4 4 8", self.call("generate", "--extent", 4, 4, 4, 4, "--output", "a", code=1).stderr)
        self.call("convert", "a.0001.lime", "b.0001.nersc")
        with open(self.path("d.0001.lime"), "w") as file:
            file.write("a shopping list")
        self.call(*self.CHAIN, "--format", "nersc", "--output", "b", code=1)
        self.assertIn("d.0001.lime", self.call(*self.CHAIN, "--output", "d", code=2).stderr)
        self.assertEqual({name: self.read(name, "rb") for name in before}, before)

    def test_a_damaged_configuration_of_its_own_is_made_again_once_it_is_away(self):
        self.call(*self.CHAIN, "--configurations", 3, "--output", "whole")
        for name, change in (("links", lambda content: content[:-2000] + b"\xff" + content[-1999:]),
                             ("end", lambda content: content[:len(content) // 2]), ("begin", lambda content: b"x" + content[1:])):
            self.call(*self.CHAIN, "--configurations", 2, "--output", name)
            damaged = name + ".0002.lime"
            content = change(self.read(damaged, "rb"))
            with open(self.path(damaged), "wb") as file:
                file.write(content)
            text = self.call(*self.CHAIN, "--configurations", 3, "--output", name, code=2).stderr
            self.assertIn(damaged, text)
            self.assertIn("move it away, and the chain goes on", text)
            self.assertNotIn("ignore", text)
            os.rename(self.path(damaged), self.path("away"))
            self.call(*self.CHAIN, "--configurations", 3, "--output", name)
            self.assert_same_chain("whole", name, 3)

    def test_a_folder_in_the_place_of_a_configuration_is_to_be_moved_away(self):
        os.mkdir(self.path("a.0002.lime"))
        text = self.call(*self.CHAIN, "--configurations", 2, "--output", "a", code=2).stderr
        self.assertIn("a.0002.lime is a folder, not a file: move it away, and the chain goes on", text)
        self.assertNotIn("name a file in it", text)

    def test_a_chain_that_cannot_be_is_refused_by_its_plan(self):
        for option, value in (("--overrelaxation", -1), ("--beta", -1), ("--thermalise", -1), ("--between", 0)):
            self.assertIn(option + " is", self.call("generate", "--dry-run", option, value, code=1).stderr)

    def test_a_configuration_of_another_program_is_no_chain_to_go_on_from(self):
        shutil.copy(self.published("milc/lat.sample.l4444"), self.path("e.0001.lime"))
        self.assertIn("no chain of this program", self.call(*self.CHAIN, "--output", "e", code=1).stderr)
        self.assertEqual(os.listdir(self.folder), ["e.0001.lime"])

    def test_signals_end_it_with_their_code_and_leave_no_temporary_files(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGUSR1, 138), (signal.SIGUSR2, 140)):
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
        while process.poll() is None and not any(name.startswith("a.") for name in os.listdir(self.folder)):
            time.sleep(0.001)  # until it has its lock: nohup and the program have said which signals they take
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(), 0)

    def test_an_output_that_cannot_be_written_is_said_before_the_work(self):
        done = self.call("generate", "--output", "absent/folder/a", code=1)
        self.assertIn("absent/folder", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])


class Convert(ProgramTest):
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


if __name__ == "__main__":
    unittest.main()
