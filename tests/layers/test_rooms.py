# SPDX-License-Identifier: MIT
"""No include of the product points to a later room; and the check itself notices those that do."""
import os
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from rooms import MOST_FILES, ROOMS, violations  # noqa: E402
from trees import tree  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Rooms(unittest.TestCase):
    def test_product(self):
        self.assertEqual(violations(ROOT), [])

    def test_every_room_is_there(self):
        for layer, rooms in ROOMS.items():
            for room in rooms:
                self.assertTrue(os.path.isdir(os.path.join(ROOT, layer, room)), (layer, room))

    def test_the_picture_shows_them(self):
        docs = os.path.join(ROOT, "docs")
        with open(os.path.join(docs, "architecture.svg")) as file:
            drawn = subprocess.run([sys.executable, os.path.join(docs, "architecture.py")], stdout=subprocess.PIPE,
                                   universal_newlines=True, check=True).stdout
            self.assertEqual(file.read(), drawn, "docs/architecture.py > docs/architecture.svg")

    def test_tables_of_the_page_are_in_their_order(self):
        with open(os.path.join(ROOT, "docs", "architecture.md")) as file:
            layers = re.split(r"^### ", file.read(), flags=re.M)[1:]
        shown = {}
        for text in layers:
            rooms = re.findall(r"^\| (?:`([\w/]+)`|the layer's own folder) \| \S.* \|$", text, re.M)
            shown[text.partition(":")[0].strip("`")] = tuple(rooms)
        self.assertEqual([(layer, shown.get(layer)) for layer in ROOMS], list(ROOMS.items()))

    def check(self, files, count):
        with tree(files) as root:
            self.assertEqual(len(violations(root)), count, files)

    def test_pointing_to_a_later_room_is_noticed(self):
        self.check({"core/base/error.hpp": '#include "kov/core/field/field.hpp"\n'}, 1)
        self.check({"core/io/text.cpp": '#include "kov/core/io/gauge/nersc.hpp"\n'}, 1)
        self.check({"apps/plot/axes.cpp": '#include "apps/flow_command.hpp"\n#include "apps/smear/smear_command.hpp"\n'}, 2)

        self.check({"stencil/stencil.hpp": '#include "kov/stencil/halo/halo.hpp"\n'}, 1)

    def test_pointing_to_an_earlier_room_is_fine(self):
        self.check({"core/field/field.hpp": '#include "kov/core/base/error.hpp"\n#include "kov/core/field/noise.hpp"\n'}, 0)
        self.check({"stencil/halo/halo.hpp": '#include "kov/stencil/stencil.hpp"\n#include "kov/core/field/field.hpp"\n'}, 0)

    def test_folders_that_are_not_rooms_are_noticed(self):
        self.check({"core/misc/error.hpp": ""}, 1)
        self.check({"core/field.hpp": ""}, 1)

    def test_a_folder_cuda_belongs_to_its_room(self):
        self.check({"stencil/operators/cuda/hop_blocks.hpp": '#include "kov/stencil/operators/hop.hpp"\n'}, 0)
        self.check({"stencil/operators/cuda/hop_blocks.hpp": '#include "kov/stencil/gauge/flow.hpp"\n'}, 1)
        self.check({"stencil/stencil.hpp": '#include "kov/stencil/operators/cuda/hop_blocks.hpp"\n'}, 1)
        self.check({"stencil/halo/cuda/faces.hpp": '#include "kov/stencil/halo/halo.hpp"\n'}, 0)

    def test_full_rooms_are_noticed(self):
        full = {"core/base/n%d.hpp" % i: "" for i in range(MOST_FILES)}
        self.check({**full, "core/base/CMakeLists.txt": ""}, 0)
        self.check({**full, "core/base/n0.cpp": ""}, 1)

    def test_full_folders_of_tests_are_noticed(self):
        for folder in "tests/core/base", "tests/reference":
            full = {"%s/n%d.py" % (folder, i): "" for i in range(MOST_FILES)}
            self.check({**full, folder + "/CMakeLists.txt": ""}, 0)
            self.check({**full, folder + "/n0.cpp": ""}, 1)

    def test_tests_of_no_room_are_noticed(self):
        self.check({"tests/core/misc/test_error.cpp": "", "tests/misc/rows/table.hpp": ""}, 1)
        self.check({"tests/core/test_error.cpp": "", "tests/contractions/test_pion.cpp": ""}, 0)


if __name__ == "__main__":
    unittest.main()
