// SPDX-License-Identifier: MIT
//
// The version of Kovariant, for logs and for the provenance in every output file.
#pragma once

namespace kov {

/// The release, for instance "0.1.0".
[[nodiscard]] const char* version() noexcept;

/// What `git describe` said when the library was built ("3f2a1c09d4-dirty"); empty outside a git checkout.
[[nodiscard]] const char* git_revision() noexcept;

/// Compiler, build type and Kokkos: "GNU 12.2.0, Release, Kokkos 4.7.0 (OPENMP;SERIAL)".
[[nodiscard]] const char* build_description() noexcept;

/// Whether the library was built with MPI, running or not.
[[nodiscard]] bool has_mpi() noexcept;

}  // namespace kov
