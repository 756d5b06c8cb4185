# SPDX-License-Identifier: MIT
"""Where kernels are launched: in core/launch alone, which chooses walks, blocks and threads for all of them.

violations(root) lists every file that launches work by Kokkos or CUDA itself, and is not ALLOWED to.
misread(root) lists every file with an attribute that makes nvcc read kernels wrongly.
"""
import os
import re

from layers import LAYERS
from names import NOISE

# What starts a kernel, and what says how it is started.  Loops of a team inside a kernel are among them: Team has its own.
LAUNCH = re.compile(r"\bparallel_(?:for|reduce|scan)\s*[<(]|\b(?:Range|MDRange|Team)Policy\b|<<<|\bcudaLaunch\w*|"
                    r"\bUniqueToken\b|\b__global__\b|\blaunch_blocks\b")
# nvcc 13.0 counts the bytes before such a member twice where a functor holds the kernel that has it.
MISREAD = re.compile(r"\bno_unique_address\b")
# Files, or folders with a / at the end, and why.
ALLOWED = {
    "core/launch/": "the launches that all others use",
    "core/base/host_threads.cpp": "threads of the host that read and write files: no kernels",
    "core/base/memory.cpp": "new memory is touched by the threads that will use it, before there is anything to launch",
    "apps/bench/roof.cpp": "measures the machine, and must not depend on what it is compared with",
}


def files_with(pattern, root):
    """Every file of the product whose code has the pattern, sorted."""
    found = set()
    for layer in LAYERS[:-1]:
        for folder, _, names in os.walk(os.path.join(root, layer)):
            for name in names:
                if not name.endswith((".hpp", ".cpp", ".cpp.in", ".cu")):
                    continue
                path = os.path.join(folder, name)
                with open(path) as file:
                    text = NOISE.sub(" ", file.read())
                if pattern.search(text):
                    found.add(os.path.relpath(path, root).replace(os.sep, "/"))
    return sorted(found)


def launches(root):
    """Every file of the product that launches something itself, sorted."""
    return files_with(LAUNCH, root)


def misread(root):
    """Every file of the product that nvcc would compile to kernels that read wrong memory, sorted."""
    return files_with(MISREAD, root)


def violations(root, allowed=frozenset(ALLOWED)):
    """Texts "file: reason", sorted."""
    return ["%s: launches a kernel itself: call for_each_site, for_each_lane, count_sites, for_each_item, for_each_task or "
            "for_each_team" % path for path in launches(root)
            if path not in allowed and not any(path.startswith(folder) for folder in allowed if folder.endswith("/"))]
