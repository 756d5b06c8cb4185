# SPDX-License-Identifier: MIT
"""Headers and sources by their stems: a function or class that a header declares is defined in the source of that name.

x/flow.hpp is defined in x/flow.cpp, or in x/flow_wilson.cpp, x/flow_absent.cpp and so on where one source would be long.
violations(root) lists what a source defines for the header of another stem, and functions that no header declares though
they are neither in an unnamed namespace nor in `detail`.

A stem means one thing: x/flow.hpp, x/flow.cpp, x/cuda/flow.hpp and tests/x/test_flow.cpp.  repeated(root) lists headers and
sources of one stem in different rooms, and tests of a stem that are not in its room.

tests/x/test_flow_wilson.cpp tests one side of x/flow.hpp; tests/x/test_x_together.cpp what several stems of the room x have
in common.  misnamed(root) lists tests in C++ that are named otherwise.
"""
import os

from layers import LAYERS
from names import read
from rooms import room_of

# Headers whose declarations may be defined elsewhere, and why.
ALLOWED = {
    "apps/bench/bench_rows.hpp": "declares one function for each source with rows of the table",
}

# Stems that two rooms share, and why.
ALLOWED_TWICE = {}

# Tests of several rooms, in the folder of their layer and named after what they show, and what they test together.
ACROSS_ROOMS = {
    "tests/stencil/test_agreement.cpp": "parameters of smearings, flows, fixing and observables",
    "tests/stencil/test_decompositions.cpp": "operators and smearings of quark fields",
    "tests/stencil/test_link_decompositions.cpp": "everything that is computed from links",
    "tests/contractions/test_chroma_oracle.cpp": "sources, solvers, mesons and baryons",
    "tests/contractions/test_clover_hadrons.cpp": "sources, solvers, mesons and baryons",
    "tests/contractions/test_contraction_decompositions.cpp": "sources, solutions and correlators",
    "tests/contractions/test_covariant_propagators.cpp": "propagators of every operator, and their hadrons",
    "tests/contractions/test_free_quarks.cpp": "propagators of every operator",
    "tests/contractions/test_published_propagator.cpp": "sources, operators and solvers",
    "tests/contractions/test_strange_hadrons.cpp": "mesons and baryons of three quarks",
    "tests/contractions/test_user_contraction.cpp": "sums over slices of what users write, mesons and baryons",
}


def stem(path):
    return path.split(".")[0]


def belongs(source, header):
    """Whether the source has the header's stem, or that and a suffix."""
    return stem(source) == stem(header) or stem(source).startswith(stem(header) + "_")


def violations(root, allowed=frozenset(ALLOWED)):
    """Texts "file: reason", sorted."""
    headers, defined, found = {}, [], set()
    for _, where, space, kind, name, _ in read(root):
        if where.endswith(".hpp"):
            headers.setdefault((space, kind, name), set()).add(where)
        elif space and "" not in space and kind != "type":
            defined.append((where, space, kind, name))
    for where, space, kind, name in defined:
        if kind == "member":  # of a class of this namespace or of one around it
            owners = set().union(*(headers.get((space[:n], "type", name), ()) for n in range(1, len(space) + 1)))
        else:
            owners = headers.get((space, kind, name), set())
            if not owners and "detail" not in space:
                found.add("%s: no header declares %s: put it into an unnamed namespace" % (where, name))
        owners = owners - allowed
        if owners and not any(belongs(where, header) for header in owners):
            found.add("%s: defines %s of %s: move it to the source of that name" % (where, name, " and ".join(sorted(owners))))
    return sorted(found)


def repeated(root, allowed=frozenset(ALLOWED_TWICE)):
    """Texts "file: reason", sorted."""
    rooms, tests, found = {}, [], set()
    for layer in LAYERS:
        for folder, _, names in os.walk(os.path.join(root, layer)):
            room = room_of(os.path.relpath(folder, root).replace(os.sep, "/"))
            for name in names:
                if not name.endswith((".hpp", ".cpp")):
                    continue
                if layer != "tests":
                    rooms.setdefault(stem(name), set()).add(room)
                elif name.startswith("test_"):
                    tests.append((stem(name)[len("test_"):], room.removeprefix("tests").lstrip("/"), name))
    for name, where in rooms.items():
        if len(where) > 1 and name not in allowed:
            found.add("%s: is in %s: rename all but one" % (name, " and ".join(sorted(where))))
    for name, room, file in tests:
        if room not in rooms.get(name, {room}) and name not in allowed:
            found.add("tests/%s/%s: %s is in %s: move the test there" % (room, file, name, " and ".join(sorted(rooms[name]))))
    return sorted(found)


def misnamed(root, allowed=frozenset(ACROSS_ROOMS)):
    """Texts "file: reason", sorted."""
    stems, found = {}, []
    for layer in LAYERS[:-1]:
        for folder, _, names in os.walk(os.path.join(root, layer)):
            room = room_of(os.path.relpath(folder, root).replace(os.sep, "/"))
            stems.setdefault(room, {room.split("/")[-1]}).update(
                stem(name) for name in names if name.endswith((".hpp", ".cpp", ".cpp.in")))
    for room, known in stems.items():
        folder = os.path.join(root, "tests", room)
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            file = "tests/%s/%s" % (room, name)
            if not name.startswith("test_") or not name.endswith(".cpp") or file in allowed:
                continue
            if not any((stem(name) + "_").startswith("test_%s_" % known_stem) for known_stem in known):
                found.append("%s: no header or source of %s has a name that it begins with" % (file, room))
    return sorted(found)
