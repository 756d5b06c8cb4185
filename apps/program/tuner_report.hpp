// SPDX-License-Identifier: MIT
//
// What programs say about the tuner of a lattice.
#pragma once

#include "apps/program/command_line.hpp"
#include "kov/core/lattice/lattice.hpp"

namespace kov::app {

/// Warnings about what of the file that KOVARIANT_TUNE names is not used.
void warn_of_tune_file(const Session& session, const Lattice& lattice);

/// Where report_tuned() writes.
enum class ReportTo { standard_output, log };
/// What was chosen, or read from the file and used: "tuned " and a line of Tuner::report().
void report_tuned(const Session& session, const Lattice& lattice, ReportTo to);

}  // namespace kov::app
