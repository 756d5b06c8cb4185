# SPDX-License-Identifier: MIT
"""Names of unnamed namespaces and of headers, which must differ.

Several sources are compiled as one, so what a source keeps in an unnamed namespace is seen by others: a function there
with the name of a function of a header joins its overloads or hides it, without a word from the compiler.

clashes(root) lists every function and type of an unnamed namespace in a source that has the name of a function or type
that a header of its layer, or of one below, declares in the same namespace or in one around it.  A function with a
parameter of a type from such a namespace of the same source does not count: no call of another source fits it.
"""
import os
import re

from layers import LAYERS

TOKEN = re.compile(r"[A-Za-z_]\w*|::|->|<=>|<=|>=|==|&&|\|\||[^\s\w]|\d[\w.']*")
NOISE = re.compile(
    r'R"(?P<mark>[^()\s\\]{0,16})\((?:.|\n)*?\)(?P=mark)"'  # raw strings
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z_])(?:u8|[uUL])?'(?:\\.|[^'\\\n])+'"
    r"|//(?:\\\n|[^\n])*"
    r"|/\*(?:.|\n)*?\*/"
)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
# Functions that may share a name, and why no call fits both.
ALLOWED = {}
TYPES = {"struct", "class", "union", "enum"}
# A bracket after one of these does not hold the arguments of a function that is declared.
NOT_FUNCTIONS = {"requires", "decltype", "noexcept", "alignas", "__launch_bounds__", "__attribute__"}
CLOSING = {"(": ")", "[": "]", "{": "}"}


def tokens_of(text):
    """Identifiers and punctuation; strings and numbers stand for themselves as one token."""
    return TOKEN.findall(DIRECTIVE.sub("", NOISE.sub(lambda m: " " if m.group(0)[0] == "/" else " 0 ", text)))


def is_name(token):
    return token[0].isalpha() or token[0] == "_"


def after_group(tokens, i):
    """The index after the group of brackets that opens at i."""
    opening, closing, depth = tokens[i], CLOSING[tokens[i]], 0
    while i < len(tokens):
        depth += (tokens[i] == opening) - (tokens[i] == closing)
        i += 1
        if depth == 0:
            return i
    raise ValueError("a bracket " + opening + " is not closed")


def after_angles(tokens, i):
    """The index after the <...> that opens at i."""
    depth = 0
    while i < len(tokens):
        if tokens[i] in CLOSING:
            i = after_group(tokens, i)
            continue
        depth += (tokens[i] == "<") - (tokens[i] == ">")
        i += 1
        if depth == 0:
            return i
    raise ValueError("a template's < is not closed")


def class_before(tokens, i):
    """The class in A::f, A<T>::f and A::~A when i is the index of the last word; empty without one."""
    i -= 1 + (i > 0 and tokens[i - 1] == "~")
    if i < 1 or tokens[i] != "::":
        return ""
    i -= 1
    if tokens[i] == ">":
        depth = 0
        while depth or tokens[i] == ">":
            depth += (tokens[i] == ">") - (tokens[i] == "<")
            i -= 1
    return tokens[i]


def declared(tokens):
    """(kind, name, words of the parameters) of a declaration without its braces; empty where it names nothing new.

    The kind is "type", "function", or "member" with the name of the class for what is defined outside of it.
    """
    nothing = ("", "", [])
    i = 0
    while i < len(tokens):  # what may precede a type's keyword
        if tokens[i] == "template":
            if tokens[i + 1:i + 2] != ["<"]:
                return nothing  # an instantiation
            i = after_angles(tokens, i + 1)
        elif tokens[i] == "[":  # an attribute
            i = after_group(tokens, i)
        elif tokens[i] in ("inline", "constexpr", "static", "extern"):
            i += 1
        else:
            break
    if i == len(tokens):
        return nothing
    word, rest = tokens[i], tokens[i + 1:]
    if word in ("static_assert", "friend", "namespace", "typedef") or word.startswith("KOV_"):  # the last: a macro
        return nothing
    if word == "using":
        return ("type", rest[0], []) if rest[1:2] == ["="] else nothing
    if word == "concept":
        return "type", rest[0], []
    if word in TYPES:
        while rest and (rest[0] in TYPES or rest[0] in ("[", "(", "alignas")):
            rest = rest[after_group(rest, 0):] if rest[0] in CLOSING else rest[1:]
        if not rest or not is_name(rest[0]) or rest[1:2] in (["<"], ["::"]):
            return nothing  # without a name, a specialisation, or a part of a class
        return "type", rest[0], []
    while i < len(tokens):
        if tokens[i] in ("=", "operator"):  # a variable, or an operator
            owner = class_before(tokens, i) if tokens[i] == "operator" else ""
            return ("member", owner, []) if owner else nothing
        if tokens[i] == "<" and i and is_name(tokens[i - 1]):
            i = after_angles(tokens, i)
        elif tokens[i] == "(":
            before = tokens[i - 1] if i else ""
            if before and is_name(before) and before not in NOT_FUNCTIONS:
                owner = class_before(tokens, i - 1)
                return ("member", owner, []) if owner else ("function", before, tokens[i:after_group(tokens, i)])
            i = after_group(tokens, i)
        elif tokens[i] in CLOSING:
            i = after_group(tokens, i)
        else:
            i += 1
    return nothing


def declarations(text):
    """Every (namespace, kind, name, words of the parameters) outside of types and functions; the namespace as a tuple,
    in which "" is an unnamed one."""
    tokens = tokens_of(text)
    found, spaces, start, i = [], [], 0, 0
    while i < len(tokens):
        token = tokens[i]
        if token == ";":
            found.append((spaces[-1] if spaces else (),) + declared(tokens[start:i]))
            start = i = i + 1
        elif token == "}":
            if not spaces or start != i:
                raise ValueError("a brace } closes nothing")
            spaces.pop()
            start = i = i + 1
        elif token in ("(", "["):
            i = after_group(tokens, i)
        elif token == "{":
            head = tokens[start:i]
            outer = spaces[-1] if spaces else ()
            if head[:1] == ["namespace"] or head[:2] == ["inline", "namespace"]:
                names = [t for t in head if t not in ("inline", "namespace", "::")]
                spaces.append(outer + tuple(names or [""]))
                start = i = i + 1
                continue
            if head == ["extern", "0"]:  # extern "C"
                spaces.append(outer)
                start = i = i + 1
                continue
            i = after_group(tokens, i)
            if is_body(head):  # else the declaration goes on to a semicolon
                found.append((outer,) + declared(head))
                start = i
        else:
            i += 1
    if spaces or start != len(tokens):
        raise ValueError("a brace { is not closed, or a semicolon is missing")
    return [entry for entry in found if entry[2]]


def is_body(head):
    """Whether the braces after this hold the statements of a function: not members, nor an initialiser."""
    flat, i = [], 0
    while i < len(head):
        if head[i] == "template" and head[i + 1:i + 2] == ["<"]:
            i = after_angles(head, i + 1)
        elif head[i] in CLOSING:
            flat.append(head[i] + CLOSING[head[i]])
            i = after_group(head, i)
        else:
            flat.append(head[i])
            i += 1
    calls = [k for k, t in enumerate(flat) if t == "()" and k and flat[k - 1] not in NOT_FUNCTIONS]
    if not calls or TYPES.intersection(flat[:1]) or ("=" in flat and "operator" not in flat):
        return False
    return ":" not in flat[calls[0]:] or flat[-1] in ("()", "{}")  # of a constructor, after its initialisers


def read(root):
    """(layer, file) and what declarations() says of everything in the product's sources and headers."""
    for layer in LAYERS[:-1]:
        for folder, _, names in os.walk(os.path.join(root, layer)):
            for name in names:
                if not name.endswith((".hpp", ".cpp", ".cpp.in", ".cu")):
                    continue
                path = os.path.join(folder, name)
                where = os.path.relpath(path, root)
                with open(path) as file:
                    try:
                        found = declarations(file.read())
                    except ValueError as error:
                        raise ValueError("%s: %s" % (where, error)) from None
                for entry in found:
                    yield (LAYERS.index(layer), where) + entry


def clashes(root, allowed=frozenset(ALLOWED)):
    """Texts "file: reason", sorted."""
    everything = [entry for entry in read(root) if entry[3] != "member"]
    public, own_types, found = {}, set(), set()
    for layer, where, space, kind, name, _ in everything:
        if where.endswith(".hpp"):
            public.setdefault((space, name), []).append((layer, where))
        elif "" in space and kind == "type":
            own_types.add((where, name))
    for layer, where, space, kind, name, parameters in everything:
        if where.endswith(".hpp") or "" not in space or (where, name) in allowed:
            continue
        if any((where, word) in own_types for word in parameters):
            continue
        around = space[:space.index("")]
        for n in range(len(around) + 1):
            for header_layer, header in public.get((around[:n], name), []):
                if header_layer <= layer:
                    found.add("%s: %s %s of an unnamed namespace has the name of one in %s: give it another" %
                              (where, kind, name, header))
    return sorted(found)
