# SPDX-License-Identifier: MIT
"""Plans, and requests that cannot be met, of every program."""
import math
import os
import unittest

from distill_support import JOB, NAME, DistillTest
from program_support import TINY, LinksTest


class Requests(LinksTest):
    def test_plans_that_are_larger_than_memory_warn(self):
        # As many sites as a process can have, of at least 1344 bytes.
        memory, large = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE"), (128, 128, 128, 254)
        for command in ("smear", "generate"):
            done = self.call(command, "--extent", *large, "--dry-run")
            if memory < 1344 * math.prod(large):
                self.assertIn("warning: the fields take about", done.stderr)
            self.assertNotIn("warning", self.call(command, "--extent", 4, 4, 4, 4, "--dry-run").stderr)
        for command in (["flow", "a.0001.lime"], ["loops", "a.0001.lime"], ["gaugefix", "a.0001.lime", "b.lime"]):
            self.assertNotIn("warning", self.call(*command, "--dry-run").stderr)

    def test_dry_runs_say_the_plan_and_write_nothing(self):
        text = self.call("generate", "--extent", 4, 4, 4, 8, "--configurations", 3, "--between", 7, "--dry-run").stdout
        for says in ("4 4 4 8", "3 the first after 100", "to do           114 updates", "MiB", "quenched.0001.lime to quenched.0003.lime"):
            self.assertIn(says, text)
        self.assertIn("50 steps", self.call("flow", "a.0001.lime", "--time", 1, "--dry-run").stdout)
        self.assertIn("3 in time", self.call("loops", "a.0001.lime", "--max-t", 3, "--dry-run").stdout)
        self.assertIn("landau", self.call("gaugefix", "a.0001.lime", "b.lime", "--dry-run").stdout)
        self.assertEqual(self.new_files(), [])

    def test_impossible_requests_are_refused_before_the_work(self):
        for arguments, says in ((("flow", "a.0001.lime", "--step", 0), "step"),
                                (("flow", "a.0001.lime", "--time", -1), "time"),
                                (("generate", "--configurations", 2000000000, "--dry-run"), "takes at most 1000000"),
                                (("flow", "a.0001.lime", "--every", 0), "every"),
                                (("flow", "a.0001.lime", "--action", "iwasaki"), "wilson"),
                                (("flow", "a.0001.lime", "--write", "x.dat"), "format"),
                                (("flow", "a.0001.lime", "--write", "y.h5", "--output", "./y"), "overwritten"),
                                (("flow", "absent.lime"), "absent.lime"),
                                (("loops", "a.0001.lime", "--max-r", -1), "--max-r"),
                                (("loops", "a.0001.lime", "--max-r", 50000), "up to 4"),
                                (("loops", "a.0001.lime", "--max-t", 9), "and 8"),
                                (("loops", "a.0001.lime", "--steps", -1), "--steps"),
                                (("gaugefix", "a.0001.lime"), "OUT"),
                                (("gaugefix", "a.0001.lime", "b.lime", "--overrelaxation", 2), "overrelaxation"),
                                (("gaugefix", "a.0001.lime", "b.lime", "--tolerance", 0), "tolerance"),
                                (("gaugefix", "a.0001.lime", "absent/b.lime"), "absent")):
            self.assertIn(says, self.call(*arguments, code=1).stderr)
        self.assertEqual(self.new_files(), [])

    def test_numbers_that_are_too_large_are_refused_or_end_the_run(self):
        for option, smearing in (("--rho", "stout"), ("--weight", "ape"), ("--alpha2", "hyp")):
            self.assertIn(option + " is 1e+300", self.call("loops", "a.0001.lime", "--smearing", smearing, option, 1e300, code=1).stderr)
        for key in ("action.kappa", "links.stout_rho", "links.ape_weight", "source.width", "source.p2_max"):
            self.assertIn(key + " is 1e+300", self.call("spectrum", "--dry-run", "--set", key + "=1e300", code=1).stderr)
        self.assertIn("action.kappa", self.call("spectrum", "--dry-run", "--set", "action.kappa=1e-320", code=1).stderr)
        self.assertIn("action.mass", self.call("spectrum", "--dry-run", "--set", "action.mass=1e300", code=1).stderr)
        # Each number is possible by itself, all of them together are not.
        growing = ("--width", 1e6, "--iterations", 60)
        text = self.call("smear", "--extent", 4, 4, 4, 2, *growing, code=3).stderr
        self.assertRegex(text, "is -?(inf|nan) - parameters or links")
        text = self.call("spectrum", *TINY, "--set", "source.width=1e6", "--set", "source.iterations=60", code=3).stderr
        self.assertRegex(text, "inf|nan")
        self.assertEqual([name for name in self.new_files() if "journal" not in name], [])

    def test_sources_of_which_nothing_is_left_are_refused(self):
        formula = ("smear", "--extent", 4, 4, 4, 2, "--profile", "formula", "--formula")
        self.assertIn("--formula is '0', which is 0 from p2 = 0 to 12", self.call(*formula, "0", code=1).stderr)
        self.assertIn("multiply it by a number", self.call(*formula, "1e-300*exp(-p2)", code=1).stderr)
        self.assertIn("--p2-max is -100", self.call("smear", "--profile", "theta", "--p2-max", -100, code=1).stderr)
        # Smaller than single precision can follow, and larger than its squares can be.
        for size in ("1e-20", "1e20"):
            text = self.call("spectrum", *TINY, "--set", "source.smearing=formula", "--set", "source.formula=%s*exp(-p2)" % size,
                             "--set", "solver.precision=single", "--set", "solver.tolerance=1e-6", code=3).stderr
            self.assertRegex(text, r"the smeared source at 0 0 0 0 has the norm .*multiply source.formula by a number")
        self.assertEqual([name for name in self.new_files() if "journal" not in name], [])

    def test_errors_name_the_option_that_helps(self):
        self.assertIn("leave --extent out", self.call("info", "a.0001.lime", "--extent", 4, 4, 4, 4, code=1).stderr)


class DistillMemory(DistillTest):
    AGREE = ("import h5py, sys\na, b = (h5py.File(name) for name in sys.argv[1:])\ndef compare(name, x):\n"
             "    if isinstance(x, h5py.Dataset) and x.dtype.kind in 'fc':\n        y = b[name][()]\n"
             "        assert x.shape == y.shape and abs(x[()] - y).max() <= %g * abs(y).max(), (name, abs(x[()] - y).max())\n"
             "a.visititems(compare)\nassert len(a) == len(b) > 0")

    def test_decides_how_much_is_done_at_a_time(self):
        """Contractions of the same files agree to rounding, and a run with the smallest batches with what it has."""
        self.need_h5py()
        job = [*JOB, "--set", "correlators.two_pions=[[0, 0, 0]]", "--set", "correlators.baryons=['proton']", "--set", "perambulators.spacing=2"]
        self.assertIn("eigenvectors of all slices together; 4 vectors displaced at a time; solves of 12 columns", self.call("distill", *job).stdout)
        whole = {name: self.path(name) + ".whole" for name in os.listdir(self.folder)}
        for name, kept in whole.items():
            os.rename(self.path(name), kept)
            if "correlators" not in name:
                os.link(kept, self.path(name))
        text = self.call("distill", *job, "--set", "memory.limit=0.0018").stdout
        self.assertIn("read for every source", text)
        names = [name for name in whole if "correlators" in name]
        self.assertEqual(len(names), 3)
        for name in names:
            self.check_files(self.AGREE % 1e-12, name, whole[name])
        # Everything anew.
        for name in whole:
            os.remove(self.path(name))
        self.assertIn("solves of 4 columns", self.call("distill", *job, "--set", "memory.limit=0.0045", ranks=1).stdout)
        for name in names:
            self.check_files(self.AGREE % 1e-6, name, whole[name])

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
            for name in names:
                self.check_files(self.AGREE % 0, prefixes[0] + name, prefixes[1] + name)

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
        error = self.call("distill", *JOB, "--set", "memory.limit=0.003", code=1).stderr
        self.assertRegex(error, "need [0-9]+ MiB in each process with the smallest batches, but there are 3 MiB")
        self.assertIn("is -1", self.call("distill", *JOB, "--set", "memory.limit=-1", code=1).stderr)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
