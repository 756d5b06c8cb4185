// SPDX-License-Identifier: MIT
//
// Checks Kokkos' environment variables and options before Kokkos starts, because Kokkos itself would abort with a
// backtrace on every rank.
#pragma once

namespace kov::detail {

/// Throws InputError for a variable KOKKOS_... with a wrong value, for an option --kokkos-... that is unknown or has a
/// wrong value, for more OpenMP threads than Kokkos allows, and for a GPU that does not exist.
void require_kokkos_settings(int argc, char* const* argv);

}  // namespace kov::detail
