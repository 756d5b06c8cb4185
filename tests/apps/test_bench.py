# SPDX-License-Identifier: MIT
"""kovariant bench: it runs, and every kernel of the library is in one of its rows.

ctest sets KOVARIANT (the program) as for the others (program_support.py).
"""
import os
import re
import subprocess
import unittest

from program_support import MPIEXEC, PROGRAM, ProgramTest, environment, run

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LAYERS = ("core", "stencil", "algebra", "contractions")

# Kernels are launched under a name: LAUNCH finds every launch, whose first argument is the name.
LAUNCH = re.compile(r"\b(for_each_site|for_each_team|for_each_lane|for_each_item|for_each_task|count_sites|count_lanes|sum_sites|sum_groups|run_stencil|for_each_staple|slice_sums|"
                    r"launch|launch_lanes|launch_blocks|for_each_thread_block|parallel_for|parallel_reduce|parallel_scan)"
                    r"\s*(?:<[^;(){}]*>)?\s*\(\s*([^,)]*)")
# An object that is made by a launch.
LAUNCHING_OBJECT = re.compile(r'\bSiteValues<[^;(){}]*>\s+\w+\(\s*"([^"]*)"')
# Functions of one file that launch a kernel under a name they are given: what finds the names.
NAMED_BY_CALLERS = {
    "core/vectors/column_matrix.cpp": re.compile(r'\b(?:for_each_group|sum_groups<[^;(){}]*>)\(\s*"([^"]*)"'),
    "core/vectors/column_ops.cpp": re.compile(r'\bcombine<C>\(\s*"([^"]*)"'),
    "core/vectors/column_sums.cpp": re.compile(r'\b(?:sum_columns<\d>|sums\.add)\(\s*"([^"]*)"'),
    "core/vectors/field_ops.cpp": re.compile(r'\blaunch\(\s*"([^"]*)"'),
    "stencil/observables/observables.cpp": re.compile(r'\bStoredValues<[^;(){}]*>\s+\w+\(\s*"([^"]*)"'),
    "stencil/operators/hop_impl.hpp": re.compile(r'"(wilson\w*)"'),
    "stencil/operators/shift.cpp": re.compile(r'\b(?:run_on_legs|run_covariant)<[^;(){}]*>\(\s*"([^"]*)"'),
    "algebra/krylov_updates.cpp": re.compile(r'\bsums\.add\(\s*"([^"]*)"'),
    "contractions/sources/source.cpp": re.compile(r'\bmake_source<T>\(\s*lattice,\s*"([^"]*)"'),
}
# Names that functions for all hand on: the launches themselves, whose callers are found by LAUNCH; and loops of host
# threads over pieces of files, which are no kernels.
HANDED_ON = {"core/vectors/column_batch.hpp", "core/vectors/field_columns.hpp", "core/vectors/group_sums.hpp", "core/launch/for_each_site.hpp", "core/base/host_threads.cpp", "core/launch/for_each_item.cpp", "core/launch/for_each_item.hpp", "core/vectors/reduce.hpp",
             "core/launch/for_each_team.hpp", "core/launch/launch_shape.cpp", "core/launch/thread_blocks.hpp", "stencil/launch/run_stencil.hpp", "stencil/gauge/staples.hpp", "core/vectors/slice_sum.hpp",
             "core/launch/count_sites.hpp", "core/launch/for_each_task.hpp", "core/launch/for_each_task.cpp", "core/vectors/slice_sum.cpp"}
# Without a row: the first touch of new memory is a part of every row that makes fields.
WITHOUT_ROW = {"first_touch"}
# GPUs do not work slice by slice, and store links only once.
NOT_ON_GPUS = {"double_links", "slices_of_laplacian"}
# CPUs put sites in order where they are, make traces of mesons in loops of host threads, and phases of hadrons with their sums.
NOT_ON_CPUS = {"export_reals", "meson traces", "phases of sites"}


def kernels_of_the_library(root=ROOT):
    """{name: file} of every kernel, and the launches whose name is not understood."""
    names, unknown = {}, []
    for layer in LAYERS:
        for folder, _, files in os.walk(os.path.join(root, layer)):
            for file in sorted(files):
                if not file.endswith((".hpp", ".cpp")):
                    continue
                path = os.path.join(folder, file)
                where = os.path.relpath(path, root)
                with open(path) as source:
                    text = re.sub(r"//.*", "", source.read())
                for function, argument in LAUNCH.findall(text):
                    argument = argument.strip()
                    choice = re.fullmatch(r'[\w.]+ \? "([^"]*)" : "([^"]*)"', argument)
                    if choice:  # one of two names
                        names.update((name, where) for name in choice.groups())
                    elif argument.startswith('"'):
                        names[argument.strip('"')] = where
                    elif is_a_name(function, argument) and where not in HANDED_ON and where not in NAMED_BY_CALLERS:
                        unknown.append(f"{where}: {function}({argument}, ...)")
                names.update((name, where) for name in LAUNCHING_OBJECT.findall(text))
                if where in NAMED_BY_CALLERS:
                    names.update((name, where) for name in NAMED_BY_CALLERS[where].findall(text))
    return names, unknown


def is_a_name(function, argument):
    """Loops of a team inside a kernel have a range there, and a lambda called launch() no name at all."""
    return not argument.startswith(("Kokkos::Team", "std::")) or function == "parallel_scan"


# A row of the table "scaling".
ROW = (r"^(strong|weak) +(\d+)  (\d+ \d+ \d+ \d+) +(single|single/16-bit|double|double/single|double/16-bit) +"
       r"(none|blocking|overlapped) +([0-9.]+) +([0-9.]+) +([0-9.]+) +([0-9.]+) +([0-9]+) +([0-9.e+-]+)$")


class Bench(ProgramTest):
    def test_every_kernel_of_the_library_is_in_a_row(self):
        lines = self.call("bench", "--kernels", "--small", 4, 4, 4, 8).stdout.splitlines()
        rows = {line.split(": ")[0]: set(re.findall(r"'([^']*)'", line)) for line in lines}
        # An operator that overlaps messages with work has a kernel for each part.
        run = {re.sub("_(interior|surface)$", "", name) for names in rows.values() for name in names}
        names, unknown = kernels_of_the_library()
        self.assertEqual(unknown, [], "launches whose kernels' names this test does not find")
        self.assertGreater(len(names), 60)
        without = WITHOUT_ROW | (NOT_ON_GPUS if "CUDA" in self.call("--version").stdout else NOT_ON_CPUS)
        missing = [f"{name} ({where})" for name, where in sorted(names.items()) if name not in run | without]
        self.assertEqual(missing, [], "kernels that no row of kovariant bench runs: give each one in apps/bench")
        self.assertEqual(sorted((WITHOUT_ROW | NOT_ON_GPUS | NOT_ON_CPUS) - set(names)), [])

    def test_a_tiny_run_prints_every_row_with_its_roof(self):
        kernels = self.call("bench", "--kernels", "--small", 4, 4, 4, 4).stdout.splitlines()
        rows = [line.split(": ")[0] for line in kernels if not line.startswith("halo: ")]
        text = self.call("bench", "--no-one-thread", "--small", 4, 4, 4, 4, "--large", 4, 4, 4, 8, "--seconds", 0.0005).stdout
        for extent in ("4 4 4 4", "4 4 4 8"):
            for row in rows:
                found = re.findall(rf"^{extent}\s+{re.escape(row)}\s+double((?:\s+[0-9.]+){{8}})$", text, re.M)
                self.assertEqual(len(found), 1, f"{row} on {extent}\n{text}")
                size, _, ms, rate, _, roof, ratio, _ = map(float, found[0].split())
                self.assertGreater(size, 0)
                self.assertGreater(ms, 0)
                self.assertGreater(roof, 0)
                # Both are printed with one digit behind the point, the ratio with none: a busy machine can print 0.0 of 3.0.
                self.assertGreaterEqual(ratio, 100 * max(rate - 0.051, 0) / (roof + 0.051) - 0.51, found[0])
                self.assertLessEqual(ratio, 100 * (rate + 0.051) / (roof - 0.051) + 0.51, found[0])
        for solver in ("BiCGstab", "BiCGstab, mixed precision", "CG, normal equations"):
            self.assertRegex(text, rf"4 4 4 8\s+{solver}\s+double\s+[0-9.]+\s+[0-9.]+\s+[0-9]+\n")

    def test_a_plan_has_the_fewest_ranks_with_the_memory_for_a_problem(self):
        def plan(*more):
            text = self.call("bench", "scaling", "--plan", "--lattice", 16, 16, 16, 32, *more).stdout
            return {name: (int(site), int(ranks), float(gib)) for name, site, ranks, gib in
                    re.findall(r"^(\S+) +(\d+) +\d+ +(\d+) \d+ \d+ \d+ \d+ +([0-9.e-]+)$", text, re.M)}
        wide = plan("--memory", 1000)
        self.assertEqual(len(wide), 5)
        self.assertEqual({ranks for _, ranks, _ in wide.values()}, {1})
        self.assertGreater(wide["double"][0], wide["single"][0])
        narrow = plan("--memory", 0.05)
        for name, (site, ranks, gib) in narrow.items():
            self.assertEqual(site, wide[name][0])
            self.assertGreater(ranks, 1)
            self.assertLessEqual(gib, 0.05)
            self.assertGreaterEqual(ranks * 0.05, wide[name][2] * 0.9)
        self.assertGreater(plan("--memory", 1, "--columns", 4)["double"][0], 2 * wide["double"][0])
        self.assertLess(plan("--memory", 1, "--action", "wilson")["double"][0], wide["double"][0])
        self.assertIn("no number of ranks has enough memory: give each rank more",
                      self.call("bench", "scaling", "--plan", "--memory", 1e-6).stdout)
        self.assertFalse(os.path.exists(self.path("scaling.txt")))

    def test_options_of_one_table_are_refused_for_the_other(self):
        self.assertIn("--plan", self.call("bench", "dslash", "--plan", code=1).stderr)
        self.assertIn("--columns", self.call("bench", "scaling", "--columns", 2, code=1).stderr)
        self.assertIn("--output", self.call("bench", "scaling", "--plan", "--output", "s", code=1).stderr)
        for memory in (-1, 0):
            self.assertIn("--memory is %d - it must be positive" % memory,
                          self.call("bench", "scaling", "--plan", "--memory", memory, code=1).stderr)
        self.assertIn("--only", self.call("bench", "dslash", "--only", "hop", code=1).stderr)
        self.assertIn("--lattice", self.call("bench", "--lattice", 4, 4, 4, 4, code=1).stderr)
        self.assertIn("no table 'dslsh'", self.call("bench", "dslsh", code=1).stderr)

    def test_options_of_contractions_that_change_nothing_are_refused(self):
        done = self.call("bench", "contractions", "--only", "no such table", code=1)
        self.assertIn("no table has 'no such table' in its name: there are 'ladder, complex float', ", done.stderr)
        self.assertIn("'whole problem'", done.stderr)
        self.assertEqual(done.stdout, "")
        for option in (("--every-c", "sizes"), ("--every-c", "resources"), ("--rows", "resources", 4), ("--seconds", "resources", 1),
                       ("--blas", "whole problem", "libblas.so")):
            error = self.call("bench", "contractions", "--only", option[1], option[0], *option[2:], code=1).stderr
            self.assertIn(option[0] + " is only used by the tables 'ladder, complex float'" if option[0] != "--every-c" else "--every-c is only used by the tables 'traces", error)
        for table in ("contractions", "solver", "scaling"):
            error = self.call("bench", table, "--output", "", code=1).stderr
            self.assertIn("--output is '', which names no file", error)

    def test_rows_are_chosen_by_their_name(self):
        lines = self.call("bench", "--kernels", "--small", 4, 4, 4, 4, "--only", "gauge, iteration").stdout.splitlines()
        self.assertEqual(lines, ["Landau gauge, iteration: 'gauge_relax'", "Coulomb gauge, iteration: 'gauge_relax'"])

    def test_a_row_that_is_not_there_is_refused_before_anything_is_timed(self):
        done = self.call("bench", "--only", "no such row", "--small", 4, 4, 4, 4, "--large", 4, 4, 4, 8, code=1)
        self.assertIn("no row has 'no such row' in its name", done.stderr)
        self.assertEqual(done.stdout, "")


class BenchTables(ProgramTest):
    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
    def test_several_ranks_need_no_lattice_but_the_large_one(self):
        text = self.call("bench", "--large", 6, 6, 6, 12, "--seconds", 0.0005, ranks=3).stdout  # 3 ranks do not divide 8^4
        self.assertIn("6 6 6 12", text)
        self.call("bench", "--only", "no such row", "--large", 6, 6, 6, 12, ranks=3, code=1)

    def test_conjugate_gradients_are_timed_in_all_precisions_for_one_column_and_twelve(self):
        text = self.call("bench", "--only", "solver iterations", "--small", 4, 4, 4, 4, "--large", 4, 4, 4, 8, "--seconds", 0.0005,
                         "--no-one-thread").stdout
        for lattice in ("4 4 4 4", "4 4 4 8"):
            for high, low in (("double", ""), ("double", ", float"), ("double", ", 16 bits"), ("float", ""), ("float", ", 16 bits")):
                for columns in ("", ", 12 columns"):
                    row = rf"^{lattice}\s+CG, even-odd, 12 reals{low}{columns}\s+{high}\s+([0-9.]+)\s+([0-9.]+)\s+(\d+)$"
                    found = re.findall(row, text, re.M)
                    self.assertEqual(len(found), 1, f"{row}\n{text}")
                    self.assertGreater(float(found[0][0]), 0)
                    self.assertGreater(float(found[0][1]), 0)

    def test_the_table_dslash_has_every_storage_and_number_of_columns(self):
        text = self.call("bench", "dslash", "--lattice", 4, 4, 4, 4, "--seconds", 0.0005).stdout
        for spinor in ("double", "float", "16-bit", "8-bit"):
            for links in (12,) if spinor == "8-bit" else (8, 12, 18):
                for columns in (1, 4, 8, 12, 16, 32):
                    row = rf"^4 4 4 4\s+hop, even from odd\s+{spinor}\s+{links}\s+{columns} sites\s+([0-9.]+)\s+([0-9.]+)\s"
                    found = re.findall(row, text, re.M)
                    self.assertEqual(len(found), 1, f"{row}\n{text}")
                    microseconds, speed = map(float, found[0])
                    # 128 sites; both are rounded when printed.
                    self.assertAlmostEqual(speed * microseconds, 128 * 1320e-3, delta=0.05 * speed + 0.05 * microseconds + 0.01)
        self.assertRegex(text, r"Wilson-clover +float +12 +8 columns x 8")
        self.assertRegex(text, r"A\^-1 hop, even from odd +double +18 +1 sites")

    def test_launches_are_tuned_where_a_file_is_named(self):
        hop = ("bench", "--only", "hop", "--small", 4, 4, 4, 8, "--large", 4, 4, 8, 8, "--seconds", 0.02, "--no-one-thread")
        self.assertNotIn("tuned", self.call(*hop).stdout)
        os.environ["KOVARIANT_TUNE"] = self.path("tune.txt")
        self.addCleanup(os.environ.pop, "KOVARIANT_TUNE")
        first = re.findall(r"^tuned (.*, extent (?:4 4 4 8|4 4 8 8), .*, bytes [48], .*): launch (\S+)$", self.call(*hop).stdout, re.M)
        self.assertEqual(len(set(key for key, _ in first)), len(first))
        self.assertGreaterEqual(len(first), 4)
        self.assertIn("choice=launch default", self.read("tune.txt"))
        again = self.call(*hop)
        # A second run may come to choices that the first had too little time for.
        self.assertLessEqual(set(first), set(re.findall(r"^tuned (.*): launch (\S+)$", again.stdout, re.M)))
        self.assertNotIn("warning", again.stderr)
        with open(self.path("tune.txt"), "a") as file:
            file.write("damaged\n")
        self.assertIn("has 1 line that is no choice", self.call(*hop).stderr)

    def test_the_table_solver_has_the_same_solution_from_every_way(self):
        text = self.call("bench", "solver", "--lattice", 4, 4, 4, 8, "--mass", 0.2, "--output", "r").stdout
        self.assertEqual(self.read("r.txt").splitlines()[1].count("|"), 13)
        self.assertIn("BiCGstab, double", self.read("r.svg"))
        rows = re.findall(r"^(.{52}) (.{20}) +([0-9]+) +([0-9.]+) +([0-9.]+) +([0-9.]+) +([0-9.e+-]+)$", text, re.M)
        self.assertEqual(len(rows), 13, text)
        self.assertEqual([name.strip() for name, *_ in rows].count("CGNR, reliable updates, float"), 1, text)
        for name, _, iterations, seconds, _, speed, residual in rows:
            self.assertGreater(int(iterations), 5, name)
            self.assertTrue(float(speed) > 0 or float(seconds) > 0.5, name)  # a busy machine can print 0.0
            self.assertLess(float(residual), 1e-10, name)
        self.assertIn("--seconds", self.call("bench", "solver", "--seconds", 1, code=1).stderr)

    def test_the_table_delta_converges_in_every_pair_of_precisions(self):
        text = self.call("bench", "delta", "--lattice", 4, 4, 4, 8, "--mass", 0.2).stdout
        rows = re.findall(
            r"^(float|double) +(BiCGstab alone|float|double|16-bit) +(1e-06|1e-12) +(1e-0[1235])? +([0-9]+) +([0-9]+) +([0-9]+) "
            r"+([0-9.]+) +([0-9.]+) +([0-9.e+-]+)$", text, re.M)
        self.assertEqual(len(rows), 2 + 4 * 5, text)
        for high, low, tolerance, delta, iterations, renewals, _, _, _, residual in rows:
            self.assertGreater(int(iterations), 5, (high, low, delta))
            self.assertLessEqual(float(residual), 1.1 * float(tolerance), (high, low, delta))
            if delta == "1e-01" and low != high:  # one precision has nothing to renew; turns come every eight iterations
                self.assertGreaterEqual(int(renewals), 3 if high == "double" else 1, (high, low))

    def test_the_table_contractions_has_every_kernel(self):
        text = self.call("bench", "contractions", "--rows", 16, "--seconds", 0.0001, "--output", "roof").stdout
        for rung in ("naive", "split and padded", "fused 2 + 2, prefetch", "single, as a tree", "split-k"):
            self.assertEqual(len(re.findall(rf"^  {re.escape(rung)} +[0-9. -]+$", text, re.M)), 2, f"{rung}\n{text}")
        before_sizes = text.split("products of two N x N")[0]
        for c in (1, 15, 16, 17, 64, 65):
            self.assertEqual(len(re.findall(rf"^ +{c} +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ ", before_sizes, re.M)), 2, f"{c}\n{text}")
        self.assertEqual(len(re.findall(r"^products of two N x N matrices, (?:real|complex) (?:float|double)", text, re.M)), 4)
        for n in (31, 32, 33):  # naive, automatic, BLAS, and how much faster; the share of the roof; three tile sets or more
            tile_set = "[0-9.]+" if n == 31 else "[0-9.-]+"  # a very busy machine can make them slow
            row = rf"^ +{n} +[0-9.]+ +[0-9.]+ +[0-9.-]+ +[0-9.]+ +[0-9.-]+ +[0-9.]+(?: +{tile_set}){{3,}}$"
            self.assertEqual(len(re.findall(row, text, re.M)), 4, f"{n}\n{text}")
        self.assertIn("Roofline of products and traces", self.read("roof.svg"))
        for numbers in ("real float", "real double", "complex float", "complex double"):
            for figure, title, series in (("tilings", "Tile sets", ("small", "medium", "large", "automatic")),
                                          ("blas", "Products of N x N matrices", ("multiply()", "naive")),
                                          ("speedup", "Speed of multiply()", ("over naive",))):
                picture = self.read(f"roof_{figure}_{numbers.replace(' ', '_')}.svg")
                self.assertIn(f"<title>{title}, {numbers}</title>", picture)
                for name in series:
                    self.assertIn(f">{name}</text>", picture)
        self.assertIn("--rows", self.call("bench", "contractions", "--rows", 30, code=1).stderr)
        if "no BLAS" not in text:
            self.assertRegex(text, r"(?m), [^,]*(BLAS|BLIS|MKL)[^,]*, /[^,]*\.so[0-9.]*$")

    def test_the_table_contractions_has_every_number_of_operators(self):
        text = self.call("bench", "contractions", "--rows", 4, "--seconds", 0.0001, "--only", "traces, complex float", "--every-c").stdout
        self.assertEqual([int(c) for c in re.findall(r"^ +([0-9]+) +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ ", text, re.M)], list(range(1, 66)))

    def test_pictures_of_tables_that_are_left_out_are_named_where_they_are_old(self):
        for name in ("roof_tilings_real_float.svg", "roof_other.svg"):
            with open(self.path(name), "w") as file:
                file.write("old")
        done = self.call("bench", "contractions", "--rows", 4, "--seconds", 0.0001, "--only", "traces, complex float", "--output", "roof")
        self.assertIn("warning: roof_tilings_real_float.svg is of an earlier run, not of this one\n", done.stderr)
        self.assertIn("wrote roof.svg", done.stdout)
        self.assertEqual(self.read("roof_tilings_real_float.svg"), "old")

    def test_the_whole_problem_has_every_number_of_operators(self):
        def rows(*more):
            text = self.call("bench", "contractions", "--rows", 4, "--seconds", 0.0001, "--only", "whole problem", *more).stdout
            return dict(re.findall(r"^ +([0-9]+) +[0-9.]+ +[0-9.]+ +[0-9.]+ +([0-9]+|-) +[0-9]+$", text, re.M))
        paper = {1: 230, 2: 235, 15: 1301, 16: 598, 17: 758, 32: 967, 64: 1701}
        self.assertEqual(rows(), {str(c): str(paper.get(c, "-")) for c in (1, 2, 4, 8, 15, 16, 17, 32, 33, 64)})
        self.assertEqual(rows("--every-c"), {str(c): str(paper.get(c, "-")) for c in range(1, 65)})

    def test_sizes_of_products_are_those_of_the_paper_and_slow_kernels_end_early(self):
        text = self.call("bench", "contractions", "--rows", 168, "--seconds", 0.0001, "--only", "sizes, real float").stdout
        rows = re.findall(r"^ +([0-9]+) +([0-9.]+|-) +([0-9.]+) +(?:[0-9.]+|-) +([0-9.]+|-) ", text, re.M)
        self.assertEqual([int(row[0]) for row in rows], [31, 32, 33, 64, 128, 256, 257, 384, 512, 768, 1023, 1024, 1025, 1212, 1213,
                                                         1214, 1215, 1216, 1341, 1343, 1344])
        self.assertNotEqual(rows[0][1], "-")
        so_far = float(rows[0][1])
        for n, naive, ours, ratio in rows[1:]:
            self.assertEqual(naive == "-", ratio == "-", n)
            # Rates are rounded; a size is left out by the rate so far, from 10 ms and from twice our time on.
            milliseconds, ours_milliseconds = 2e-6 * int(n) ** 3 / so_far, 2e-6 * int(n) ** 3 / float(ours)
            too_slow = milliseconds / max(10, 2 * ours_milliseconds)
            if abs(too_slow - 1) > 0.1:
                self.assertEqual(naive == "-", too_slow > 1, text)
            if naive != "-":
                so_far = float(naive)

    def test_the_table_paper000_has_both_engines(self):
        text = self.call("bench", "paper000", "--rows", 8).stdout
        row = r"^  (dense|factorised) +(float|double) +([0-9]+) +([0-9.]+) +([0-9.]+) +([0-9.]+)$"
        rows = re.findall(row, text, re.M)
        self.assertEqual(len(rows), 4, text)
        for _, _, pairs, milliseconds, _, seconds in rows:
            self.assertGreaterEqual(int(pairs), 64)
            self.assertGreater(float(milliseconds), 0)
            self.assertAlmostEqual(float(seconds), float(milliseconds) * 16.384, delta=1 + 0.01 * float(seconds))

    def test_rows_that_did_not_converge_are_marked(self):
        # The square of this mass is no number in any precision.
        text = self.call("bench", "scaling", "--lattice", 4, 4, 4, 4, "--local", 4, 4, 2, 4, "--mass", 1e200, "--output", "s").stdout
        rows = re.findall(r"^(?:strong|weak) +1  .* (\S+)  not converged$", text, re.M)
        self.assertEqual(len(rows), 10, text)
        self.assertIn("nan", rows)
        self.assertEqual(re.findall(ROW, text, re.M), [])


class BenchScalingTables(ProgramTest):
    """Thousands of messages between ranks of which each waits for its turn beside other tests: these run by themselves."""

    def check_scaling(self, ranks):
        text = self.call("bench", "scaling", "--lattice", 4, 4, 4, 8, "--local", 4, 4, 2, 4, "--output", "s",
                         ranks=ranks, timeout=300).stdout
        rows = re.findall(ROW, text, re.M)
        counts = [n for n in (1, 2, 4) if n <= ranks]
        self.assertEqual(len(rows), sum(2 * 5 * (1 if n == 1 else 2) for n in counts), text)
        for kind, n, lattice, precision, halos, iterations, seconds, speed, error, efficiency, residual in rows:
            extents = [int(e) for e in lattice.split()]
            sites = extents[0] * extents[1] * extents[2] * extents[3]
            self.assertEqual(sites, 512 if kind == "strong" else 128 * int(n), text)
            self.assertEqual(halos == "none", n == "1")
            self.assertGreater(float(iterations), 5)
            self.assertTrue(float(speed) > 0 or float(seconds) > 0.5, text)  # a busy machine can print 0.000
            self.assertLessEqual(float(residual), 1.1e-6 if precision.startswith("single") else 1.1e-12, text)
            if n == "1":
                self.assertEqual(efficiency, "100")
        self.assertNotIn("not converged", text)
        self.assertEqual(re.findall(ROW, self.read("s.txt"), re.M), rows)
        for kind in ("strong", "weak"):
            self.assertIn("double/16-bit", self.read(f"s_{kind}.svg"))
            self.assertIn(kind.capitalize() + " scaling", self.read(f"s_{kind}.svg"))

    def test_the_table_scaling_has_every_number_of_ranks_and_precision(self):
        self.check_scaling(1)

    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
    def test_the_table_scaling_is_measured_on_all_numbers_of_ranks_in_one_run(self):
        self.check_scaling(2)
        self.check_scaling(4)

    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
    def test_numbers_of_ranks_that_cannot_share_the_lattice_are_left_out(self):
        text = self.call("bench", "scaling", "--lattice", 4, 4, 4, 4, "--local", 4, 4, 4, 4, "--output", "s",
                         ranks=3).stdout
        self.assertRegex(text, r"strong +3  left out: no process grid of 3 ranks divides the lattice 4 4 4 4")
        self.assertRegex(text, r"weak +3  4 4 4 12 ")

    @unittest.skipUnless(MPIEXEC, "NOT TESTED: this build has no MPI")
    def test_a_rank_without_memory_ends_the_table_scaling_at_once_and_leaves_the_finished_rows(self):
        def start(kernel):
            command = [*MPIEXEC, "-n", "2", PROGRAM, "bench", "scaling", "--lattice", "4", "4", "4", "8", "--local", "4", "4", "2", "4",
                       "--output", "s"]
            return run(command, launcher=True, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True, timeout=200,
                       env=environment(KOV_FAULT="memory:1:%d" % kernel, KOV_TIMEOUT="100"))
        count = int(re.search(r"did not strike: rank 1 ran (\d+) kernels", start(10**9).stderr)[1])
        os.remove(self.path("s.txt"))
        done = start(count // 2)
        self.assertEqual(done.returncode, 70, done.stderr)
        self.assertIn("rank 1: memory ran out", done.stderr)
        self.assertLess(done.seconds, 60)
        rows = re.findall(ROW, self.read("s.txt"), re.M)
        self.assertEqual([row[3] for row in rows if row[:2] == ("strong", "1")],
                         ["single", "single/16-bit", "double", "double/single", "double/16-bit"])
        self.assertEqual(re.findall(ROW, done.stdout, re.M), rows)
        self.assertLess(len(rows), 30)
