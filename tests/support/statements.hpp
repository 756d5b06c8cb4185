// SPDX-License-Identifier: MIT
//
// What tests of whole-lattice statements share: lattices, random fields, and the arrays of naive loops.
#pragma once

#include "kov/stencil/statements/data_parallel.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/support/lattices.hpp"

namespace kov::test::statements {

using namespace directions;
using reference::for_each_coordinate;
using reference::gather;
using reference::GlobalArray;
using reference::Number;
using reference::random_field;
using reference::shifted;

}  // namespace kov::test::statements
