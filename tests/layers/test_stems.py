# SPDX-License-Identifier: MIT
"""Every source defines what the header of its stem declares, a stem means one thing, tests are named after stems; and the
checks notice what is not so."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stems import ACROSS_ROOMS, ALLOWED, ALLOWED_TWICE, misnamed, repeated, violations  # noqa: E402
from trees import tree  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADERS = {
    "stencil/flow.hpp": "namespace kov { void flow(int n); template <class T> class Flow { public: Flow(); void step(); }; }",
    "stencil/table.hpp": "namespace kov { namespace detail { void add_row(); } struct Table { ~Table(); struct Impl; }; }",
}


class Stems(unittest.TestCase):
    def test_product(self):
        self.assertEqual(violations(ROOT), [])

    def test_what_is_allowed_is_still_there(self):
        found = violations(ROOT, frozenset())
        for header in ALLOWED:
            self.assertTrue([text for text in found if " of %s: " % header in text], "no longer needed: " + header)

    def check(self, path, text, count):
        with tree({**HEADERS, path: text}) as root:
            self.assertEqual(len(violations(root)), count, (path, text))

    def test_definitions_for_another_header_are_noticed(self):
        self.check("stencil/table.cpp", "namespace kov { void flow(int n) {} }", 1)
        self.check("stencil/table.cpp", "namespace kov { template <class T> void Flow<T>::step() {} }", 1)
        self.check("stencil/table.cpp", "namespace kov { template <class T> Flow<T>::Flow() : n_(1) {} }", 1)
        self.check("stencil/tables.cpp", "namespace kov { Table::~Table() = default; }", 1)
        self.check("stencil/flow.cpp", "namespace kov { Table& Table::operator=(const Table&) { return *this; } }", 1)
        self.check("stencil/flow.cpp", "namespace kov { void detail::add_row() {} namespace detail { void add_row() {} } }", 1)
        self.check("core/flow.cpp", "namespace kov { void flow(int n) {} }", 1)

    def test_functions_without_a_header_are_noticed(self):
        self.check("stencil/flow.cpp", "namespace kov { void walk() {} }", 1)

    def test_other_definitions_are_fine(self):
        self.check("stencil/flow.cpp", "namespace kov { void flow(int) {} template <class T> void Flow<T>::step() {} }", 0)
        self.check("stencil/flow_steps.cpp", "namespace kov { template <class T> void Flow<T>::step() {} }", 0)
        self.check("stencil/flow.cpp", "namespace kov { namespace { void walk() {} } namespace detail { void go() {} } }", 0)
        self.check("stencil/flow.cpp", "namespace kov { namespace { void flow(char) {} struct Flow { void step(); }; } }", 0)
        self.check("stencil/flow.cpp", "namespace kov { template class Flow<int>; extern template class Flow<char>; }", 0)
        self.check("apps/main.cpp", "int main() { return 0; }", 0)

    def test_a_stem_means_one_thing(self):
        self.assertEqual(repeated(ROOT), [])

    def test_stems_allowed_twice_are_still_there(self):
        found = repeated(ROOT, frozenset())
        for name in ALLOWED_TWICE:
            self.assertTrue([text for text in found if text.startswith(name + ": ")], "no longer needed: " + name)

    def check_repeated(self, paths, count):
        with tree({path: "" for path in paths}) as root:
            self.assertEqual(len(repeated(root)), count, paths)

    def test_stems_of_two_rooms_are_noticed(self):
        self.check_repeated(["core/field/table.hpp", "stencil/table.cpp"], 1)
        self.check_repeated(["core/field/table.hpp", "core/table.hpp"], 1)
        self.check_repeated(["core/field/table.hpp", "core/field/table.cpp", "core/field/cuda/table.hpp"], 0)

    def test_tests_in_other_rooms_are_noticed(self):
        self.check_repeated(["core/field/table.hpp", "tests/core/test_table.cpp"], 1)
        self.check_repeated(["core/field/table.hpp", "tests/core/field/test_table.cpp"], 0)
        self.check_repeated(["core/field/table.hpp", "tests/core/test_columns.cpp", "tests/reference/table.hpp"], 0)

    def test_tests_are_named_after_what_they_test(self):
        self.assertEqual(misnamed(ROOT), [])

    def test_tests_across_rooms_are_still_there(self):
        found = misnamed(ROOT, frozenset())
        self.assertEqual(sorted(ACROSS_ROOMS), [text.split(":")[0] for text in found])

    def check_misnamed(self, test, count):
        with tree({path: "" for path in ("core/field/table.hpp", "core/field/cuda/row.hpp", "core/io/text.cpp", test)}) as root:
            self.assertEqual(len(misnamed(root)), count, test)

    def test_names_of_nothing_in_the_room_are_noticed(self):
        self.check_misnamed("tests/core/field/test_tables.cpp", 1)
        self.check_misnamed("tests/core/field/test_text.cpp", 1)
        self.check_misnamed("tests/core/test_table.cpp", 1)

    def test_sides_of_a_stem_and_of_a_room_are_fine(self):
        self.check_misnamed("tests/core/field/test_table.cpp", 0)
        self.check_misnamed("tests/core/field/test_table_of_rows.cpp", 0)
        self.check_misnamed("tests/core/field/test_row.cpp", 0)
        self.check_misnamed("tests/core/field/test_field_on_ranks.cpp", 0)
        self.check_misnamed("tests/core/field/table_support.hpp", 0)


if __name__ == "__main__":
    unittest.main()
