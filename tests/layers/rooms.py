# SPDX-License-Identifier: MIT
"""The rooms of the layers, the folders in them: what is in one may use it, those before it and the layers below.

violations(root) lists every #include that points to a room that comes later, and every folder that is not a room or holds
too much.  Tests of a layer lie in folders named like its rooms; no folder of tests holds more than a room may.
"""
import os

from layers import INCLUDE

# "" is the layer's own folder.
ROOMS = {
    "core": ("base", "site", "comm", "io", "lattice", "launch", "field", "vectors", "io/gauge", "runtime"),
    "stencil": ("", "halo", "launch", "links", "operators", "operators/storages", "functions", "smearing", "observables",
                "dirac", "io", "gauge", "statements"),
    "algebra": ("", "eigen", "krylov", "preconditioning", "precision"),
    "contractions": ("blas", "kernels", "kernels/ladder", "engine", "correlators", "energies", "sources", "io", "hadrons",
                     "distillation"),
    "apps": ("settings", "program", "plot", "files", "analyze", "smear", "quarks", "propagator", "distill", "spectrum",
             "bench/scaling", "bench/contractions", "bench", ""),
}
MOST_FILES = 24  # sources, headers and scripts of a folder: more than that are not taken in at a glance


def room_of(folder):
    """The room that a folder of a layer belongs to: what is special to a device, in cuda/, is part of the room around it."""
    return folder[:-len("cuda")].rstrip("/") if folder.split("/")[-1] == "cuda" else folder


def violations(root):
    """Texts "file: reason", sorted."""
    found = violations_of_tests(root)
    for layer, rooms in ROOMS.items():
        rank = {room: number for number, room in enumerate(rooms)}
        for folder, folders, names in os.walk(os.path.join(root, layer)):
            here = os.path.relpath(folder, os.path.join(root, layer)).replace(os.sep, "/").strip(".")
            room = room_of(here)
            sources = [name for name in names if name.endswith((".hpp", ".cpp", ".cpp.in"))]
            if sources and room not in rank:
                found.append("%s/%s: is not a room: tests/layers/rooms.py lists the rooms in their order" % (layer, room))
                continue
            if len(sources) > MOST_FILES:
                found.append("%s/%s: has more than %d files: cut it" % (layer, here, MOST_FILES))
            for name in sources:
                with open(os.path.join(folder, name)) as file:
                    includes = INCLUDE.findall(file.read())
                for _, include in includes:
                    target, _, inner = include.removeprefix("kov/").partition("/")
                    used = room_of(os.path.dirname(inner))
                    if target == layer and rank.get(used, -1) > rank[room]:
                        found.append("%s: includes %s, but %s must not know %s"
                                     % (os.path.join(layer, here, name), include, room or layer, used or layer))
    return sorted(found)


def violations_of_tests(root):
    """The same of folders in tests."""
    found = []
    for folder, folders, names in os.walk(os.path.join(root, "tests")):
        folders[:] = [name for name in folders if name != "__pycache__"]
        sources = [name for name in names if name.endswith((".hpp", ".cpp", ".cpp.in", ".py"))]
        here = os.path.relpath(folder, root).replace(os.sep, "/")
        layer, _, room = here.removeprefix("tests").lstrip("/").partition("/")
        if sources and layer in ROOMS and room and room not in ROOMS[layer]:
            found.append("%s: %s/%s is not a room" % (here, layer, room))
        if len(sources) > MOST_FILES:
            found.append("%s: has more than %d files: cut it" % (here, MOST_FILES))
    return found
