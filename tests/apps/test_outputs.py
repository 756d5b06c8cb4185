# SPDX-License-Identifier: MIT
"""What is written, and what is never written over."""
import os
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

from program_support import HAS_HDF5, MPIEXEC, PICTURES, PROGRAM, LinksTest, environment


class Outputs(LinksTest):
    def test_the_configuration_that_is_read_is_never_overwritten(self):
        before = self.read("a.0001.lime", "rb")
        os.symlink("a.0001.lime", self.path("b.lime"))
        for name in ("a.0001.lime", "./a.0001.lime", "b.lime"):
            for command in (["gaugefix", "a.0001.lime", name], ["convert", "a.0001.lime", name],
                            ["flow", "a.0001.lime", "--write", name]):
                self.assertIn("overwritten", self.call(*command, code=1).stderr)
        os.remove(self.path("b.lime"))
        self.assertEqual(self.read("a.0001.lime", "rb"), before)

    @unittest.skipUnless(HAS_HDF5, "NOT TESTED: this build has no HDF5")
    def test_a_limit_on_the_size_of_files_is_an_error(self):
        for kibibytes in (0, 1, 5, 8, 20, 50, 70, 80):
            for command in (["flow", "a.0001.lime", "--time", 0.02, "--output", "f"], ["smear", "a.0001.lime", "--output", "s"],
                            ["convert", "a.0001.lime", "c.h5", "--precision", 64],
                            ["gaugefix", "a.0001.lime", "g.lime", "--gauge", "temporal", "--transformation", "g.h5"]):
                done = subprocess.run(["bash", "-c", f'ulimit -f {kibibytes}; exec "$@"', "bash", PROGRAM, *map(str, command)],
                                      cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)
                if done.returncode == 0:
                    self.assertGreater(kibibytes, 5, command)  # what it writes is small
                else:
                    self.assertEqual(done.returncode, 1, (kibibytes, command, done.stderr))
                    self.assertIn("ulimit -f", done.stderr, (kibibytes, command))
                self.assertEqual(self.leftovers(), [])
                for name in self.new_files():
                    self.assertFalse(name.endswith(".lock"), (kibibytes, command, name))
                    os.remove(self.path(name))

    @unittest.skipUnless(HAS_HDF5, "NOT TESTED: this build has no HDF5")
    def test_no_output_overwrites_the_input_or_another_output(self):
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
        self.assertEqual(self.new_files(), [])  # no log that would be in the way of later runs
        for command, says in ((["flow", "x.h5", "--output", "taken"], "folder"),
                              (["gaugefix", "x.h5", "y.h5", "--output", "taken"], "folder"),
                              (["smear", "--output", "folder/"], "names no file"),
                              (["smear", "--output", "folder/."], "names no file"),
                              (["smear", "--output", "a" * 252], "255"),
                              (["spectrum", "--set", 'output.journal="g.h5/journal"'], "is a file"),
                              (["spectrum", "--set", 'gauge.files=["x.h5", "./x.h5"]'], "twice"),
                              (["loops", "x.h5", "--output", ""], "names no file"),
                              (["flow", "x.h5", "--log", "x.h5"], "is not a log"),
                              (["flow", "x.h5", "--log", "absent/log"], "absent")):
            self.assertIn(says, self.call(*command, code=1).stderr, command)
        self.assertEqual(self.new_files(), [])
        for name, bytes_before in before.items():
            self.assertEqual(self.read(name, "rb"), bytes_before, name)

    def test_names_that_are_not_utf8_cost_no_result(self):
        name = os.fsdecode(b"caf\xe9.lime")
        shutil.copy(self.path("a.0001.lime"), self.path(name))
        for command in (["flow", name, "--time", 0.1, "--write", "f.lime"], ["loops", name], ["smear", name, "--width", 1],
                        ["gaugefix", name, "fixed.lime"]):
            self.assertEqual(self.call(*command).stderr.count("warning"), 0)
            svg = self.read(command[0] + ".svg", "rb").decode()
            self.assertIn("caf\ufffd.lime", "".join(xml.etree.ElementTree.fromstring(svg).itertext()))
            for ending in PICTURES:
                os.remove(self.path(command[0] + ending))

    def test_names_with_control_characters_are_refused(self):
        for command in (["flow", "bell\x07.lime"], ["flow", "a.0001.lime", "--write", "bell\x07.lime"], ["loops", "a.0001.lime", "--output", "bell\x07"],
                        ["gaugefix", "a.0001.lime", "bell\x07.lime"], ["spectrum", "--set", "output.prefix=bell\x07"]):
            text = self.call(*command, code=1).stderr
            self.assertIn("bell\\u0007", text)
            self.assertIn("control characters", text)
        self.assertEqual(self.new_files(), [])

    def test_numbers_are_numbers_in_every_hdf5_file(self):
        for command in (["flow", "a.0001.lime", "--time", 0.1], ["loops", "a.0001.lime", "--smearing", "hyp", "--steps", 1],
                        ["smear", "a.0001.lime", "--profile", "gaussian", "--sigma", 1], ["gaugefix", "a.0001.lime", "b.lime"]):
            self.call(*command)
            self.tables_in_hdf5(command[0] + ".h5")

    def test_a_symbolic_link_to_nothing_yet_is_followed(self):
        os.mkdir(self.path("scratch"))
        os.symlink(os.path.join("scratch", "new.lime"), self.path("out.lime"))
        self.call("convert", "a.0001.lime", "out.lime")
        self.assertTrue(os.path.islink(self.path("out.lime")))
        self.assertIn("new.lime", os.listdir(self.path("scratch")))

    @unittest.skipUnless(os.path.exists("/dev/full"), "NOT TESTED: there is no /dev/full here")
    def test_a_log_that_is_lost_is_an_error_in_the_end(self):
        done = self.call("info", "a.0001.lime", "--log", "/dev/full", code=1)
        self.assertIn("plaquette", done.stdout)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("log", done.stderr)

    def test_a_log_into_a_pipe_is_refused_at_once(self):
        os.mkfifo(self.path("pipe"))
        self.assertIn("pipe", self.call_within(20, "info", "a.0001.lime", "--log", "pipe", code=1).stderr)

    def test_a_refused_run_leaves_no_log(self):
        shutil.copy(self.path("a.0001.lime"), self.path("quenched.0001.lime"))
        self.before.append("quenched.0001.lime")
        for command in (["flow", "a.0001.lime", "--time", -1], ["info", "absent.lime"], ["generate", "--extent", 4, 4, 4, 2],
                        ["smear", "--log", "smear.lock"], ["convert", "absent.lime", "b.lime"], ["bench", "--seconds", 0],
                        ["spectrum", "--set", "action.kappa=0"]):
            self.call(*command, *([] if "--log" in command else ["--log", "log"]), code=1)
            self.assertEqual(self.new_files(), [], command)

    def test_a_log_begins_with_the_command(self):
        self.call("flow", "a.0001.lime", "--time", 0.1, "--log", "log")
        lines = self.read("log").splitlines()
        self.assertIn("flow a.0001.lime", lines[0])
        self.call("flow", "a.0001.lime", "--dry-run", "--log", "plan")
        self.assertIn("lattice", self.read("plan"))

    def test_logs_are_appended_to(self):
        for _ in range(2):
            self.call("info", "a.0001.lime", "--log", "log")
        self.assertEqual(self.read("log").count("info a.0001.lime"), 2)

    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
    def test_ranks_with_other_options_are_refused(self):
        def call(name):
            return [PROGRAM, "smear", "--extent", "4", "4", "4", "4", "--width", "1", "--iterations", name]
        for one, two in ((call("4"), call("5")), (call("4"), call("4") + ["--log", "log"])):
            done = subprocess.run([*MPIEXEC, "-n", "1", *one, ":", "-n", "1", *two], cwd=self.folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=100, env=environment())
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("ranks disagree about the command line", done.stderr)
        self.assertEqual(self.new_files(), [])


if __name__ == "__main__":
    unittest.main()
