// SPDX-License-Identifier: MIT
//
// Numbers in files: load and store in a named byte order, whatever this machine's is.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace kov {

static_assert(std::endian::native == std::endian::little || std::endian::native == std::endian::big,
              "mixed-endian machines are not supported");

/// The bytes of an unsigned integer in reverse.
template <class T>
constexpr T byte_swap(T value) {
  static_assert(std::is_unsigned_v<T>);
  // Builtins, because loops over them are vectorised.
  if constexpr (sizeof(T) == 8) {
    return __builtin_bswap64(value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bswap32(value);
  } else {
    static_assert(sizeof(T) == 2);
    return __builtin_bswap16(value);
  }
}

namespace detail {
template <std::size_t bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<2> {
  using type = std::uint16_t;
};
template <>
struct UnsignedOf<4> {
  using type = std::uint32_t;
};
template <>
struct UnsignedOf<8> {
  using type = std::uint64_t;
};
}  // namespace detail

/// The number of type T (2, 4 or 8 bytes, integer or floating point) at `bytes`, stored in `order`.
template <class T>
T load(const std::byte* bytes, std::endian order) {
  using Word = typename detail::UnsignedOf<sizeof(T)>::type;
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return std::bit_cast<T>(order == std::endian::native ? word : byte_swap(word));
}

/// The inverse of load().
template <class T>
void store(std::byte* bytes, T value, std::endian order) {
  using Word = typename detail::UnsignedOf<sizeof(T)>::type;
  Word word = std::bit_cast<Word>(value);
  if (order != std::endian::native) word = byte_swap(word);
  std::memcpy(bytes, &word, sizeof word);
}

}  // namespace kov
