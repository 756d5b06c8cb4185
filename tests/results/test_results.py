# SPDX-License-Identifier: MIT
"""Every subcommand gives the same numbers in two ways of running it, and the comparison sees what differs.

ctest sets KOVARIANT (the program), KOVARIANT_MPIEXEC (a launcher with its flags, or empty) and KOVARIANT_HDF5.
"""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import compare_results
import run_programs

PROGRAM = os.environ.get("KOVARIANT", "")
MPIEXEC = shlex.split(os.environ.get("KOVARIANT_MPIEXEC", ""))
HDF5 = os.environ.get("KOVARIANT_HDF5", "1") == "1"
try:
    import h5py
except ImportError:
    h5py = None

TABLE = """# gradient flow on 4 4 4 8
# step: 0.02
# version 1
# t0 = 1.25
#         t/a^2       E plaquette              V(r,t)
            0.5     14.3689351128                   -
            1.0     -1.000000e-12      0.386944161176
"""
CORRELATORS = """# meson pion-pion
# t real imag
0 1.0 0
1 0.001 1e-20
"""


class Folders(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="kovariant-results-")
        self.addCleanup(shutil.rmtree, self.folder)
        for side in "ab":
            os.makedirs(self.path(side))

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, side, text, name="flow.txt"):
        with open(self.path(side, name), "w") as file:
            file.write(text)

    def compare(self):
        """Names of quantities outside, and complaints."""
        worst, complaints, _ = compare_results.compare_folders(self.path("a"), self.path("b"))
        return [w.name for w in worst if w.outside], complaints

    def compare_texts(self, a, b, name="flow.txt"):
        self.write("a", a, name)
        self.write("b", b, name)
        return self.compare()


class TextFiles(Folders):
    def test_equal_results_pass(self):
        self.assertEqual(self.compare_texts(TABLE, TABLE), ([], []))
        self.assertEqual(self.compare_texts(TABLE, TABLE.replace("version 1", "version 2")), ([], []))

    def test_a_number_is_held_against_its_column(self):
        small = TABLE.replace("-1.000000e-12", "-1.000001e-12")
        self.assertEqual(self.compare_texts(TABLE, small), ([], []))
        large = TABLE.replace("14.3689351128", "14.3689351148")
        self.assertEqual(self.compare_texts(TABLE, large), (["flow.txt: table 1, E plaquette"], []))
        self.assertEqual(self.compare_texts(TABLE, TABLE.replace("14.3689351128", "nan"))[0], ["flow.txt: table 1, E plaquette"])

    def test_a_number_in_a_line_is_held_against_itself(self):
        self.assertEqual(self.compare_texts(TABLE, TABLE.replace("1.25", "1.250000001"))[0], ["flow.txt: t0"])

    def test_whole_numbers_must_be_the_same(self):
        self.assertNotEqual(self.compare_texts(TABLE, TABLE.replace("4 4 4 8", "4 4 4 6")), ([], []))

    def test_a_row_a_place_or_a_word_that_differs_is_said(self):
        for other in (TABLE.replace("                   -", "      0.38694416"), TABLE.replace("step", "stride"),
                      TABLE.replace("            1.0     -1.000000e-12      0.386944161176\n", "")):
            self.assertNotEqual(self.compare_texts(TABLE, other)[1], [])

    def test_a_correlator_is_held_against_the_largest_of_its_time(self):
        late = CORRELATORS.replace("0.001", "0.00100000001")
        self.assertEqual(self.compare_texts(CORRELATORS, late, "spectrum_double.dat"),
                         (["spectrum_double.dat: meson/pion-pion"], []))
        rounding = CORRELATORS.replace("1e-20", "-1e-19")
        self.assertEqual(self.compare_texts(CORRELATORS, rounding, "spectrum_double.dat"), ([], []))

    def test_a_three_point_function_is_held_against_the_largest_of_its_current_and_hadron(self):
        current = CORRELATORS.replace("meson pion-pion", "three-point a0_g4\n# hadron = pion")
        nucleon = current.replace("pion", "nucleon").replace("1.0", "1e-6")
        other = nucleon.replace("a0_g4", "conserved_t")
        loop = CORRELATORS.replace("meson pion-pion", "loop pion")
        name, all_of = "spectrum_currents.dat", CORRELATORS + current + nucleon + other + loop
        self.assertEqual(self.compare_texts(all_of, all_of, name), ([], []))
        for part, quantity in ((current, "three-point/a0_g4"), (nucleon, "three-point/a0_g4"), (other, "three-point/conserved_t"),
                               (loop, "loop/pion")):
            changed = all_of.replace(part, part.replace("0 1.0 0", "0 1.000000001 0").replace("0 1e-6 0", "0 1.000000001e-6 0"))
            self.assertNotEqual(changed, all_of)
            self.assertEqual(self.compare_texts(all_of, changed, name), ([f"spectrum_currents.dat: {quantity}"], []))

    def test_printed_energies_may_differ_in_their_last_digit(self):
        row = "pion-pion  0 0 0  cosh  1.412(57)  0.0564  2-4\n"
        name = "analyze_jackknife.txt"
        self.assertEqual(self.compare_texts(row, row.replace("(57)", "(58)").replace("1.412", "1.413"), name), ([], []))
        self.assertEqual(self.compare_texts(row, row.replace("0.0564", " 0.056"), name), ([], []))
        self.assertEqual(len(self.compare_texts(row, row.replace("(57)", "(75)"), name)[0]), 1)
        self.assertEqual(len(self.compare_texts(row, row.replace("2-4", "1-4"), name)[0]), 1)

    def test_files_in_one_folder_only_and_empty_folders_are_said(self):
        self.assertEqual(self.compare()[1], ["there is not one number to compare"])
        self.write("a", TABLE)
        self.assertIn("flow.txt is in one folder only", self.compare()[1])

    def test_pictures_may_be_in_one_folder_only(self):
        for side in "ab":
            self.write(side, TABLE)
        self.write("a", "%PDF", "flow.pdf")
        self.write("a", "<svg/>", "flow.svg")
        self.assertEqual(self.compare(), ([], []))


@unittest.skipUnless(h5py, "NOT TESTED: this Python has no h5py")
class Hdf5Files(Folders):
    def make(self, side, pion, weight=0.5, build="GNU"):
        with h5py.File(self.path(side, "spectrum_double.h5"), "w") as file:
            file.attrs["build"] = build
            file.attrs["kappa"] = 0.13
            file["meson/pion-pion"] = [[[[1 + 0j, pion]]]]  # [configuration][source][momentum][t]
            file["meson/a0-a0"] = [[[[1 + 0j, 1e-20j]]]]
            rows = file.create_dataset("inputs", (2,), dtype=[("name", "S4"), ("plaquette", "f8"), ("checksum", "S8")])
            rows[:] = [(b"a", weight, build.encode()), (b"b", 0.6, b"")]

    def test_datasets_attributes_and_tables_are_compared(self):
        self.make("a", 0.01)
        self.make("b", 0.01 + 1e-20j, build="NVIDIA")
        self.assertEqual(self.compare(), ([], []))
        self.make("b", 0.01 * (1 + 1e-8))
        self.assertEqual(self.compare(), (["spectrum_double.h5: meson/pion-pion"], []))
        self.make("b", 0.01, weight=0.5000001)
        self.assertEqual(self.compare(), (["spectrum_double.h5: inputs, plaquette"], []))

    def test_matrices_are_held_against_the_largest_of_their_slice_and_energies_against_where_fits_end(self):
        def compared(name, path, a, b):
            for side, values in (("a", a), ("b", b)):
                with h5py.File(self.path(side, name), "w") as file:
                    file[path] = values
                    file[path].attrs["job"] = side
            found = self.compare()
            for side in "ab":
                os.remove(self.path(side, name))
            return found
        early, late = [[1 + 1j, 1e-9], [1e-4, 1e-9]], [[1 + 1j, 1e-9], [1e-4 * (1 + 1e-9), 1e-9]]
        for name, path in (("propagator.h5", "propagator/matrices"), ("distill.h5", "matrices/numbers")):
            self.assertEqual(compared(name, path, early, late), ([f"{name}: {path}"], []))
            self.assertEqual(compared(name, path, early, [[1 + 1j, 1.00001e-9], early[1]]), ([], []))
        self.assertEqual(compared("distill.h5", "eigenvectors/vectors", early, late), ([], []))
        for difference, outside in ((1e-6, []), (1e-4, ["analyze.h5: energy/mean"])):
            self.assertEqual(compared("analyze.h5", "energy/mean", [0.5], [0.5 + difference]), (outside, []))
        for difference, outside in ((1e-9, []), (1e-6, ["analyze.h5: gevp/0/energy"])):
            self.assertEqual(compared("analyze.h5", "gevp/0/energy", [0.5], [0.5 + difference]), (outside, []))

    def test_columns_of_tables_and_iterations_of_solvers_have_tolerances_of_their_own(self):
        for side, theta, iterations in (("a", 0.5, 400), ("b", 0.50001, 401)):
            with h5py.File(self.path(side, "gaugefix_landau.h5"), "w") as file:
                file["iterations"] = [[1.0, theta], [2.0, 0.25]]
                file["iterations"].attrs["columns"] = [b"iteration", b"theta"]
                file["solves/iterations"] = [iterations]
        self.assertEqual(self.compare(), (["gaugefix_landau.h5: iterations, theta"], []))


@unittest.skipUnless(PROGRAM, "NOT TESTED: KOVARIANT names no program")
class Programs(Folders):
    def test_one_thread_and_two_ranks_or_threads_agree(self):
        for side, threads in (("one", "1"), ("two", "1" if MPIEXEC else "2")):
            os.environ["OMP_NUM_THREADS"] = threads
            launcher = [*MPIEXEC, "-n", "2"] if MPIEXEC and side == "two" else []
            run_programs.run_all(PROGRAM, self.path(side), launcher, hdf5=HDF5)
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compare_results.py")
        done = subprocess.run([sys.executable, "-B", script, self.path("one"), self.path("two"), *([] if h5py else ["--text-only"])],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"\d{3,} quantities, 0 outside")
        # What each program made is among the quantities.
        links = "conf.0001.lime"
        quantities = [f"spectrum_currents.dat: {name}" for name in ("meson/pion-pion", "three-point/conserved_t", "loop/a0")]
        if HDF5:
            quantities += ["analyze_jackknife.txt: pion-pion"]
        if HDF5 and h5py:
            quantities += [
                "spectrum_currents.h5: three-point/a0_g4", f"propagator.{links}.wilson.0.0.0.0.h5: propagator/matrices",
                f"distill.{links}.eigenvectors.h5: eigenvectors/vectors", f"distill.{links}.elementals.h5: matrices/numbers",
                f"distill.{links}.t004.perambulators.h5: matrices/numbers", f"distill.{links}.correlators.h5: meson/",
                f"distill.{links}.two_pions.correlators.h5: meson/", f"distill.{links}.baryons.correlators.h5: baryon/",
                f"distill_noise.{links}.noise.correlators.h5: meson/", "analyze_jackknife.h5: energy/mean",
                "analyze_jackknife.h5: dispersion/fit, c2", "analyze_jackknife.h5: gevp/0/energy",
                "analyze_bootstrap.h5: ratio/0/plateau"]
        for quantity in quantities:
            self.assertIn("\n" + quantity, done.stdout)


if __name__ == "__main__":
    unittest.main()
