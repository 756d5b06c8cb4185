# SPDX-License-Identifier: MIT
"""Why tests are skipped.

A reason begins with NOT TESTED where this build or machine cannot do what the test needs: `bootstrap` lists those.  It begins
with "does not apply" where another case of the same test, or another build, does what this one leaves out.
"""
import ast
import os
import re

FORMS = ("NOT TESTED", "does not apply: ")
CALLS = {"skipTest": 0, "SkipTest": 0, "skip": 0, "skipUnless": 1, "skipIf": 1}  # where their reason is


def _of_cpp(text):
    for match in re.finditer(r'GTEST_SKIP\(\)(?:\s*<<\s*("[^"]*"|\w+))?', text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1) or "no reason"


def _of_python(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in CALLS and len(node.args) > CALLS[name]:
                yield node.lineno, ast.unparse(node.args[CALLS[name]])


def unclear(root):
    """["path:line: reason", ...]: reasons that begin with neither, but for `missing`, which missing_data() returns."""
    found = []
    for folder, _, names in os.walk(os.path.join(root, "tests")):
        for name in sorted(names):
            reasons = {".cpp": _of_cpp, ".hpp": _of_cpp, ".py": _of_python}.get(os.path.splitext(name)[1])
            if reasons:
                path = os.path.join(folder, name)
                with open(path) as file:
                    text = file.read()
                found += ["%s:%d: %s" % (os.path.relpath(path, root), line, reason) for line, reason in reasons(text)
                          if not reason.strip("\"'").startswith(FORMS) and reason != "missing"]
    return sorted(found)
