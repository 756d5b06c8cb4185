# SPDX-License-Identifier: MIT
"""Code blocks of Markdown files.

A block of C++ or CMake is compiled by a test: a comment before it names the file it becomes and the source that includes
that file, `<!-- readme_kernel.hpp, compiled by tests/docs/readme.cpp -->`.  A line of dots in it stands for the file of that
name with `dots` (`readme_program.dots.hpp`) beside the source.  What a block of Python prints is the block of text that
follows.  Called as `blocks.py FOLDER MARKDOWN...`, this writes those files into the folder.
"""
import os
import re
import sys
from dataclasses import dataclass

COMMENT = re.compile(r"<!-- (\S+), compiled by (\S+) -->")


@dataclass(frozen=True)
class Block:
    """Text of a block, without its indentation; `language` is cpp, cmake, python, text, toml or console."""
    markdown: str
    line: int
    language: str
    text: str
    name: str = ""
    source: str = ""

    def __str__(self):
        return "%s:%d" % (os.path.basename(self.markdown), self.line)

    def commands(self):
        """Lines of a console block without their comments."""
        lines = (re.sub(r"\s+# .*$", "", line).strip() for line in self.text.splitlines())
        return [line for line in lines if line and not line.startswith("#")]


def blocks(markdown):
    """All blocks of a file, fenced and indented."""
    with open(markdown) as file:
        lines = file.read().splitlines()
    found, name, source, k = [], "", "", 0
    while k < len(lines):
        comment = COMMENT.fullmatch(lines[k])
        begin, text = k, []
        if comment:
            name, source = comment.groups()
        elif lines[k].startswith("```"):
            k += 1
            while not lines[k].startswith("```"):
                text.append(lines[k])
                k += 1
            found.append(_block(markdown, begin, lines[begin][3:].strip(), text, name, source))
            name = source = ""
        elif lines[k].startswith("    ") and (k == 0 or not lines[k - 1].strip()):
            while k < len(lines) and (lines[k].startswith("    ") or not lines[k].strip()):
                text.append(lines[k][4:])
                k += 1
            found.append(_block(markdown, begin, "", text, name, source))
            name = source = ""
            continue
        k += 1
    return found


def _block(markdown, begin, language, text, name, source):
    text = "\n".join(text).rstrip() + "\n"
    if not language:
        language = "python" if re.match(r"(import|from) ", text) else \
                   "cmake" if re.match(r"[a-z_]+\(", text) else "console"
    return Block(markdown, begin + 1, {"sh": "console", "bash": "console", "c++": "cpp"}.get(language, language), text,
                 name, source)


def commands_in_sentences(markdown):
    """(line, command) for every `kovariant ...`, `mpiexec ... kovariant ...` and `./bootstrap ...` between backquotes."""
    with open(markdown) as file:
        text = file.read()
    for match in re.finditer(r"(?<!`)`((?:kovariant|\./bootstrap|mpiexec [^`]*kovariant)[ \n][^`]+)`(?!`)", text):
        yield text.count("\n", 0, match.start()) + 1, " ".join(match.group(1).split())


def options_in_sentences(markdown):
    """(line, option) for every option between backquotes that is not one of another program: those stand after its name."""
    with open(markdown) as file:
        for number, line in enumerate(file, 1):
            if not line.startswith("    "):
                for code in re.findall(r"`([^`]+)`", line):
                    if re.match(r"--|kovariant|\./bootstrap|python3 ", code):
                        for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", code):
                            yield number, option


def extract(folder, markdowns):
    """Writes the blocks that sources include; those that did not change are left alone."""
    os.makedirs(folder, exist_ok=True)
    for markdown in markdowns:
        for block in blocks(markdown):
            if block.name:
                path = os.path.join(folder, block.name)
                text = '#line %d "%s"\n' % (block.line + 1, block.markdown) if block.language == "cpp" else ""
                text += re.sub(r"(?m)^ *\.\.\.$", '#include "%s.dots%s"' % os.path.splitext(block.name), block.text)
                if not os.path.exists(path) or open(path).read() != text:
                    with open(path, "w") as file:
                        file.write(text)


if __name__ == "__main__":
    extract(sys.argv[1], sys.argv[2:])
