// SPDX-License-Identifier: MIT
#include "kov/core/lattice/sum_scratch.hpp"

namespace kov::detail {

std::size_t SumScratch::enough(std::size_t n) {
  std::size_t capacity = 1024;
  while (capacity < n) capacity *= 2;
  return capacity;
}

void SumScratchPool::Return::operator()(SumScratch* scratch) const {
  const std::lock_guard lock(pool->mutex_);
  pool->idle_.emplace_back(scratch);
}

SumScratchPool::Loan SumScratchPool::borrow() {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<SumScratch> scratch;
  if (idle_.empty()) {
    scratch = std::make_unique<SumScratch>();
  } else {
    scratch = std::move(idle_.back());
    idle_.pop_back();
  }
  return {scratch.release(), Return{this}};
}

}  // namespace kov::detail
