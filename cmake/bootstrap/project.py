# SPDX-License-Identifier: MIT
"""Kovariant itself: configure, build, test, run."""
import os
import re
import shutil
import subprocess
import sys
import time

from . import machine
from .steps import Failure, Step, execute, launch_environment, quote, say, seconds


# Options of the program with which it computes nothing.
_ONLY_SAYS = {"--help", "-h", "--dry-run", "--print"}


class Project:
    """One build folder of the checkout: which preset, which Kokkos, which parts."""

    def __init__(self, root, options, dependencies):
        self.root, self.options, self.dependencies = root, options, dependencies
        self.preset = options.preset or options.backend
        self.folder = os.path.abspath(options.build_dir or os.path.join(root, "build", self.preset))
        self.logs = os.path.join(self.folder, "logs")

    def configure(self, tests):
        """Runs cmake; a folder that was made with another compiler or generator starts afresh."""
        deps = self.dependencies
        settings = {"Kokkos_DIR": deps.kokkos, "KOV_INSTALL_KOKKOS": _on(deps.kokkos_is_ours),
                    "KOV_MPI": _on(self.options.mpi), "KOV_HDF5": _on(self.options.hdf5)}
        compiler = machine.host_compiler().path
        if self.options.backend == "cuda":
            compiler = deps.nvcc_wrapper()
            settings["KOV_CUDA_ARCH"] = deps.wanted.arch
        cached = self._cache_values()
        if tests or not cached:  # a demo leaves the tests of an earlier run as they are
            settings["KOV_TESTS"] = _on(tests)
        settings["CMAKE_CXX_COMPILER"] = compiler
        generator = "Ninja" if shutil.which("ninja") else "Unix Makefiles"
        with Step("configure (preset %s, in %s)" % (self.preset, self.folder)) as step:
            if cached and (cached.get("CMAKE_CXX_COMPILER") != compiler or cached.get("CMAKE_GENERATOR") != generator):
                os.remove(os.path.join(self.folder, "CMakeCache.txt"))
                shutil.rmtree(os.path.join(self.folder, "CMakeFiles"), ignore_errors=True)
                settings["KOV_TESTS"] = _on(tests)
            command = ["cmake", "--preset", self.preset, "-S", self.root, "-B", self.folder, "-G", generator,
                       *("-D%s=%s" % item for item in settings.items()),
                       *("-D" + setting for setting in self.options.define)]
            execute(step, command, self._log("configure"),
                    "see what CMake says above. If the folder is stale, delete it: rm -r " + self.folder, cwd=self.root)

    def build(self, targets=()):
        """Compiles everything, or these targets."""
        with Step("build " + (" ".join(targets) or "all")) as step:
            command = ["cmake", "--build", self.folder, "--parallel", self.options.jobs]
            execute(step, command + (["--target", *targets] if targets else []), self._log("build"),
                    "the first error is in the log. Out of memory (killed)? try --jobs 1")

    def test(self, arguments):
        """Runs ctest in the foreground: its closing lines are the summary.  Tests state quarters of a processor."""
        command = ["ctest", "--test-dir", self.folder, "--output-on-failure", "--parallel",
                   str(4 * machine.processors()), *arguments]
        say("* " + quote(command))
        log = os.path.join(self.folder, "Testing", "Temporary", "LastTest.log")
        if os.path.exists(log):
            os.remove(log)
        status = subprocess.run(command, env={**os.environ, **launch_environment()}).returncode
        for reason in _not_tested(log):
            say("* " + reason)
        data = self._cache_values().get("KOV_TEST_DATA", "")
        if not os.path.isdir(data):
            say("* published data is read from a folder that -D KOV_TEST_DATA=FOLDER names; there is no %s" % (data or "such"))
        if status:
            raise Failure("some tests failed; they are listed above",
                          "run one alone with all its output:\nctest --test-dir %s -V -R NAME" % self.folder)

    def program(self):
        path = os.path.join(self.folder, "kovariant")
        if not os.path.exists(path):
            raise Failure("the build made no program kovariant in %s" % self.folder,
                          "is KOV_APPS off in that folder? configure with -D KOV_APPS=ON")
        return path

    def demo(self, output, arguments):
        """The main job with its embedded default: a table here and in a file, spectrum.h5 and a picture."""
        os.makedirs(output, exist_ok=True)
        prefix = [word.split("=", 1)[1].strip("'\"") for word in arguments if word.startswith("output.prefix=")]
        table = os.path.join(output, (prefix[-1] if prefix else "spectrum") + ".txt")
        new_table = table + ".new"
        command = [self.program(), "spectrum", *arguments]
        say("* run %s   (in %s)\n" % (quote(command), output))
        begin = time.monotonic()
        with open(new_table, "wb") as file:
            started = os.fstat(file.fileno()).st_mtime_ns  # by the file system's clock: older results do not count
            process = subprocess.Popen(command, cwd=output, stdout=subprocess.PIPE,
                                       env={**os.environ, **launch_environment()})
            with process.stdout:
                for line in process.stdout:
                    file.write(line)
                    sys.stdout.buffer.write(line)
                    sys.stdout.buffer.flush()
            status = process.wait()
        if status or _ONLY_SAYS.intersection(arguments):
            os.remove(new_table)
            if status:
                raise Failure("kovariant spectrum ended with code %d" % status,
                              "its message stands above; run it by hand: " + quote(command))
            return
        os.replace(new_table, table)
        say("\n* done in %s; results:" % seconds(time.monotonic() - begin))
        results = [("table", table)]
        for name in sorted(os.listdir(output)):
            path = os.path.join(output, name)
            kind = {".h5": "data", ".svg": "picture", ".pdf": "picture"}.get(os.path.splitext(name)[1])
            if kind and os.stat(path).st_mtime_ns >= started:
                results.append((kind, path))
        for kind, path in results:
            say("  %-8s %s" % (kind, path))
        absent = ({"data", "picture"} if self.options.hdf5 else {"picture"}) - {kind for kind, _ in results}
        if absent:
            raise Failure("kovariant spectrum wrote no %s in %s" % (" and no ".join(sorted(absent)), output),
                          "its output above says why")

    def bench(self, arguments):
        command = [self.program(), "bench", *arguments]
        say("* " + quote(command) + "\n")
        status = subprocess.run(command, env={**os.environ, **launch_environment()}).returncode
        if status:
            raise Failure("kovariant bench ended with code %d" % status, "its message stands above")

    def _log(self, name):
        os.makedirs(self.logs, exist_ok=True)
        path = os.path.join(self.logs, name + ".log")
        if os.path.exists(path):
            os.remove(path)
        return path

    def _cache_values(self):
        try:
            with open(os.path.join(self.folder, "CMakeCache.txt"), errors="replace") as file:
                return dict(re.findall(r"^(\w+):\w+=(.*)$", file.read(), re.M))
        except OSError:
            return {}


def _not_tested(log):
    """Every reason why tests were skipped, once: what they print that begins with NOT TESTED."""
    try:
        with open(log, errors="replace") as file:
            return sorted(set(re.findall(r"NOT TESTED[^'\"\n]*", file.read())))
    except OSError:
        return []


def _on(flag):
    return "ON" if flag else "OFF"
