# SPDX-License-Identifier: MIT
"""No include of the product points right; and the check itself notices those that do."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from layers import foreign_words, violations  # noqa: E402
from trees import tree  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Layers(unittest.TestCase):
    def test_product(self):
        self.assertEqual(violations(ROOT), [])

    def check(self, path, text, count):
        with tree({"apps/options.hpp": "", "stencil/halo.hpp": "", path: text}) as root:
            self.assertEqual(len(violations(root)), count, (path, text))

    def test_pointing_right_is_noticed(self):
        self.check("core/field.hpp", '#include "kov/stencil/halo.hpp"\n', 1)
        self.check("core/io/field.cpp", '  # include <kov/algebra/solver.hpp>\n', 1)
        self.check("core/field.hpp", '#include "../stencil/halo.hpp"\n', 1)
        self.check("contractions/meson.cpp", '#include "apps/options.hpp"\n#include "tests/x.hpp"\n', 2)
        self.check("core/field.hpp", '#include "kov/kernels/x.hpp"\n', 1)

    def test_pointing_left_is_fine(self):
        self.check("algebra/solver.hpp", '#include "kov/core/field.hpp"\n#include <vector>\n#include <Kokkos_Core.hpp>\n', 0)
        self.check("apps/main.cpp", '#include "apps/options.hpp"\n#include "kov/contractions/meson.hpp"\n', 0)

    def test_heavy_headers_stay_out_of_ours(self):
        self.check("core/comm.hpp", "#include <mpi.h>\n", 1)
        self.check("apps/options.hpp", "#include <toml++/toml.h>\n", 1)
        self.check("core/comm_mpi.cpp", "#include <mpi.h>\n", 0)

    def test_lower_rooms_do_not_speak_of_later_layers(self):
        self.assertEqual(foreign_words(ROOT), [])

    def test_foreign_words_are_noticed(self):
        with tree({"core/lattice/lattice.hpp": "int n;\nHaloOptions halo;\n", "core/field/field.hpp": "// a halo\n"}) as root:
            self.assertEqual(foreign_words(root), ["core/lattice/lattice.hpp:2: Halo", "core/lattice/lattice.hpp:2: halo"])


if __name__ == "__main__":
    unittest.main()
