# SPDX-License-Identifier: MIT
"""What a fault of one rank does to every program: an end within seconds, the first error printed once, its code.

By default each program has each fault on one of two ranks, which rotates from pair to pair, and one fault on four ranks.
All faults on all ranks, these among them: `ctest -C AllFaults -L all_faults`.  What is left of results is whole, or of an earlier run.
"""
import os
import re
import shutil
import subprocess
import time
import unittest
import xml.etree.ElementTree
import zlib

from program_support import HAS_HDF5, HAS_PDF, MPIEXEC, PROGRAM, TINY, ProgramTest, environment, errors_said, run

SOLVER = os.environ.get("KOVARIANT_SOLVER", "")
ALL = os.environ.get("KOVARIANT_FAULTS") == "all"
FILE = "a.0001.lime"
WRONG = {"lost": "did not arrive within", "flipped": "was damaged on its way", "stale": "an old message was delivered"}
FAULTS = ("lost", "memory", "flipped", "stop", "stale", "kill")
# Kernels that faults of a process strike at, as parts of all that the rank runs.
EARLY, MIDDLE, LATE = 0, 0.5, 0.9
BEYOND = 10**9
OLD = b"of an earlier run\n"
ONE_CONFIGURATION = [word.replace("configurations=2", "configurations=1") for word in TINY]


def rotated(word, bits):
    return (word << bits | word >> (32 - bits)) & 0xFFFFFFFF


def is_whole_hdf5(content):
    """As its user block says: the length, and checksums of pieces of 64 KiB."""
    pieces = [content[at:at + 65536] for at in range(512, len(content), 65536)]
    sums = [0, 0]
    for i, piece in enumerate(pieces):
        for k, period in enumerate((29, 31)):
            sums[k] ^= rotated(zlib.crc32(piece), i % period)
    return content.startswith(b"Kovariant HDF5 1\nlength %d\nsuma %08x\nsumb %08x\n" % (len(content) - 512, *sums))


def is_whole_journal(content):
    """Records "name length\\nbytes\\n" up to the end."""
    heading, _, rest = content.partition(b"\n")
    while rest:
        begin, _, rest = rest.partition(b"\n")
        length = int(begin.split()[1])
        if rest[length:length + 1] != b"\n":
            return False
        rest = rest[length + 1:]
    return heading.startswith(b"kovariant journal")


def kernels_without_fault(said, rank=r"\d+"):
    """How many kernels a rank ran, from the error of a run that ended before the fault struck; None for other runs."""
    found = re.search(r"did not strike: rank %s ran (\d+) kernels" % rank, said)
    return int(found[1]) if found else None


class RanFewer(Exception):
    """A run came to its end before the kernel that a fault was to strike at: it ran so many."""

    def __init__(self, kernels):
        super().__init__()
        self.kernels = kernels


@unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
class FaultTest(ProgramTest):
    executable, name = PROGRAM, "kovariant"

    def setUp(self):
        super().setUp()
        self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 1, "--output", "a", "-q")
        self.before = self.files()
        self.bytes_before = {file: self.read(file, "rb") for file in self.before}

    def files(self):
        return {os.path.join(folder, name) for folder, _, names in os.walk(self.folder) for name in names}

    def start(self, fault, program, ranks, timeout):
        """The finished process, what it printed, and how many seconds it took."""
        command = [*([*MPIEXEC, "-n", str(ranks)] if ranks > 1 else []), self.executable, *map(str, program)]
        done = run(command, launcher=ranks > 1, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE, text=True, timeout=100,
                   env=environment(KOV_FAULT=fault, KOV_TIMEOUT=str(timeout)))
        return done, "%s on %d ranks in %s: %s%s" % (fault, ranks, program, done.stdout, done.stderr), done.seconds

    def assert_whole(self, file, good, about):
        """A result that is left is complete; texts are those of a good run."""
        content = self.read(file, "rb")
        ending = os.path.splitext(file)[1]
        if content == OLD:
            return
        if ending in (".lime", ".nersc"):
            self.call("info", file, "-q")  # verifies the checksums
        elif ending == ".h5":
            self.assertTrue(is_whole_hdf5(content), file + about)
        elif ending == ".svg":
            xml.etree.ElementTree.fromstring(content)
        elif ending == ".pdf":
            self.assertTrue(content.startswith(b"%PDF") and content.rstrip().endswith(b"%%EOF"), file + about)
        elif ending == ".journal":
            self.assertTrue(is_whole_journal(content), file + about)
        else:
            self.assertIn(ending, (".txt", ".dat"), about)
            self.assertEqual(content, good, file + about)

    def strike(self, fault, program, code, ranks=2, timeout=20, may_be_left=None, within=30):
        """The line that says why the program ended; no temporary files are left, nor results but those that are whole.

        may_be_left: files, with the content that a good run gives them.  Those that are there stay there."""
        may_be_left = may_be_left or {}
        there = self.files()
        done, about, seconds = self.start(fault, program, ranks, timeout)
        ran = kernels_without_fault(done.stderr)
        if ran is not None and code != 1:
            self.clean()
            raise RanFewer(ran)
        self.assertEqual(done.returncode, code, about)
        for file, content in self.bytes_before.items():
            self.assertEqual(self.read(file, "rb"), content, about)
        for file in self.files() & may_be_left.keys():
            self.assert_whole(file, may_be_left[file], about)
        self.assertEqual(there - self.files(), set(), about)
        left = self.files() - self.before - may_be_left.keys()
        # What is killed leaves its lock, and what it was writing under a temporary name.  Launchers kill a stopped process
        # when it does not end at once.
        if fault.startswith("kill") or (fault.startswith("stop") and "ended by a signal" not in done.stderr):
            left = {file for file in left if not file.endswith((".lock", ".part"))}
        self.assertEqual(left, set(), about)
        self.clean()
        if seconds > within:  # a busy machine stands still now and then
            seconds = self.start(fault, program, ranks, timeout)[2]
            self.clean()
        self.assertLess(seconds, within, about)
        lines = errors_said(done.stderr, self.name)
        if fault.startswith("kill"):  # then only the launcher says why
            self.assertEqual(lines, [], about)
            return done.stderr
        self.assertEqual(len(lines), 1, about)
        return lines[0]

    def clean(self):
        for file in self.files() - self.before:
            os.unlink(file)

    def kernels(self, program, ranks, rank):
        """How many kernels a rank runs, and what the files hold that a good run makes: from a fault beyond the last kernel."""
        done, about, _ = self.start("memory:%d:%d" % (rank, BEYOND), program, ranks, 20)
        self.assertEqual(done.returncode, 1, about)
        made = {file: self.read(file, "rb") for file in self.files() - self.before}
        for file, content in made.items():
            self.assert_whole(file, content, about)
        self.clean()
        return kernels_without_fault(done.stderr, rank), made

    def strike_message(self, kind, sender, program, ranks=2):
        said = self.strike("%s:%d:%d" % (kind, sender, self.leg), program, 4, ranks, timeout=2 if kind == "lost" else 20)
        pattern = r"^%s: rank (\d): the halo message of leg \%st from rank %d to rank \1 " % (
            self.name, "+-"[self.leg % 2], sender)
        self.assertRegex(said, pattern)
        self.assertIn(WRONG[kind], said)

    def strike_process(self, kind, rank, program, kernel, ranks=2, may_be_left=None):
        fault = "%s:%d:%d" % (kind, rank, kernel)
        if kind == "memory":
            said = self.strike(fault, program, 70, ranks, may_be_left=may_be_left)
            self.assertIn("%s: rank %d: memory ran out" % (self.name, rank), said)
        elif kind == "stop":
            said = self.strike(fault, program, 4, ranks, timeout=2, may_be_left=may_be_left)
            self.assertRegex(said, "^%s: (?!rank %d: )rank .*(did not arrive|not all ranks came|not taken by|not all others)"
                             % (self.name, rank))
        else:
            said = self.strike(fault, program, 137, ranks, may_be_left=may_be_left)
            self.assertIn("signal 9", said)


class Matrix:
    """Every fault on one program, over results of an earlier run where the program replaces them."""
    number, program, replaces = 0, (), True
    leg = 6  # +t, the direction that is cut first

    def cases(self):
        """(ranks, kind, rank, where in its work)"""
        for k, kind in enumerate(FAULTS):
            if not ALL:
                yield 2, kind, (self.number + k // 2) % 2, (EARLY, MIDDLE, LATE)[(self.number + k) % 3]
                continue
            for rank in 0, 1:
                for where in (EARLY, MIDDLE, LATE) if kind not in WRONG else (EARLY,):
                    yield 2, kind, rank, where
            yield 4, kind, (self.rank_of_four() + k - self.kind_on_four()) % 4, MIDDLE
        if not ALL:
            yield 4, FAULTS[self.kind_on_four()], self.rank_of_four(), MIDDLE

    def kind_on_four(self):
        return self.number % len(FAULTS)

    def rank_of_four(self):
        return 2 + self.number % 2

    def test_faults(self):
        kernels = {}
        for ranks, kind, rank, where in self.cases():
            with self.subTest(kind=kind, ranks=ranks, rank=rank, where=where):
                if kind in WRONG:
                    self.strike_message(kind, rank, self.program, ranks)
                    continue
                if (ranks, rank) not in kernels:
                    kernels[ranks, rank] = self.kernels(self.program, ranks, rank)
                count, made = kernels[ranks, rank]
                self.assertGreater(count, 10)
                self.strike_where(where, count, made, kind, rank, ranks)

    def strike_where(self, where, count, made, kind, rank, ranks):
        """At a part of the kernels of the run itself, which are not `count` in all: several ranks choose by measured times whether
        those on the interior run beside exchanges, by themselves."""
        may_be_left = made if self.replaces or where != EARLY else None
        for _ in range(5):
            for file in made if self.replaces else ():
                with open(file, "wb") as old:
                    old.write(OLD)
            try:
                return self.strike_process(kind, rank, self.program, 2 if where == EARLY else int(where * count), ranks, may_be_left)
            except RanFewer as run:
                count = run.kernels
        self.fail("no run had the kernel at which it was to be struck: the last had %d" % count)


class FlowFaults(Matrix, FaultTest):
    number, program = 0, ("flow", FILE, "--time", 0.2, "-q")


class LoopsFaults(Matrix, FaultTest):
    number, program = 1, ("loops", FILE, "--smearing", "hyp", "--steps", 1, "-q")


class GaugefixFaults(Matrix, FaultTest):
    number, program = 2, ("gaugefix", FILE, "fixed.lime", "--gauge", "coulomb", "-q")


class SmearFaults(Matrix, FaultTest):
    """Along t only links are exchanged, those that start on the site behind."""
    leg, number, program = 7, 3, ("smear", "--extent", 4, 4, 4, 8, "--links", "hot", "-q")


class SpectrumFaults(Matrix, FaultTest):
    number, replaces, program = 4, False, ("spectrum", *ONE_CONFIGURATION, "-q")


class GenerateFaults(Matrix, FaultTest):
    number, replaces, program = 5, False, ("generate", "--extent", 4, 4, 4, 8, "--thermalise", 2, "--output", "b", "-q")


class ConvertFaults(Matrix, FaultTest):
    number, program = 6, ("convert", FILE, "c.nersc", "-q")


class InfoFaults(Matrix, FaultTest):
    number, program = 7, ("info", FILE, "-q")


class PropagatorFaults(Matrix, FaultTest):
    number, replaces = 8, False
    program = ("propagator", "--set", "gauge.files=" + FILE, "--set", "links.steps=1", "--set", "source.width=1", "--set",
               "source.iterations=2", "--set", "quark.0.kappa=0.12", "--set", "output.format=scidac", "--set",
               "output.residuals=true", "-q")
    columns = os.sep + "propagator.journal" + os.sep

    def files(self):
        """Columns of a propagator that is not finished may be left: program.PropagatorResume goes on from them."""
        return {file for file in super().files() if self.columns not in file}

    def clean(self):
        shutil.rmtree(self.path("propagator.journal"), ignore_errors=True)
        super().clean()

    def assert_whole(self, file, good, about):
        """`info` reads gauge configurations."""
        if not file.endswith((".lime", ".txt")):
            return super().assert_whole(file, good, about)
        self.assertEqual(self.read(file, "rb"), good, file + about)


class BenchFaults(Matrix, FaultTest):
    """On several ranks it times the exchange of halos alone; in no time, so that every run has as many kernels."""
    number, program = 9, ("bench", "--large", 4, 4, 4, 8, "--seconds", 1e-9, "-q")


@unittest.skipUnless(SOLVER, "NOT TESTED: KOVARIANT_SOLVER names no program")
class SolverFaults(Matrix, FaultTest):
    """The faults are armed when everything is ready for the solver."""
    executable, name, number = SOLVER, "solver", 10


class OtherFaults(FaultTest):
    def test_a_fault_that_does_not_strike_is_an_error(self):
        # These programs make no exchange; all others do.
        for program in (("info", FILE, "--header-only"), ("smear", "--dry-run"), ("generate", "--dry-run")):
            self.assertIn("no checked halo message of leg 6 from rank 1", self.strike("lost:1:6", program, 1))
        self.assertIn("rank 1 ran 0 kernels", self.strike("memory:1:1", ("info", FILE, "--header-only"), 1))
        self.assertIn("no checked halo message of leg 77", self.strike("flipped:0:77", ("info", FILE), 1))

    def test_results_that_are_cut_short_or_changed_are_not_whole(self):
        self.call("flow", FILE, "--time", 0.05, "--write", "f.lime", "-q")
        self.call("convert", FILE, "f.nersc")
        self.call("spectrum", *ONE_CONFIGURATION, "--set", "output.prefix=f")
        found = {os.path.splitext(file)[1] for file in self.files() - self.before}
        for ending in (".lime", ".nersc", ".txt", ".dat", ".svg", ".journal", *([".h5"] if HAS_HDF5 else []), *([".pdf"] if HAS_PDF else [])):
            self.assertIn(ending, found)
        for file in self.files() - self.before:
            content = self.read(file, "rb")
            self.assert_whole(file, content, "")
            damages = [content[:-10], content[:len(content) // 2], b""]
            if file.endswith((".h5", ".lime")):
                middle = len(content) // 2
                damages.append(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1:])
            for damaged in damages:
                with self.subTest(file=file, length=len(damaged)), self.assertRaises((AssertionError, SyntaxError)):
                    with open(self.path(file), "wb") as new:
                        new.write(damaged)
                    self.assert_whole(file, content, "")

    def test_memory_that_runs_out_while_written_links_are_verified_leaves_no_file(self):
        # Nothing comes after the verification, so that the last kernel is part of it.
        for rank, output in ((0, "c.nersc"), (1, "c.lime")):
            program = ("convert", FILE, output, "-q")
            last, _ = self.kernels(program, 2, rank)
            self.assertIn("rank %d: memory ran out" % rank, self.strike("memory:%d:%d" % (rank, last), program, 70))

    def test_a_fault_that_does_not_exist_is_refused(self):
        for fault in ("lost", "lost:0", "lost:0:6 ", "lost:0:6:1", "lost:0:6x", "lost: 0:6", "lost:-1:6", "loss:0:6", "memory:0:0",
                      "memory::1", ":0:1"):
            said = self.strike(fault, ("info", FILE), 1, ranks=1)
            self.assertIn("environment variable KOV_FAULT is " + fault + " where", said)
        self.assertIn("there is no rank 2 among 2 processes", self.strike("memory:2:1", ("info", FILE), 1))

    def test_a_wrong_option_is_said_once(self):
        for option, text in (("--nonsense", "unknown argument '--nonsense'"),
                             ("--kokkos-num-threads=many", "kovariant: --kokkos-num-threads=many is wrong")):
            done = self.call("info", FILE, option, ranks=2, code=1)
            self.assertEqual(done.stderr.count(text), 1, done.stderr)
        for option in ("--kokkos-num-threads=0", "--kokkos-num-threads", "--kokkos-device-id=-1", "--kokkos-device-id="):
            self.assertIn("kovariant: %s is wrong: give --kokkos-" % option, self.call("info", FILE, option, code=1).stderr)
        self.call("info", FILE, "--kokkos-num-threads=1")

    def test_an_output_that_nobody_takes_is_one_error_with_one_code(self):
        script = 'exec "$0" "$@" > /dev/full'
        done = subprocess.run([*MPIEXEC, "-n", "2", "sh", "-c", script, PROGRAM, "info", FILE], cwd=self.folder,
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=100, env=environment())
        self.assertEqual(done.returncode, 1, done.stderr)
        said = errors_said(done.stderr, "kovariant")
        self.assertEqual(len(said), 1, done.stderr)
        self.assertIn("kovariant: standard output cannot be written", said[0])


if __name__ == "__main__":
    unittest.main()
