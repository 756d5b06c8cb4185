// SPDX-License-Identifier: MIT
//
// Private to column_matrix.cpp: the parts in which GPUs run rotations of columns.
#pragma once

namespace kov::detail {

/// Columns of a part: the kernel's parameters hold its matrix, of which a thread makes all outputs.
struct RotationParts {
  static constexpr int most_inputs = 16, most_outputs = 8;
};

}  // namespace kov::detail
