# SPDX-License-Identifier: MIT
"""Messages about results, and the files of results."""
import json
import os
import re
import shutil
import subprocess
import unittest

from program_support import HAS_HDF5, PROGRAM, TINY, ProgramTest, python_with


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
        self.assertRegex(done.stderr, "spectrum.svg is not drawn: .*spectrum.svg.* of an earlier run")

    def test_what_would_be_measured_twice_is_refused_before_the_work(self):
        for key, value in (("source.origins", "[[0, 0, 0, 0], [0, 0, 0, 0]]"), ("correlators.momenta", "[[0, 0, 1], [0, 0, 1]]"),
                           ("correlators.momenta", "[[0, 0, 2], [0, 0, -2]]")):
            self.assertIn("would count twice", self.call("spectrum", *TINY, "--set", key + "=" + value, code=1).stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_absurd_requests_are_errors(self):
        for key in ("source.count", "generate.configurations"):
            done = self.call_within(10, "spectrum", *TINY, "--set", key + "=2000000000", code=1)
            self.assertIn("--set %s is 2000000000" % key, done.stderr)
        self.assertRegex(self.call("spectrum", "--set", "gauge.extent=[112, 112, 112, 224]", "--set", "memory.limit=20", "--dry-run", code=1).stderr,
                         "need [0-9]+ MiB in each process with the smallest batches, but there are 20480 MiB: run more processes")


PYTHON = python_with("h5py") if HAS_HDF5 else None


@unittest.skipUnless(PYTHON, "NOT TESTED: this build has no HDF5, or no Python here has h5py")
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
        before = self.read("spectrum.svg")
        text = self.python(self.installed_example())
        self.assertIn("sinks of meson/pion-pion: none wuppertal\nmeson/pion-pion/none at momentum", text)
        self.assertIn("meson/pion-pion/wuppertal at momentum", self.python(self.installed_example(), "spectrum.h5", "meson/pion-pion/wuppertal"))
        self.assertEqual(self.read("spectrum.svg"), before)

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
        outputs = {name: self.read(name, "rb") for name in os.listdir(self.folder) if name.startswith("spectrum.")
                   and os.path.isfile(self.path(name))}
        self.assertIn("pion-pion at momentum [0 0 0]", self.python(example))
        self.assertEqual({name: self.read(name, "rb") for name in outputs}, outputs)


if __name__ == "__main__":
    unittest.main()
