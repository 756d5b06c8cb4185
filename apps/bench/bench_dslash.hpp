// SPDX-License-Identifier: MIT
//
// `kovariant bench dslash`: Wilson's hop and the Dirac operators in every storage, on one and on many columns.
#pragma once

#include "apps/program/command_line.hpp"

#include <vector>

namespace kov::app {

/// A table for each lattice: storage of spinors, reals of a link in memory, columns; the median time a column,
/// effective flops, the bytes that must move and their share of a triad and a copy of the same footprint, taken in
/// turns.  Rows that need more memory than there is are left out with a line that says so.  seconds: for each row.
void bench_dslash(const Session& session, const std::vector<Coord>& lattices, double seconds);

/// The lattices of the table, unless one is asked for: 8^3 x 16, 16^4, 24^3 x 48, 32^4, 48^4.
std::vector<Coord> dslash_lattices();

}  // namespace kov::app
