# SPDX-License-Identifier: MIT
"""How programs of users end when one rank fails: every process in seconds, the first error printed once, its code.

ctest sets ENDINGS (the program endings.cpp) and KOVARIANT_MPIEXEC (a launcher with its flags, or empty).
"""
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import launched  # noqa: E402
from launched import errors_said, run  # noqa: E402

PROGRAM = os.environ["ENDINGS"]
MPIEXEC = shlex.split(os.environ.get("KOVARIANT_MPIEXEC", ""))


# Seconds in which a program must end; a rank that nobody ends goes on for longer (`too_long` in endings.cpp).
SOON = 60


def in_three(check):
    """Runs a check whose outcome is a matter of less than a second up to three times: a busy machine may hold up one process."""
    for _ in range(2):
        try:
            return check()
        except (AssertionError, ProcessLookupError) as failed:
            print("Checked again:", failed, file=sys.stderr)
    return check()


class EndingsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="kovariant-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.pipes = []
        self.addCleanup(lambda: [os.close(pipe) for pipe in self.pipes])

    def full_pipe(self):
        """The path of a pipe that takes nothing more, as nobody reads it."""
        path = os.path.join(tempfile.mkdtemp(prefix="kovariant-test-"), "pipe")
        self.addCleanup(shutil.rmtree, os.path.dirname(path))
        os.mkfifo(path)
        self.pipes.append(os.open(path, os.O_RDWR | os.O_NONBLOCK))
        try:
            while True:
                os.write(self.pipes[-1], b"x" * 4096)
        except BlockingIOError:
            return path

    def call(self, way, ranks, code, **more):
        """What it says on standard error about the end, and the seconds it took; no temporary files stay."""
        command = ([*MPIEXEC, "-n", str(ranks)] if ranks > 1 else []) + [PROGRAM, way]
        done = run(command, launcher=ranks > 1, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE, text=True, timeout=100, env={**os.environ, **more})
        self.seconds = done.seconds
        self.stdout = done.stdout
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(os.listdir(self.folder), [])
        self.assertNotIn("terminate called", done.stderr)
        return errors_said(done.stderr, "endings", "caught")


class OneProcess(EndingsTest):
    def test_ends_with_the_code_and_says_why(self):
        for way in ("run", "uncaught"):
            self.assertEqual(self.call(way, 1, 2), ["endings: a wrong note"])
            self.assertEqual(self.call(way + "-foreign", 1, 70), ["endings: rain (std::runtime_error)"])
            self.assertEqual(self.call(way + "-number", 1, 70), ["endings: an exception that is not a std::exception was thrown"])
            self.assertIn("memory ran out", self.call(way + "-memory", 1, 70)[0])
        self.assertEqual(self.call("well", 1, 0), [])
        self.assertEqual(self.call("uncaught-on-a-thread", 1, 2), ["endings: a wrong note"])
        self.assertEqual(self.call("caught-outside", 1, 9), ["caught: a wrong note"])
        self.assertEqual(self.call("caught-inside", 1, 9), ["caught: a wrong note"])

    def test_what_kokkos_would_abort_on_is_an_error_of_the_runtime(self):
        for way, code, name in (("run", 1, "endings"), ("uncaught", 1, "endings"), ("caught-outside", 9, "caught")):
            said = self.call(way, 1, code, KOKKOS_DISABLE_WARNINGS="maybe")
            self.assertEqual(len(said), 1)
            self.assertIn(name + ": KOKKOS_DISABLE_WARNINGS=maybe is wrong", said[0])

    def test_a_timeout_that_is_not_a_number_is_refused(self):
        for text in ("soon", "-1", "inf", "3 s"):
            self.assertIn("KOV_TIMEOUT is " + text, self.call("run", 1, 1, KOV_TIMEOUT=text)[0])

    def test_what_was_printed_before_is_not_lost(self):
        self.call("run", 1, 2)
        self.assertEqual(self.stdout, "said before\n")

    def test_an_error_ends_it_although_nobody_takes_what_was_printed(self):
        for way, code, name in (("run", 2, "endings"), ("caught-outside", 9, "caught")):
            with open(self.full_pipe(), "wb") as pipe:
                done = subprocess.run([PROGRAM, way], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=pipe,
                                      stderr=subprocess.PIPE, text=True, timeout=SOON)
            self.assertEqual((done.returncode, done.stderr.strip()), (code, name + ": a wrong note"))

    def test_a_reader_who_comes_soon_gets_what_was_printed_before_an_error(self):
        in_three(self.check_a_reader_who_comes_soon)

    def check_a_reader_who_comes_soon(self):
        path = self.full_pipe()
        with open(path, "wb") as pipe:
            process = subprocess.Popen([PROGRAM, "run"], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=pipe,
                                       stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        time.sleep(0.5)
        with open(path, "rb") as pipe:
            os.close(self.pipes.pop())
            self.assertTrue(pipe.read().endswith(b"xsaid before\n"))
        self.assertEqual(process.wait(SOON), 2)


class Launchers(EndingsTest):
    def test_one_that_is_ended_by_a_signal_of_its_own_is_run_again(self):
        launcher = 'test -e "$0" || { : > "$0"; kill -SEGV $$; }; exit 3'
        call = lambda mark, is_launcher: run(["bash", "-c", launcher, mark], launcher=is_launcher, timeout=SOON,  # noqa: E731
                                             cwd=self.folder, stdin=subprocess.DEVNULL)
        self.assertEqual(call("first", True).returncode, 3)
        self.assertEqual(call("second", False).returncode, -signal.SIGSEGV)

    def test_one_that_does_not_end_when_its_ranks_have_is_ended_and_the_command_run_again(self):
        launched.ALONE = 2
        self.addCleanup(setattr, launched, "ALONE", 10)
        # The first time it ends its rank, and then waits without end beside one that is a zombie.
        launcher = 'sleep 0.5; echo said; test -e "$0" || { : > "$0"; sleep 0.1 & exec sleep 60; }; exit 3'
        for is_launcher in (True, False):
            call = lambda timeout: run(["bash", "-c", launcher, "mark-%s" % is_launcher], launcher=is_launcher,  # noqa: E731
                                       timeout=timeout, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            if is_launcher:
                begin = time.monotonic()
                done = call(SOON)
                self.assertEqual((done.returncode, done.stdout), (3, "said\n"))
                self.assertLess(done.seconds, time.monotonic() - begin - launched.ALONE)  # those of the second time
            else:
                self.assertRaises(subprocess.TimeoutExpired, call, 5)


@unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
class AnErrorOfARank(EndingsTest):
    def test_an_error_of_one_rank_ends_all(self):
        for way in ("run", "uncaught"):
            for ranks in (2, 4):
                self.assertEqual(self.call(way, ranks, 2), ["endings: rank %d: a wrong note" % (ranks - 1)])
        self.assertIn("endings: rank 1: memory ran out", self.call("run-memory", 2, 70)[0])

    def test_an_error_of_all_is_said_once(self):
        for way in ("run-all", "uncaught-all", "run-agreed", "uncaught-agreed"):
            self.assertEqual(self.call(way, 2, 2), ["endings: a wrong note"])

    def test_of_different_errors_the_first_counts(self):
        for way in ("run-different", "uncaught-different"):
            in_three(lambda: self.assertEqual(self.call(way, 2, 1), ["endings: rank 0: another key"]))

    def test_a_rank_that_is_busy_elsewhere_is_ended(self):
        for way in ("run-busy", "uncaught-busy"):
            said = self.call(way, 2, 2)
            self.assertEqual(said[0], "endings: rank 1: a wrong note")
            self.assertLess(self.seconds, SOON)

    def test_main_that_catches_prints_itself_and_the_others_are_told(self):
        said = self.call("caught-outside", 2, 9)
        self.assertEqual(said[0], "caught: a wrong note")
        # The launcher most likely ends the other rank before that says why it stopped.
        self.assertIn(said[1:], ([], ["caught: rank 1 failed: an exception ended it"]))
        # Where a rank never comes to its end, the code is still that of main().
        self.assertEqual(self.call("caught-outside-busy", 2, 9)[0], "caught: a wrong note")
        self.assertLess(self.seconds, SOON)
        said = self.call("caught-inside", 2, 9)
        self.assertEqual(said[0], "caught: a wrong note")
        self.assertIn("rank 1 has ended while others wait for it in a sum over ranks", said[1])
        self.assertEqual(len(said), 2)

    def test_good_ends_and_an_mpi_of_the_user_s(self):
        self.assertEqual(self.call("well", 2, 0), [])
        self.assertEqual(self.call("within-mpi", 2, 0), [])
        self.assertEqual(self.call("within-mpi", 1, 0), [])
        self.assertEqual(self.call("well", 1, 0, KOV_MPI="1"), [])


@unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
class AnErrorWhileFilesAreWritten(EndingsTest):
    def test_a_failed_verification_of_written_links_on_any_rank_ends_all_and_leaves_no_file(self):
        for ranks in (2, 4):
            for rank in range(ranks):
                self.assertEqual(self.call("run-verify-%d" % rank, ranks, 2), ["endings: rank %d: a wrong note" % rank])
                self.assertLess(self.seconds, SOON)
        self.assertEqual(self.call("uncaught-verify-1", 2, 2), ["endings: rank 1: a wrong note"])
        self.assertEqual(self.call("run-verify--1", 2, 2), ["endings: a wrong note"])


@unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
class AnErrorBeforeTheRun(EndingsTest):
    def test_an_error_without_mpi_is_said_once_whichever_rank_has_it(self):
        for rank in (0, 1, None):
            parts = [[":", "-n", "1", *(["env", "ENDINGS_WITHOUT_MPI=1"] if rank in (r, None) else []), PROGRAM, "run"] for r in range(3)]
            done = run([*MPIEXEC, *sum(parts, [])[1:]], launcher=True, cwd=self.folder, stdin=subprocess.DEVNULL, text=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=100)
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertEqual(done.stderr.count("endings: there is no MPI"), 1, done.stderr)

    def test_an_error_before_mpi_is_said_once(self):
        for way, variable, text in (("well", "KOV_MPI", "yes"), ("well", "KOV_TIMEOUT", "soon"), ("run", "KOV_TIMEOUT", "soon")):
            said = self.call(way, 2, 1, **{variable: text})
            self.assertEqual(len(said), 1, said)
            self.assertIn("endings: the environment variable %s is %s" % (variable, text), said[0])

    def test_an_error_before_kokkos_starts_is_said_once_whichever_rank_has_it(self):
        for way in ("run", "uncaught"):
            self.assertEqual(len(self.call(way, 2, 1, KOKKOS_NUM_THREADS="many")), 1)
            command = [PROGRAM, way]
            for rank in (0, 1):
                parts = [["-n", "1", *(["env", "KOKKOS_NUM_THREADS=many"] if r == rank else []), *command] for r in (0, 1)]
                done = run([*MPIEXEC, *parts[0], ":", *parts[1]], launcher=True, cwd=self.folder, stdin=subprocess.DEVNULL,
                           text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertEqual(len(errors_said(done.stderr, "endings")), 1, done.stderr)
                self.assertIn("endings: rank %d: KOKKOS_NUM_THREADS=many is wrong" % rank, done.stderr)


@unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
class RanksThatStop(EndingsTest):
    def test_a_rank_that_ends_well_and_late_leaves_no_message_behind(self):
        self.assertEqual(self.call("late", 2, 0), [])
        self.assertEqual(self.call("late", 4, 0), [])

    def test_a_rank_that_stops_in_its_end_is_ended(self):
        said = self.call("stalled", 2, 4, KOV_TIMEOUT="4")
        self.assertRegex(said[0], "^endings: rank 0: this rank has ended, but not all others have within 4 seconds")
        self.assertLess(self.seconds, SOON)

    def test_a_rank_that_stops_in_its_end_after_another_s_error_is_ended_with_the_code_of_that(self):
        def check(way, ranks, rank, text):
            said = self.call(way, ranks, 2)
            self.assertEqual(len(said), 1, said)
            self.assertIn("endings: rank %d: %s" % (rank, text), said[0])
            self.assertLess(self.seconds, SOON)
        # Whether a rank hears of the other's error before its own end.
        in_three(lambda: check("stalled-rank-1", 2, 0, "rank 1 failed, and not all"))
        in_three(lambda: check("stalled-rank-1-late", 2, 0, "rank 1 failed: a wrong note"))
        check("stalled-rank-1", 3, 2, "a wrong note")

    def test_a_rank_that_told_its_error_and_stops_is_ended_by_those_that_are_done(self):
        said = self.call("stalled-after-telling", 3, 2, KOV_TIMEOUT="20")
        self.assertEqual(said[0], "endings: rank 1: rank 2 failed: a wrong note")
        self.assertLess(self.seconds, SOON)

    def test_a_job_that_was_suspended_does_not_count_that_time(self):
        in_three(self.check_a_job_that_was_suspended)

    def check_a_job_that_was_suspended(self):
        process = subprocess.Popen([*MPIEXEC, "-n", "2", PROGRAM, "slow"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "KOV_TIMEOUT": "4"})
        self.addCleanup(process.stderr.close)
        try:
            while process.poll() is None and len(os.listdir(self.folder)) < 2:
                time.sleep(0.01)
            ranks = launched.children(process.pid)
            self.assertEqual(len(ranks), 2)  # a machine that stood still has let the job end
            time.sleep(0.3)
            for number, pause in ((signal.SIGSTOP, 5), (signal.SIGCONT, 0)):
                for pid in ranks:
                    os.kill(pid, number)
                time.sleep(pause)
        finally:
            text = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 0, text)


@unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
class WhatWasPrinted(EndingsTest):
    def test_an_error_ends_all_and_is_said_once_although_nobody_takes_what_was_printed(self):
        blocked = ["sh", "-c", 'exec "$0" "$1" > "$2"', PROGRAM]
        for way, free in (("run", 0), ("run", 2), ("run-all", 0), ("run-one-busy", 2), ("run-one-busy", 0)):
            with self.subTest(way=way, free=free):
                parts = [[":", "-n", "2", PROGRAM, way] if free else [], [":", "-n", str(3 - free), *blocked, way, self.full_pipe()]]
                done = run([*MPIEXEC, *sum(parts, [])[1:]], launcher=True, cwd=self.folder, stdin=subprocess.DEVNULL, text=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=100)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stderr.count("a wrong note"), 1, done.stderr)
                self.assertLess(done.seconds, SOON)

    def test_what_a_rank_that_ends_all_printed_is_not_lost(self):
        done = subprocess.run([*MPIEXEC, "-n", "2", "sh", "-c", 'exec "$0" "$@" >> out', PROGRAM, "caught-outside-busy"],
                              cwd=self.folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=100,
                              env={**os.environ, "ENDINGS_ABORT": "at once"})
        self.assertEqual(done.returncode, 9, done.stderr)
        with open(os.path.join(self.folder, "out")) as file:
            self.assertEqual(file.read(), "said before\n")


if __name__ == "__main__":
    unittest.main()
