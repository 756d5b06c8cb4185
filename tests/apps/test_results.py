# SPDX-License-Identifier: MIT
"""What the program's results are kept apart by: runs with one prefix, links under one name; and the files themselves.

The environment is that of test_program.py.
"""
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from test_program import HAS_HDF5, PROGRAM, TINY, ProgramTest, environment

# Half a second and more, in several parts.
SLOW = [*TINY, "--set", "source.count=8", "--set", "solver.precision=double", "--set", "solver.tolerance=1e-12"]


class Runs:
    """Starts programs beside each other; for a ProgramTest."""

    def start(self, *arguments):
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, process, there, seconds=60):
        deadline = time.monotonic() + seconds
        while not there():
            self.assertIsNone(process.poll(), process.poll() is None or process.stderr.read())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.002)

    def finished_parts(self, folder="spectrum.journal"):
        return [n for n in os.listdir(self.path(folder)) if n.endswith(".journal")] if os.path.isdir(self.path(folder)) else []


class Together(Runs, ProgramTest):
    def test_a_second_run_with_the_prefix_is_refused_and_told_who_has_it(self):
        first = self.start("spectrum", *SLOW)
        self.wait_for(first, self.finished_parts)
        done = self.call("spectrum", *SLOW, "--set", "action.kappa=0.12", code=1)
        for word in ("another run writes these outputs", "process %d on " % first.pid, "since 20", "spectrum.lock"):
            self.assertIn(word, done.stderr)
        self.call("spectrum", *SLOW, "--dry-run")  # writes nothing
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
        first = self.start("spectrum", *SLOW)
        self.wait_for(first, self.finished_parts)
        first.kill()
        first.wait()
        self.assertTrue(os.path.exists(self.path("spectrum.lock")))
        self.call("spectrum", *SLOW)
        self.assertFalse(os.path.exists(self.path("spectrum.lock")))

    def test_a_signal_takes_the_lock_away(self):
        first = self.start("spectrum", *SLOW)
        self.wait_for(first, self.finished_parts)
        first.send_signal(signal.SIGTERM)
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

    def test_a_file_of_the_locks_name_is_never_touched(self):
        with open(self.path("smear.lock"), "w") as file:
            file.write("my notes\n")
        self.assertIn("no lock of this program", self.call("smear", "--extent", 4, 4, 4, 2, code=1).stderr)
        self.assertEqual(self.read("smear.lock"), "my notes\n")
        os.remove(self.path("smear.lock"))
        os.mkfifo(self.path("smear.lock"))
        self.assertIn("no lock of this program", self.call("smear", "--extent", 4, 4, 4, 2, code=1).stderr)
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
        run = self.start(*files)
        self.wait_for(run, self.finished_parts)
        os.replace(self.path("a.0002.lime"), self.path("b.lime"))
        text = run.communicate(timeout=200)[1]
        self.assertEqual(run.returncode, 1, text)
        self.assertIn("b.lime was replaced while this run was under way", text)
        self.assertEqual([n for n in self.finished_parts() if n.startswith("b.lime")], [])
        self.assertFalse(os.path.exists(self.path("spectrum.dat")))
        self.assertIn("finished        8 of 16", self.call(*files).stdout)


class Spoken(ProgramTest):
    """Nothing is silently changed or left out."""

    def test_windows_that_do_not_fit_are_refused_and_defaults_shortened_aloud(self):
        done = self.call("spectrum", *TINY, "--set", "analysis.pion=[4, 20]", "--dry-run", code=1)
        self.assertIn("--set analysis.pion is [4, 20], but 8 times have effective masses at t = 0 to 3", done.stderr)
        short = self.call("spectrum", "--set", "gauge.extent=[4, 4, 4, 8]", "--dry-run").stderr
        for hadron in ("pion", "rho", "nucleon"):
            self.assertIn("analysis.%s is [" % hadron, short)
        self.assertEqual(self.call("spectrum", "--dry-run").stderr, "")

    def test_all_baryons_keep_the_nucleons_mass(self):
        base = [*TINY, "--set", "correlators.mesons=pion"]
        want = re.search(r"^ +mass .*", self.call("spectrum", *base).stdout, re.M).group(0)
        done = self.call("spectrum", *base, "--set", 'correlators.baryons=["all"]')
        self.assertEqual(re.search(r"^ +mass .*", done.stdout, re.M).group(0), want)
        self.assertIn("nucleon", re.search(r"^ +t .*", done.stdout, re.M).group(0))

    def test_a_picture_that_cannot_be_drawn_is_missed_aloud(self):
        done = self.call("spectrum", *TINY, "--set", "correlators.mesons=a0", "--set", "correlators.baryons=[]")
        self.assertIn("neither pion-pion, rho-rho nor a nucleon was measured at momentum 0 0 0", done.stderr)
        self.assertIn("spectrum.svg is not drawn", done.stderr)
        self.assertNotIn("spectrum.svg", done.stdout.split("wrote")[1])
        self.assertFalse(os.path.exists(self.path("spectrum.svg")))
        self.call("spectrum", *TINY)
        done = self.call("spectrum", *TINY, "--set", "correlators.momenta=[[0, 0, 1]]")
        self.assertIn("the file that is there is of an earlier run", done.stderr)

    def test_what_would_be_measured_twice_is_refused_before_the_work(self):
        for key, value in (("source.origins", "[[0, 0, 0, 0], [0, 0, 0, 0]]"), ("correlators.momenta", "[[0, 0, 1], [0, 0, 1]]"),
                           ("correlators.momenta", "[[0, 0, 2], [0, 0, -2]]")):
            self.assertIn("would count twice", self.call("spectrum", *TINY, "--set", key + "=" + value, code=1).stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_absurd_requests_are_errors_and_large_ones_warnings(self):
        begin = time.monotonic()
        for key in ("source.count", "generate.configurations"):
            done = self.call("spectrum", *TINY, "--set", key + "=2000000000", code=1)
            self.assertIn("--set %s is 2000000000" % key, done.stderr)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertIn("which is more than its memory of", self.call("spectrum", "--set", "gauge.extent=[112, 112, 112, 224]",
                                                                 "--dry-run").stderr)


# A Python with h5py, or None.
PYTHON = next((p for p in ("/usr/bin/python3", "python3")
               if HAS_HDF5 and subprocess.run([p, "-c", "import h5py"], stderr=subprocess.DEVNULL).returncode == 0), None)


@unittest.skipUnless(PYTHON, "no HDF5 in this build, or no h5py here")
class Analysis(ProgramTest):
    """PREFIX.h5 as an analyst opens it."""

    def python(self, *arguments):
        done = subprocess.run([PYTHON, *arguments], cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def installed_example(self):
        script = os.path.join(os.path.dirname(PROGRAM), "apps", "cmake_install.cmake")
        if not shutil.which("cmake") or not os.path.exists(script):  # a build that was carried to another machine
            return os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "apps", "examples", "spectrum.py")
        subprocess.run(["cmake", "-D", "CMAKE_INSTALL_PREFIX=" + self.path("prefix"), "-P", script], check=True, timeout=100,
                       stdout=subprocess.DEVNULL)
        return self.path(os.path.join("prefix", "share", "kovariant", "examples", "spectrum.py"))

    def test_a_channel_is_one_array_with_labelled_axes(self):
        self.call("spectrum", *TINY, "--set", "source.count=2", "--set", "correlators.max_momentum2=1")
        script = ("import h5py, json\nf = h5py.File('spectrum.h5')\nd = f['meson/pion-pion']\n"
                  "assert d.dtype.kind == 'c' and d.dtype.itemsize == 16, d.dtype\n"
                  "assert d.shape == (2, 2, 7, 8), d.shape\n"
                  "assert (d[:, :, 0].real > 0).all()\n"
                  "assert [x.label for x in d.dims] == ['configuration', 'source', 'momentum', 't'], list(d.dims)\n"
                  "scales = [x[0] for x in d.dims]\n"
                  "assert [x.name for x in scales] == ['/axes/' + x.label for x in d.dims], scales\n"
                  "assert all(h5py.h5ds.is_attached(d.id, x.id, i) for i, x in enumerate(scales))\n"
                  "assert list(scales[0].asstr()) == ['beta6_seed1_update5', 'beta6_seed1_update7']\n"
                  "assert scales[2].shape == (7, 3) and list(scales[2][0]) == [0, 0, 0]\n"
                  "assert list(scales[3]) == list(range(8))\n"
                  "assert f['inputs/origin'][1].tolist() == [[0, 0, 0, 0], [2, 2, 2, 4]], f['inputs/origin'][:]\n"
                  "assert d.attrs['kappa'] == 0.13 and d.attrs['action'] == 'Wilson', dict(d.attrs)\n"
                  "assert d.attrs['boundary'] == 'antiperiodic' and d.attrs['sink_smearing'] == 'none'\n"
                  "assert f.attrs['format_version'] == 2\n"
                  "p = f['parameters'].attrs\n"
                  "assert p['action.kappa'] == 0.13 and p['source.count'] == 2 and p['action.boundary'] == 'antiperiodic'\n"
                  "assert f['inputs/plaquette'].dtype == 'f8' and f['inputs/plaquette'].shape == (2,)\n"
                  "assert f['solves/iterations'].dtype == 'i8' and f['solves/iterations'].shape == (2, 2)\n"
                  "assert (f['solves/iterations'][:] > 12).all() and (f['solves/worst_residual'][:] < 1e-9).all()\n"
                  "assert len(f['inputs/links_checksum'].asstr()[0].split()) == 2\n"
                  "assert len(f['meson']) == 16 and list(f['baryon']) == ['nucleon']\n"
                  "print(json.dumps([[[z.real, z.imag] for z in row] for row in d[:].reshape(-1, 8)]))\n")
        values = json.loads(self.python("-c", script))
        self.assertEqual(len(values), 28)
        text = [row[1:] for row in self.numbers("spectrum.dat")]
        blocks = [text[k:k + 8] for k in range(0, len(text), 8)]
        headers = re.findall(r"# meson (\S+)\n", self.read("spectrum.dat"))
        # The text file goes through sources and channels, momenta innermost, and so does the array.
        where = [k for k in range(0, len(blocks)) if k % (17 * 7) < 16 * 7]
        self.assertEqual(values, [blocks[k] for k, name in zip(where, headers) if name == "pion-pion"])

    def test_sinks_are_datasets_of_their_own(self):
        self.call("spectrum", *TINY, "--set", 'sink.smearings=["none", "wuppertal"]')
        script = ("import h5py\nf = h5py.File('spectrum.h5')\n"
                  "assert list(f['meson/pion-pion']) == ['none', 'wuppertal']\n"
                  "assert f['meson/pion-pion/wuppertal'].attrs['sink_smearing'] == 'wuppertal'\n")
        self.python("-c", script)

    def test_configurations_keep_the_order_given(self):
        self.call("generate", "--extent", 4, 4, 4, 8, "--thermalise", 5, "--between", 1, "--configurations", 3, "--output", "a", "-q")
        files = ["a.000%d.lime" % k for k in (3, 1, 2)]
        self.call("spectrum", *TINY, "--set", "gauge.files=" + json.dumps(files))
        script = "import h5py, json\nprint(json.dumps(list(h5py.File('spectrum.h5')['axes/configuration'].asstr())))"
        self.assertEqual(json.loads(self.python("-c", script)), files)

    def test_the_example_finds_the_masses_of_the_program(self):
        table = self.call("spectrum", *TINY, "--set", "generate.configurations=3", "--set", "correlators.baryons=nucleon").stdout
        example = self.installed_example()
        text = self.python(example, "spectrum.h5", "baryon/nucleon", "nucleon.pdf")
        rows = [line.split() for line in text.splitlines() if re.match(r" +\d+ ", line)]
        self.assertEqual(len(rows), 3)
        for row in rows:
            line = re.search(r"^ +%s +\S+ +\S+ +(\d+\.(\d+))\((\S+)\)$" % row[0], table, re.M)
            unit = 10.0 ** -len(line.group(2))
            error = float(line.group(3)) if "." in line.group(3) else float(line.group(3)) * unit
            self.assertAlmostEqual(float(row[1]), float(line.group(1)), delta=0.51 * unit + 1e-6)
            self.assertAlmostEqual(float(row[2]), error, delta=0.51 * unit + 1e-6)
        self.assertEqual(os.path.exists(self.path("nucleon.pdf")), "no matplotlib" not in text)
        self.assertIn("pion-pion at momentum [0 0 0]", self.python(example))
