// SPDX-License-Identifier: MIT
#include "kov/core/launch/streaming.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>

namespace kov {

namespace {

/// Cuts off the number at the beginning of text and returns it; -1 where there is none.
long cut_number(std::string_view& text) {
  long number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(std::size_t(end - text.data()));
  return error == std::errc() ? number : -1;
}

/// Processors in a list of ranges; 0 where it cannot be read.
long count_processors(std::string_view list) {
  long n = 0;
  while (true) {
    const long first = cut_number(list);
    long last = first;
    if (list.starts_with('-')) {
      list.remove_prefix(1);
      last = cut_number(list);
    }
    if (first < 0 || last < first) return 0;
    n += last - first + 1;
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
  const long kibibytes = cut_number(size), n = count_processors(processors);
  if (kibibytes <= 0 || size != "K" || n == 0) return 0;
  return std::size_t(kibibytes) * 1024 * std::size_t(std::min(n, long(n_threads))) / std::size_t(n);
}

bool exceeds_caches(std::size_t bytes, std::size_t third) { return worth_streaming(bytes) && bytes > third; }

}  // namespace detail

bool worth_prefetching(std::size_t bytes) {
  static const std::size_t share = []() -> std::size_t {
    const std::string cache = "/sys/devices/system/cpu/cpu0/cache/index3/";
    if (first_word(cache + "level") != "3") return 0;
    return detail::cache_share(first_word(cache + "size"), first_word(cache + "shared_cpu_list"),
                               Kokkos::DefaultHostExecutionSpace().concurrency());
  }();
  return detail::exceeds_caches(bytes, share);
}

}  // namespace kov
