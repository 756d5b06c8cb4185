# SPDX-License-Identifier: MIT
"""Which Kokkos is taken, and that a build appears in the cache whole or not at all."""
import argparse
import os
import subprocess
import sys
import unittest
from unittest import mock

import fakes
from bootstrap import archives, dependencies, kokkos, machine
from bootstrap.steps import Failure

CPU = kokkos.Wanted("cpu")


def options_with(**more):
    """Those of a command line without MPI, HDF5 and network."""
    return argparse.Namespace(**{"command": "demo", "backend": "cpu", "arch": "", "preset": "", "jobs": 1,
                                 "mirror": "", "mpi": False, "hdf5": False, "install": False, **more})


class Installed(fakes.Case):
    def find(self, wanted=CPU, **prefixes):
        self.environment(CMAKE_PREFIX_PATH=os.pathsep.join(prefixes.values()), Kokkos_ROOT="")
        return kokkos.installed(wanted)

    def test_old_kokkos_is_passed_over_with_the_reason(self):
        folder = fakes.kokkos_installation(self.path("old"), "3.4.01")
        found, reasons = self.find(old=self.path("old"))
        self.assertNotEqual(found, folder)
        self.assertTrue(any("3.4.01" in reason and "4.7 or newer" in reason for reason in reasons), reasons)

    def test_newer_one_behind_an_old_one_is_taken(self):
        fakes.kokkos_installation(self.path("old"), "3.4.01")
        for version in ("4.7.0", "5.2.0"):
            folder = fakes.kokkos_installation(self.path("new"), version)
            found, reasons = self.find(old=self.path("old"), new=self.path("new"))
            self.assertEqual(os.path.realpath(found), os.path.realpath(folder))
            self.assertEqual(len(reasons), 1)

    def test_a_cmake_that_fails_is_not_taken_for_no_kokkos(self):
        self.environment(CMAKE_GENERATOR="No Such Generator")
        with mock.patch.object(kokkos, "generator", return_value=[]):
            with self.assertRaisesRegex(Failure, "CMAKE_GENERATOR"):
                kokkos.installed(CPU)

    def test_reasons(self):
        def reason(values, version="4.7.0", wanted=CPU):
            return kokkos.unsuitable(fakes.kokkos_installation(self.path("k"), version, values), version, wanted)
        cuda = 'set(Kokkos_DEVICES CUDA;OPENMP;SERIAL)\nset(Kokkos_ARCH HOPPER90)\n'
        self.assertEqual(reason(fakes.CPU_VALUES), "")
        self.assertIn("without OpenMP", reason("set(Kokkos_DEVICES SERIAL)\n"))
        self.assertIn("for a GPU", reason(cuda))
        self.assertEqual(reason(cuda, wanted=kokkos.Wanted("cuda", "sm_90")), "")
        self.assertIn("not sm_80", reason(cuda, wanted=kokkos.Wanted("cuda", "sm_80")))
        self.assertIn("without CUDA", reason(fakes.CPU_VALUES, wanted=kokkos.Wanted("cuda", "sm_90")))
        self.assertIn("bounds checks", reason(fakes.CPU_VALUES, wanted=kokkos.Wanted("cpu", bounds_checks=True)))
        self.assertIn("4.7 or newer", reason(fakes.CPU_VALUES, version="4.6.99"))


class Build(fakes.Case):
    def build(self, folder, wanted=CPU):
        return kokkos.build(kokkos.named_source(folder, self.scratch), wanted, self.cache, 1)

    def counting_source(self, wait=0):
        """A source that writes a line each time it is configured."""
        return fakes.kokkos_source(self.path("kokkos"), extra='file(APPEND "%s" "configured\\n")\nexecute_process(COMMAND sleep %g)'
                                   % (self.path("count"), wait))

    def count(self):
        with open(self.path("count")) as file:
            return len(file.readlines())

    def test_second_build_comes_from_the_cache(self):
        source = self.counting_source()
        prefix = self.build(source)
        self.assertTrue(kokkos.package_folder(prefix))
        self.assertEqual(self.build(source), prefix)
        self.assertEqual(self.count(), 1)

    def test_two_at_once_build_once(self):
        source = self.counting_source(wait=0.5)
        code = ("import sys; sys.path[:0] = %r\nfrom bootstrap import kokkos\n"
                "print(kokkos.build(kokkos.named_source(%r, %r), kokkos.Wanted('cpu'), %r, 1))"
                % ([os.path.join(fakes.ROOT, "cmake")], source, self.scratch, self.cache))
        both = [subprocess.Popen([sys.executable, "-B", "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
        prefixes = [process.communicate()[0].splitlines()[-1] for process in both]
        self.assertEqual([process.returncode for process in both], [0, 0])
        self.assertEqual(prefixes[0], prefixes[1])
        self.assertEqual(self.count(), 1)

    def test_failing_configure_installs_nothing_and_shows_why(self):
        source = fakes.kokkos_source(self.path("kokkos"), extra='message(FATAL_ERROR "the dog ate it")')
        with self.assertRaises(Failure) as caught:
            self.build(source)
        self.assertIn("the dog ate it", caught.exception.text())
        self.assertEqual(self.left_in_cache(), [])

    def test_failing_build_installs_nothing(self):
        source = fakes.kokkos_source(self.path("kokkos"), extra="add_custom_target(x ALL COMMAND false)")
        with self.assertRaises(Failure):
            self.build(source)
        self.assertEqual(self.left_in_cache(), [])

    def test_failing_install_installs_nothing(self):
        source = fakes.kokkos_source(self.path("kokkos"))
        with open(os.path.join(source, "CMakeLists.txt"), "a") as file:
            file.write('install(CODE "message(FATAL_ERROR full)")\n')
        with self.assertRaises(Failure):
            self.build(source)
        self.assertEqual(self.left_in_cache(), [])

    def test_everything_that_changes_a_build_changes_its_place(self):
        source = fakes.kokkos_source(self.path("kokkos"))
        prefixes = {self.build(source), self.build(source, kokkos.Wanted("cpu", bounds_checks=True))}
        with mock.patch.object(machine, "native_flags", return_value="another processor"):
            prefixes.add(self.build(source))
        with mock.patch.object(machine, "host_compiler", return_value=machine.Compiler("/usr/bin/c++", "gnu", "99.1")):
            prefixes.add(self.build(source))
        fakes.kokkos_source(source, version="4.7.1")
        prefixes.add(self.build(source))
        self.assertEqual(len(prefixes), 5)

    def test_old_source_is_refused(self):
        with self.assertRaisesRegex(Failure, "is 3.4.1; Kovariant needs 4.7"):
            self.build(fakes.kokkos_source(self.path("kokkos"), version="3.4.1"))

    def test_archives_in_both_layouts(self):
        source = fakes.kokkos_source(self.path("kokkos"))
        for inside in ("kokkos-4.7.0", "pygenten-0.1.5/tpls/kokkos"):
            archive = fakes.pack(source, self.path(inside.replace("/", "_") + ".tar.gz"), inside)
            found = kokkos.named_source(archive, self.path("unpack", inside))
            self.assertEqual(kokkos.source_version(found.folder), "4.7.0")
            self.assertEqual(found.fingerprint, archives.sha256(archive))

    def test_archive_of_something_else_is_refused(self):
        other = os.path.dirname(fakes.write(self.path("other", "CMakeLists.txt"), "project(Other)\n"))
        with self.assertRaisesRegex(Failure, "holds no source of Kokkos"):
            self.build(fakes.pack(other, self.path("other.tar.gz"), "other"))

    def test_missing_path_is_refused(self):
        with self.assertRaisesRegex(Failure, "does not exist"):
            self.build(self.path("nothing"))


class Options(unittest.TestCase):
    def test_cuda(self):
        chosen = kokkos.options(kokkos.Wanted("cuda", "sm_90"), "4.7.0")
        self.assertEqual(chosen["Kokkos_ARCH_HOPPER90"], "ON")
        self.assertEqual(chosen["Kokkos_ENABLE_IMPL_MDSPAN"], "OFF")
        self.assertNotIn("Kokkos_ARCH_NATIVE", chosen)

    def test_compatibility_header_is_for_one_version_and_new_cuda(self):
        for cuda, version, needed in (((13, 0), "4.7.0", True), ((12, 9), "4.7.0", False), ((13, 0), "4.7.2", False),
                                      ((13, 1), "5.0.0", False), (None, "4.7.0", False)):
            with mock.patch.object(machine, "cuda_version", return_value=cuda):
                self.assertEqual(kokkos.needs_compat(version), needed, (cuda, version))


class Release(fakes.Case):
    def test_whole_path_from_a_local_file(self):
        """--kokkos=release with a folder as mirror: fetched, verified, unpacked, built, cached."""
        source = fakes.kokkos_source(self.path("kokkos"), version="4.7.2")
        archive = fakes.pack(source, self.path("mirror", "kokkos-4.7.02.tar.gz"), "kokkos-4.7.02")
        options = options_with(kokkos="release", mirror=self.path("mirror"))
        released = archives.Archive("kokkos-4.7.02.tar.gz", archives.sha256(archive), url="https://nowhere.invalid/")
        with mock.patch.object(archives, "RELEASE", released), \
                mock.patch.object(dependencies.packages, "missing", return_value=[]):
            brought = dependencies.Dependencies(options, self.cache)
            brought.bring(tests=False)
        self.assertIn("kokkos-4.7.2-openmp-native", brought.kokkos)
        self.assertTrue(os.path.exists(os.path.join(brought.kokkos, "KokkosConfig.cmake")))
        self.assertTrue(brought.kokkos_is_ours)


class Ours(fakes.Case):
    """What bootstrap built into its cache, which may be removed, is installed with the library; nothing else is."""

    def bring(self, choice):
        brought = dependencies.Dependencies(options_with(kokkos=choice), self.cache)
        with mock.patch.object(dependencies.packages, "missing", return_value=[]):
            brought.bring(tests=False)
        return brought

    def test_a_build_in_the_cache_is_installed_with_the_library(self):
        archive = fakes.pack(fakes.kokkos_source(self.path("source")), self.path("kokkos.tar.gz"), "kokkos-4.7.00")
        for _ in ("built", "from the cache"):
            brought = self.bring(archive)
            self.assertTrue(brought.kokkos.startswith(self.cache))
            self.assertTrue(brought.kokkos_is_ours)

    def test_an_installed_or_named_kokkos_is_not(self):
        prefix = self.path("prefix")
        folder = fakes.kokkos_installation(prefix, "4.7.0")
        self.environment(CMAKE_PREFIX_PATH=prefix, Kokkos_ROOT="")
        for choice in (prefix, "auto", "system"):
            brought = self.bring(choice)
            self.assertEqual(os.path.realpath(brought.kokkos), os.path.realpath(folder), choice)
            self.assertFalse(brought.kokkos_is_ours, choice)


if __name__ == "__main__":
    unittest.main()
