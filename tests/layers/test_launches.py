# SPDX-License-Identifier: MIT
"""No kernel is launched past core/launch; and the check itself notices those that are."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from launches import ALLOWED, launches, misread, violations  # noqa: E402
from trees import tree  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Launches(unittest.TestCase):
    def test_product(self):
        self.assertEqual(violations(ROOT), [])

    def test_what_is_allowed_is_still_there(self):
        found = launches(ROOT)
        for allowed in ALLOWED:
            self.assertTrue([path for path in found if path == allowed or (allowed[-1] == "/" and path.startswith(allowed))],
                            "no longer needed: " + allowed)

    def check(self, path, text, count):
        with tree({path: text}) as root:
            self.assertEqual(len(violations(root)), count, (path, text))

    def test_launches_are_noticed(self):
        for text in ('Kokkos::parallel_for("k", n, f);', 'parallel_for("k", n, f);', 'Kokkos::parallel_reduce("k", n, f, sum);',
                     "Kokkos::parallel_scan<Exec>(n, f);", "using P = Kokkos::RangePolicy<Exec>;", "Kokkos::TeamPolicy<> p(1, 1);",
                     "kernel<<<1, 32>>>(n);", "__global__ void kernel(int n);", "detail::launch_blocks(name, run, grid, 32, exec, f);", "Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n), f);"):
            self.check("stencil/gauge/flow.cpp", text, 1)
            self.check("contractions/kernels/cuda/tiles.hpp", text, 1)

    def test_launches_of_core_and_words_are_fine(self):
        self.check("core/launch/for_each_site.hpp", 'Kokkos::parallel_for("k", n, f);', 0)
        self.check("stencil/gauge/flow.cpp", 'for_each_site("k", range, f);  // not parallel_for()\n', 0)
        self.check("stencil/gauge/flow.cpp", 'say("parallel_for(RangePolicy)"); set_begin_parallel_for_callback(f);', 0)

    def test_no_kernel_is_misread_by_nvcc(self):
        self.assertEqual(misread(ROOT), [])
        with tree({"stencil/a.hpp": "struct Kernel {\n  [[no_unique_address]] None none;\n};\n", "stencil/b.hpp": "int n;\n"}) as root:
            self.assertEqual(misread(root), ["stencil/a.hpp"])


if __name__ == "__main__":
    unittest.main()
