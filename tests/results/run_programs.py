# SPDX-License-Identifier: MIT
"""Runs every subcommand of kovariant that computes something on small deterministic inputs, for compare_results.py.

Usage: run_programs.py PROGRAM FOLDER [--launcher "mpiexec -n 2"] [--inputs FOLDER] [--without-hdf5]

FOLDER must not exist.  It gets every file that the runs write, and what info, convert and generate print as NAME.out.  With
--inputs the configurations are those of another such folder: the same bits go into everything after generate, whose own
configurations are still made and left to be compared.

What is made: configurations and histories of generate; the same links in all formats; flows, Wilson loops, gauges and
smeared sources; propagators of a Wilson and of a twisted clover quark; two-point functions of spectrum in two precisions,
its three-point functions through sequential sources and its quark loops; eigenvectors, elementals, perambulators and
correlators of distill, with two pions, baryons and diluted noise; and energies, matrix elements and a GEVP of analyze.
Propagators, distill and analyze need HDF5.
"""
import argparse
import os
import shlex
import shutil
import subprocess
import sys

# 4^3 x 8 and few updates: a proposal that a rounding turns from accepted to refused makes another chain, and the fewer
# there are, the less likely it is.
GENERATE = ["--extent", 4, 4, 4, 8, "--beta", 5.9, "--seed", 3, "--thermalise", 3, "--between", 1]
LINKS = "conf.0001.lime"

SMEAR = {
    "wuppertal": ["--width", 1.5, "--iterations", 12],
    "gaussian": ["--sigma", 1.2],
    "node": ["--sigma", 1.1, "--node", 1.3],
    "theta": ["--p2-max", 4, "--edge", 1],
    "formula": ["--formula", "(p2 - 1) * exp(-p2 / 2)"],
}
SOURCES = {
    "wall": [],
    "momentum": ["--wave", 1, 0, 1],
    "grid": ["--spacing", 2],
    "z2": ["--seed", 5],
    "z4": ["--seed", 6],
    "u1": ["--seed", 7],
}
SPECTRUM = {
    "action.kappa": 0.13, "links.steps": 2, "source.width": 1.0, "source.iterations": 3, "source.count": 2,
    "sink.smearings": "['none', 'gaussian']", "sink.sigma": 1.0, "correlators.mesons": "['diagonal']",
    "correlators.baryons": "['all']", "correlators.max_momentum2": 1, "analysis.pion": "[1, 3]", "analysis.rho": "[1, 3]",
    "analysis.nucleon": "[1, 2]",
}
# Solvers and eigenvectors go on to 1e-12, so that what they leave is below the tolerances of the comparison.
DOUBLE = {"solver.precision": "double", "solver.tolerance": 1e-12}
CURRENTS = {
    "action.kappa": 0.13, "source.smearing": "none", "sink.smearings": "['none']", "source.count": 4,
    "correlators.mesons": "['pion', 'pion_A4', 'pion-pion_A4', 'pion_A4-pion']", "correlators.baryons": "['nucleon']",
    "correlators.max_momentum2": 1, "analysis.pion": "[1, 3]", "analysis.nucleon": "[1, 2]",
    "three_point.0.hadron": "pion", "three_point.0.times": "[2, 3]", "three_point.0.currents": "['a0_g4', 'conserved_t']",
    "three_point.0.transfers": "[[0, 0, 0], [0, 0, 1]]",
    "three_point.1.hadron": "nucleon", "three_point.1.times": "[3]", "three_point.1.currents": "['conserved_t']",
    "loops.hits": 2, "output.prefix": "spectrum_currents", **DOUBLE,
}
PROPAGATOR = {
    "links.steps": 2, "source.width": 1.0, "source.iterations": 3, "source.count": 2, "quark.0.name": "wilson",
    "quark.0.kappa": 0.13, "quark.1.name": "clover", "quark.1.kappa": 0.12, "quark.1.c_sw": 1.1, "quark.1.mu": 0.1,
    "solver.columns": "together", "output.format": "hdf5", **DOUBLE,
}
DISTILL = {
    "action.kappa": 0.12, "links.steps": 2, "eigenvectors.n": 4, "eigenvectors.tolerance": 1e-12,
    "elementals.displacements": "['1', 'dx']", "perambulators.spacing": 4, **DOUBLE,
}
DISTILLED = {
    "distill": {"correlators.two_pions": "[[0, 0, 0]]", "correlators.baryons": "['proton']"},
    "distill_noise": {"noise.count": 2, "noise.eigenvectors": "interlace 2"},
}
ANALYZE = {
    "jackknife": {"gevp.operators": "['pion', 'pion_A4']"},
    "bootstrap": {"errors.method": "bootstrap", "errors.replicas": 40},
}


def settings(sets):
    """As arguments."""
    return [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]


def generated(hdf5):
    """(name, arguments) of the runs that make configurations, and of those that look at what was made."""
    yield "generate", ["generate", *GENERATE, "--configurations", 2, "--output", "made"]
    # In disorder every sweep of overrelaxation multiplies roundings by twenty: one update of one sweep.
    yield "generate_hot", ["generate", *GENERATE[:-4], "--thermalise", 1, "--overrelaxation", 1, "--start", "hot", "--precision", 32, "--output", "hot"]
    for name in ("made.0001", "made.0002", "hot.0001"):
        yield f"info_{name}", ["info", f"{name}.lime"]
        if hdf5:
            yield f"convert_{name}", ["convert", f"{name}.lime", f"{name}.h5"]


def measured(hdf5):
    """The same of everything that begins with LINKS."""
    yield "info", ["info", LINKS]
    for form in ("nersc", "nersc-3x2", "ildg"):
        yield f"convert_{form}", ["convert", LINKS, f"{form}.conf", "--format", form, "--precision", 32]
        yield f"info_{form}", ["info", f"{form}.conf"]
    for action in ("wilson", "symanzik"):
        write = ["--write", f"flowed_{action}.h5"] if hdf5 else []
        yield "", ["flow", LINKS, "--action", action, "--time", 0.3, "--every", 3, "--output", f"flow_{action}", *write]
    for smearing in ("none", "ape", "stout", "hyp"):
        steps = [] if smearing == "none" else ["--steps", 2]
        yield "", ["loops", LINKS, "--smearing", smearing, *steps, "--output", f"loops_{smearing}"]
    ending = "h5" if hdf5 else "lime"
    for gauge in ("landau", "coulomb", "temporal"):
        keep = ["--transformation", f"g_{gauge}.h5"] if hdf5 else []
        about = [] if gauge == "temporal" else ["--tolerance", 1e-10, "--output", f"gaugefix_{gauge}"]
        yield f"gaugefix_{gauge}", ["gaugefix", LINKS, f"fixed_{gauge}.{ending}", "--gauge", gauge, *about, *keep]
        yield f"info_{gauge}", ["info", f"fixed_{gauge}.{ending}"]
    if hdf5:
        yield "", ["gaugefix", LINKS, "transformed.h5", "--apply", "g_landau.h5"]
    for profile, numbers in SMEAR.items():
        yield "", ["smear", LINKS, "--profile", profile, *numbers, "--ape", 1, "--output", f"smear_{profile}"]
    for source, numbers in SOURCES.items():
        yield "", ["smear", LINKS, "--profile", "gaussian", "--sigma", 1, "--source", source, *numbers, "--stout", 1,
                   "--output", f"smear_{source}"]
    yield "", ["smear", LINKS, "--width", 1, "--iterations", 5, "--momentum", 0.5, 0, 1, "--output", "smear_moving"]
    yield "", ["smear", "--extent", 6, 6, 6, 4, "--sigma", 1, "--profile", "gaussian", "--output", "smear_free"]
    yield "", ["smear", "--extent", 4, 4, 4, 4, "--links", "hot", "--seed", 2, "--stout", 2, "--output", "smear_random"]
    for solver in ({"precision": "double", "method": "bicgstab", "preconditioner": "none", "tolerance": 1e-12},
                   {"precision": "mixed", "method": "cg", "preconditioner": "even-odd", "tolerance": 1e-11}):
        sets = {**SPECTRUM, **{f"solver.{key}": value for key, value in solver.items()}, "gauge.files": f"['{LINKS}']",
                "output.prefix": f"spectrum_{solver['precision']}"}
        yield "", ["spectrum", *settings(sets)]
    links = {"gauge.files": f"['{LINKS}']"}
    yield "", ["spectrum", *settings({**CURRENTS, **links})]
    if not hdf5:
        return
    yield "", ["propagator", *settings({**PROPAGATOR, **links})]
    for prefix, sets in DISTILLED.items():
        yield "", ["distill", *settings({**DISTILL, **sets, **links, "output.prefix": prefix})]
    for name, sets in ANALYZE.items():
        yield "", ["analyze", "spectrum_currents.h5",
                   *settings({"fit.points": 3, "fit.noise": 1, **sets, "output.prefix": f"analyze_{name}"})]


class Runner:
    def __init__(self, program, folder, launcher):
        self.program, self.folder, self.launcher = os.path.abspath(program), folder, launcher

    def __call__(self, name, arguments):
        """Runs one subcommand; what it prints goes into NAME.out where there is a name."""
        command = [*self.launcher, self.program, *map(str, arguments), "--quiet"]
        done = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"{shlex.join(command)} ended with code {done.returncode}\n{done.stdout}{done.stderr}")
        if name:
            with open(os.path.join(self.folder, f"{name}.out"), "w") as out:
                out.write(done.stdout)


def run_all(program, folder, launcher=(), inputs=None, hdf5=True):
    os.makedirs(folder)
    run = Runner(program, folder, launcher)
    for name, arguments in generated(hdf5):
        run(name, arguments)
    source = os.path.join(inputs, LINKS) if inputs else os.path.join(folder, "made.0001.lime")
    shutil.copy(source, os.path.join(folder, LINKS))
    for name, arguments in measured(hdf5):
        run(name, arguments)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--launcher", default="", help="in front of the program, for instance 'mpiexec -n 2'")
    parser.add_argument("--inputs", help="a folder of this script whose configurations are read")
    parser.add_argument("--without-hdf5", action="store_true", help="leave out what needs a build with HDF5")
    options = parser.parse_args()
    if os.path.exists(options.folder):
        sys.exit(f"{options.folder} exists: name a new folder")
    run_all(options.program, options.folder, shlex.split(options.launcher), options.inputs, not options.without_hdf5)


if __name__ == "__main__":
    main()
