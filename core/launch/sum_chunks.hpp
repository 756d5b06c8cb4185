// SPDX-License-Identifier: MIT
//
// Sums over chunks of sites on hosts: a thread adds the sites of a chunk, and the chunks are then added in their order.
// Compiled once for all kernels.  Not for users.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/lattice/sum_scratch.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace kov::detail {

/// Writes the sums of chunks [begin, end) of a Sum whose type is not known: n_sums numbers for each, from
/// partial + begin * n_sums on.
using AddChunks = void (*)(const void* sum, int begin, int end, std::size_t n_sums, double* partial);

/// sum(chunk, numbers) writes the sums of a chunk.
template <class Sum>
void add_chunks(const void* sum, int begin, int end, std::size_t n_sums, double* partial) {
  const Sum mine = *static_cast<const Sum*>(sum);  // whose members no store can change
  for (int chunk = begin; chunk < end; ++chunk) mine(chunk, partial + std::size_t(chunk) * n_sums);
}

/// results = the sums over n_chunks chunks, added in their order whatever the number of threads.  Returns when that is
/// done.
void sum_chunks(const std::string& name, int n_chunks, AddChunks add, const void* sum, SumScratchPool& pool,
                std::span<double> results, const Exec& exec);

}  // namespace kov::detail
