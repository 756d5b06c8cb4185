// SPDX-License-Identifier: MIT
//
// Packing and unpacking of halo messages: wire formats, and kernels over the blocks of all faces at once.  Sites are
// arrays of reals here, whatever their type.
#pragma once

#include "kov/core/field/site_blocks.hpp"
#include "kov/core/site/unroll.hpp"
#include "kov/stencil/halo/halo_compressor.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace kov::detail {

/// A site has n_components blocks.  A block holds `lanes` sites (columns, if whole_outer), each with n_reals reals and,
/// in storage with a scale, n_scale numbers for that scale.
struct FaceShape {
  int n_reals, n_scale, lanes;
  int outers;  // outer sites whose lanes these are
  /// Lanes are columns, so outer sites are sent with all their lanes.  CPUs only.
  bool whole_outer;
  int n_components;

  int n_slots() const { return whole_outer ? 1 : lanes; }
  KOKKOS_FORCEINLINE_FUNCTION int n_numbers() const { return n_reals + n_scale; }
  /// The index of real k of a lane in a block, in the order of a FieldView of numbers in T.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION int place(int k, int lane) const {
    return n_scale * lanes + real_place(k, lane, lanes, reals_together<T>(n_reals));
  }
};

/// The lanes of a block of sites stored as T.
template <class T>
inline constexpr int lanes_of_sites = outers_of_block<SiteLanes, typename StoredSite<T>::Real>* default_lanes;

/// The most consecutive lanes of a block that a kernel works on at once.
inline constexpr int longest_run = has_packs ? 64 : 1;

#if !defined(KOKKOS_ENABLE_CUDA)
/// Copies n_reals reals of n lanes from a block at `in` to one at `out`, both of `lanes` lanes.  Not inlined, as
/// kernels that copy runs of several lengths would not have the registers for all of them.
template <int n, class T, class Out>
[[gnu::noinline]] void copy_lanes(const T* in, Out* out, int n_reals, int lanes) {
  for (int k = 0; k < n_reals; ++k, in += lanes, out += lanes)
    for (int l = 0; l < n; ++l) out[l] = Out(in[l]);
}
/// Copies n_reals reals of lanes to a block of N lanes, which is written as a whole; lanes: where their first reals
/// are. past_caches: with stores that bypass the caches.
template <int N, class T>
[[gnu::noinline]] void gather_lanes(const T* const* lanes, T* out, int n_reals, bool past_caches) {
  for (int k = 0; k < n_reals; ++k, out += N) {
    Pack<T, N> v;
    kov::unroll<N>([&](int l) __attribute__((always_inline)) { v.set_lane(l, lanes[l][k * N]); });
    past_caches ? v.stream(out) : v.store(out);
  }
}
/// gather_lanes() and copy_lanes() for the reals that a compressor holds: first + sign * second.
template <int N, class T>
[[gnu::noinline]] void gather_lanes(const T* const* lanes, const HeldReal* held, T* out, int n_reals,
                                    bool past_caches) {
  for (int k = 0; k < n_reals; ++k, out += N) {
    const int first = held[k].first * N, second = held[k].second * N;
    const T sign = T(held[k].sign);
    Pack<T, N> v;
    kov::unroll<N>([&](int l)
                       __attribute__((always_inline)) { v.set_lane(l, lanes[l][first] + sign * lanes[l][second]); });
    past_caches ? v.stream(out) : v.store(out);
  }
}
template <int n, class T, class Out>
[[gnu::noinline]] void copy_lanes(const T* in, const HeldReal* held, Out* out, int n_reals, int lanes) {
  for (int k = 0; k < n_reals; ++k, out += lanes) {
    const T *const first = in + held[k].first * lanes, *const second = in + held[k].second * lanes;
    const T sign = T(held[k].sign);
    for (int l = 0; l < n; ++l) out[l] = Out(first[l] + sign * second[l]);
  }
}
#endif

/// A block of a field of which all numbers are sent.
template <class T>
struct WholeBlock {
  static constexpr bool is_whole = true;
  const T* block;
  const FaceShape& shape;
  KOKKOS_FORCEINLINE_FUNCTION T operator()(int k, int lane) const { return block[shape.template place<T>(k, lane)]; }
#if !defined(KOKKOS_ENABLE_CUDA)
  template <int n, class Out>
  void copy(int from, Out* out, int n_reals) const {
    copy_lanes<n>(block + from, out, n_reals, shape.lanes);
  }
#endif
};

/// A block of a field of which only a compressor's reals are sent.
template <class T>
struct CompressedBlock {
  static constexpr bool is_whole = false;
  const T* block;
  const FaceShape& shape;
  const HeldReal* held;
  KOKKOS_FORCEINLINE_FUNCTION T operator()(int k, int lane) const {
    const HeldReal& r = held[k];
    return block[shape.template place<T>(r.first, lane)] + T(r.sign) * block[shape.template place<T>(r.second, lane)];
  }
#if !defined(KOKKOS_ENABLE_CUDA)
  template <int n, class Out>
  void copy(int from, Out* out, int n_reals) const {
    copy_lanes<n>(block + from, held, out, n_reals, shape.lanes);
  }
#endif
};

/// The same of 16-bit integers: the sums of two, which are in units of the site's scale and so are exact, are rounded
/// to nearest in units of their own largest.
template <std::integral T>
struct CompressedBlock<T> {
  static constexpr bool is_whole = false;
  const T* block;
  const FaceShape& shape;
  const HeldReal* held;
  KOKKOS_FORCEINLINE_FUNCTION float operator()(int k, int lane) const {
    const HeldReal& r = held[k];
    return float(int(block[shape.template place<T>(r.first, lane)]) +
                 r.sign * int(block[shape.template place<T>(r.second, lane)]));
  }
  /// n lanes, from `from` on, into those of a block of what is held from `to` on.
  KOKKOS_FORCEINLINE_FUNCTION void round(int from, T* out, int to, int n, const FaceShape& held_shape) const {
    const float* const scales = reinterpret_cast<const float*>(block) + from;
    float* const held_scales = reinterpret_cast<float*>(out) + to;
    float most[longest_run] = {}, units[longest_run];
    for (int k = 0; k < held_shape.n_reals; ++k)
      for (int l = 0; l < n; ++l) {
        const float v = (*this)(k, from + l), size = v < 0 ? -v : v;
        most[l] = size > most[l] ? size : most[l];
      }
    for (int l = 0; l < n; ++l) {
      held_scales[l] = scales[l] * (most[l] * fixed_unit<T>);
      units[l] = most[l] > 0 ? fixed_units<T> / most[l] : 0.f;
    }
    for (int k = 0; k < held_shape.n_reals; ++k)
      for (int l = 0; l < n; ++l)
        out[held_shape.template place<T>(k, to + l)] = to_fixed<T>((*this)(k, from + l) * units[l]);
  }
};

/// A wire format converts n consecutive lanes of a block of a field (beginning with `from` or `to`) into lanes of a
/// block of a message (beginning with `lane`) and back.  This one stores the numbers as S, rounded to nearest, in
/// FieldView's order.
template <class T, class S>
struct PlainWire {
  static std::size_t block_bytes(const FaceShape& shape) {
    return sizeof(S) * std::size_t(shape.n_numbers()) * std::size_t(shape.lanes);
  }
  template <class Block>
  KOKKOS_FORCEINLINE_FUNCTION static void encode(const Block& field, int from, int lane, int n, std::byte* block,
                                                 const FaceShape& shape) {
    if constexpr (std::is_integral_v<T> && !Block::is_whole)
      field.round(from, reinterpret_cast<S*>(block), lane, n, shape);
    else
      copy(field, from, reinterpret_cast<S*>(block), lane, n, shape);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void decode(const std::byte* block, int lane, int n, T* field, int to,
                                                 const FaceShape& shape) {
    copy(WholeBlock<S>{reinterpret_cast<const S*>(block), shape}, lane, field, to, n, shape);
  }

 private:
  template <class Block, class Out>
  KOKKOS_FORCEINLINE_FUNCTION static void copy(const Block& in, int from, Out* out, int to, int n,
                                               const FaceShape& shape) {
    if (Block::is_whole && std::is_same_v<T, S> && n == shape.lanes) {
      std::memcpy(out, in.block, sizeof(T) * std::size_t(shape.n_numbers()) * std::size_t(n));
      return;
    }
#if !defined(KOKKOS_ENABLE_CUDA)
    if constexpr (std::is_floating_point_v<T>) {
      if (n == 1) return in.template copy<1>(from, out + to, shape.n_reals);
      if (n == default_lanes) return in.template copy<default_lanes>(from, out + to, shape.n_reals);
    }
#endif
    if constexpr (std::is_integral_v<T>)
      for (int k = 0; k < shape.n_scale * n; ++k) out[shape.n_scale * to + k] = in.block[shape.n_scale * from + k];
    for (int k = 0; k < shape.n_reals; ++k)
      for (int l = 0; l < n; ++l) out[shape.template place<Out>(k, to + l)] = Out(in(k, from + l));
  }
};

/// One float per lane, its largest |real|, then the reals as 16-bit integers in units of 1 / 32767 of that float.  In a
/// lane with an infinity or NaN, all reals arrive as NaN.
template <class T>
struct Fixed16Wire {
  static std::size_t block_bytes(const FaceShape& shape) {
    return std::size_t(shape.lanes) * (sizeof(float) + sizeof(std::int16_t) * std::size_t(shape.n_reals));
  }
  template <class Block>
  KOKKOS_FORCEINLINE_FUNCTION static void encode(const Block& field, int from, int lane, int n, std::byte* block,
                                                 const FaceShape& shape) {
    float* const norms = reinterpret_cast<float*>(block) + lane;
    std::int16_t* const p = reinterpret_cast<std::int16_t*>(block + std::size_t(shape.lanes) * sizeof(float));
    T most[longest_run] = {}, not_finite[longest_run] = {}, scale[longest_run];
    for (int k = 0; k < shape.n_reals; ++k)
      for (int l = 0; l < n; ++l) {
        const T v = field(k, from + l), size = v < 0 ? -v : v;
        most[l] = size > most[l] ? size : most[l];
        not_finite[l] += T(0) * v;
      }
    for (int l = 0; l < n; ++l) {
      norms[l] = float(most[l] + not_finite[l]);
      scale[l] = norms[l] > 0 ? T(32767) / T(norms[l]) : T(0);
    }
    for (int k = 0; k < shape.n_reals; ++k)
      for (int l = 0; l < n; ++l) p[real_place(k, lane + l, shape.lanes)] = to_fixed16(field(k, from + l) * scale[l]);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void decode(const std::byte* block, int lane, int n, T* field, int to,
                                                 const FaceShape& shape) {
    const float* const norms = reinterpret_cast<const float*>(block) + lane;
    const std::int16_t* const p =
        reinterpret_cast<const std::int16_t*>(block + std::size_t(shape.lanes) * sizeof(float));
    for (int k = 0; k < shape.n_reals; ++k)
      for (int l = 0; l < n; ++l)
        field[real_place(k, to + l, shape.lanes)] =
            T(p[real_place(k, lane + l, shape.lanes)]) * (T(norms[l]) / T(32767));
  }
};

/// Shared by the kernels below.  slots[block * n_slots + l] is the slot of a field (block * lanes + lane, or an outer
/// site if whole_outer) that corresponds to lane l of a block, -1 if none.  On CPUs an item is a block with all its
/// components; on GPUs it is one lane of one component, so that a warp works on a block.
template <class T>
struct FaceBlocks {
  FaceShape shape;
  const int* slots;
  const int* blocks;  // to work on
  int n_blocks;

  int items() const { return has_packs ? n_blocks : n_blocks * shape.n_components * shape.lanes; }

  /// Calls work(block, component, lane, n, address, there) for runs of n lanes that are consecutive in the block,
  /// beginning with `lane`, and in the field, beginning with lane `there` of the block at `address`; or
  /// work.gather(block, component, lanes), where work has that, for all lanes of a block that are not one run.
  template <class Work>
  KOKKOS_FORCEINLINE_FUNCTION void visit(const SiteBlocks<T>& field, int item, const Work& work) const {
    if constexpr (has_packs) {
      const int block = blocks[item];
      if (shape.whole_outer) {
        for (int c = 0; c < shape.n_components; ++c) work(block, c, 0, shape.lanes, field.numbered(slots[block], c), 0);
        return;
      }
      constexpr int N = lanes_of_sites<T>;
      const int* const slot = slots + block * N;
      const auto is_run = [&](int first, int n) {
        bool is = slot[first] >= 0 && slot[first] % n == 0;
        for (int l = 1; l < n; ++l) is = is && slot[first + l] == slot[first] + l;
        return is;
      };
      const bool whole = is_run(0, N);
      bool whole_outer[N / default_lanes];
      for (int o = 0; o < N / default_lanes; ++o) whole_outer[o] = is_run(o * default_lanes, default_lanes);
      if constexpr (requires(const T* const* lanes) { work.gather(block, 0, lanes); })
        if (!whole && std::all_of(slot, slot + N, [](int s) { return s >= 0; })) {
          const T* lanes[N];
          for (int c = 0; c < shape.n_components; ++c) {
            for (int l = 0; l < N; ++l) lanes[l] = field.numbered(slot[l] / N, c) + slot[l] % N;
            work.gather(block, c, lanes);
          }
          return;
        }
      for (int c = 0; c < shape.n_components; ++c)
        for (int l = 0, n = 0; l < N; l += n) {
          n = whole ? N : whole_outer[l / default_lanes] ? default_lanes : 1;
          if (slot[l] >= 0) work(block, c, l, n, field.numbered(slot[l] / N, c), slot[l] % N);
        }
    } else {
      constexpr int N = default_lanes;
      const int lane = item % N, c = item / N % shape.n_components, block = blocks[item / N / shape.n_components];
      const int slot = slots[block * N + lane];
      if (slot >= 0) work(block, c, lane, 1, field.numbered(slot / N, c), slot % N);
    }
  }
};

/// Which reals of the sites of a block are held: all if `reals` is null, else those that a compressor keeps on the
/// block's leg.
struct HeldReals {
  const HeldReal* reals;  // [leg][real]
  const int* legs;        // [block]
  FaceShape site;         // of the field

  /// Calls work() with the WholeBlock or CompressedBlock at `block`, which is block `number` of the messages or halo.
  template <class T, class Work>
  KOKKOS_FORCEINLINE_FUNCTION void show(const T* block, int number, const FaceShape& held, const Work& work) const {
    if (reals) return work(CompressedBlock<T>{block, site, reals + legs[number] * held.n_reals});
    work(WholeBlock<T>{block, site});
  }
};

/// Packs a field into messages, in which lanes without a slot stay zero.  places: where each block is written.
template <class T, class Wire>
struct PackFaces {
  FaceBlocks<T> faces;
  SiteBlocks<T> in;
  HeldReals held;
  std::byte* const* places;
  std::size_t block_bytes;
  /// Whether the messages are larger than the caches, so that whole packs are written with stores that bypass them.
  bool past_caches;

  KOKKOS_FUNCTION void operator()(int item) const { faces.visit(in, item, *this); }
#if !defined(KOKKOS_ENABLE_CUDA)
  /// Writes a block as a whole whose lanes are not together; lanes: where the first reals of all of them are.
  void gather(int block, int c, const T* const* lanes) const
      requires(std::is_same_v<Wire, PlainWire<T, T>>&& std::is_floating_point_v<T>) {
    constexpr int N = lanes_of_sites<T>;
    T* const to = reinterpret_cast<T*>(places[block] + std::size_t(c) * block_bytes);
    const int n_reals = faces.shape.n_reals;
    if (held.reals)
      gather_lanes<N>(lanes, held.reals + held.legs[block] * n_reals, to, n_reals, past_caches);
    else
      gather_lanes<N>(lanes, to, n_reals, past_caches);
  }
#endif
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int block, int c, int lane, int n, const T* field, int from) const {
    std::byte* const to = places[block] + std::size_t(c) * block_bytes;
#if !defined(KOKKOS_ENABLE_CUDA)
    if constexpr (std::is_same_v<Wire, PlainWire<T, T>> && std::is_floating_point_v<T>)
      if (past_caches && n == faces.shape.lanes && n % default_lanes == 0) {
        constexpr int N = default_lanes;
        using P = Pack<T, N>;
        T* const out = reinterpret_cast<T*>(to);
        const HeldReal* const r = held.reals ? held.reals + held.legs[block] * faces.shape.n_reals : nullptr;
        for (int k = 0; k < faces.shape.n_reals; ++k)
          for (int l = 0; l < n; l += N)
            if (r)
              (P::load(field + r[k].first * n + l) + P(T(r[k].sign)) * P::load(field + r[k].second * n + l))
                  .stream(out + k * n + l);
            else
              P::load(field + k * n + l).stream(out + k * n + l);
        return;
      }
#endif
    held.show(
        field, block, faces.shape, [&](const auto& sites) __attribute__((always_inline)) {
          Wire::encode(sites, from, lane, n, to, faces.shape);
        });
  }
};

/// Unpacks a message into the halo.
template <class T, class Wire>
struct UnpackFaces {
  FaceBlocks<T> faces;
  SiteBlocks<T> halo;
  const std::byte* message;
  std::size_t block_bytes;

  KOKKOS_FUNCTION void operator()(int item) const { faces.visit(halo, item, *this); }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int block, int c, int lane, int n, T* field, int to) const {
    Wire::decode(message + std::size_t(block * faces.shape.n_components + c) * block_bytes, lane, n, field, to,
                 faces.shape);
  }
};

/// Fills the lanes of halo blocks that are copies of local sites.
template <class T>
struct CopyLocalLanes {
  FaceBlocks<T> faces;
  SiteBlocks<T> in, halo;
  HeldReals held;

  KOKKOS_FUNCTION void operator()(int item) const { faces.visit(in, item, *this); }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int block, int c, int lane, int n, const T* field, int from) const {
    std::byte* const to = reinterpret_cast<std::byte*>(halo.numbered(block, c));
    held.show(
        field, block, faces.shape, [&](const auto& sites) __attribute__((always_inline)) {
          PlainWire<T, T>::encode(sites, from, lane, n, to, faces.shape);
        });
  }
};

}  // namespace kov::detail
