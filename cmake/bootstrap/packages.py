# SPDX-License-Identifier: MIT
"""System packages: what is missing, and installing it where we may (Debian 12, Ubuntu 22.04 and newer)."""
import os
import shutil
import subprocess
from dataclasses import dataclass

from .steps import EXIT_PACKAGES_MISSING, Failure, Step, capture, execute, quote


@dataclass(frozen=True)
class Package:
    """A Debian package and, for machines that have it from elsewhere, what shows that it is there: a program, a
    header or a Python module.  An optional one is installed where that can be done, and done without elsewhere."""
    name: str
    program: str = ""
    header: str = ""
    module: str = ""
    optional: bool = False


BUILD = (Package("cmake", program="cmake"), Package("ninja-build", program="ninja"), Package("g++", program="c++"),
         Package("libdeflate-dev", header="libdeflate.h"), Package("libpugixml-dev", header="pugixml.hpp"),
         Package("libspdlog-dev", header="spdlog/spdlog.h"), Package("librandom123-dev", header="Random123/philox.h"),
         Package("libeigen3-dev", header="eigen3/Eigen/Core"))
PROGRAM = (Package("libcli11-dev", header="CLI/CLI.hpp"), Package("libtomlplusplus-dev", header="toml++/toml.h"))
PDF = (Package("libcairo2-dev", header="cairo/cairo-pdf.h", optional=True),)
MPI = (Package("libopenmpi-dev", program="mpicc"), Package("openmpi-bin", program="mpiexec"))
HDF5 = (Package("libhdf5-dev", header="hdf5.h"),)
TESTS = (Package("libgtest-dev", header="gtest/gtest.h"), Package("nlohmann-json3-dev", header="nlohmann/json.hpp"))
PYTHON_HDF5 = (Package("python3-h5py", module="h5py"),)
PIP = (Package("python3-pip"),)


def needed(tests=True, mpi=True, hdf5=True, pip=False):
    """The packages for a build with these parts."""
    parts = BUILD + PROGRAM + PDF
    parts += MPI if mpi else ()
    parts += HDF5 if hdf5 else ()
    parts += TESTS if tests else ()
    parts += PYTHON_HDF5 if tests and hdf5 else ()
    parts += PIP if pip else ()
    return parts


def _has_header(header):
    """Whether the compiler finds it, or CMake would in a prefix of CMAKE_PREFIX_PATH."""
    compiler = os.environ.get("CXX", "c++")
    prefixes = [prefix for prefix in os.environ.get("CMAKE_PREFIX_PATH", "").split(os.pathsep) if prefix]
    folders = ["-I" + os.path.join(prefix, "include") for prefix in prefixes]
    try:
        return subprocess.run([compiler, "-std=c++17", "-E", *folders, "-x", "c++", "-"], input="#include <%s>\n" % header,
                              text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def _has_module(module):
    return subprocess.run(["python3", "-c", "import " + module], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def missing(wanted):
    """Names of those packages that neither dpkg nor a program or header shows to be there."""
    names = [package.name for package in wanted]
    # dpkg-query fails when it does not know a name, yet lists the others; so no check of its exit code.
    try:
        listing = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${db:Status-Abbrev}\n", *names],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    except OSError:
        listing = ""
    installed = {line.split()[0] for line in listing.splitlines() if line.split()[1:2] == ["ii"]}
    return [p.name for p in wanted if p.name not in installed
            and not (p.program and shutil.which(p.program)) and not (p.header and _has_header(p.header))
            and not (p.module and _has_module(p.module))]


def _privilege():
    """The prefix that makes a command run as root: nothing, sudo, or None where we may not."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], stdin=subprocess.DEVNULL,
                                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
        return ["sudo", "-n"]
    return None


def ensure(wanted, log, install=True, retry=False):
    """Installs what is missing, or stops with the one line that would.  Optional packages never stop anything: a note beside
    the log keeps those that could not be installed from being tried again by every command, unless `retry` asks for it or
    the network is needed in any case."""
    with Step("system packages") as step:
        names = missing(wanted)
        if not names:
            step.note = "all there"
            return
        privilege = _privilege() if install and shutil.which("apt-get") else None
        optional = [package.name for package in wanted if package.optional and package.name in names]
        required = [name for name in names if name not in optional]
        if required:
            _install_required(step, required, privilege, log, install)
        failed = os.path.join(os.path.dirname(log), "optional-packages-failed")
        done_without = optional
        if optional and privilege is not None:
            if retry or required or _text(failed) != " ".join(optional):
                done_without = _install_optional(step, optional, privilege, log, failed, update=not required)
        installed = [name for name in names if name not in done_without]
        notes = ["installed " + " ".join(installed)] if installed else []
        if done_without:
            notes.append("without " + " ".join(done_without))
            if privilege is not None:
                notes[-1] += ", which could not be installed: ./bootstrap deps tries again"
        step.note = "; ".join(notes)


def _install_optional(step, names, privilege, log, failed, update):
    """The names of those that could not be installed."""
    try:
        _install(step, names, privilege, log, update)
    except Failure:
        os.makedirs(os.path.dirname(failed), exist_ok=True)
        with open(failed, "w") as file:
            file.write(" ".join(names))
        return names
    if os.path.exists(failed):
        os.remove(failed)
    return []


def _text(path):
    """What a file holds; nothing where there is none."""
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def _install_required(step, names, privilege, log, install):
    line = "sudo apt-get install --no-install-recommends " + " ".join(names)
    if not shutil.which("apt-get"):
        raise Failure("missing: %s (names of Debian's packages), and there is no apt-get to bring them"
                      % " ".join(names), "install them with your system's package manager or modules, then run "
                      "this again; ./bootstrap --help lists what can be left out", EXIT_PACKAGES_MISSING)
    if privilege is None:
        why = "installing was switched off" if not install else "neither root nor sudo without a password"
        raise Failure("missing packages: %s (%s)" % (" ".join(names), why),
                      "run this line, then the same bootstrap command again:\n" + line + "\n"
                      "What lies in folders of your own is found through CMAKE_PREFIX_PATH=FOLDER:...", EXIT_PACKAGES_MISSING)
    _install(step, names, privilege, log)


def _install(step, names, privilege, log, update=True):
    line = "sudo apt-get install --no-install-recommends " + " ".join(names)
    environment = {"DEBIAN_FRONTEND": "noninteractive"}
    apt = [*privilege, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=300"]
    if update:
        execute(step, [*apt, "update"], log, "check the network and /etc/apt/sources.list, or run as root:\n" + line,
                "the package lists cannot be refreshed", environment, code=EXIT_PACKAGES_MISSING)
    execute(step, [*apt, "install", "-y", "--no-install-recommends", *names], log,
            "see the log; a package that apt does not know needs a newer release (Debian 12, Ubuntu 24.04) "
            "or its repository (Ubuntu: universe). By hand:\n" + line,
            "these packages cannot be installed: " + " ".join(names), environment, code=EXIT_PACKAGES_MISSING)


def describe():
    """One line for `doctor`."""
    system = capture(["sh", "-c", ". /etc/os-release && echo $PRETTY_NAME"]) or "unknown system"
    may = _privilege()
    return "%s; missing packages %s" % (system, "cannot be installed: neither root nor sudo without a password" if may is None else
                                        "can be installed, " + ("by " + quote(may) if may else "as root"))
