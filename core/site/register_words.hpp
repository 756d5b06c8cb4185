// SPDX-License-Identifier: MIT
//
// What packs do with one SIMD register, a "word".  The only file that knows the width of a register; empty in GPU
// builds.
#pragma once

#include <Kokkos_Macros.hpp>

#if !defined(KOKKOS_ENABLE_CUDA)

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include <cmath>
#include <cstdint>
#include <utility>

namespace kov::detail {

#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

/// Exchanges the elements of a register of T: element i of the lower half is element i ^ lower, element i of the upper
/// half element i ^ upper.  Only where the CPU can do that with masks known at run time.
template <class T, int bytes>
struct ElementExchange {
  static constexpr bool exists = false;
  ElementExchange(int, int) {}
};
#if defined(__AVX2__)
template <class T>
struct ElementExchange<T, 32> {
  static constexpr bool exists = true;
  /// Which 32 bits go where.
  __m256i from;
  KOKKOS_FORCEINLINE_FUNCTION ElementExchange(int lower, int upper)
      : from(_mm256_xor_si256(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                              _mm256_inserti128_si256(_mm256_set1_epi32(lower * int(sizeof(T) / 4)),
                                                      _mm_set1_epi32(upper * int(sizeof(T) / 4)), 1))) {}
  template <class Word>
  KOKKOS_FORCEINLINE_FUNCTION Word operator()(const Word& w) const {
    return (Word)_mm256_permutevar8x32_epi32((__m256i)w, from);
  }
};
#endif
#if defined(__AVX512F__)
template <class T>
struct ElementExchange<T, 64> {
  static constexpr bool exists = true;
  __m512i from;
  KOKKOS_FORCEINLINE_FUNCTION ElementExchange(int lower, int upper)
      : from(_mm512_xor_si512(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                              _mm512_maskz_inserti64x4(0xff, _mm512_set1_epi32(lower * int(sizeof(T) / 4)),
                                                       _mm256_set1_epi32(upper * int(sizeof(T) / 4)), 1))) {}
  template <class Word>
  KOKKOS_FORCEINLINE_FUNCTION Word operator()(const Word& w) const {
    return (Word)_mm512_maskz_permutexvar_epi32(0xffff, from, (__m512i)w);
  }
};
#endif

template <class Word, int... lane>
KOKKOS_FORCEINLINE_FUNCTION auto join_words(const Word& lower, const Word& upper, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(lower, upper, lane...);
}

/// Stores a register bypassing the caches, if the CPU can.  Needs no fence of its own: the threads of libgomp and
/// libomp arrive at the barrier that ends a kernel by locked instructions, which order such stores on x86, and other
/// processes read after the fence of SharedTransport::publish().
template <class Word>
KOKKOS_FORCEINLINE_FUNCTION void stream_word(void* p, const Word& w) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Word) == 64) {
    _mm512_stream_si512(static_cast<__m512i*>(p), (__m512i)w);
    return;
  }
#endif
#if defined(__AVX__)
  if constexpr (sizeof(Word) == 32) {
    _mm256_stream_si256(static_cast<__m256i*>(p), (__m256i)w);
    return;
  }
#endif
  *static_cast<Word*>(p) = w;
}

/// As many integers of 16 bits as a register holds of Real.  p need not be aligned.
template <class Word, class Real>
KOKKOS_FORCEINLINE_FUNCTION Word integers_word(const std::int16_t* p) {
  constexpr int width = int(sizeof(Word) / sizeof(Real));
  if constexpr (width == 1) {
    return Word{} + Real(*p);
  } else {
#if defined(__AVX512F__)
    if constexpr (width == 16 && sizeof(Real) == 4)
      return (Word)_mm512_maskz_cvtepi32_ps(
          0xffff, _mm512_maskz_cvtepi16_epi32(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
#endif
#if defined(__AVX2__)
    if constexpr (width == 8 && sizeof(Real) == 4)
      return (Word)_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#endif
    typedef std::int16_t Integers __attribute__((vector_size(width * sizeof(std::int16_t))));
    Integers part;
    __builtin_memcpy(&part, p, sizeof part);
    return __builtin_convertvector(part, Word);
  }
}

/// The same of 8 bits.
template <class Word, class Real>
KOKKOS_FORCEINLINE_FUNCTION Word integers_word(const std::int8_t* p) {
  constexpr int width = int(sizeof(Word) / sizeof(Real));
  if constexpr (width == 1) {
    return Word{} + Real(*p);
  } else {
#if defined(__AVX512F__)
    if constexpr (width == 16 && sizeof(Real) == 4)
      return (Word)_mm512_maskz_cvtepi32_ps(
          0xffff, _mm512_maskz_cvtepi8_epi32(0xffff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#endif
#if defined(__AVX2__)
    if constexpr (width == 8 && sizeof(Real) == 4)
      return (Word)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
#endif
    typedef std::int8_t Integers __attribute__((vector_size(width * sizeof(std::int8_t))));
    Integers part;
    __builtin_memcpy(&part, p, sizeof part);
    return __builtin_convertvector(part, Word);
  }
}

/// Stores numbers whose sizes are below 2^15 as integers of 16 bits, their fractions cut off.
template <class Real, class Word>
KOKKOS_FORCEINLINE_FUNCTION void store_integers_word(std::int16_t* p, const Word& w) {
  constexpr int width = int(sizeof(Word) / sizeof(Real));
#if defined(__AVX512F__)
  if constexpr (width == 16 && sizeof(Real) == 4) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                        _mm512_maskz_cvtepi32_epi16(0xffff, _mm512_maskz_cvttps_epi32(0xffff, (__m512)w)));
    return;
  }
#endif
#if defined(__AVX2__)
  if constexpr (width == 8 && sizeof(Real) == 4) {
    const __m256i wide = _mm256_cvttps_epi32((__m256)w);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                     _mm_packs_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1)));
    return;
  }
#endif
  for (int i = 0; i < width; ++i) p[i] = std::int16_t(w[i]);
}

/// The same below 2^7, of 8 bits.
template <class Real, class Word>
KOKKOS_FORCEINLINE_FUNCTION void store_integers_word(std::int8_t* p, const Word& w) {
  constexpr int width = int(sizeof(Word) / sizeof(Real));
#if defined(__AVX512F__)
  if constexpr (width == 16 && sizeof(Real) == 4) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                     _mm512_maskz_cvtepi32_epi8(0xffff, _mm512_maskz_cvttps_epi32(0xffff, (__m512)w)));
    return;
  }
#endif
#if defined(__AVX2__)
  if constexpr (width == 8 && sizeof(Real) == 4) {
    const __m256i wide = _mm256_cvttps_epi32((__m256)w);
    const __m128i half = _mm_packs_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi16(half, half));
    return;
  }
#endif
  for (int i = 0; i < width; ++i) p[i] = std::int8_t(w[i]);
}

/// The square root of every element, rounded as IEEE says; Real is the type of an element.  The masks select all
/// elements: GCC 12 warns of uninitialised numbers in the functions without a mask.
template <class Real, class Word>
KOKKOS_FORCEINLINE_FUNCTION Word sqrt_word(const Word& w) {
  constexpr bool is_double = std::is_same_v<Real, double>;
#if defined(__AVX512F__)
  if constexpr (sizeof(Word) == 64) {
    if constexpr (is_double)
      return (Word)_mm512_maskz_sqrt_pd(0xff, (__m512d)w);
    else
      return (Word)_mm512_maskz_sqrt_ps(0xffff, (__m512)w);
  }
#endif
#if defined(__AVX__)
  if constexpr (sizeof(Word) == 32) {
    if constexpr (is_double)
      return (Word)_mm256_sqrt_pd((__m256d)w);
    else
      return (Word)_mm256_sqrt_ps((__m256)w);
  }
#endif
  Word r = w;  // not uninitialised, which GCC warns of
  for (unsigned int i = 0; i < sizeof(Word) / sizeof(Real); ++i) r[i] = std::sqrt(w[i]);
  return r;
}

/// a b + c of every element with one rounding; CPUs without such an operation round twice.
template <class Real, class Word>
KOKKOS_FORCEINLINE_FUNCTION Word fma_word(const Word& a, const Word& b, const Word& c) {
  [[maybe_unused]] constexpr bool is_double = std::is_same_v<Real, double>;
#if defined(__AVX512F__)
  if constexpr (sizeof(Word) == 64) {
    if constexpr (is_double)
      return (Word)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
    else
      return (Word)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
  }
#endif
#if defined(__FMA__)
  if constexpr (sizeof(Word) == 32) {
    if constexpr (is_double)
      return (Word)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
    else
      return (Word)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
  }
  if constexpr (sizeof(Word) == 16) {
    if constexpr (is_double)
      return (Word)_mm_fmadd_pd((__m128d)a, (__m128d)b, (__m128d)c);
    else
      return (Word)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
  }
#endif
#if defined(__FP_FAST_FMA)
  Word r;
  for (unsigned int i = 0; i < sizeof(Word) / sizeof(Real); ++i) r[i] = std::fma(a[i], b[i], c[i]);
  return r;
#else
  return a * b + c;
#endif
}

}  // namespace kov::detail

#endif
