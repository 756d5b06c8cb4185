# SPDX-License-Identifier: MIT
"""kovariant distill in less memory, with smaller batches, and with kernels that a tuner chooses."""
import itertools
import os
import unittest

from distill_support import JOB, NAME, DistillTest
from program_support import MPIEXEC

AGREE = """
import h5py, sys
def compare(name, x):
    if isinstance(x, h5py.Dataset) and x.dtype.kind in 'fc':
        y = b[name][()]
        assert x.shape == y.shape and abs(x[()] - y).max() <= %g * abs(y).max(), (a.filename, name, abs(x[()] - y).max())
for names in zip(sys.argv[1::2], sys.argv[2::2]):
    a, b = map(h5py.File, names)
    a.visititems(compare)
    assert len(a) == len(b) > 0, names
"""


class DistillMemoryTest(DistillTest):
    def check_agreement(self, bound, *pairs):
        """That the numbers in files agree with those in others."""
        self.check_files(AGREE % bound, *itertools.chain(*pairs))


class DistillMemory(DistillMemoryTest):
    def test_decides_how_much_is_done_at_a_time(self):
        """Contractions of the same files agree to rounding, and a run with the smallest batches with what it has."""
        self.need_h5py()
        job = [*JOB, "--set", "correlators.two_pions=[[0, 0, 0]]", "--set", "correlators.baryons=['proton']", "--set", "perambulators.spacing=2"]
        self.assertIn("eigenvectors of all slices together; 4 vectors displaced at a time; 4 pairs of vectors at a time; solves of 12 columns",
                      self.call("distill", *job).stdout)
        whole = {name: self.path(name) + ".whole" for name in os.listdir(self.folder)}
        for name, kept in whole.items():
            os.rename(self.path(name), kept)
            if "correlators" not in name:
                os.link(kept, self.path(name))
        text = self.call("distill", *job, "--set", "memory.limit=0.0018").stdout
        self.assertIn("read for every source", text)
        names = [name for name in whole if "correlators" in name]
        self.assertEqual(len(names), 3)
        self.check_agreement(1e-12, *((name, whole[name]) for name in names))
        # Everything anew.
        for name in whole:
            os.remove(self.path(name))
        self.assertIn("solves of 6 columns", self.call("distill", *job, "--set", "memory.limit=0.0045", ranks=1).stdout)
        self.check_agreement(1e-6, *((name, whole[name]) for name in names))

    def test_makes_groups_of_slices_whose_eigenvectors_are_searched_for(self):
        self.need_h5py()
        job = [*JOB, "--set", "gauge.extent=[4, 4, 4, 8]", "--set", "eigenvectors.n=64", "--set", "elementals.displacements=['1']", "--set", "elementals.max_momentum=0",
               "--set", "correlators.mesons=[]", "--set", "noise.count=1", "--set", "noise.spin=none", "--set", "noise.eigenvectors=none",
               "--set", "solver.precision=double", "--set", "solver.columns='one by one'"]
        self.call("distill", *job, "--set", "output.prefix=whole")
        self.assertIn("eigenvectors of 2 slices at a time", self.call("distill", *job, "--set", "memory.limit=0.00456").stdout)
        script = ("import h5py, sys\na, b = (h5py.File(name)['/eigenvectors'] for name in sys.argv[1:])\n"
                  "assert abs(a['values'][()] - b['values'][()]).max() < 1e-9\nassert abs(a['vectors'][()] - b['vectors'][()]).max() < 1e-6\n")
        self.check_files(script, NAME + "eigenvectors.h5", NAME.replace("distill", "whole") + "eigenvectors.h5")

    def test_that_is_too_small_is_refused_before_anything_is_made(self):
        error = self.call("distill", *JOB, "--set", "memory.limit=0.001", code=1).stderr
        self.assertRegex(error, "need [0-9]+ MiB in each process with the smallest batches, but there are 1 MiB")
        self.assertIn("is -1", self.call("distill", *JOB, "--set", "memory.limit=-1", code=1).stderr)
        self.assertEqual(os.listdir(self.folder), [])


class DistillFewVectors(DistillMemoryTest):
    def test_has_few_eigenvectors_at_a_time_with_the_same_bits(self):
        """Sources, sinks and elementals of vectors that are read again and again, and files of slices written in groups."""
        self.need_h5py()
        job = [*JOB, "--set", "gauge.extent=[4, 4, 4, 8]", "--set", "perambulators.spacing=4", "--set", "solver.columns='one by one'",
               "--set", "correlators.mesons=[]"]
        plain = ["--set", "eigenvectors.n=32"]
        single = [*plain, "--set", "solver.precision=single", "--set", "solver.tolerance=1e-5", "--set", "output.precision=32"]
        noise = ["--set", "eigenvectors.n=64", "--set", "elementals.max_momentum=0", "--set", "noise.count=1", "--set", "noise.spin=none",
                 "--set", "noise.eigenvectors=none"]
        few = " eigenvectors in memory at a time; eigenvectors of "
        for k, (more, limits, texts) in enumerate([
                (plain, ("0", "0.0055"), ("eigenvectors of all slices", few + "all slices")),
                (single, ("0", "0.0045"), ("eigenvectors of all slices", few + "all slices")),
                (noise, ("0.005", "0.0035"), ("eigenvectors of 2 slices at a time", few + "2 slices"))]):
            prefixes = ["run%d%s." % (k, which) for which in ("whole", "few")]
            for prefix, limit, text in zip(prefixes, limits, texts):
                self.assertIn(text, self.call("distill", *job, *more, "--set", "memory.limit=" + limit, "--set", "output.prefix=" + prefix[:-1],
                                              ranks=1).stdout)
            names = [name[len(prefixes[0]):] for name in os.listdir(self.folder) if name.startswith(prefixes[0]) and name.endswith(".h5")]
            self.assertGreater(len(names), 3)
            self.check_agreement(0, *([prefix + name for prefix in prefixes] for name in names))

    def test_makes_elementals_of_baryons_with_few_eigenvectors_at_a_time_with_the_same_bits(self):
        """Fewer pairs of vectors that are all in memory, and then vectors that are read again and again."""
        self.need_h5py()
        job = [*JOB, "--set", "gauge.extent=[6, 6, 6, 4]", "--set", "eigenvectors.n=16", "--set", "elementals.max_momentum=0",
               "--set", "elementals.max_baryon_momentum=1", "--set", "perambulators.spacing=4", "--set", "correlators.mesons=[]",
               "--set", "correlators.baryons=['proton']"]
        plan = self.call("distill", *job, ranks=1).stdout
        self.assertIn("eigenvectors of all slices together; 16 vectors displaced at a time; 16 pairs of vectors at a time;", plan)
        whole = {name: self.path(name) + ".whole" for name in os.listdir(self.folder) if "baryon" in name}
        self.assertEqual(sorted(whole), [NAME + "baryon_elementals.h5", NAME + "baryons.correlators.h5"])
        for name, kept in whole.items():
            os.rename(self.path(name), kept)
        for limit, text in (("0.005", "batches +8 pairs of vectors at a time"),
                            ("0.0045", "batches +8 eigenvectors in memory at a time; 2 pairs of vectors at a time")):
            self.assertRegex(self.call("distill", *job, "--set", "memory.limit=" + limit, ranks=1).stdout, text)
            self.check_agreement(0, *whole.items())
            for name in whole:
                os.remove(self.path(name))


class DistillTuned(DistillMemoryTest):
    def test_has_kernels_chosen_where_a_file_is_named_on_one_process(self):
        self.need_h5py()
        table = self.call("bench", "contractions", "--rows", 4, "--seconds", 0.0001, "--only", "traces, complex float").stdout
        if "no BLAS" in table:  # CPUs have no other kernels to choose from
            self.skipTest("NOT TESTED: this machine has no BLAS")
        self.call("distill", *JOB, ranks=1)
        by_rules, chosen = self.path("by rules"), self.path("chosen")
        name = NAME + "correlators.h5"
        os.rename(self.path(name), by_rules)
        os.environ["KOVARIANT_TUNE"] = self.path("tune.txt")
        self.addCleanup(os.environ.pop, "KOVARIANT_TUNE")
        self.call("distill", *JOB, "--log", "log", ranks=1)
        for kernel in ("matrix product", "traces"):
            self.assertIn(kernel, self.read("tune.txt"))
            self.assertRegex(self.read("log"), "tuned %s, .*: tiling [A-Za-z0-9.-]+\\n" % kernel)
        self.check_agreement(1e-12, (name, by_rules))
        os.rename(self.path(name), chosen)
        written = os.stat(self.path("tune.txt")).st_ino
        self.call("distill", *JOB, ranks=1)
        self.assertEqual(os.stat(self.path("tune.txt")).st_ino, written, "learnt anew what is in the file")
        self.check_agreement(0, (name, chosen))
        if MPIEXEC:
            os.remove(self.path(name))
            self.call("distill", *JOB, ranks=2)
            self.check_agreement(1e-12, (name, by_rules))


if __name__ == "__main__":
    unittest.main()
