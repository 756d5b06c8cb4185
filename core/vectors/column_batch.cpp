// SPDX-License-Identifier: MIT
#include "kov/core/vectors/column_batch.hpp"

namespace kov::detail {

void require_columns(const std::string& what, std::size_t n, const std::string& field, int n_columns) {
  require(n == std::size_t(n_columns), what, "of", n, "columns came with", field, "which has", n_columns,
          ": give one for each column");
}

}  // namespace kov::detail
