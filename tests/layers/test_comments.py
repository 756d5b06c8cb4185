# SPDX-License-Identifier: MIT
"""Every public name has a doc comment; and the check notices those that have none."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from comments import undocumented  # noqa: E402
from trees import tree  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Comments(unittest.TestCase):
    def test_product(self):
        self.assertEqual(undocumented(ROOT), [])

    def check(self, text, count):
        with tree({"core/field/table.hpp": "namespace kov {\n\n%s\n}  // namespace kov\n" % text}) as root:
            self.assertEqual(len(undocumented(root)), count, text)

    def test_names_without_a_comment_are_noticed(self):
        self.check("struct Table {\n  int n;\n\n  int m;\n};\n", 1)
        self.check("// Not a doc comment.\nvoid fill(int n);\n", 1)
        self.check("template <class T>\nrequires true\nT sum(T a,\n      T b) {\n  return a + b;\n}\n", 1)
        self.check("/// A table.\nstruct Table {\n  int n;\n};\n\nTable read();\n\nenum class Kind { small, large };\n", 2)
        self.check("using Row = int;\ninline constexpr int width = 3;\n", 2)

    def test_names_with_a_comment_are_fine(self):
        self.check("/// A table {.\ntemplate <class T>\nstruct Table {\n  int n;\n\n  int m;\n};\n", 0)
        self.check("/// Fills.\nvoid fill(int n);\nvoid fill(double x);\n", 0)
        self.check("/// Fills.\n#if defined(A)\nvoid fill(int n);\n#endif\n", 0)

    def test_what_belongs_to_another_declaration_is_fine(self):
        self.check("class Table;\nenum class Kind : int;\ntemplate <class T>\nclass Row;\n", 0)
        self.check("template <>\nstruct Codec<int> {\n  int n;\n};\nextern template class Row<int>;\n", 0)
        self.check("template <class T>\nvoid Row<T>::fill() const {\n  n = 1;\n}\nRow(int) -> Row<int>;\n", 0)
        self.check("namespace detail {\nstruct Table {};\n}  // namespace detail\n", 0)


if __name__ == "__main__":
    unittest.main()
