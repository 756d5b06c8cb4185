// SPDX-License-Identifier: MIT
#include "kov/core/launch/streaming.hpp"

#include "kov/core/base/cut_number.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

namespace kov {

namespace {

/// Processors in a list of ranges; 0 where it cannot be read.
std::int64_t count_processors(std::string_view list) {
  std::int64_t n = 0;
  while (true) {
    const auto first = cut_number(list);
    auto last = first;
    if (list.starts_with('-')) {
      list.remove_prefix(1);
      last = cut_number(list);
    }
    if (!first || !last || *last < *first) return 0;
    n += *last - *first + 1;
    if (!list.starts_with(',')) return list.empty() ? n : 0;
    list.remove_prefix(1);
  }
}

std::string first_word(const std::string& file) {
  std::string word;
  std::ifstream(file) >> word;
  return word;
}

}  // namespace

namespace detail {

std::size_t cache_share(std::string_view size, std::string_view processors, int n_threads) {
  const auto kibibytes = cut_number(size);
  const std::int64_t n = count_processors(processors);
  if (!kibibytes || size != "K" || n == 0) return 0;
  return std::size_t(*kibibytes) * 1024 * std::size_t(std::min(n, std::int64_t(n_threads))) / std::size_t(n);
}

bool exceeds_caches(std::size_t bytes, std::size_t third) { return worth_streaming(bytes) && bytes > third; }

}  // namespace detail

bool exceeds_third_cache(std::size_t bytes) {
  if constexpr (!has_packs) return worth_streaming(bytes);
  static const std::size_t share = []() -> std::size_t {
    const std::string cache = "/sys/devices/system/cpu/cpu0/cache/index3/";
    if (first_word(cache + "level") != "3") return 0;
    return detail::cache_share(first_word(cache + "size"), first_word(cache + "shared_cpu_list"),
                               Kokkos::DefaultHostExecutionSpace().concurrency());
  }();
  return detail::exceeds_caches(bytes, share);
}

}  // namespace kov
