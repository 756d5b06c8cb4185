# SPDX-License-Identifier: MIT
"""Dependencies, configuration, build and runs of Kovariant; standard library only.

steps: running commands visibly; packages: the system's packages; archives: verified downloads; kokkos: finding or
building Kokkos; project: Kovariant itself; main: the command line.
"""
