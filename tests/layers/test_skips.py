# SPDX-License-Identifier: MIT
"""Every skipped test says whether something stays untested; and the check itself notices those that do not."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from skips import unclear  # noqa: E402
from trees import tree  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Skips(unittest.TestCase):
    def test_product(self):
        self.assertEqual(unclear(ROOT), [])

    def check(self, path, text, count):
        with tree({path: text}) as root:
            self.assertEqual(len(unclear(root)), count, text)

    def test_reasons_without_a_form_are_noticed(self):
        self.check("tests/a.cpp", 'if (x) GTEST_SKIP() << "no HDF5";\nGTEST_SKIP()\n    << "too slow";\nGTEST_SKIP() << why;', 3)
        self.check("tests/b/a.py", 'import unittest\n@unittest.skipUnless(f(1, 2), "no MPI")\nclass A: pass\n', 1)
        self.check("tests/a.py", 'self.skipTest("no %s" % name)\nraise unittest.SkipTest(reason)\n', 2)

    def test_no_reason_at_all_is_noticed(self):
        self.check("tests/a.cpp", 'GTEST_SKIP();\nif (x)\n  GTEST_SKIP() ;\nGTEST_SKIP() << "does not apply: x";', 2)

    def test_both_forms_are_fine(self):
        self.check("tests/a.hpp", 'GTEST_SKIP() << "NOT TESTED: this build has no HDF5";\nGTEST_SKIP() << missing;', 0)
        self.check("tests/a.py", 'self.skipTest("does not apply: one rank")\nself.skipTest("NOT TESTED: no %s" % name)\n', 0)


if __name__ == "__main__":
    unittest.main()
