# SPDX-License-Identifier: MIT
"""What a fault of one rank does to every program: an end within seconds, the first error printed once, its code."""
import os
import subprocess
import time
import unittest

from program_support import MPIEXEC, PROGRAM, TINY, ProgramTest, environment

FILE = "a.0001.lime"
SPECTRUM = ("spectrum", *TINY, "--set", "generate.configurations=1")
# Every program.
PROGRAMS = (("flow", FILE, "--time", 0.2), ("loops", FILE, "--smearing", "hyp", "--steps", 1),
            ("gaugefix", FILE, "fixed.lime", "--gauge", "coulomb"), ("smear", "--extent", 4, 4, 4, 8, "--links", "hot"),
            SPECTRUM, ("generate", "--extent", 4, 4, 4, 8, "--thermalise", 2, "--output", "b"),
            ("convert", FILE, "c.nersc"), ("info", FILE))
WRONG = {"flipped": "was damaged on its way", "stale": "an old message was delivered"}


@unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
class FaultTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 1, "--output", "a", "-q")
        self.before = self.files()

    def files(self):
        return sorted(os.path.join(folder, name) for folder, _, names in os.walk(self.folder) for name in names)

    def strike(self, fault, program, code, ranks=2, timeout=4, within=30):
        """The line that says why the program ended; results and temporary files there are none."""
        begin = time.monotonic()
        command = [*MPIEXEC, "-n", str(ranks), PROGRAM, *map(str, program), "-q"]
        done = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=100,
                              env=environment(KOV_FAULT=fault, KOV_TIMEOUT=str(timeout)))
        about = "%s in %s: %s%s" % (fault, program[0], done.stdout, done.stderr)
        self.assertEqual(done.returncode, code, about)
        self.assertLess(time.monotonic() - begin, within, about)
        # A killed process leaves its lock, which the next run takes over.
        left = [file for file in self.files() if not (fault.startswith("kill") and file.endswith(".lock"))]
        self.assertEqual(left, self.before, about)
        lines = [line for line in done.stderr.splitlines() if line.startswith("kovariant: ")]
        if fault.startswith(("kill", "stop")):  # then the launcher ends the other, which says so
            lines = [line for line in lines if "ended by a signal" not in line]
        if fault.startswith("kill"):  # then only the launcher says why
            self.assertEqual(lines, [])
            return done.stderr
        self.assertEqual(len(lines), 1, about)
        return lines[0]

    def strike_message(self, kind, sender, program, ranks=2, leg=6):
        said = self.strike("%s:%d:%d" % (kind, sender, leg), program, 4, ranks)
        self.assertRegex(said, r"^kovariant: rank (\d): the halo message of leg \+t from rank %d to rank \1 " % sender)
        self.assertIn(WRONG.get(kind, "did not arrive within"), said)


class Faults(FaultTest):
    def test_memory_runs_out_on_either_rank_in_every_program(self):
        for program in PROGRAMS:
            for rank in (0, 1):
                said = self.strike("memory:%d:2" % rank, program, 70)
                self.assertIn("kovariant: rank %d: memory ran out" % rank, said)

    def test_damaged_messages_to_either_rank_in_every_program(self):
        for k, program in enumerate(PROGRAMS):
            for sender in (0, 1):
                self.strike_message(("flipped", "stale")[(k + sender) % 2], sender, program)


class HarderFaults(FaultTest):
    def test_lost_messages(self):
        for sender in (0, 1):
            self.strike_message("lost", sender, PROGRAMS[0])

    def test_a_solver_whose_rank_fails(self):
        for rank in (0, 1):
            self.assertIn("rank %d: memory ran out" % rank, self.strike("memory:%d:600" % rank, SPECTRUM, 70))

    def test_four_ranks(self):
        self.strike_message("flipped", 3, SPECTRUM, ranks=4)
        self.strike_message("lost", 2, SPECTRUM, ranks=4)
        self.assertIn("rank 2: memory ran out", self.strike("memory:2:600", SPECTRUM, 70, ranks=4))

    def test_a_stopped_rank_is_noticed_and_ended(self):
        for program, rank in ((PROGRAMS[0], 0), (SPECTRUM, 1)):
            said = self.strike("stop:%d:30" % rank, program, 4)
            self.assertRegex(said, "^kovariant: rank %d: .*(did not arrive|not all ranks came)" % (1 - rank))

    def test_a_killed_rank_ends_all(self):
        for program, rank in ((PROGRAMS[0], 0), (SPECTRUM, 1)):
            self.assertIn("signal 9", self.strike("kill:%d:30" % rank, program, 137))

    def test_an_output_that_nobody_takes_is_one_error_with_one_code(self):
        script = 'exec "$0" "$@" > /dev/full'
        done = subprocess.run([*MPIEXEC, "-n", "2", "sh", "-c", script, PROGRAM, "info", FILE], cwd=self.folder,
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=100, env=environment())
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("kovariant: standard output cannot be written"), 1, done.stderr)
        self.assertEqual(done.stderr.count("kovariant: "), 1, done.stderr)

    def test_a_fault_that_is_none_is_refused(self):
        self.assertIn("KOV_FAULT", self.strike("lost", PROGRAMS[-1], 1))


if __name__ == "__main__":
    unittest.main()
