# SPDX-License-Identifier: MIT
"""Configuring a checkout again and again, and what the demo reports."""
import argparse
import os
import shutil
import unittest
from unittest import mock

import fakes
from bootstrap import machine
from bootstrap.project import Project
from bootstrap.steps import Failure, launch_environment

OPTIONS = {"preset": "", "backend": "cpu", "build_dir": "", "mpi": False, "hdf5": True, "jobs": 1, "define": []}


class WithProject(fakes.Case):
    def project(self, kokkos_is_ours=True, **options):
        root = self.path("checkout")
        if not os.path.isdir(root):
            os.makedirs(root)
            shutil.copy(os.path.join(fakes.ROOT, "CMakePresets.json"), root)
            fakes.write(os.path.join(root, "CMakeLists.txt"),
                        "cmake_minimum_required(VERSION 3.22)\nproject(Fake LANGUAGES NONE)\n"
                        "foreach(name one two three)\n  add_custom_target(${name} ALL COMMAND \"${CMAKE_COMMAND}\" -E touch ${name})\n"
                        "endforeach()\n")
        dependencies = argparse.Namespace(kokkos="/somewhere", kokkos_is_ours=kokkos_is_ours)
        return Project(root, argparse.Namespace(**{**OPTIONS, **options}), dependencies)


class Configure(WithProject):
    def values(self, project):
        return project._cache_values()

    def test_tests_are_built_when_asked_for_and_stay(self):
        project = self.project()
        project.configure(tests=False)
        self.assertEqual(self.values(project)["KOV_TESTS"], "OFF")
        project.configure(tests=True)
        project.configure(tests=False)
        self.assertEqual(self.values(project)["KOV_TESTS"], "ON")

    def test_another_compiler_starts_afresh(self):
        project = self.project()
        project.configure(tests=True)
        marker = fakes.write(os.path.join(project.folder, "CMakeFiles", "stale"), "")
        project.configure(tests=True)
        self.assertTrue(os.path.exists(marker))
        with mock.patch.object(machine, "host_compiler", return_value=machine.Compiler("/usr/bin/true", "gnu", "1")):
            project.configure(tests=True)
        self.assertFalse(os.path.exists(marker))
        self.assertEqual(self.values(project)["CMAKE_CXX_COMPILER"], "/usr/bin/true")

    def test_options_reach_cmake(self):
        project = self.project(define=["KOV_SANITIZE=thread"], hdf5=False)
        project.configure(tests=True)
        values = self.values(project)
        self.assertEqual((values["KOV_SANITIZE"], values["KOV_HDF5"], values["Kokkos_DIR"]), ("thread", "OFF", "/somewhere"))
        self.assertEqual(values["KOV_INSTALL_KOKKOS"], "ON")
        project = self.project(kokkos_is_ours=False)
        project.configure(tests=True)
        self.assertEqual(self.values(project)["KOV_INSTALL_KOKKOS"], "OFF")

    def test_named_targets_are_compiled_and_no_others(self):
        project = self.project()
        project.configure(tests=True)
        built = lambda: {name for name in ("one", "two", "three") if os.path.exists(os.path.join(project.folder, name))}
        project.build(["one", "three"])
        self.assertEqual(built(), {"one", "three"})
        project.build()
        self.assertEqual(built(), {"one", "two", "three"})

    def test_every_preset_configures(self):
        for preset in ("cpu", "debug", "asan-ubsan"):
            project = self.project(preset=preset)
            project.configure(tests=True)
            self.assertTrue(project.folder.endswith(os.path.join("build", preset)))

    def test_error_of_cmake_is_shown(self):
        project = self.project()
        fakes.write(os.path.join(project.root, "CMakeLists.txt"), 'message(FATAL_ERROR "no such package")\n')
        with self.assertRaises(Failure) as caught:
            project.configure(tests=True)
        self.assertIn("no such package", caught.exception.text())


class Demo(WithProject):
    def run_demo(self, script, arguments=("--set", "a=b"), **options):
        project = self.project(**options)
        program = fakes.write(os.path.join(project.folder, "kovariant"), "#!/bin/sh\n" + script)
        os.chmod(program, 0o755)
        with mock.patch("sys.stdout") as out:
            out.buffer.write = lambda line: None
            with mock.patch("bootstrap.project.say", side_effect=self.said.append):
                project.demo(self.path("demo"), list(arguments))
        return "\n".join(self.said)

    def setUp(self):
        super().setUp()
        self.said = []

    def test_results_are_named(self):
        with mock.patch.dict(os.environ):
            os.environ.pop("OMP_PROC_BIND", None)
            said = self.run_demo('echo "$1 $2 $3 bind=$OMP_PROC_BIND"; touch spectrum.h5 spectrum.svg')
        for name in ("spectrum.txt", "spectrum.h5", "spectrum.svg"):
            self.assertIn(self.path("demo", name), said)
        with open(self.path("demo", "spectrum.txt")) as file:
            self.assertEqual(file.read(), "spectrum --set a=b bind=true\n")

    def test_an_earlier_table_outlives_what_fails_or_only_says(self):
        self.run_demo("echo 1; touch spectrum.h5 spectrum.svg")
        with self.assertRaises(Failure):
            self.run_demo("echo 2; exit 5")
        self.run_demo("echo 3", arguments=["--dry-run"])
        with open(self.path("demo", "spectrum.txt")) as file:
            self.assertEqual(file.read(), "1\n")
        self.run_demo("echo 4; touch other.h5 other.svg", arguments=["--set", "output.prefix='other'"])
        with open(self.path("demo", "other.txt")) as file:
            self.assertEqual(file.read(), "4\n")
        self.assertFalse([name for name in os.listdir(self.path("demo")) if name.endswith(".new")])

    def test_missing_result_is_a_failure(self):
        with self.assertRaisesRegex(Failure, "wrote no data and no picture"):
            self.run_demo("true")

    def test_failing_program_is_a_failure(self):
        with self.assertRaisesRegex(Failure, "ended with code 5"):
            self.run_demo("exit 5")

    def test_results_of_an_earlier_run_do_not_count(self):
        self.run_demo("touch spectrum.h5 spectrum.svg")
        with self.assertRaisesRegex(Failure, "wrote no data"):
            self.run_demo("touch spectrum.svg")


class Test(WithProject):
    def said(self, output, data=""):
        """What is said where the tests print `output`."""
        said = []
        project = self.project(define=["KOV_TEST_DATA=" + (data or self.scratch)])
        project.configure(tests=True)

        def ctest(command, **_):
            if output:
                fakes.write(os.path.join(project.folder, "Testing", "Temporary", "LastTest.log"), output)
            return argparse.Namespace(returncode=0)
        with mock.patch("bootstrap.project.subprocess.run", side_effect=ctest):
            with mock.patch("bootstrap.project.say", side_effect=said.append):
                project.test([])
        return said[1:]  # the first is the command

    def test_every_reason_to_skip_a_test_is_said_once(self):
        self.assertEqual(self.said("a.cpp:3: Skipped\nNOT TESTED: no HDF5\ntest_b ... skipped 'NOT TESTED: no h5py'\n"
                                   "NOT TESTED: no HDF5\n"), ["* NOT TESTED: no HDF5", "* NOT TESTED: no h5py"])
        self.assertIn("there is no /nowhere", self.said("", data="/nowhere")[-1])

    def test_skips_of_an_earlier_run_are_not_said_again(self):
        self.assertEqual(len(self.said("NOT TESTED: no HDF5\n")), 1)
        self.assertEqual(self.said(""), [])


class LaunchEnvironment(unittest.TestCase):
    def environment(self, **variables):
        with mock.patch.dict(os.environ, variables, clear=True):
            return launch_environment()

    def test_binds_threads_and_lets_them_spin_briefly(self):
        self.assertEqual(self.environment(),
                         {"OMP_PROC_BIND": "true", "OMP_PLACES": "cores", "GOMP_SPINCOUNT": "10000"})

    def test_what_the_user_set_stays(self):
        kept = self.environment(OMP_PROC_BIND="close", OMP_PLACES="threads", GOMP_SPINCOUNT="5")
        self.assertEqual(kept, {"OMP_PROC_BIND": "close", "OMP_PLACES": "threads", "GOMP_SPINCOUNT": "5"})
        self.assertNotIn("GOMP_SPINCOUNT", self.environment(OMP_WAIT_POLICY="passive"))


if __name__ == "__main__":
    unittest.main()
