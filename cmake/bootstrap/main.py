# SPDX-License-Identifier: MIT
"""The command line of bootstrap."""
import argparse
import os
import time

from . import archives, kokkos, machine, packages
from .dependencies import Dependencies
from .project import Project
from .steps import EXIT_STEP_FAILED, Failure, capture, say, seconds

COMMANDS = {
    "demo": "build, run the main job (a hadron spectrum from nothing) and say where its results are",
    "test": "build everything and run the tests (with --thorough: every test)",
    "build": "build library, program and tests",
    "bench": "build and measure every kernel",
    "deps": "bring the dependencies only",
    "doctor": "say what is here, what is missing and which Kokkos would be used; change nothing",
}
CLOSING = """\
exit codes: 0 done; 1 a step failed; 2 wrong usage; 3 packages missing and not installable; 4 download failed.
A call like `./bootstrap test -- -R test_core` hands what stands after -- to ctest (demo: to `kovariant spectrum`).
environment: CXX (host compiler), KOVARIANT_CACHE (as --cache), KOVARIANT_MIRROR (as --mirror), Kokkos_ROOT."""


def parser():
    top = argparse.ArgumentParser(prog="./bootstrap", description="From a bare machine to results.", epilog=CLOSING,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, text in COMMANDS.items():
        sub = commands.add_parser(name, help=text, description=text, epilog=CLOSING,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
        add = sub.add_argument
        add("--backend", choices=("cpu", "cuda"), default="", help="cpu: OpenMP and native SIMD (default); cuda: GPU")
        add("--arch", default="", help="CUDA architecture, for instance sm_90 (default: this machine's GPU)")
        add("--preset", choices=("cpu", "cuda", "debug", "asan-ubsan"), default="", help="CMake preset (default: by back end)")
        add("--kokkos", default="auto", metavar="auto|system|pinned|release|PATH",
            help="auto: an installed 4.7 or newer, else the pinned 4.7.00; release: the official 4.7.02; "
                 "PATH: an installation, a source folder or an archive")
        add("--cache", default="", help="where archives and built dependencies are kept (default: ~/.cache/kovariant)")
        add("--mirror", default=os.environ.get("KOVARIANT_MIRROR", ""),
            help="folder or base URL that has the archives, instead of their own sites")
        add("--build-dir", default="", help="build folder (default: build/PRESET)")
        add("--target", action="append", default=[], metavar="NAME",
            help="compile this and what it needs, instead of everything; may be given more than once")
        add("--jobs", "-j", type=_positive, default=0, help="parallel compilations (default: by processors and memory)")
        add("--without-mpi", dest="mpi", action="store_false", help="one process only")
        add("--without-hdf5", dest="hdf5", action="store_false", help="no HDF5 files: correlators as text only")
        add("--no-install", dest="install", action="store_false", help="never call the package manager; say what is missing")
        add("-D", dest="define", action="append", default=[], metavar="NAME=VALUE", help="any CMake variable")
        if name in ("test", "build"):
            add("--thorough", action="store_true",
                help="also the tests that take long: on more ranks, every decomposition, faults, endings, packages, docs")
        if name == "demo":
            add("--output", default="demo", help="folder for the results (default: demo)")
    return top


def _positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("%s is not a positive number" % text)
    return value


def cache_folder(given):
    """--cache, else $KOVARIANT_CACHE, else $XDG_CACHE_HOME/kovariant, else ~/.cache/kovariant."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.abspath(given or os.environ.get("KOVARIANT_CACHE") or os.path.join(base, "kovariant"))


def _complete(options):
    """Settles what follows from other options: the preset names the back end and the back end the preset."""
    if not options.backend:
        options.backend = "cuda" if options.preset == "cuda" else "cpu"
    if options.preset and (options.preset == "cuda") != (options.backend == "cuda"):
        raise Failure("preset %s does not go with --backend %s" % (options.preset, options.backend),
                      "leave one of the two out", 2)
    options.jobs = options.jobs or machine.jobs(2.5 if options.backend == "cuda" else 1.5)
    return options


def _kokkos_lines(options, cache):
    """Which Kokkos a build would take, and which it would not, and why."""
    wanted = kokkos.Wanted(options.backend, options.arch or (machine.gpu_arch() or "sm_90") * (options.backend == "cuda"),
                           options.preset == "debug")
    lines = []
    if options.kokkos in ("auto", "system"):
        folder, lines = kokkos.installed(wanted)
        if folder:
            return [*lines, folder]
        if options.kokkos == "system":
            return [*lines, "none installed that could be used: leave --kokkos out"]
    elif options.kokkos not in ("pinned", "release"):
        return ["the one named: " + options.kokkos]
    name, version = ("official 4.7.02", "4\\.7\\.2") if options.kokkos == "release" else ("pinned 4.7.00", "4\\.7\\.0")
    try:
        built = kokkos.cached_builds(wanted, cache, version)
    except Failure:  # no compiler yet
        built = []
    return [*lines, "the %s, %s" % (name, "built before, in " + built[0] if built else
                                    "which is not built yet: once, into the cache, in some minutes")]


def doctor(options, cache):
    """What a build would find.  Returns the exit code: 0 when nothing is in the way."""
    lines = [("system", packages.describe()), ("processors", "%d, %d compilations at a time"
                                               % (machine.processors(), options.jobs))]
    try:
        compiler = machine.host_compiler()
        lines.append(("compiler", "%s (%s %s)" % (compiler.path, compiler.family, compiler.version)))
    except Failure as failure:
        lines.append(("compiler", failure.problem))
    lines.append(("cmake", capture(["cmake", "--version"]).split("\n")[0] or "none"))
    cuda = machine.cuda_version()
    lines.append(("nvcc", "CUDA %d.%d; GPU here: %s" % (*cuda, machine.gpu_arch() or "none") if cuda
                  else "none, which --backend cuda needs"))
    pip = archives.pip_command()
    lines.append(("pip", " ".join(pip) if pip else "none"))
    parts = packages.needed(True, options.mpi, options.hdf5)
    names, optional = packages.missing(parts), {package.name for package in parts if package.optional}
    absent = [name for name in names if name not in optional]
    without = [name for name in names if name in optional]
    lines.append(("packages", ("missing: " + " ".join(absent) if absent else "all there")
                  + ("; done without: " + " ".join(without) if without else "")))
    lines += [("Kokkos", text) for text in _kokkos_lines(options, cache)]
    built = os.path.join(cache, "installed")
    entries = sorted(os.listdir(built)) if os.path.isdir(built) else []
    lines += [("cache", cache + ("" if entries else ", empty so far"))] + [("", entry) for entry in entries]
    without_cuda = options.backend == "cuda" and not cuda
    lines.append(("next", "./bootstrap deps installs what is missing" if absent else
                  "install CUDA 12 or 13, whose nvcc must be in the PATH" if without_cuda else
                  "./bootstrap demo or ./bootstrap test: nothing is in the way"))
    for name, text in lines:
        say("%-11s %s" % (name, text))
    return EXIT_STEP_FAILED if absent or without_cuda else 0


def main(arguments, root):
    """Runs one command; returns the exit code."""
    rest = []
    if "--" in arguments:
        cut = arguments.index("--")
        arguments, rest = arguments[:cut], arguments[cut + 1:]
    options = parser().parse_args(arguments)
    begin = time.monotonic()
    cache = cache_folder(options.cache)
    try:
        _complete(options)
        if options.command == "doctor":
            return doctor(options, cache)
        run(options, rest, root, cache)
    except Failure as failure:
        say(failure.text())
        return failure.code
    except OSError as error:  # a folder that may not be written to, a full disk
        say(Failure("%s: %s" % (error.filename or "a file", error.strerror or error),
                    "may it be written, and is there room? Another cache: --cache FOLDER; another build folder: --build-dir").text())
        return EXIT_STEP_FAILED
    except KeyboardInterrupt:
        say("\nbootstrap: interrupted; what was begun is not installed, and the same command goes on from here")
        return 130
    say("* total %s" % seconds(time.monotonic() - begin))
    return 0


def run(options, rest, root, cache):
    """The commands that build."""
    tests = options.command in ("test", "build", "deps")
    dependencies = Dependencies(options, cache)
    dependencies.bring(tests)
    if options.command == "deps":
        say("* by hand: cmake --preset %s -DKokkos_DIR=%s%s" % (options.preset or options.backend, dependencies.kokkos,
                                                              " -DKOV_INSTALL_KOKKOS=ON" if dependencies.kokkos_is_ours else ""))
        return
    project = Project(root, options, dependencies)
    project.configure(tests)
    thorough = getattr(options, "thorough", False)
    project.build(options.target or (["kovariant_program"] if options.command in ("demo", "bench") else
                                     ["all", "thorough_tests"] if thorough else []))
    if options.command == "test":
        project.test((["-C", "Thorough"] if thorough else []) + rest)
    elif options.command == "demo":
        project.demo(os.path.abspath(options.output), rest)
    elif options.command == "bench":
        project.bench(rest)
