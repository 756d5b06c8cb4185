# SPDX-License-Identifier: MIT
"""Public names without a doc comment.

undocumented(root) lists every type, function and constant that a header declares at namespace scope, outside of `detail`,
without a comment /// before it.  What follows without a blank line, such as overloads, shares the comment.  What belongs to a
declaration elsewhere needs none: specialisations, deduction guides, definitions of members, forward declarations.
"""
import os
import re

from layers import LAYERS
from names import NOISE

ELSEWHERE = re.compile(r"(extern )?template (class|struct|<>)|(extern|using namespace|friend|static_assert|KOV_\w+)\b|"
                       r"(template ?<.*> )?(class|struct|enum class) \w+( : [\w:]+)?$|"
                       r"(template ?<.*> )?(class|struct) \w+(<|::)|"
                       r"(template ?<.*> )?\w+\(.*\) ->|"
                       r"[^(]*\b[A-Z]\w*(<[\w, .]*>)?::~?\w+\(")


def declarations(text):
    """(line from 1, namespaces, whether there is a comment, text up to its body) of every one at namespace scope."""
    lines = text.split("\n")
    code = NOISE.sub(lambda m: "\n" * m.group(0).count("\n") if m.group(0)[0] == "/" else " 0 ", text)
    code = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: "\n" * m.group(0).count("\n"), code, flags=re.M).split("\n")
    spaces, documented, i = [], False, 0
    while i < len(lines):
        line = code[i].strip()
        if lines[i].startswith("///"):
            documented = True
        elif not lines[i].strip():
            documented = False
        elif re.match(r"(inline )?namespace\b.*{$", line):
            spaces.append(line.split("namespace")[-1].strip(" {"))
        elif line.startswith("}"):
            spaces.pop()
        elif line:
            first, depth, words = i, 0, []
            while True:
                line = code[i].strip()
                depth += sum(line.count(c) for c in "({") - sum(line.count(c) for c in ")}")
                words.append(line)
                if depth == 0 and line.endswith((";", "}")):
                    break
                i += 1
            head = re.split(r"[{;]", " ".join(" ".join(words).split()), maxsplit=1)[0].strip()
            yield first + 1, tuple(spaces), documented, head, "{" in " ".join(words)
        i += 1


def undocumented(root):
    """Texts "file:line: name", sorted."""
    found = []
    for layer in LAYERS[:-1]:
        for folder, _, names in os.walk(os.path.join(root, layer)):
            for name in sorted(names):
                if not name.endswith(".hpp"):
                    continue
                where = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
                with open(os.path.join(folder, name)) as file:
                    text = file.read()
                for line, spaces, documented, head, has_body in declarations(text):
                    if documented or not spaces or any(s == "" or "detail" in s for s in spaces):
                        continue
                    is_elsewhere = ELSEWHERE.match(head)
                    if is_elsewhere and not (has_body and re.fullmatch(r"(template ?<.*> )?(class|struct|enum class) \w+( : .*)?", head)):
                        continue
                    found.append("%s:%d: %s" % (where, line, head))
    return sorted(found)
