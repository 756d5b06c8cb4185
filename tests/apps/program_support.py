# SPDX-License-Identifier: MIT
"""What tests of the program share: how it is called, and where its files are.

ctest sets KOVARIANT (the program), KOVARIANT_MPIEXEC (a launcher with its flags, or empty) and KOV_TEST_DATA.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from launched import errors_said, run  # noqa: E402, F401
from python_with import python_with  # noqa: E402

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
        """The finished process, with `seconds` of the clock and `work`, the seconds that processors worked for it."""
        command = [PROGRAM, *map(str, arguments)]
        if ranks > 1:
            command = [*MPIEXEC, "-n", str(ranks), *command]
        before = os.times()
        done = run(command, launcher=ranks > 1, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE, text=True, errors="surrogateescape", timeout=timeout, env=environment())
        now = os.times()
        done.work = now.children_user + now.children_system - before.children_user - before.children_system
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def call_within(self, seconds, *arguments, **more):
        """call(), which ends within so many seconds of the clock.  Called again if not: a busy machine stands still now and then."""
        for _ in range(3):
            done = self.call(*arguments, **more)
            if done.seconds < seconds:
                return done
        self.fail("%s took %g seconds" % (arguments, done.seconds))

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

    def plaquette(self, name):
        """As `kovariant info` prints it."""
        return re.search(r"^plaquette +(\S+)", self.call("info", name).stdout, re.M).group(1)

    def links(self, name):
        """The checksums of the links, whatever the format."""
        return re.search(r"^links +(\S+ \S+)", self.call("info", name).stdout, re.M).group(1)

    def leftovers(self):
        return [name for name in os.listdir(self.folder) if "tmp" in name.lower() or name.startswith(".")]


class LinksTest(ProgramTest):
    """Has a small configuration of its own, a.0001.lime."""

    def setUp(self):
        super().setUp()
        self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 5, "--output", "a", "-q")
        self.before = sorted(os.listdir(self.folder))

    def rows(self, text, table=0):
        """The columns of one table of a text; '-' is None."""
        blocks = [[line.split() for line in block.splitlines() if line.strip() and not line.startswith("#")]
                  for block in text.split("\n\n\n")]
        return [[None if word == "-" else float(word) for word in row] for row in blocks[table]]

    def new_files(self):
        return sorted(set(os.listdir(self.folder)) - set(self.before))

    def outputs(self, prefix):
        return sorted(prefix + ending for ending in ([".h5"] if HAS_HDF5 else []) + PICTURES + [".txt"])

    def tables_in_hdf5(self, name):
        """{dataset: rows} as h5py reads them; without HDF5 or h5py the test ends here, skipped: call it last."""
        if not HAS_HDF5:
            self.skipTest("NOT TESTED: this build has no HDF5")
        python = python_with("h5py")
        if python is None:
            self.skipTest("NOT TESTED: no Python here has h5py")
        script = ("import h5py, json, sys\nf = h5py.File(sys.argv[1])\n"
                  "assert f.attrs['format_version'] == 2\n"
                  "assert 'links_checksum' in f['inputs'].attrs, list(f['inputs'].attrs)\n"
                  "assert list(f.attrs['extent']) == [4, 4, 4, 8]\n"
                  "def is_number(text):\n"
                  "    try: return float(text) is not None\n"
                  "    except ValueError: return False\n"
                  "for group in ('parameters', 'inputs'):\n"
                  "    for k, v in f[group].attrs.items():\n"
                  "        assert not (isinstance(v, str) and all(map(is_number, v.split()))), (group, k, v)\n"
                  "assert f['inputs'].attrs['plaquette'].dtype == 'f8'\n"
                  "for k in f:\n"
                  "    if isinstance(f[k], h5py.Dataset): assert len(f[k].attrs['columns']) == f[k].shape[1]\n"
                  "print(json.dumps({k: f[k][()].tolist() for k in f if isinstance(f[k], h5py.Dataset)}))\n")
        done = subprocess.run([python, "-c", script, name], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_same_on_two_ranks(self, command, *options):
        """The tables of a subcommand's text are the same but for roundings."""
        for name, ranks in (("one", 1), ("two", 2)):
            self.call(command, "a.0001.lime", *options, "--output", name, ranks=ranks)
        one, two = (self.rows(self.read(name + ".txt")) for name in ("one", "two"))
        self.assertEqual(len(one), len(two))
        for a, b in zip(one, two):
            for x, y in zip(a, b):
                self.assertAlmostEqual(x or 0, y or 0, delta=1e-10)
