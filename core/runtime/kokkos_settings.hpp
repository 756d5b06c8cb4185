// SPDX-License-Identifier: MIT
//
// What Kokkos is told by the environment and the command line, looked at before it starts: it would abort, with a
// backtrace on every rank.
#pragma once

namespace kov::detail {

/// Throws InputError for a variable KOKKOS_... with a wrong value, an option --kokkos-... that is unknown or has one,
/// more OpenMP threads than Kokkos takes, and a GPU that is not there.
void require_kokkos_settings(int argc, char* const* argv);

}  // namespace kov::detail
