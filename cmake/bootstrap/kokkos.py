# SPDX-License-Identifier: MIT
"""Kokkos: an installed one, a source the user names, or a pinned archive; built once into a cache.

A build is keyed by everything that changes it (version, back end, architecture, compiler, options, processor) and
appears under its final name only when it is complete.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass

from . import archives, machine
from .steps import EXIT_USAGE, Failure, Step, capture, execute, locked, say

MINIMUM = (4, 7)
COMPAT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kov_cuda13_compat.hpp")


@dataclass(frozen=True)
class Wanted:
    """What the Kokkos must be: back end "cpu" or "cuda", CUDA architecture, and whether it checks bounds."""
    backend: str
    arch: str = ""
    bounds_checks: bool = False


@dataclass(frozen=True)
class Source:
    """A source folder, and a fingerprint that changes when it does."""
    folder: str
    fingerprint: str


def installed(wanted):
    """(prefix, reasons): the first suitable installed Kokkos, or "" with the reason each one was passed over."""
    reasons = []
    for config, version in _considered():
        folder = os.path.dirname(config)
        reason = unsuitable(folder, version, wanted)
        if not reason:
            return folder, reasons
        reasons.append("Kokkos %s in %s passed over: %s" % (version or "of unknown version", folder, reason))
    return "", reasons


def _considered():
    """Every Kokkos that find_package can see with its version; no config file is loaded for that."""
    if not shutil.which("cmake") or not (shutil.which("ninja") or shutil.which("make")):
        return []  # nothing is installed yet; asked again when the packages are there
    with tempfile.TemporaryDirectory(prefix="kovariant-find-") as folder:
        with open(os.path.join(folder, "CMakeLists.txt"), "w") as file:
            file.write("cmake_minimum_required(VERSION 3.22)\nproject(find LANGUAGES NONE)\n"
                       "find_package(Kokkos 999 CONFIG QUIET)\n"
                       'message(STATUS "CONFIGS=${Kokkos_CONSIDERED_CONFIGS}")\n'
                       'message(STATUS "VERSIONS=${Kokkos_CONSIDERED_VERSIONS}")\n')
        multiarch = capture([os.environ.get("CXX", "c++"), "-print-multiarch"])
        reply = subprocess.run(["cmake", "-S", folder, "-B", os.path.join(folder, "b"), *generator(),
                                "-DCMAKE_LIBRARY_ARCHITECTURE=" + multiarch],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = {name: re.search(r"^-- %s=(.*)$" % name, reply.stdout, re.M) for name in ("CONFIGS", "VERSIONS")}
    if reply.returncode or not all(found.values()):
        raise Failure("cmake cannot be asked for installed Kokkos:\n" + reply.stdout.strip(),
                      "install ninja-build or make; or skip the question with --kokkos=pinned")
    lists = [found[name].group(1).split(";") if found[name].group(1) else [] for name in ("CONFIGS", "VERSIONS")]
    seen = {}  # /lib is often a link to /usr/lib
    for config, version in zip(*lists):
        seen.setdefault(os.path.realpath(config), (config, version))
    return list(seen.values())


def generator():
    """CMake's option for Ninja where it is there, else CMake's default."""
    return ["-G", "Ninja"] if shutil.which("ninja") else []


def unsuitable(folder, version, wanted):
    """Why the Kokkos whose package files are in `folder` cannot be used; empty when it can."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if numbers < MINIMUM:
        return "Kovariant needs %d.%d or newer" % MINIMUM
    values = config_values(folder)
    devices = {device.upper() for device in values.get("Kokkos_DEVICES", "").split(";")}
    if wanted.backend == "cuda":
        if "CUDA" not in devices:
            return "it was built without CUDA"
        name = machine.KOKKOS_ARCH.get(wanted.arch, "")
        if name and name not in values.get("Kokkos_ARCH", "").upper().split(";"):
            return "it was built for %s, not %s" % (values.get("Kokkos_ARCH") or "no architecture", wanted.arch)
    else:
        if "CUDA" in devices or "HIP" in devices or "SYCL" in devices:
            return "it was built for a GPU"
        if "OPENMP" not in devices:
            return "it was built without OpenMP"
    if wanted.bounds_checks and "DEBUG_BOUNDS_CHECK" not in values.get("Kokkos_OPTIONS", "").split(";"):
        return "it was built without bounds checks"
    return ""


def config_values(folder):
    """The plain set(NAME value) lines of an installed Kokkos' package files."""
    values = {}
    for name in ("KokkosConfig.cmake", "KokkosConfigCommon.cmake"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, errors="replace") as file:
                for key, value in re.findall(r"^\s*set\s*\(\s*(Kokkos_\w+)\s+\"?([^\")]*)\"?\s*\)", file.read(), re.M | re.I):
                    values.setdefault(key, value.strip())
    return values


def package_folder(prefix):
    """Folder of KokkosConfig.cmake below an installation prefix; empty when there is none."""
    for library in ("lib", "lib64", os.path.join("lib", capture(["c++", "-print-multiarch"]) or "none")):
        folder = os.path.join(prefix, library, "cmake", "Kokkos")
        if os.path.exists(os.path.join(folder, "KokkosConfig.cmake")):
            return folder
    return prefix if os.path.exists(os.path.join(prefix, "KokkosConfig.cmake")) else ""


def named_source(path, scratch):
    """Source from a folder or archive that the user names, the pinned sdist and the releases among them."""
    if os.path.isdir(path):
        folder, fingerprint = _source_root(path), _folder_fingerprint(path)
    elif os.path.isfile(path):
        fingerprint = archives.sha256(path)
        unpacked = os.path.join(scratch, "unpacked")
        if not os.path.isdir(unpacked):
            archives.unpack(path, unpacked)
        folder = _source_root(unpacked)
    else:
        raise Failure("%s does not exist" % path,
                      "name a source folder, an archive, or an installation of Kokkos", EXIT_USAGE)
    if not folder:
        raise Failure("%s holds no source of Kokkos" % path,
                      "name the archive or the folder of a release of Kokkos", EXIT_USAGE)
    return Source(folder, fingerprint)


def _source_root(folder):
    """The folder itself, its only folder, or tpls/kokkos in it: whichever is a source of Kokkos."""
    inner = [os.path.join(folder, entry) for entry in sorted(os.listdir(folder))]
    for candidate in [folder, *inner] + [os.path.join(entry, "tpls", "kokkos") for entry in [folder, *inner]]:
        if source_version(candidate):
            return candidate
    return ""


def source_version(folder):
    """Version that a source's CMakeLists.txt declares; empty when it is not Kokkos'."""
    try:
        with open(os.path.join(folder, "CMakeLists.txt"), errors="replace") as file:
            text = file.read()
    except OSError:
        return ""
    found = [re.search(r"set\s*\(\s*Kokkos_VERSION_%s\s+(\d+)\s*\)" % part, text, re.I)
             for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(match.group(1) for match in found) if all(found) else ""


def _folder_fingerprint(folder):
    digest = hashlib.sha256(os.path.realpath(folder).encode())
    for root, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            status = os.lstat(os.path.join(root, name))
            digest.update(("%s %d %d\n" % (os.path.join(root, name), status.st_size, status.st_mtime_ns)).encode())
    return digest.hexdigest()


def options(wanted, version):
    """CMake options of the Kokkos build."""
    common = {"CMAKE_BUILD_TYPE": "Release", "CMAKE_CXX_STANDARD": "20", "CMAKE_POSITION_INDEPENDENT_CODE": "ON",
              "BUILD_SHARED_LIBS": "OFF", "Kokkos_ENABLE_SERIAL": "ON", "Kokkos_ENABLE_OPENMP": "ON"}
    if _numbers(version) < (5, 0):
        # Under CUDA 13 team kernels read misplaced parameters through the mdspan-based View; and every back end
        # should run the same View.
        common["Kokkos_ENABLE_IMPL_MDSPAN"] = "OFF"
    if wanted.bounds_checks:
        common["Kokkos_ENABLE_DEBUG_BOUNDS_CHECK"] = "ON"
    if wanted.backend == "cuda":
        # No native host flags: what is built here may run on the machine that has the GPU.
        common.update({"Kokkos_ENABLE_CUDA": "ON", "Kokkos_ARCH_" + machine.KOKKOS_ARCH[wanted.arch]: "ON"})
    else:
        common["Kokkos_ARCH_NATIVE"] = "ON"
    if _numbers(version)[:2] == (4, 7):
        common["CMAKE_UNITY_BUILD"] = "ON"  # half the time to compile; names of other versions may clash
    return common


def _numbers(version):
    return tuple(int(part) for part in version.split("."))


def _key(source, wanted, chosen):
    compiler = machine.host_compiler()
    facts = {"source": source.fingerprint, "options": chosen, "compiler": [os.path.realpath(compiler.path), compiler.family, compiler.version],
             "native": machine.native_flags() if wanted.backend == "cpu" else "", "extra": []}
    if wanted.backend == "cuda":
        facts["cuda"] = machine.cuda_version()
        with open(COMPAT) as file:
            facts["compat"] = file.read()
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:10]
    return "kokkos-%s-%s-%s" % (source_version(source.folder), _kind(wanted), digest)


def _kind(wanted):
    """What a cached build is for, as in its name."""
    compiler = machine.host_compiler()
    kind = wanted.arch if wanted.backend == "cuda" else "openmp-native"
    return "%s%s-%s%s" % (kind, "-bounds" if wanted.bounds_checks else "", compiler.family, compiler.version)


def cached_builds(wanted, cache, version="[0-9.]+"):
    """Folders of the builds in the cache that are for this; `version` is a regular expression."""
    folder = os.path.join(cache, "installed")
    name = re.compile("kokkos-%s-%s-[0-9a-f]{10}" % (version, re.escape(_kind(wanted))))
    return [os.path.join(folder, entry) for entry in sorted(os.listdir(folder)) if name.fullmatch(entry)] \
        if os.path.isdir(folder) else []


def build(source, wanted, cache, jobs):
    """Prefix of the Kokkos built from `source`, from the cache when it is there."""
    version = source_version(source.folder)
    if _numbers(version) < MINIMUM:
        raise Failure("the Kokkos source in %s is %s; Kovariant needs %d.%d or newer" % (source.folder, version, *MINIMUM),
                      "name a newer one, or leave --kokkos out", EXIT_USAGE)
    chosen = options(wanted, version)

    def prepare(scratch):
        if wanted.backend != "cuda":
            return source.folder, {"CMAKE_CXX_COMPILER": machine.host_compiler().path}
        folder = os.path.join(scratch, "source")
        shutil.copytree(source.folder, folder, symlinks=True)
        wrapper = os.path.join(folder, "bin", "nvcc_wrapper")
        _replace(wrapper, r'^default_arch=.*$', 'default_arch="%s"' % wanted.arch)
        os.chmod(wrapper, 0o755)
        flags = "-include " + COMPAT if needs_compat(version) else ""
        return folder, {"CMAKE_CXX_COMPILER": wrapper, "CMAKE_CXX_FLAGS": flags}

    def finish(staged, prefix):
        if wanted.backend == "cuda":
            folder = package_folder(staged)
            _replace(os.path.join(folder, "KokkosConfigCommon.cmake"), r'^set\(Kokkos_CXX_COMPILER ".*"\)$',
                     'set(Kokkos_CXX_COMPILER "%s")' % os.path.join(prefix, "bin", "nvcc_wrapper"))
            if needs_compat(version):
                _force_include(staged, folder)

    return _cached_build(source, _key(source, wanted, chosen), chosen, cache, jobs, prepare, finish)


def _cached_build(source, key, chosen, cache, jobs, prepare, finish):
    """Configures, compiles and installs into a scratch folder; one rename makes the result visible."""
    prefix = os.path.join(cache, "installed", key)
    title = "Kokkos " + source_version(source.folder)
    if os.path.isdir(prefix):
        say("* %s: cached in %s" % (title, prefix))
        return prefix
    with locked(os.path.join(cache, "locks", key), title):
        if os.path.isdir(prefix):
            return prefix
        log = os.path.join(cache, "logs", key + ".log")
        if os.path.exists(log):
            os.remove(log)
        os.makedirs(os.path.join(cache, "scratch"), exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=key + "-", dir=os.path.join(cache, "scratch")) as scratch:
            with Step("%s: build, once for all" % title) as step:
                folder, more = prepare(scratch)
                tree, stage = os.path.join(scratch, "build"), os.path.join(scratch, "stage")
                settings = {**chosen, **more, "CMAKE_INSTALL_PREFIX": prefix, "CMAKE_INSTALL_LIBDIR": "lib"}
                remedy = "see the log; another Kokkos can be named with --kokkos=PATH. Nothing was installed."
                execute(step, ["cmake", "-S", folder, "-B", tree, *generator(),
                               *("-D%s=%s" % item for item in settings.items())], log, remedy)
                execute(step, ["cmake", "--build", tree, "--parallel", jobs], log, remedy)
                execute(step, ["cmake", "--install", tree], log, remedy, environment={"DESTDIR": stage})
                staged = stage + prefix
                finish(staged, prefix)
                os.makedirs(os.path.dirname(prefix), exist_ok=True)
                os.rename(staged, prefix)
                step.note = "in " + prefix
    return prefix


def needs_compat(version):
    """Kokkos 4.7.00 calls two functions by signatures that CUDA 13 changed; 4.7.01 and later do not."""
    cuda = machine.cuda_version()
    return _numbers(version) < (4, 7, 1) and cuda is not None and cuda >= (13, 0)


def _force_include(staged, folder):
    """Kokkos' headers call those functions too: whoever uses this Kokkos gets the overloads with it."""
    name = os.path.basename(COMPAT)
    shutil.copyfile(COMPAT, os.path.join(staged, "include", name))
    with open(os.path.join(folder, "KokkosConfig.cmake"), "a") as file:
        file.write('\n# Added by the bootstrap of Kovariant: signatures that CUDA 13 changed.\n'
                   'get_filename_component(kov_compat "${CMAKE_CURRENT_LIST_DIR}/../../../include/%s" ABSOLUTE)\n'
                   'set_property(TARGET Kokkos::kokkoscore APPEND PROPERTY INTERFACE_COMPILE_OPTIONS\n'
                   '             "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${kov_compat}>")\n' % name)


def _replace(path, pattern, text):
    with open(path) as file:
        before = file.read()
    after, count = re.subn(pattern, lambda match: text, before, flags=re.M)
    if not count:
        raise Failure("%s does not look as expected: nothing matches %s" % (path, pattern),
                      "this Kokkos is laid out differently; name another with --kokkos=PATH, or an installed one")
    with open(path, "w") as file:
        file.write(after)
