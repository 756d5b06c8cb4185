// SPDX-License-Identifier: MIT
//
// How sites go into halo messages and come out again: wire formats, and kernels over the blocks of all faces at once.
#pragma once

#include "kov/core/field_view.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kov::detail {

/// The place of real k (2 * complex + im) of a lane in a block of N lanes, as FieldView stores it.
template <int N>
KOKKOS_FORCEINLINE_FUNCTION constexpr int real_place(int k, int lane) {
  return has_packs ? k * N + lane : ((k >> 1) * N + lane) * 2 + (k & 1);
}

/// A wire format turns v[k][l], real k of lane `lane` + l, into its part of a block of a message and back.  This one
/// keeps the reals as S, rounded to nearest, in a FieldView's order.
template <class T, class S, int n_reals, int N>
struct PlainWire {
  static constexpr bool exact = sizeof(S) >= sizeof(T);
  static constexpr std::size_t block_bytes = sizeof(S) * n_reals * N;

  template <int n>
  KOKKOS_FORCEINLINE_FUNCTION static void encode(const T (&v)[n_reals][n], std::byte* block, int lane) {
    S* const p = reinterpret_cast<S*>(block);
    for (int k = 0; k < n_reals; ++k)
      for (int l = 0; l < n; ++l) p[real_place<N>(k, lane + l)] = S(v[k][l]);
  }
  template <int n>
  KOKKOS_FORCEINLINE_FUNCTION static void decode(const std::byte* block, int lane, T (&v)[n_reals][n]) {
    const S* const p = reinterpret_cast<const S*>(block);
    for (int k = 0; k < n_reals; ++k)
      for (int l = 0; l < n; ++l) v[k][l] = T(p[real_place<N>(k, lane + l)]);
  }
};

/// One float a lane, the largest |real|, then 16-bit integers in units of 1 / 32767 of it.  A lane with a number that
/// is not finite arrives as NaN throughout.
template <class T, int n_reals, int N>
struct Fixed16Wire {
  static constexpr bool exact = false;
  static constexpr std::size_t block_bytes = N * (sizeof(float) + sizeof(std::int16_t) * n_reals);

  template <int n>
  KOKKOS_FORCEINLINE_FUNCTION static void encode(const T (&v)[n_reals][n], std::byte* block, int lane) {
    float* const norms = reinterpret_cast<float*>(block) + lane;
    std::int16_t* const p = reinterpret_cast<std::int16_t*>(block + N * sizeof(float));
    T most[n] = {}, poison[n] = {}, scale[n];
    for (int k = 0; k < n_reals; ++k)
      for (int l = 0; l < n; ++l) {
        const T size = v[k][l] < 0 ? -v[k][l] : v[k][l];
        most[l] = size > most[l] ? size : most[l];
        poison[l] += T(0) * v[k][l];
      }
    for (int l = 0; l < n; ++l) {
      norms[l] = float(most[l] + poison[l]);
      scale[l] = norms[l] > 0 ? T(32767) / T(norms[l]) : T(0);
    }
    for (int k = 0; k < n_reals; ++k)
      for (int l = 0; l < n; ++l) {
        const T units = v[k][l] * scale[l] + (v[k][l] < 0 ? T(-0.5) : T(0.5));
        p[real_place<N>(k, lane + l)] = std::int16_t(units == units ? units : T(0));
      }
  }
  template <int n>
  KOKKOS_FORCEINLINE_FUNCTION static void decode(const std::byte* block, int lane, T (&v)[n_reals][n]) {
    const float* const norms = reinterpret_cast<const float*>(block) + lane;
    const std::int16_t* const p = reinterpret_cast<const std::int16_t*>(block + N * sizeof(float));
    for (int k = 0; k < n_reals; ++k)
      for (int l = 0; l < n; ++l) v[k][l] = T(p[real_place<N>(k, lane + l)]) * (T(norms[l]) / T(32767));
  }
};

/// What the kernels below share.  slots[block * n_slots + l] is the slot of a field (outer * lanes + lane, or an outer
/// site where all its lanes travel) that lane l of a block goes with, -1 if none.  On CPUs an item is a block with all
/// its components; on GPUs it is one lane of one component, so that a warp works on a block.
template <class View, bool whole_outer>
struct FaceBlocks {
  using T = typename View::Real;
  static constexpr int n_reals = 2 * View::n_complex, lanes = View::block / n_reals, n_slots = whole_outer ? 1 : lanes,
                       at_once = has_packs ? lanes : 1;
  const int* slots;
  const int* blocks;  // to work on
  int n_blocks, n_components;

  int items() const { return has_packs ? n_blocks : n_blocks * n_components * lanes; }

  /// Calls work(block, component, first lane, addresses): the addresses of real 0 of at_once lanes, absent for slot -1,
  /// and whether they are a whole block in its order.
  template <class Work>
  KOKKOS_FORCEINLINE_FUNCTION void visit(const View& field, int item, const Work& work) const {
    if constexpr (has_packs) {
      const int block = blocks[item];
      const int* const slot = slots + block * n_slots;
      bool whole = whole_outer || slot[0] % lanes == 0;
      for (int l = 1; l < n_slots; ++l) whole = whole && slot[l] == slot[0] + l;
      for (int c = 0; c < n_components; ++c) {
        T* p[lanes];
        for (int l = 0; l < lanes; ++l)
          p[l] = whole_outer   ? field.address(slot[0], c) + l
                 : slot[l] < 0 ? nullptr
                               : field.address(slot[l] / lanes, c) + slot[l] % lanes;
        work(block, c, 0, p, whole);
      }
    } else {
      const int lane = item % lanes, c = item / lanes % n_components, block = blocks[item / lanes / n_components];
      const int slot = slots[block * n_slots + (whole_outer ? 0 : lane)];
      T* p[1] = {slot < 0 ? nullptr
                          : field.address(whole_outer ? slot : slot / lanes, c) +
                                real_place<lanes>(0, whole_outer ? lane : slot % lanes)};
      work(block, c, lane, p, false);
    }
  }
};

/// Field to message.
template <class View, class Wire, bool whole_outer>
struct PackFaces {
  using Blocks = FaceBlocks<View, whole_outer>;
  using T = typename View::Real;
  Blocks faces;
  View in;
  std::byte* message;

  KOKKOS_FUNCTION void operator()(int item) const { faces.visit(in, item, *this); }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int block, int c, int lane, T* const (&from)[Blocks::at_once],
                                              bool whole) const {
    std::byte* const to = message + std::size_t(block * faces.n_components + c) * Wire::block_bytes;
    if (Wire::exact && whole) {
      std::memcpy(to, from[0], Wire::block_bytes);
      return;
    }
    T v[Blocks::n_reals][Blocks::at_once];
    for (int k = 0; k < Blocks::n_reals; ++k)
      for (int l = 0; l < Blocks::at_once; ++l) v[k][l] = from[l] ? from[l][real_place<Blocks::lanes>(k, 0)] : T(0);
    Wire::encode(v, to, lane);
  }
};

/// Message to halo.
template <class View, class Wire, bool whole_outer>
struct UnpackFaces {
  using Blocks = FaceBlocks<View, whole_outer>;
  using T = typename View::Real;
  Blocks faces;
  View halo;
  const std::byte* message;

  KOKKOS_FUNCTION void operator()(int item) const { faces.visit(halo, item, *this); }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int block, int c, int lane, T* const (&to)[Blocks::at_once],
                                              bool whole) const {
    const std::byte* const from = message + std::size_t(block * faces.n_components + c) * Wire::block_bytes;
    if (Wire::exact && whole) {
      std::memcpy(to[0], from, Wire::block_bytes);
      return;
    }
    T v[Blocks::n_reals][Blocks::at_once];
    Wire::decode(from, lane, v);
    for (int l = 0; l < Blocks::at_once; ++l)
      if (to[l])
        for (int k = 0; k < Blocks::n_reals; ++k) to[l][real_place<Blocks::lanes>(k, 0)] = v[k][l];
  }
};

/// The lanes of halo blocks that are copies of local sites.
template <class View, bool whole_outer>
struct CopyLocalLanes {
  using Blocks = FaceBlocks<View, whole_outer>;
  using T = typename View::Real;
  Blocks faces;
  View in, halo;

  KOKKOS_FUNCTION void operator()(int item) const { faces.visit(in, item, *this); }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int block, int c, int lane, T* const (&from)[Blocks::at_once],
                                              bool) const {
    T* const to = halo.address(block, c) + real_place<Blocks::lanes>(0, lane);
    for (int k = 0; k < Blocks::n_reals; ++k)
      for (int l = 0; l < Blocks::at_once; ++l)
        if (from[l]) to[real_place<Blocks::lanes>(k, l)] = from[l][real_place<Blocks::lanes>(k, 0)];
  }
};

}  // namespace kov::detail
