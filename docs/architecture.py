#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws docs/architecture.svg, the layers and their rooms, from tests/layers/rooms.py: architecture.py > architecture.svg"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "layers"))
from rooms import ROOMS  # noqa: E402

CONTENTS = {
    "core/base": "errors, memory, host threads", "core/site": "packs, spins and colors, gamma",
    "core/comm": "ranks, MPI, launchers", "core/io": "files, HDF5, checksums",
    "core/lattice": "geometry, layout, tuner", "core/launch": "loops over sites",
    "core/field": "fields, codecs, views", "core/vectors": "algebra, sums", "core/io/gauge": "one format a file", "core/runtime": "start, end, log",
    "stencil/": "tables of neighbours", "stencil/halo": "exchange of faces",
    "stencil/launch": "kernels around exchanges", "stencil/links": "links and factors of legs", "stencil/operators": "Laplacians, shifts, Wilson hop", "stencil/operators/storages": "for each storage",
    "stencil/functions": "series of operators", "stencil/smearing": "of quarks", "stencil/observables": "plaquettes, loops, charge", "stencil/dirac": "Wilson operator, site terms",
    "stencil/io": "configurations in files", "stencil/gauge": "of links: flow, fixing, updates",
    "stencil/statements": "whole-lattice expressions", "algebra/": "solvers: type, run, report", "algebra/eigen": "eigenvectors of time slices", "algebra/krylov": "CG, block CG, BiCGstab, GCR",
    "algebra/preconditioning": "even-odd, Schwarz, deflation", "algebra/precision": "mixed precision",
    "contractions/blas": "the machine's BLAS",
    "contractions/kernels": "products, traces, momenta", "contractions/kernels/ladder": "kernels to be measured",
    "contractions/engine": "correlator matrices", "contractions/correlators": "labels, files", "contractions/energies": "errors, GEVP, fits",
    "contractions/sources": "sources, propagators", "contractions/io": "propagators in files", "contractions/hadrons": "mesons, baryons",
    "contractions/distillation": "elementals, perambulators",
    "apps/settings": "TOML, formulas", "apps/program": "command line, progress", "apps/plot": "SVG and PDF",
    "apps/files": "outputs, locks, journal", "apps/smear": "smear", "apps/quarks": "quarks, sources, solvers of jobs", "apps/propagator": "propagator", "apps/distill": "distill", "apps/spectrum": "spectrum", "apps/analyze": "analyze", "apps/bench/scaling": "bench scaling", "apps/bench/contractions": "bench contractions", "apps/bench": "bench",
    "apps/": "flow, loops, generate, info, ...",
}
WIDTH, BOX, STEP, GAP = 226, 40, 48, 22


def picture():
    tallest = max(len(rooms) for rooms in ROOMS.values())
    height = 78 + tallest * STEP
    width = len(ROOMS) * (WIDTH + GAP) + GAP
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif">' % (width, height),
           '<rect width="%d" height="%d" fill="#ffffff"/>' % (width, height)]
    for column, (layer, rooms) in enumerate(ROOMS.items()):
        x = GAP + column * (WIDTH + GAP)
        out.append('<rect x="%d" y="12" width="%d" height="%d" rx="6" fill="#eef2f6"/>' % (x, WIDTH, height - 24))
        out.append('<text x="%d" y="38" font-size="17" font-weight="bold" fill="#1b2a3a">%s</text>' % (x + 12, layer))
        if column:  # what a layer may use lies left of it
            out.append('<path d="M %d 32 h -%d m 7 -5 l -7 5 l 7 5" stroke="#1b2a3a" fill="none" stroke-width="2"/>'
                       % (x - 2, GAP - 4))
        for number, room in enumerate(rooms):
            y = height - 24 - (number + 1) * STEP
            title = room + "/" if room else layer + "/*"
            out.append('<rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="#ffffff" stroke="#9fb3c8"/>'
                       % (x + 8, y, WIDTH - 16, BOX))
            out.append('<text x="%d" y="%d" font-size="13" font-weight="bold" fill="#1b2a3a">%s</text>' % (x + 16, y + 17, title))
            out.append('<text x="%d" y="%d" font-size="12" fill="#52606d">%s</text>'
                       % (x + 16, y + 33, CONTENTS[layer + "/" + room]))
    return "\n".join(out + ["</svg>", ""])


if __name__ == "__main__":
    sys.stdout.write(picture())
