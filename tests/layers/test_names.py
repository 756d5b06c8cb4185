# SPDX-License-Identifier: MIT
"""No name of an unnamed namespace is one of a header; and the check itself notices those that are."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from names import ALLOWED, clashes, declarations  # noqa: E402
from trees import tree  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADERS = {
    "core/text.hpp": "namespace kov { std::string words(int n); namespace detail { struct Shape { int n; }; } }",
    "stencil/halo.hpp": "namespace kov {\ntemplate <class T>\nvoid verify(const T& halo) { halo.check(1); }\n}",
    "apps/table.hpp": "namespace kov::app { std::string list_text(const std::vector<std::string>& words); }",
}


class Names(unittest.TestCase):
    def test_product(self):
        self.assertEqual(clashes(ROOT), [])

    def test_what_is_allowed_is_still_there(self):
        found = clashes(ROOT, frozenset())
        for where, name in ALLOWED:
            self.assertTrue([text for text in found if text.startswith(where) and " %s " % name in text], (where, name))

    def check(self, path, text, count):
        with tree({**HEADERS, path: text}) as root:
            self.assertEqual(len(clashes(root)), count, (path, text))

    def test_names_of_headers_are_noticed(self):
        template = "template <class L> std::string list_text(const L& l) { return {}; }"
        self.check("apps/settings.cpp", "namespace kov::app { namespace { %s } }" % template, 1)
        self.check("apps/io/settings.cpp", "namespace kov { namespace app { namespace { int list_text(); } } }", 1)
        self.check("apps/settings.cpp", "namespace kov::app { namespace { int words(char c) { return c; } } }", 1)
        self.check("core/text.cpp", "namespace kov { namespace { struct words {}; } }", 1)
        self.check("core/text.cpp", "namespace kov { namespace { namespace inner { int words(); } } }", 1)
        self.check("core/text.cpp", "namespace kov::detail { namespace { using Shape = int; } }", 1)
        self.check("stencil/x.cpp", "namespace kov {\nnamespace {\nenum E { a };\nint n{3};\nint verify();\n}\n}", 1)

    def test_other_names_are_fine(self):
        self.check("apps/settings.cpp", "namespace kov::app { namespace { int text(int); } int list_text(int); }", 0)
        self.check("apps/settings.cpp", "namespace kov::app { namespace { struct S { int list_text(); }; } }", 0)
        self.check("apps/settings.cpp", "namespace kov::app { namespace { int S::list_text() { return 0; } } }", 0)
        self.check("apps/settings.cpp", "namespace kov::app { namespace { int f() { return list_text(1); } } }", 0)
        # Another namespace, a layer above, a comment, and a type that nobody else has.
        self.check("core/text.cpp", "namespace kov { namespace { struct Shape {}; int list_text(); } }", 0)
        self.check("core/text.cpp", "namespace kov { namespace { void verify(int); } }", 0)
        self.check("stencil/x.cpp", "namespace kov { namespace {\n// void verify(int);\n#define X verify(int)\n} }", 0)
        self.check("stencil/x.cpp", "namespace kov { namespace { struct Own {}; void verify(const Own& own); } }", 0)

    def test_declarations_are_read(self):
        def names(text):
            return [(kind, name) for _, kind, name, _ in declarations(text)]

        self.assertEqual(names("#define KOV_INSTANTIATE(T) template struct S<T>\nKOV_FOR_LANES(KOV_INSTANTIATE);"), [])
        self.assertEqual(names("template <class A, int n = (3 > 2)> requires(n > 1) auto f() -> B<n> { return {1}; }"),
                         [("function", "f")])
        self.assertEqual(names("struct alignas(8) A final : B<int> { void f(); } a; struct [[x]] C; enum E : int {};"),
                         [("type", "A"), ("type", "C"), ("type", "E")])
        self.assertEqual(names("A::A(int n) : b{n}, c(n) { d(); }\nA::~A() = default; void g();"),
                         [("member", "A"), ("member", "A"), ("function", "g")])
        self.assertEqual(names("int A<B<int>>::f(C::D d) const {} A& A::operator=(A&&) = default; B::C::D() {}"),
                         [("member", "A"), ("member", "A"), ("member", "C")])
        self.assertEqual(names('auto f = [](int n) { return g(n); }; int h{k(1)}, i[n[0]]; auto* s = "} void t();";'),
                         [])
        self.assertEqual(names('auto r = R"(} " ;)"; char c = \'}\'; long n = 1\'000; void f() noexcept(true) {}'),
                         [("function", "f")])
        self.assertEqual(names("template class A<int>; extern template void f<int>(int); template <> struct A<B> {};"),
                         [])
        self.assertEqual(names("bool operator<(A a, B b) { return a.x < b.x; } A operator+(A a);"), [])
        self.assertEqual(names("template <class T> concept F = requires(T a) { a.f(); }; [[nodiscard]] int g(A = {});"),
                         [("type", "F"), ("function", "g")])

    def test_what_cannot_be_read_is_an_error(self):
        for text in ("namespace kov { void f() { ", "namespace kov { } }", "void f(", "int x"):
            with self.assertRaises(ValueError, msg=text):
                declarations(text)


if __name__ == "__main__":
    unittest.main()
