# SPDX-License-Identifier: MIT
"""CMake knows of every test; and the check itself notices those that are forgotten."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from listed import unlisted  # noqa: E402
from trees import tree  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CMAKE = "set(program_tests test_a\n  test_b)\n# test_c\nset(sources\n  flow/test_flow.cpp # flow/test_other.cpp\n)\n"
A = "from b import BTest\n\n\nclass A(BTest):\n    def test_it(self):\n        pass\n"


class Listed(unittest.TestCase):
    def test_product(self):
        self.assertEqual(unlisted(ROOT), [])

    def check(self, files, *expected):
        whole = {"tests/apps/CMakeLists.txt": CMAKE, "tests/apps/test_a.py": A, "tests/apps/test_b.py": A.replace("A(", "B("),
                 "tests/apps/flow/test_flow.cpp": "", **files}
        with tree(whole) as root:
            self.assertEqual(unlisted(root), sorted(expected))

    def test_files_that_are_not_listed_are_noticed(self):
        self.check({})
        self.check({"tests/apps/test_c.py": "", "tests/apps/flow/test_other.cpp": "", "tests/core/io/test_text.cpp": ""},
                   "tests/apps/test_c.py: program_tests does not list it",
                   "tests/apps/flow/test_other.cpp: no CMakeLists.txt names it",
                   "tests/core/io/test_text.cpp: no CMakeLists.txt names it")
        self.check({"tests/core/io/test_text.cpp": "", "tests/core/io/CMakeLists.txt": "kov_add_test(x SOURCES test_text.cpp)"})
        self.check({"tests/apps/CMakeLists.txt": CMAKE.replace("test_b", "test_b test_d")},
                   "tests/apps/test_d.py: is listed, but not there")

    def test_classes_that_cmake_does_not_find_are_noticed(self):
        for text, reason in ((A.replace("A(BTest)", "A(unittest.TestCase)"), "CMake does not find the class A"),
                             (A.replace("A(", "ATest("), "CMake does not find the class ATest"),
                             (A.replace("A(", "A2("), "CMake does not find the class A2"),
                             (A.replace("A(", "B("), "")):
            expected = ["tests/apps/test_a.py: " + reason] if reason else ["tests/apps/test_b.py: the class B is in test_a.py, too"]
            self.check({"tests/apps/test_a.py": text}, *expected)
        self.check({"tests/apps/test_a.py": A + "\n\nclass Helper(unittest.TestCase):\n    x = 1\n"})
        part = A.replace("A(BTest)", "Part") + "\n\nclass A(Part, BTest):\n    x = 1\n"
        self.check({"tests/apps/test_a.py": part})
        self.check({"tests/apps/test_a.py": part.replace("BTest", "TestCase")},
                   "tests/apps/test_a.py: CMake does not find the class A")


if __name__ == "__main__":
    unittest.main()
