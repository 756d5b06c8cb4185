# SPDX-License-Identifier: MIT
"""The command line, and what it says when packages are missing."""
import os
import subprocess
import sys
import unittest
from unittest import mock

import fakes
from bootstrap import kokkos, machine, packages
from bootstrap.main import cache_folder, main
from bootstrap.steps import EXIT_PACKAGES_MISSING, Failure, Step, execute


def bootstrap(*arguments, **environment):
    return subprocess.run([sys.executable, os.path.join(fakes.ROOT, "bootstrap"), *arguments], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **environment})


class Command(fakes.Case):
    def test_help_names_every_command(self):
        reply = bootstrap("--help")
        self.assertEqual(reply.returncode, 0)
        for command in ("demo", "test", "build", "bench", "deps", "doctor"):
            self.assertIn("\n    " + command, reply.stdout)

    def test_unknown_words_are_usage_errors(self):
        for wrong in (["dmeo"], ["build", "--backend", "hip"], ["build", "--jobs", "0"], []):
            self.assertEqual(bootstrap(*wrong).returncode, 2, wrong)

    def test_a_cache_that_cannot_be_made_is_said_in_a_sentence(self):
        file = fakes.write(self.path("file"), "")
        reply = bootstrap("deps", "--cache", os.path.join(file, "cache"), "--no-install", "--kokkos=" + self.path())
        self.assertEqual(reply.returncode, 1, reply.stdout)
        self.assertIn("bootstrap: FAILED: " + file, reply.stdout)
        self.assertIn("--cache", reply.stdout)
        self.assertNotIn("Traceback", reply.stdout)

    def test_the_doctor_changes_nothing(self):
        cache = self.path("no-cache")
        bootstrap("doctor", "--cache", cache)
        self.assertFalse(os.path.exists(cache))

    def test_the_doctor_does_without_optional_packages(self):
        for absent, code, says in (([], 0, "all there"), (["libcairo2-dev"], 0, "all there; done without: libcairo2-dev"),
                                   (["libcairo2-dev", "libgtest-dev"], 1, "missing: libgtest-dev; done without: libcairo2-dev")):
            with mock.patch.object(packages, "missing", return_value=absent):
                self.assertEqual(main(["doctor", "--cache", self.path("no-cache")], fakes.ROOT), code)
            self.assertIn(says, self.output.getvalue())

    def test_the_doctor_says_which_kokkos_is_taken_and_what_to_do_next(self):
        def said(*arguments):
            self.output.seek(0)
            self.output.truncate()
            with mock.patch.object(packages, "missing", return_value=[]), mock.patch.object(kokkos, "installed", return_value=("", [])):
                self.assertEqual(main(["doctor", "--cache", self.path("cache"), *arguments], fakes.ROOT), 0)
            return self.output.getvalue()
        self.assertIn("the pinned 4.7.00, which is not built yet", said())
        self.assertIn("empty so far", said())
        self.assertIn("next        ./bootstrap demo", said())
        name = "kokkos-4.7.0-%s-0123456789" % kokkos._kind(kokkos.Wanted("cpu"))
        os.makedirs(self.path("cache", "installed", name))
        self.assertIn("the pinned 4.7.00, built before, in " + self.path("cache", "installed", name), said())
        self.assertIn("the official 4.7.02, which is not built yet", said("--kokkos=release"))
        self.assertIn("which is not built yet", said("--preset", "debug"))
        self.assertIn("the one named: /some/where", said("--kokkos=/some/where"))
        with mock.patch.object(machine, "cuda_version", return_value=None), mock.patch.object(packages, "missing", return_value=[]):
            self.assertEqual(main(["doctor", "--backend", "cuda", "--cache", self.path("cache")], fakes.ROOT), 1)
        self.assertIn("next        install CUDA 12 or 13", self.output.getvalue())

    def test_contradiction_of_preset_and_back_end(self):
        reply = bootstrap("build", "--preset", "cuda", "--backend", "cpu", "--cache", self.cache)
        self.assertEqual(reply.returncode, 2)
        self.assertIn("does not go with", reply.stdout)

    def test_cpu_build_takes_no_architecture(self):
        reply = bootstrap("deps", "--arch", "sm_90", "--cache", self.cache)
        self.assertEqual(reply.returncode, 2)
        self.assertIn("--backend cuda", reply.stdout)

    def test_every_command_builds_what_it_needs_or_the_targets_named(self):
        def built(*arguments):
            with mock.patch("bootstrap.main.Dependencies"), mock.patch("bootstrap.main.Project") as project:
                self.assertEqual(main([*arguments, "--cache", self.cache], fakes.ROOT), 0)
            return [list(call.args[0]) for call in project.return_value.build.call_args_list]
        self.assertEqual(built("test"), [[]])
        self.assertEqual(built("build"), [[]])
        self.assertEqual(built("demo"), [["kovariant_program"]])
        self.assertEqual(built("deps"), [])
        for command in ("test", "build", "demo", "bench"):
            self.assertEqual(built(command, "--target", "test_core", "--target", "docs"), [["test_core", "docs"]])
        for command in ("test", "build"):
            self.assertEqual(built(command, "--thorough"), [["all", "thorough_tests"]])

    def test_thorough_runs_the_other_tests_too_unless_arguments_for_ctest_say_otherwise(self):
        def tested(*arguments):
            with mock.patch("bootstrap.main.Dependencies"), mock.patch("bootstrap.main.Project") as project:
                self.assertEqual(main(["test", "--cache", self.cache, *arguments], fakes.ROOT), 0)
            return list(project.return_value.test.call_args.args[0])
        self.assertEqual(tested(), [])
        self.assertEqual(tested("--", "-R", "core"), ["-R", "core"])
        self.assertEqual(tested("--thorough"), ["-C", "Thorough"])
        self.assertEqual(tested("--thorough", "--", "-L", "thorough"), ["-C", "Thorough", "-L", "thorough"])

    def test_a_kokkos_that_bootstrap_built_is_installed_by_the_line_for_cmake(self):
        for ours in (True, False):
            with mock.patch("bootstrap.main.Dependencies") as brought:
                brought.return_value.kokkos, brought.return_value.kokkos_is_ours = "/k", ours
                self.assertEqual(main(["deps", "--cache", self.cache], fakes.ROOT), 0)
            self.assertEqual("-DKokkos_DIR=/k -DKOV_INSTALL_KOKKOS=ON" in self.output.getvalue(), ours)
            self.output.truncate(0)

    def test_cuda_without_nvcc(self):
        tools = self.path("bin")
        os.makedirs(tools)
        reply = bootstrap("deps", "--backend", "cuda", "--arch", "sm_90", "--cache", self.cache, PATH=tools)
        self.assertEqual(reply.returncode, 2)
        self.assertIn("needs nvcc", reply.stdout)

    def test_missing_named_kokkos_leaves_nothing(self):
        with mock.patch.dict(os.environ, {"KOVARIANT_CACHE": self.cache}):
            reply = bootstrap("deps", "--no-install", "--kokkos", self.path("nowhere"))
        self.assertIn(reply.returncode, (2, 3))
        self.assertEqual(self.left_in_cache(), [])

    def test_cache_is_relocatable(self):
        self.environment(KOVARIANT_CACHE="/a", XDG_CACHE_HOME="/b")
        self.assertEqual(cache_folder("/c"), "/c")
        self.assertEqual(cache_folder(""), "/a")
        self.environment(KOVARIANT_CACHE="")
        self.assertEqual(cache_folder(""), "/b/kovariant")


class Packages(fakes.Case):
    ghost = packages.Package("kovariant-no-such-package", program="kovariant-no-such-program")

    def ensure(self, wanted, **patches):
        with mock.patch.object(packages.shutil, "which", side_effect=lambda name: "/usr/bin/" + name
                               if name == "apt-get" else None), \
                mock.patch.object(packages, "_privilege", return_value=patches.get("privilege")), \
                mock.patch.object(packages, "execute", side_effect=patches.get("execute")) as ran:
            packages.ensure(wanted, self.path("logs", "log"), patches.get("install", True), patches.get("retry", False))
        return ran

    def test_without_root_rights_the_command_is_printed(self):
        with self.assertRaises(Failure) as caught:
            self.ensure([self.ghost])
        self.assertEqual(caught.exception.code, EXIT_PACKAGES_MISSING)
        self.assertIn("sudo apt-get install --no-install-recommends kovariant-no-such-package", caught.exception.remedy)

    def test_with_root_rights_only_missing_packages_are_installed(self):
        there = packages.Package("not-a-package-either", program="sh")
        with mock.patch.object(packages, "missing", side_effect=lambda wanted: [self.ghost.name]):
            ran = self.ensure([self.ghost, there], privilege=["sudo", "-n"])
        update, install = [call.args[1] for call in ran.call_args_list]
        self.assertEqual(update[:2], ["sudo", "-n"])
        self.assertEqual(install[-3:], ["-y", "--no-install-recommends", "kovariant-no-such-package"])

    def test_nothing_is_called_if_nothing_is_missing(self):
        with mock.patch.object(packages, "missing", return_value=[]):
            self.assertEqual(self.ensure([self.ghost], privilege=[]).call_count, 0)

    def test_no_install_installs_nothing(self):
        with self.assertRaises(Failure) as caught:
            self.ensure([self.ghost], privilege=[], install=False)
        self.assertIn("switched off", caught.exception.problem)

    def test_optional_packages_are_done_without_where_nothing_may_be_installed(self):
        luxury = packages.Package("kovariant-no-such-luxury", header="kovariant/no/such.h", optional=True)
        self.assertEqual(self.ensure([luxury]).call_count, 0)
        self.assertEqual(self.ensure([luxury], privilege=[]).call_args_list[-1].args[1][-1], luxury.name)
        with self.assertRaises(Failure) as caught:
            self.ensure([luxury, self.ghost])
        self.assertNotIn(luxury.name, caught.exception.problem + caught.exception.remedy)
        self.assertIn("libcairo2-dev", {p.name for p in packages.needed() if p.optional})

    def test_optional_packages_are_done_without_where_installing_fails(self):
        luxury = packages.Package("kovariant-no-such-luxury", header="kovariant/no/such.h", optional=True)
        refused = Failure("these packages cannot be installed", "", EXIT_PACKAGES_MISSING)

        def execute(step, command, *rest, **more):
            if luxury.name in command:
                raise refused
        ran = self.ensure([luxury, self.ghost], privilege=[], execute=execute)
        self.assertIn(self.ghost.name, ran.call_args_list[1].args[1])
        self.assertIn("installed " + self.ghost.name + "; without " + luxury.name, self.output.getvalue())

    def test_what_could_not_be_installed_is_tried_again_when_asked_to(self):
        luxury = packages.Package("kovariant-no-such-luxury", header="kovariant/no/such.h", optional=True)
        refused = Failure("no network", "", EXIT_PACKAGES_MISSING)
        self.assertEqual(self.ensure([luxury], privilege=[], execute=refused).call_count, 1)
        self.assertEqual(self.ensure([luxury], privilege=[], execute=refused).call_count, 0)
        said = "without kovariant-no-such-luxury, which could not be installed: ./bootstrap deps tries again"
        self.assertEqual(self.output.getvalue().count(said), 2)
        # Where the network is needed in any case it costs nothing more, and deps is there to bring things.
        self.assertEqual(self.ensure([luxury, self.ghost], privilege=[]).call_count, 3)
        self.assertEqual(self.ensure([luxury], privilege=[], execute=refused).call_count, 1)
        self.assertEqual(self.ensure([luxury], privilege=[], execute=refused, retry=True).call_count, 1)
        self.assertEqual(self.ensure([luxury], privilege=[], retry=True).call_count, 2)
        self.assertEqual(self.ensure([luxury], privilege=[]).call_count, 2)

    def test_programs_and_headers_count_without_a_package(self):
        there = [packages.Package("kovariant-no-such-a", program="sh"), packages.Package("kovariant-no-such-b", header="vector")]
        self.assertEqual(packages.missing([*there, self.ghost]), [self.ghost.name])

    def test_headers_in_a_prefix_of_the_users_count(self):
        package = packages.Package("kovariant-no-such-c", header="kovariant_there/only.h")
        fakes.write(self.path("prefix", "include", "kovariant_there", "only.h"), "")
        self.environment(CMAKE_PREFIX_PATH="")
        self.assertEqual(packages.missing([package]), [package.name])
        self.environment(CMAKE_PREFIX_PATH=os.pathsep.join([self.path("other"), self.path("prefix")]))
        self.assertEqual(packages.missing([package]), [])
        with self.assertRaises(Failure) as caught:
            self.ensure([self.ghost])
        self.assertIn("CMAKE_PREFIX_PATH", caught.exception.remedy)

    def test_parts_decide_what_is_wanted(self):
        names = {package.name for package in packages.needed(tests=False, mpi=False, hdf5=False)}
        self.assertFalse(names & {"libopenmpi-dev", "openmpi-bin", "libhdf5-dev", "libgtest-dev", "python3-h5py"})
        self.assertLessEqual({"libopenmpi-dev", "libhdf5-dev", "libgtest-dev"}, {p.name for p in packages.needed()})


class Steps(fakes.Case):
    def test_failing_step_shows_the_log_and_the_remedy(self):
        log = self.path("logs", "x.log")
        with self.assertRaises(Failure) as caught, Step("build") as step:
            execute(step, ["sh", "-c", "echo this is the reason; exit 3"], log, "buy a new one")
        text = caught.exception.text()
        for part in ("this is the reason", "ended with code 3", "buy a new one", log):
            self.assertIn(part, text)
        self.assertIn("failed", self.output.getvalue())

    def test_first_error_of_a_long_log_is_shown(self):
        log = self.path("logs", "x.log")
        with self.assertRaises(Failure) as caught, Step("build") as step:
            execute(step, ["sh", "-c", "echo a.cpp:1: error: no such thing; seq 100; exit 1"], log, "")
        self.assertIn("no such thing", caught.exception.text())

    def test_absent_program(self):
        with self.assertRaisesRegex(Failure, "cannot run kovariant-no-such-program"), Step("x") as step:
            execute(step, ["kovariant-no-such-program"], self.path("logs", "x.log"), "install it")


if __name__ == "__main__":
    unittest.main()
