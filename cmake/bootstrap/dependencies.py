# SPDX-License-Identifier: MIT
"""Brings everything a build needs, in order: system packages and Kokkos."""
import os
import tempfile

from . import archives, kokkos, machine, packages
from .steps import EXIT_USAGE, Failure, say


class Dependencies:
    """After `bring()`: `kokkos` is the folder of its CMake package, and `kokkos_is_ours` says that it was built into the cache,
    which may be removed: it is installed with the library."""

    def __init__(self, options, cache):
        self.options, self.cache = options, cache
        arch = ""
        if options.backend == "cuda":
            arch = options.arch or machine.gpu_arch()
            if not arch:
                arch = "sm_90"
                say("* no GPU here and no --arch: building for sm_90")
            machine.check_cuda(arch)
        elif options.arch not in ("", "native"):
            raise Failure("--arch %s is for --backend cuda; a CPU build is always for this machine's processor"
                          % options.arch, "leave --arch out", EXIT_USAGE)
        self.wanted = kokkos.Wanted(options.backend, arch, bounds_checks=options.preset == "debug")
        self.kokkos = ""
        self.kokkos_is_ours = False

    def bring(self, tests):
        """Installs and builds what is missing."""
        log = os.path.join(self.cache, "logs", "packages.log")
        wanted = packages.needed(tests, self.options.mpi, self.options.hdf5, pip=self._needs_pip())
        packages.ensure(wanted, log, self.options.install, retry=self.options.command == "deps")
        os.makedirs(os.path.join(self.cache, "scratch"), exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="sources-", dir=os.path.join(self.cache, "scratch")) as scratch:
            self._bring_kokkos(scratch)

    def nvcc_wrapper(self):
        """The compiler of a CUDA build: the wrapper that was installed with Kokkos."""
        prefix = os.path.abspath(os.path.join(self.kokkos, "..", "..", ".."))
        for candidate in (os.path.join(prefix, "bin", "nvcc_wrapper"),
                          kokkos.config_values(self.kokkos).get("Kokkos_CXX_COMPILER", "")):
            if os.path.basename(candidate) == "nvcc_wrapper" and os.path.exists(candidate):
                return candidate
        raise Failure("Kokkos in %s has no nvcc_wrapper" % prefix, "use --kokkos=pinned, which builds one with it")

    def _needs_pip(self):
        """Whether the pinned archive has to be fetched and nothing here can: then pip is one of the packages."""
        choice = self.options.kokkos
        if choice not in ("auto", "pinned") or self.options.mirror or archives.cached(archives.PINNED, self.cache) or archives.pip_command():
            return False
        return choice == "pinned" or not kokkos.installed(self.wanted)[0]

    def _bring_kokkos(self, scratch):
        choice = self.options.kokkos
        if choice in ("auto", "system"):
            self.kokkos, reasons = kokkos.installed(self.wanted)
            for reason in reasons:
                say("* " + reason)
            if self.kokkos:
                say("* Kokkos: installed, %s" % self.kokkos)
                return
            if choice == "system":
                raise Failure("no suitable Kokkos is installed", "leave --kokkos out to build the pinned one, or put "
                              "the prefix of another into CMAKE_PREFIX_PATH or Kokkos_ROOT")
        elif choice not in ("pinned", "release") and kokkos.package_folder(choice):
            self.kokkos = kokkos.package_folder(os.path.abspath(choice))
            self._check_named()
            return
        source = self._source(choice, scratch)
        prefix = kokkos.build(source, self.wanted, self.cache, self.options.jobs)
        self.kokkos = kokkos.package_folder(prefix)
        self.kokkos_is_ours = True

    def _check_named(self):
        with open(os.path.join(self.kokkos, "KokkosConfigVersion.cmake"), errors="replace") as file:
            text = file.read()
        version = text.split('PACKAGE_VERSION "', 1)[1].split('"', 1)[0] if 'PACKAGE_VERSION "' in text else ""
        reason = kokkos.unsuitable(self.kokkos, version, self.wanted)
        if reason:
            raise Failure("Kokkos %s in %s cannot be used: %s" % (version, self.kokkos, reason),
                          "leave --kokkos out to have the pinned one built", EXIT_USAGE)
        say("* Kokkos %s: named, %s" % (version, self.kokkos))

    def _source(self, choice, scratch):
        if choice == "release":
            path = archives.fetch(archives.RELEASE, self.cache, self.options.mirror)
        elif choice in ("auto", "system", "pinned"):
            path = archives.cached(archives.PINNED, self.cache)
            if not path:
                path = archives.fetch(archives.PINNED, self.cache, self.options.mirror)
        else:
            path = os.path.abspath(choice)
        return kokkos.named_source(path, scratch)
