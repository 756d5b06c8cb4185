# SPDX-License-Identifier: MIT
"""Runs that share a prefix or outputs keep each other out, and journals tell links of one name apart."""
import fcntl
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from program_support import PROGRAM, TINY, ProgramTest, environment


# A job of half a second or more, in several parts.
SLOW = [*TINY, "--set", "source.count=8", "--set", "solver.precision=double", "--set", "solver.tolerance=1e-12"]


def is_stopped(process):
    with open("/proc/%d/stat" % process.pid) as file:
        return file.read().rpartition(")")[2].split()[0] == "T"


def has_open(process, folder):
    """Whether a process has opened a folder."""
    try:
        return any(os.path.realpath("/proc/%d/fd/%s" % (process.pid, fd)) == os.path.realpath(folder)
                   for fd in os.listdir("/proc/%d/fd" % process.pid))
    except OSError:
        return False


class Runs:
    """Starts programs beside each other; for a ProgramTest."""

    def start(self, *arguments, **more):
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(**more))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def start_as_one(self, first, second):
        """Two that begin at the same moment."""
        begin, end = os.pipe()

        def waiting(arguments):
            process = subprocess.Popen(["sh", "-c", 'read line; exec "$0" "$@"', PROGRAM, *map(str, arguments)], cwd=self.folder,
                                       stdin=begin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
            for clean in (process.stdout.close, process.stderr.close, process.kill):
                self.addCleanup(clean)
            return process
        one, two = waiting(first), waiting(second)
        os.close(begin)
        os.close(end)
        return one, two

    def wait_for(self, process, there, seconds=60):
        deadline = time.monotonic() + seconds
        while not there():
            self.assertIsNone(process.poll(), process.poll() is None or process.stderr.read())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.002)

    def start_and_stop(self, *arguments):
        """One that has its locks and does nothing until it gets SIGCONT: all programs begin with a few kernels."""
        process = self.start(*arguments, KOV_FAULT="stop:0:8")
        self.wait_for(process, lambda: is_stopped(process))
        self.assertTrue([n for _, _, names in os.walk(self.folder) for n in names if n.endswith(".lock")])
        return process

    def start_and_stop_after_a_part(self, *arguments):
        """One that has finished a part, but not all, and does nothing until it gets SIGCONT."""
        for _ in range(5):
            process = self.start(*arguments)
            self.wait_for(process, self.finished_parts)
            process.send_signal(signal.SIGSTOP)
            while process.poll() is None:
                if is_stopped(process):
                    return process
            shutil.rmtree(self.path("spectrum.journal"))
        self.fail("it always ended before it was stopped")

    def finished_parts(self, folder="spectrum.journal"):
        return [n for n in os.listdir(self.path(folder)) if n.endswith(".journal")] if os.path.isdir(self.path(folder)) else []


class Together(Runs, ProgramTest):
    def test_a_second_run_with_the_prefix_is_refused_and_told_who_has_it(self):
        first = self.start_and_stop_after_a_part("spectrum", *SLOW)
        done = self.call("spectrum", *SLOW, "--set", "action.kappa=0.12", code=1)
        for word in ("another run writes these outputs", "process %d on " % first.pid, "since 20", "spectrum.lock"):
            self.assertIn(word, done.stderr)
        self.call("spectrum", *SLOW, "--dry-run")  # writes nothing
        first.send_signal(signal.SIGCONT)
        # The same job with a prefix of its own may share the journal.
        twin = self.start("spectrum", *SLOW, "--set", "output.prefix=twin", "--set", "output.journal=spectrum.journal")
        for process in (first, twin):
            text = process.communicate(timeout=200)
            self.assertEqual(process.returncode, 0, text)
        self.assertEqual(self.read("twin.dat"), self.read("spectrum.dat"))
        self.assertIn("kappa = 0.13\n", self.read("spectrum.dat"))
        self.assertNotIn("kappa = 0.12\n", self.read("spectrum.dat"))
        self.assertEqual([n for n in os.listdir(self.folder) if n.endswith(".lock")], [])

    def test_runs_that_start_together_leave_files_of_one_of_them(self):
        for _ in range(3):
            kappas = ("0.12", "0.13")
            both = [self.start("spectrum", *TINY, "--set", "action.kappa=" + kappa) for kappa in kappas]
            texts = [process.communicate(timeout=200) for process in both]
            codes = [process.returncode for process in both]
            self.assertIn(sorted(codes), ([0, 1], [0, 0]), texts)  # [0, 0]: one after the other, on a busy machine
            found = set(re.findall(r"# kappa = (\S+)", self.read("spectrum.dat")))
            self.assertEqual(len(found), 1)
            if sorted(codes) == [0, 1]:
                self.assertEqual(found, {kappas[codes.index(0)]})
                self.assertIn("spectrum.lock", texts[codes.index(1)][1])
                self.assertIn("κ</tspan> = %s" % kappas[codes.index(0)], self.read("spectrum.svg"))
            shutil.rmtree(self.path("spectrum.journal"))

    def test_a_killed_run_leaves_no_lock_that_holds(self):
        first = self.start_and_stop_after_a_part("spectrum", *SLOW)
        first.kill()
        first.wait()
        self.assertTrue(os.path.exists(self.path("spectrum.lock")))
        self.call("spectrum", *SLOW)
        self.assertFalse(os.path.exists(self.path("spectrum.lock")))

    def test_a_signal_takes_the_lock_away(self):
        first = self.start_and_stop_after_a_part("spectrum", *SLOW)
        first.send_signal(signal.SIGTERM)
        first.send_signal(signal.SIGCONT)
        self.assertEqual(first.wait(), 143)
        self.assertFalse(os.path.exists(self.path("spectrum.lock")))

    def test_every_program_heeds_the_lock_of_its_outputs(self):
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 2, "--output", "a", "-q")
        quick = {"a": ["generate", "--extent", 4, 4, 4, 4, "--thermalise", 2, "--configurations", 2, "--output", "a"],
                 "b.nersc": ["convert", "a.0001.lime", "b.nersc"], "flow": ["flow", "a.0001.lime", "--time", 0.02],
                 "f.lime": ["flow", "a.0001.lime", "--time", 0.02, "--write", "f.lime"],
                 "loops": ["loops", "a.0001.lime"], "smear": ["smear", "a.0001.lime", "--iterations", 1],
                 "gaugefix": ["gaugefix", "a.0001.lime", "g.lime"], "g.lime": ["gaugefix", "a.0001.lime", "g.lime"],
                 "t.lime": ["gaugefix", "a.0001.lime", "t.lime", "--gauge", "temporal"], "spectrum": ["spectrum", *TINY]}
        for stem, command in quick.items():
            with self.subTest(stem):
                before = sorted(os.listdir(self.folder))
                lock = self.path(stem + ".lock")
                with open(lock, "w") as file:
                    fcntl.flock(file, fcntl.LOCK_EX)
                    file.write("kovariant lock\nprocess 12 on some host\n")
                    file.flush()
                    self.assertIn("process 12 on some host", self.call(*command, code=1).stderr)
                self.assertEqual(sorted(os.listdir(self.folder)), sorted([*before, stem + ".lock"]))
                self.call(*command)  # nobody holds it now
                self.assertFalse(os.path.exists(lock))

    def test_one_file_is_written_by_one_run_whatever_it_calls_its_outputs(self):
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 2, "--output", "a", "-q")
        os.mkdir(self.path("there"))
        os.symlink("there/real.txt", self.path("s.txt"))
        flow, convert = ["flow", "a.0001.lime", "--time", 0.02, "-q"], ["convert", "a.0001.lime"]
        chain = ["generate", "--extent", 4, 4, 4, 4, "--thermalise", 2, "--configurations", 2, "-q"]
        # What is under way; what would write one of its files; and what writes others, of names that begin alike.
        cases = (([*flow, "--output", "f"], ([*convert, "./f.svg", "--format", "ildg"], [*flow, "--output", "o", "--write", "f.txt", "--format", "ildg"]),
                  ([*convert, "f.lime"], [*flow, "--output", "f.2"], [*flow, "--output", "f2"])),
                 ([*convert, "g.svg", "--format", "ildg"], ([*flow, "--output", "g"], [*flow, "--output", "./g"]),
                  ([*flow, "--output", "g.2"], [*convert, "g.lime"])),
                 ([*chain, "--output", "c"], ([*convert, "c.0002.lime"], [*flow, "--output", "c.history"]),
                  ([*convert, "c.0002.nersc"], [*flow, "--output", "c.0001"], [*convert, "c.lime"])),
                 ([*convert, "d.0002.lime"], ([*chain, "--output", "d"],), ([*chain, "--output", "d.0002"],)),
                 ([*flow, "--output", "d.history"], ([*chain, "--output", "d"],), ()),
                 ([*flow, "--output", "s"], ([*convert, "there/real.txt", "--format", "ildg"],), ()),
                 ([*convert, "there/real.txt", "--format", "ildg"], ([*flow, "--output", "s"],), ()))
        for first, same, others in cases:
            before = sorted(os.listdir(self.folder))
            run = self.start_and_stop(*first)
            for second in same:
                with self.subTest(first=first, second=second):
                    said = self.call(*second, code=1).stderr
                    self.assertIn("another run writes ", said)
                    self.assertIn("process %d on " % run.pid, said)
                    self.assertIn(".lock; wait until it has ended", said)
            for second in others:
                with self.subTest(first=first, beside=second):
                    self.call(*second)
            run.send_signal(signal.SIGCONT)
            text = run.communicate(timeout=100)
            self.assertEqual(run.returncode, 0, text)
            self.assertEqual([n for n in os.listdir(self.folder) if n.endswith(".lock")], [])
            for name in set(os.listdir(self.folder)) - set(before):
                os.remove(self.path(name))

    def test_of_runs_with_one_file_that_start_together_one_goes_on(self):
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 2, "--output", "a", "-q")
        flow = ("flow", "a.0001.lime", "--time", 2, "--output")
        for _ in range(5):
            both = self.start_as_one([*flow, "f"], [*flow, "o", "--write", "f.txt", "--format", "ildg"])
            texts = [process.communicate(timeout=100) for process in both]
            self.assertIn(0, [process.returncode for process in both], texts)
            for process, text in zip(both, texts):
                if process.returncode:
                    self.assertIn("another run writes f.txt", text[1])
            self.assertEqual([n for n in os.listdir(self.folder) if n.endswith(".lock")], [])

    def test_a_run_waits_for_one_that_is_about_to_be_refused(self):
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 2, "--output", "a", "-q")

        def run_beside_another():
            folder = os.open(self.folder, os.O_RDONLY)
            with open(self.path("f.txt.lock"), "w") as lock:  # what the other has meanwhile
                fcntl.flock(folder, fcntl.LOCK_EX)
                fcntl.flock(lock, fcntl.LOCK_EX)
                lock.write("kovariant lock\nfiles *\nprocess 12 on some host\n")
                lock.flush()
                run = self.start("flow", "a.0001.lime", "--time", 0.1, "--output", "f")
                while run.poll() is None and not has_open(run, self.folder):
                    time.sleep(0.002)
                time.sleep(0.2)
            os.remove(self.path("f.txt.lock"))
            os.close(folder)
            text = run.communicate(timeout=100)
            return run.returncode, text
        # It waits for a second, in which a busy machine may stand still.
        for _ in range(3):
            code, text = run_beside_another()
            if code == 0:
                return
        self.fail(text)

    def test_another_program_that_locks_the_folder_is_not_waited_for_long(self):
        folder = os.open(self.folder, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        fcntl.flock(folder, fcntl.LOCK_EX)
        self.call_within(20, "generate", "--extent", 4, 4, 4, 4, "--thermalise", 1, "--output", "a", "-q")

    def test_locks_are_taken_in_the_order_of_their_names(self):
        """Whatever is left of them: two jobs with the same locks would else refuse each other."""
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 2, "--output", "a", "-q")
        for name in ("x", "y"):
            open(self.path(name), "w").close()
        names = sorted(("x", "y"), key=lambda name: str(os.stat(self.path(name)).st_ino))
        os.rename(self.path(names[0]), self.path("c.lock"))
        os.rename(self.path(names[1]), self.path("b.lime.lock"))
        with open(self.path("c.lock"), "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write("kovariant lock\nprocess 12 on some host\n")
            file.flush()
            self.assertIn("process 12", self.call("gaugefix", "a.0001.lime", "b.lime", "--output", "c", code=1).stderr)
        self.assertFalse(os.path.exists(self.path("b.lime.lock")), "it was taken first, and let go")

    def test_a_file_of_the_locks_name_is_never_touched(self):
        with open(self.path("smear.lock"), "w") as file:
            file.write("my notes\n")
        self.assertIn("is not a lock of this program", self.call("smear", "--extent", 4, 4, 4, 2, code=1).stderr)
        self.assertEqual(self.read("smear.lock"), "my notes\n")
        os.remove(self.path("smear.lock"))
        os.mkfifo(self.path("smear.lock"))
        self.assertIn("is not a lock of this program", self.call("smear", "--extent", 4, 4, 4, 2, code=1).stderr)
        os.remove(self.path("smear.lock"))
        os.mkdir(self.path("smear.lock"))
        self.assertIn("smear.lock cannot be opened", self.call("smear", "--extent", 4, 4, 4, 2, code=1).stderr)
        self.assertEqual(os.listdir(self.folder), ["smear.lock"])
        self.call("generate", "--extent", 4, 4, 4, 4, "--thermalise", 1, "--output", "a", "-q")
        done = self.call("gaugefix", "a.0001.lime", "x.lock", "--format", "ildg", "--output", "x", code=1)
        self.assertIn("overwritten", done.stderr)


class Stale(Runs, ProgramTest):
    """The journal's results are those of the links that the files hold."""

    def setUp(self):
        super().setUp()
        self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 5, "--between", 2, "--configurations", 2, "--output", "a", "-q")

    def shift(self, name):
        """Moves the links by one time slice; the header stays."""
        content = self.read(name, "rb")
        if name.endswith(".lime"):
            begin = content.index(b"ildg-binary-data") - 16 + 144
            end = begin + 4 ** 3 * 8 * 4 * 144
        else:
            begin, end = content.index(b"END_HEADER\n") + len("END_HEADER\n"), len(content)
        slice = (end - begin) // 8
        with open(self.path(name), "wb") as file:
            file.write(content[:begin] + content[begin + slice:end] + content[begin:begin + slice] + content[end:])

    def without_checksum(self, name):
        content = self.read(name, "rb")
        self.assertEqual(content.count(b"scidac-checksum\0"), 1)
        with open(self.path(name), "wb") as file:
            file.write(content.replace(b"scidac-checksum\0", b"another-record\0\0"))

    def job(self, name, *more):
        return ["spectrum", *TINY, "--set", 'gauge.files=["%s"]' % name, "--set", "source.count=2", *more]

    def test_other_links_under_the_same_name_and_header_are_measured(self):
        self.call("convert", "a.0001.lime", "sum.nersc")
        self.without_checksum("a.0001.lime")
        for name in ("sum.nersc", "a.0001.lime"):
            with self.subTest(name):
                self.call(*self.job(name))
                old = self.numbers("spectrum.dat")
                self.assertIn(" 0 solves", self.call(*self.job(name)).stdout)
                self.shift(name)
                done = self.call(*self.job(name))
                self.assertIn("24 solves", done.stdout)
                self.assertEqual(done.stderr.count("other links than the file has now"), 2, done.stderr)
                new = self.numbers("spectrum.dat")
                self.assertNotEqual(new, old)
                self.call(*self.job(name, "--set", "output.prefix=fresh"))
                self.assertEqual(new, self.numbers("fresh.dat"))
                self.assertIn(" 0 solves", self.call(*self.job(name)).stdout)

    def test_a_checksum_that_is_ignored_is_not_trusted(self):
        ignore = ("--set", "gauge.ignore=checksums")
        self.call(*self.job("a.0001.lime", *ignore))
        old = self.numbers("spectrum.dat")
        self.shift("a.0001.lime")
        self.call(*self.job("a.0001.lime"), code=2)
        self.assertIn("24 solves", self.call(*self.job("a.0001.lime", *ignore)).stdout)
        self.assertNotEqual(self.numbers("spectrum.dat"), old)

    def test_a_recorded_checksum_spares_the_reading(self):
        self.call(*self.job("a.0001.lime"))
        content = bytearray(self.read("a.0001.lime", "rb"))
        begin = content.index(b"ildg-binary-data") - 16 + 144
        content[begin:begin + 8] = b"damaged!"
        with open(self.path("a.0001.lime"), "wb") as file:
            file.write(content)
        # The header says which links it is for, and the results are those of these.
        self.assertIn(" 0 solves", self.call(*self.job("a.0001.lime")).stdout)

    def test_a_file_that_is_replaced_before_it_is_read_ends_the_run(self):
        shutil.copy(self.path("a.0001.lime"), self.path("b.lime"))
        files = ["spectrum", *SLOW, "--set", 'gauge.files=["a.0001.lime", "b.lime"]']
        run = self.start_and_stop_after_a_part(*files)
        os.replace(self.path("a.0002.lime"), self.path("b.lime"))
        run.send_signal(signal.SIGCONT)
        text = run.communicate(timeout=200)[1]
        self.assertEqual(run.returncode, 1, text)
        self.assertIn("b.lime was replaced by other links while this run was under way", text)
        self.assertEqual([n for n in self.finished_parts() if n.startswith("b.lime")], [])
        self.assertFalse(os.path.exists(self.path("spectrum.dat")))
        self.assertIn("finished        8 of 16", self.call(*files).stdout)


if __name__ == "__main__":
    unittest.main()
