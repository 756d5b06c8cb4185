# SPDX-License-Identifier: MIT
"""Small stand-ins for the tests of bootstrap: sources and installations of Kokkos that configure in no time."""
import contextlib
import io
import os
import sys
import tarfile
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "cmake"))

CPU_VALUES = ('set(Kokkos_DEVICES OPENMP;SERIAL)\nset(Kokkos_ARCH NATIVE)\n'
              'set(Kokkos_OPTIONS DEPRECATED_CODE_4;DEBUG_DUALVIEW_MODIFY_CHECK)\n')


class Case(unittest.TestCase):
    """A test with a scratch folder, an empty cache and a quiet terminal."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = folder.name
        self.cache = os.path.join(self.scratch, "cache")
        self.output = io.StringIO()
        stack = contextlib.ExitStack()
        stack.enter_context(contextlib.redirect_stdout(self.output))
        self.addCleanup(stack.close)

    def path(self, *parts):
        return os.path.join(self.scratch, *parts)

    def environment(self, **values):
        """Sets environment variables for this test only."""
        before = {name: os.environ.get(name) for name in values}
        os.environ.update(values)

        def restore():
            for name, value in before.items():
                os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)
        self.addCleanup(restore)

    def left_in_cache(self):
        """Every file in the cache but logs and locks."""
        found = []
        for root, _, files in os.walk(self.cache):
            if os.path.basename(root) not in ("logs", "locks"):
                found += [os.path.relpath(os.path.join(root, name), self.cache) for name in files]
        return sorted(found)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    return path


def kokkos_source(folder, version="4.7.0", extra=""):
    """A source tree that declares its version as Kokkos does and installs its package files and nothing else."""
    numbers = dict(zip(("MAJOR", "MINOR", "PATCH"), version.split(".")))
    lines = ["cmake_minimum_required(VERSION 3.22)", "project(Kokkos LANGUAGES NONE)"]
    lines += ["set(Kokkos_VERSION_%s %s)" % item for item in numbers.items()]
    lines += [extra, 'install(FILES KokkosConfig.cmake KokkosConfigVersion.cmake DESTINATION lib/cmake/Kokkos)']
    write(os.path.join(folder, "CMakeLists.txt"), "\n".join(lines) + "\n")
    _package_files(folder, version, CPU_VALUES)
    return folder


def kokkos_installation(prefix, version, values=CPU_VALUES):
    """Package files of an installed Kokkos; returns their folder."""
    return _package_files(os.path.join(prefix, "lib", "cmake", "Kokkos"), version, values)


def _package_files(folder, version, values):
    write(os.path.join(folder, "KokkosConfig.cmake"), values)
    write(os.path.join(folder, "KokkosConfigVersion.cmake"),
          'set(PACKAGE_VERSION "%s")\nset(PACKAGE_VERSION_COMPATIBLE FALSE)\n' % version)
    return folder


def pack(folder, archive, inside):
    """A .tar.gz of the folder under the name `inside`."""
    os.makedirs(os.path.dirname(archive), exist_ok=True)
    with tarfile.open(archive, "w:gz") as file:
        file.add(folder, arcname=inside)
    return archive
