# SPDX-License-Identifier: MIT
"""Compiles every CASE of statements.cpp and expects one error with the words beside it.

    compile_errors.py compile_commands.json statements.cpp
"""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys


def command_of(commands, source):
    """The compiler's command for a source, without what it writes."""
    entry = next(e for e in json.load(open(commands)) if os.path.realpath(e["file"]) == os.path.realpath(source))
    words = shlex.split(entry["command"])
    output = words.index("-o")
    return words[:output] + ["-o", os.devnull] + words[output + 2:] + ["-Wno-unused"], entry["directory"]


def problem(words, directory, case, expected):
    """What is wrong with the messages of a case, or nothing."""
    run = subprocess.run(words + ["-DCASE=%d" % case], cwd=directory, capture_output=True, text=True)
    errors = re.findall(r"^.*\berror\b ?:.*$|^.*\): error.*$", run.stderr, re.M)
    if run.returncode == 0:
        return "compiles"
    if len(errors) != 1:
        return "gives %d errors, not one" % len(errors) + "\n" + "\n".join(errors[:10])
    if expected not in run.stderr.replace('\\"', '"'):
        return "does not say %r" % expected + "\n" + "\n".join(errors)
    return ""


def main():
    commands, source = sys.argv[1:]
    words, directory = command_of(commands, source)
    cases = re.findall(r"CASE == (\d+) +// (.*)", open(source).read())
    control = subprocess.run(words, cwd=directory, capture_output=True, text=True)
    if control.returncode != 0 or "warning" in control.stderr or not cases:
        sys.exit("what is allowed does not compile, or not without warnings:\n" + control.stderr)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda c: problem(words, directory, int(c[0]), c[1]), cases))
    wrong = ["case %s %s" % (case, text) for (case, _), text in zip(cases, found) if text]
    print("%d statements refused as they should be" % (len(cases) - len(wrong)))
    sys.exit("\n".join(wrong) or 0)


main()
