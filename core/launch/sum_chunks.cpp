// SPDX-License-Identifier: MIT
#include "kov/core/launch/sum_chunks.hpp"

#include "kov/core/launch/for_each_item.hpp"

#include <algorithm>

namespace kov::detail {

#if !defined(KOKKOS_ENABLE_CUDA)
static_assert(is_host_v<Exec>, "sums over chunks are for hosts");
#endif

namespace {

struct PartialSums {
  AddChunks add;
  const void* sum;
  std::size_t n_sums;
  double* partial;
};

void add_range(const void* work, int begin, int end) {
  const PartialSums& p = *static_cast<const PartialSums*>(work);
  p.add(p.sum, begin, end, p.n_sums, p.partial);
}

}  // namespace

void sum_chunks(const std::string& name, int n_chunks, AddChunks add, const void* sum, SumScratchPool& pool,
                std::span<double> results, const Exec& exec) {
  const SumScratchPool::Loan scratch = pool.borrow();
  const std::size_t n_sums = results.size();
  const PartialSums work{add, sum, n_sums, scratch->partial(std::size_t(n_chunks) * n_sums)};
  if (n_chunks > 0) share_items(name, n_chunks, &add_range, &work, exec);
  std::fill(results.begin(), results.end(), 0.0);
  for (int chunk = 0; chunk < n_chunks; ++chunk)
    for (std::size_t k = 0; k < n_sums; ++k) results[k] += work.partial[std::size_t(chunk) * n_sums + k];
}

}  // namespace kov::detail
