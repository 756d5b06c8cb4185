# SPDX-License-Identifier: MIT
"""A compiler launcher for a build folder inside of which another one, finished, is made once more.

    compiled_before.py FINISHED FOLDER compiler argument...

What FINISHED compiled by the same command, apart from the names of the two folders, is taken from there; everything else is
compiled.  FINISHED must be up to date.
"""
import json
import os
import shlex
import shutil
import subprocess
import sys


def words_of(command, folder, inside):
    """A command without what makes the compiler write dependencies, and without the names of its build folder."""
    words, skip = [], False
    for word in command:
        if skip or word in ("-MD", "-MT", "-MF"):
            skip = word in ("-MT", "-MF")
            continue
        if inside and word.startswith(inside + os.sep):
            word = word[len(inside) + 1:]
        words.append(word.replace(folder + os.sep, "BUILD" + os.sep))
    return words


def after(command, option):
    return command[command.index(option) + 1] if option in command else None


def same(finished, folder, source):
    """Whether both folders have the same source: it is outside of them, or there in both.  What they configure is compiled."""
    if not source.startswith(folder + os.sep):
        return True
    name = os.path.relpath(source, folder)
    if name.startswith("generated"):
        return False
    if not os.path.exists(os.path.join(finished, name)):
        return False
    with open(source) as mine, open(os.path.join(finished, name)) as theirs:
        return mine.read() == theirs.read().replace(finished + os.sep, folder + os.sep)


def object_of(finished, folder, command):
    """The object in the finished folder; None if this command made none there."""
    if "-c" not in command or "-o" not in command:
        return None
    wanted = words_of(command, folder, os.path.relpath(folder))
    with open(os.path.join(finished, "compile_commands.json")) as file:
        for entry in json.load(file):
            theirs = shlex.split(entry["command"])
            if words_of(theirs, finished, "") == wanted and same(finished, folder, after(command, "-c")):
                found = os.path.join(entry["directory"], after(theirs, "-o"))
                return found if os.path.exists(found) else None
    return None


def main():
    finished, folder, *command = sys.argv[1:]
    found = object_of(finished, folder, command) if os.path.exists(os.path.join(finished, "compile_commands.json")) else None
    if not found:
        sys.exit(subprocess.run(command).returncode)
    output = after(command, "-o")
    shutil.copyfile(found, output)
    if "-MF" in command:
        with open(after(command, "-MF"), "w") as file:
            file.write("%s: %s\n" % (output, after(command, "-c")))
    print("compiled before:", output)


main()
