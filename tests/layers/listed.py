# SPDX-License-Identifier: MIT
"""Tests that no CMakeLists.txt knows of: they would be built and run by nobody.

unlisted(root) lists tests in C++ that no CMakeLists.txt of their folder, or of one around it, names by its path from there;
tests of the program, tests/apps/test_*.py, that are not in its list of modules, and modules of the list that are not there;
and their classes that have tests, but a name or bases that CMake does not take for such a class, or the name of another one.
"""
import ast
import os
import re

# As tests/apps/CMakeLists.txt finds classes: their bases end in Test, and the names of those that are bases too.
CLASS = re.compile(r"\nclass ([A-Za-z]+)\([A-Za-z, ]*Test\)")


def _names(path):
    """The words of a CMakeLists.txt without its comments."""
    if not os.path.exists(path):
        return set()
    with open(path) as file:
        return set(re.sub("#.*", "", file.read()).replace("(", " ").replace(")", " ").split())


def _of_cpp(root):
    tests = os.path.join(root, "tests")
    for folder, _, names in os.walk(tests):
        for name in names:
            if not re.fullmatch(r"test_.*\.cpp", name):
                continue
            path, around = os.path.join(folder, name), folder
            while os.path.relpath(path, around) not in _names(os.path.join(around, "CMakeLists.txt")):
                if around == tests:
                    yield "%s: no CMakeLists.txt names it" % os.path.relpath(path, root)
                    break
                around = os.path.dirname(around)


def _test_classes(text):
    """Names of classes with tests: of their own, or of a class of the same file that has no base and is only there to be one."""
    parts, found = set(), []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            tests = any(isinstance(item, ast.FunctionDef) and item.name.startswith("test_") for item in node.body)
            if tests and not node.bases:
                parts.add(node.name)
            elif tests or any(getattr(base, "id", "") in parts for base in node.bases):
                found.append(node.name)
    return found


def _of_program(root):
    folder, seen = os.path.join(root, "tests", "apps"), {}
    if not os.path.isdir(folder):
        return
    with open(os.path.join(folder, "CMakeLists.txt")) as file:
        listed = set(re.search(r"set\(program_tests ([^)]*)\)", file.read()).group(1).split())
    there = {name[:-3] for name in os.listdir(folder) if re.fullmatch(r"test_.*\.py", name)}
    for module in sorted(listed ^ there):
        yield "tests/apps/%s.py: %s" % (module, "program_tests does not list it" if module in there else "is listed, but not there")
    for module in sorted(there):
        with open(os.path.join(folder, module + ".py")) as file:
            text = file.read()
        found = {name for name in CLASS.findall(text) if not name.endswith("Test")}
        for name in _test_classes(text):
            if name not in found:
                yield "tests/apps/%s.py: CMake does not find the class %s" % (module, name)
            if seen.setdefault(name, module) != module:
                yield "tests/apps/%s.py: the class %s is in %s.py, too" % (module, name, seen[name])


def unlisted(root):
    """Texts "file: reason", sorted."""
    return sorted([*_of_cpp(root), *_of_program(root)])
