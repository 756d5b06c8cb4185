# SPDX-License-Identifier: MIT
"""The arrows between the layers: core <- stencil <- algebra <- contractions <- apps; tests see all.

violations(root) lists every #include that points the wrong way, and every heavy header in one of the project.
foreign_words(root) lists the lines of rooms without physics that speak of what later layers are for.
"""
import os
import re

LAYERS = ("core", "stencil", "algebra", "contractions", "apps", "tests")
# These belong into single .cpp files: a header that has one costs every file that includes it.
HEAVY = re.compile(r"(mpi\.h|libdeflate\.h|pugixml\.hpp|hdf5.*\.h|H5.*\.h|toml\+\+/.*|CLI/.*|spdlog/.*|(unsupported/)?Eigen/.*)$")
# Rooms that know ranks, sites and launches, but not what is computed with them.
WITHOUT_PHYSICS = ("core/base", "core/comm", "core/lattice", "core/launch")
FOREIGN = re.compile(r"halo|stencil|fermion|hadron|quark", re.I)
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)


def layer_of(include, layer, folder, root):
    """The layer that an include names, or "" if it is not a header of the project."""
    parts = include.split("/")
    if parts[0] == "kov" and len(parts) > 2:
        return parts[1]
    if parts[0] in LAYERS:
        return parts[0]
    path = os.path.relpath(os.path.normpath(os.path.join(folder, include)), root)
    first = path.split(os.sep)[0]
    return first if first in LAYERS and os.path.exists(os.path.join(root, path)) else ""


def violations(root):
    """Texts "file: reason", sorted."""
    found = []
    for rank, layer in enumerate(LAYERS[:-1]):
        for folder, _, names in os.walk(os.path.join(root, layer)):
            for name in names:
                if not name.endswith((".hpp", ".cpp", ".in")):
                    continue
                path = os.path.join(folder, name)
                with open(path) as file:
                    includes = INCLUDE.findall(file.read())
                for _, include in includes:
                    target = layer_of(include, layer, folder, root)
                    where = os.path.relpath(path, root)
                    if target and (target not in LAYERS or LAYERS.index(target) > rank):
                        found.append("%s: includes %s, but %s must not know %s" % (where, include, layer, target))
                    if name.endswith(".hpp") and HEAVY.match(include):
                        found.append("%s: includes %s, which belongs into a .cpp" % (where, include))
    return sorted(found)


def foreign_words(root):
    """Texts "file:line: word", sorted."""
    found = []
    for room in WITHOUT_PHYSICS:
        for folder, _, names in os.walk(os.path.join(root, room)):
            for name in names:
                path = os.path.join(folder, name)
                with open(path) as file:
                    for number, line in enumerate(file, 1):
                        for word in FOREIGN.findall(line):
                            found.append("%s:%d: %s" % (os.path.relpath(path, root), number, word))
    return sorted(found)
