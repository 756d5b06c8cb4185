// SPDX-License-Identifier: MIT
//
// Pack<T, N>: one real number of N lanes, held in SIMD registers.  A GPU build has no packs: there one thread carries
// one lane.
#pragma once

#include "kov/core/site/register_words.hpp"

#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace kov {

#if defined(KOKKOS_ENABLE_CUDA)

/// Lanes of an outer site: a warp's threads on a GPU, a SIMD group on a CPU.
inline constexpr int default_lanes = 32;
/// Whether kernels work on packs of lanes, as on CPUs, or on one lane each.
inline constexpr bool has_packs = false;
template <class T, int N>
struct Pack;

#else

/// As above: four with AVX2, a register of doubles, which then holds the floats of two outer sites.
#if defined(__ARM_NEON) || (defined(__AVX2__) && !defined(__AVX512F__))
inline constexpr int default_lanes = 4;
#else
inline constexpr int default_lanes = 8;
#endif
inline constexpr bool has_packs = true;

/// N numbers, which arithmetic takes lane by lane.  The first register is always written out before a loop over the
/// others: GCC keeps what a loop of two writes in memory, and a loop of one in registers.
template <class T, int N>
struct Pack {
  static constexpr int width =
      N < detail::register_bytes / int(sizeof(T)) ? N : detail::register_bytes / int(sizeof(T));
  static constexpr int n_words = N / width;
  static_assert(width * n_words == N, "N must be a power of two");
  typedef T Word __attribute__((vector_size(width * sizeof(T))));

  /// Lane i is element i % width of word i / width.
  Word word[n_words];

  Pack() = default;
  /// The same number in every lane.
  KOKKOS_FORCEINLINE_FUNCTION Pack(T a) {
    word[0] = a - Word{};
    for (int k = 1; k < n_words; ++k) word[k] = word[0];
  }

  /// p: N reals aligned to a register.
  static KOKKOS_FORCEINLINE_FUNCTION Pack load(const T* p) {
    Pack r;
    r.word[0] = *reinterpret_cast<const Word*>(p);
    for (int k = 1; k < n_words; ++k) r.word[k] = *reinterpret_cast<const Word*>(p + k * width);
    return r;
  }
  /// N integers of 16 or 8 bits as reals.  p need not be aligned.
  template <class Integer>
  static KOKKOS_FORCEINLINE_FUNCTION Pack of_integers(const Integer* p) {
    Pack r;
    r.word[0] = detail::integers_word<Word, T>(p);
    for (int k = 1; k < n_words; ++k) r.word[k] = detail::integers_word<Word, T>(p + k * width);
    return r;
  }
  /// The other way round, for numbers whose sizes are below 2^15 or 2^7; their fractions are cut off.
  template <class Integer>
  KOKKOS_FORCEINLINE_FUNCTION void store_integers(Integer* p) const {
    detail::store_integers_word<T>(p, word[0]);
    for (int k = 1; k < n_words; ++k) detail::store_integers_word<T>(p + k * width, word[k]);
  }
  /// load() that the compiler may neither repeat nor move: it would otherwise load p again at each use, or everything
  /// at once and run out of registers.
  static KOKKOS_FORCEINLINE_FUNCTION Pack load_now(const T* p) {
    Pack r = load(p);
    r.stay();
    return r;
  }
  /// Computes the numbers here: the compiler may neither repeat nor move that.
  KOKKOS_FORCEINLINE_FUNCTION void stay() {
#if defined(__AVX512F__)
    asm volatile("" : "+v"(word[0]));
    for (int k = 1; k < n_words; ++k) asm volatile("" : "+v"(word[k]));
#elif defined(__AVX__)
    asm volatile("" : "+x"(word[0]));
    for (int k = 1; k < n_words; ++k) asm volatile("" : "+x"(word[k]));
#endif
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(T* p) const {
    *reinterpret_cast<Word*>(p) = word[0];
    for (int k = 1; k < n_words; ++k) *reinterpret_cast<Word*>(p + k * width) = word[k];
  }
  /// Like store(), for data that will not be read again before it has left the cache.
  KOKKOS_FORCEINLINE_FUNCTION void stream(T* p) const {
    detail::stream_word(p, word[0]);
    for (int k = 1; k < n_words; ++k) detail::stream_word(p + k * width, word[k]);
  }

  KOKKOS_FORCEINLINE_FUNCTION T lane(int i) const { return word[i / width][i % width]; }
  KOKKOS_FORCEINLINE_FUNCTION void set_lane(int i, T a) { word[i / width][i % width] = a; }

  friend KOKKOS_FORCEINLINE_FUNCTION Pack operator+(const Pack& a, const Pack& b) {
    Pack r;
    r.word[0] = a.word[0] + b.word[0];
    for (int k = 1; k < n_words; ++k) r.word[k] = a.word[k] + b.word[k];
    return r;
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Pack operator-(const Pack& a, const Pack& b) {
    Pack r;
    r.word[0] = a.word[0] - b.word[0];
    for (int k = 1; k < n_words; ++k) r.word[k] = a.word[k] - b.word[k];
    return r;
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Pack operator*(const Pack& a, const Pack& b) {
    Pack r;
    r.word[0] = a.word[0] * b.word[0];
    for (int k = 1; k < n_words; ++k) r.word[k] = a.word[k] * b.word[k];
    return r;
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Pack operator/(const Pack& a, const Pack& b) {
    Pack r;
    r.word[0] = a.word[0] / b.word[0];
    for (int k = 1; k < n_words; ++k) r.word[k] = a.word[k] / b.word[k];
    return r;
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Pack operator-(const Pack& a) {
    Pack r;
    r.word[0] = -a.word[0];
    for (int k = 1; k < n_words; ++k) r.word[k] = -a.word[k];
    return r;
  }
  KOKKOS_FORCEINLINE_FUNCTION Pack& operator+=(const Pack& b) { return *this = *this + b; }
  KOKKOS_FORCEINLINE_FUNCTION Pack& operator-=(const Pack& b) { return *this = *this - b; }
  KOKKOS_FORCEINLINE_FUNCTION Pack& operator*=(const Pack& b) { return *this = *this * b; }
};

/// What to exchange in a pack of two halves: lane i of the lower half is lane i ^ lower, lane i of the upper half is
/// lane i ^ upper.
struct HalvesExchange {
  int lower, upper;
};
/// Whether these exchange any lanes.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool exchanges_lanes(int mask) { return mask != 0; }
KOKKOS_FORCEINLINE_FUNCTION constexpr bool exchanges_lanes(HalvesExchange masks) {
  return (masks.lower | masks.upper) != 0;
}

/// Exchanges lanes: lane i of the result is lane i ^ mask of the argument.
template <class T, int N>
class LaneExchange {
  using Within = detail::ElementExchange<T, Pack<T, N>::width* int(sizeof(T))>;

 public:
  using P = Pack<T, N>;

  KOKKOS_FORCEINLINE_FUNCTION explicit LaneExchange(int mask)
      : mask_(mask), within_(mask % P::width, mask % P::width) {}
  KOKKOS_FORCEINLINE_FUNCTION explicit LaneExchange(HalvesExchange masks) requires(P::n_words == 1 && Within::exists)
      : mask_(0), within_(masks.lower, masks.upper) {}

  KOKKOS_FORCEINLINE_FUNCTION P operator()(const P& p) const {
    alignas(P) T lanes[N];
    p.store(lanes);
    return load(lanes);
  }
  /// The same for Pack::load(p).
  KOKKOS_FORCEINLINE_FUNCTION P load(const T* p) const {
    P r;
    if constexpr (Within::exists) {
      const int words = P::n_words == 1 ? 0 : mask_ / P::width;
      r.word[0] = within_(*reinterpret_cast<const typename P::Word*>(p + words * P::width));
      for (int k = 1; k < P::n_words; ++k)
        r.word[k] = within_(*reinterpret_cast<const typename P::Word*>(p + (k ^ words) * P::width));
    } else {
      for (int i = 0; i < N; ++i) r.set_lane(i, p[i ^ mask_]);
    }
    return r;
  }

 private:
  int mask_;
  Within within_;
};

/// The lanes of lower, then those of upper.
template <class T, int N>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, 2 * N> join(const Pack<T, N>& lower, const Pack<T, N>& upper) {
  using P = Pack<T, N>;
  Pack<T, 2 * N> r;
  if constexpr (r.n_words == 1)
    r.word[0] = detail::join_words(lower.word[0], upper.word[0], std::make_integer_sequence<int, 2 * N>{});
  else
    for (int k = 0; k < P::n_words; ++k) {
      r.word[k] = lower.word[k];
      r.word[P::n_words + k] = upper.word[k];
    }
  return r;
}

/// The square root, lane by lane.
template <class T, int N>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, N> sqrt(const Pack<T, N>& p) {
  Pack<T, N> r;
  r.word[0] = detail::sqrt_word<T>(p.word[0]);
  for (int k = 1; k < Pack<T, N>::n_words; ++k) r.word[k] = detail::sqrt_word<T>(p.word[k]);
  return r;
}

/// a b + c with one rounding, lane by lane, wherever the CPU can do that: for sums whose bits must not depend on which
/// products a compiler fuses.
template <class T, int N>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, N> fma(const Pack<T, N>& a, const Pack<T, N>& b, const Pack<T, N>& c) {
  Pack<T, N> r;
  r.word[0] = detail::fma_word<T>(a.word[0], b.word[0], c.word[0]);
  for (int k = 1; k < Pack<T, N>::n_words; ++k) r.word[k] = detail::fma_word<T>(a.word[k], b.word[k], c.word[k]);
  return r;
}

/// x where a > b, else y, lane by lane.
template <class T, int N>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, N> where_greater(const Pack<T, N>& a, const Pack<T, N>& b, const Pack<T, N>& x,
                                                     const Pack<T, N>& y) {
  Pack<T, N> r;
  r.word[0] = a.word[0] > b.word[0] ? x.word[0] : y.word[0];
  for (int k = 1; k < Pack<T, N>::n_words; ++k) r.word[k] = a.word[k] > b.word[k] ? x.word[k] : y.word[k];
  return r;
}

/// In how many lanes a > b.
template <class T, int N>
KOKKOS_FORCEINLINE_FUNCTION int count_greater(const Pack<T, N>& a, const Pack<T, N>& b) {
  int n = 0;
  for (int i = 0; i < N; ++i) n += a.lane(i) > b.lane(i);
  return n;
}

/// The lower half of the lanes (upper = 0), or the upper one (1).
template <class T, int N>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, N / 2> half_of(const Pack<T, N>& p,
                                                   int upper) requires(Pack<T, N>::n_words % 2 == 0) {
  Pack<T, N / 2> r;
  constexpr int n = Pack<T, N / 2>::n_words;
  for (int k = 0; k < n; ++k) r.word[k] = p.word[upper * n + k];
  return r;
}

/// The same numbers in double.
template <class T, int N>
KOKKOS_FORCEINLINE_FUNCTION Pack<double, N> to_double(const Pack<T, N>& p) {
  if constexpr (std::is_same_v<T, double>) {
    return p;
  } else {
    using P = Pack<double, N>;
    typedef T Part __attribute__((vector_size(P::width * sizeof(T))));
    P r;
    for (int k = 0; k < P::n_words; ++k) {
      Part part;
      __builtin_memcpy(&part, reinterpret_cast<const T*>(p.word) + k * P::width, sizeof part);
#if defined(__AVX512F__)
      // GCC 12 would convert the two halves of eight floats separately and join them.
      if constexpr (sizeof part == 32 && sizeof r.word[k] == 64) {
        r.word[k] = (typename P::Word)_mm512_maskz_cvtps_pd(0xff, (__m256)part);
        continue;
      }
#endif
      r.word[k] = __builtin_convertvector(part, typename P::Word);
    }
    return r;
  }
}

/// The same numbers as T, rounded.
template <class T, class S, int N>
KOKKOS_FORCEINLINE_FUNCTION Pack<T, N> rounded_to(const Pack<S, N>& p) {
  if constexpr (std::is_same_v<T, double>) {
    return to_double(p);
  } else {
    typedef T Part __attribute__((vector_size(Pack<S, N>::width * sizeof(T))));
    Pack<T, N> r;
    for (int k = 0; k < Pack<S, N>::n_words; ++k) {
      const Part part = __builtin_convertvector(p.word[k], Part);
      __builtin_memcpy(reinterpret_cast<T*>(r.word) + k * Pack<S, N>::width, &part, sizeof part);
    }
    return r;
  }
}

#endif

/// The same for single numbers, so that one body serves both.
template <class T>
requires std::is_arithmetic_v<T> KOKKOS_FORCEINLINE_FUNCTION T where_greater(T a, T b, T x, T y) {
  return a > b ? x : y;
}
template <class T>
requires std::is_arithmetic_v<T> KOKKOS_FORCEINLINE_FUNCTION int count_greater(T a, T b) { return a > b; }

/// The number in double precision.
KOKKOS_FORCEINLINE_FUNCTION double to_double(float a) { return a; }
KOKKOS_FORCEINLINE_FUNCTION double to_double(double a) { return a; }

namespace detail {
template <class R>
struct ScalarOf {
  using type = R;
};
#if !defined(KOKKOS_ENABLE_CUDA)
template <class T, int N>
struct ScalarOf<Pack<T, N>> {
  using type = T;
};
#endif
}  // namespace detail

/// T of a T or a Pack<T, N>.
template <class R>
using scalar_t = typename detail::ScalarOf<R>::type;

}  // namespace kov
