// SPDX-License-Identifier: MIT
#include "kov/core/field/field.hpp"

namespace kov::detail {

void refuse_empty_field() {
  throw InputError(
      "an empty field was used, which has no memory: make it on a lattice, with like() of another field or from an "
      "expression first");
}

}  // namespace kov::detail
