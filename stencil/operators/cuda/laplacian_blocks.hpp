// SPDX-License-Identifier: MIT
//
// Private to laplacian*.cpp and slice_steps.cpp: the blocks of threads in which GPUs run steps of the Laplacian,
// whether they unroll its legs, and which steps have kernels of their own there.
#pragma once

#include "kov/core/lattice/site.hpp"
#include "kov/core/launch/thread_blocks.hpp"

#include <type_traits>

namespace kov::detail {

template <class Links, class In, class View, int n_legs, bool others, bool factors, class StencilView>
struct LaplacianKernel;

/// Threads on a multiprocessor: as many as registers allow for the sum over legs of a site.
template <class View>
inline constexpr int laplacian_threads = sizeof(typename View::Real) == 4 ? 512
                                         : View::holds_columns            ? 384
                                                                          : 256;
/// Threads of a block.
template <class View>
inline constexpr int laplacian_block = View::holds_columns ? 128 : 256;

template <class View, bool reaches_in_time>
struct LaplacianBlocks
    : StatedBlocks<laplacian_block<View>, laplacian_threads<View> / laplacian_block<View>, reaches_in_time> {};
/// Sums in space over several components walk through planes, with the threads on a multiprocessor that were fastest
/// for the bytes of a spinor or colour vector: 256 in one block for spinors in double, 512 in two for vectors in single
/// precision, 384 in one between them.  Without planes, as on small lattices, spinors in double have 384 threads in
/// three blocks, so that a wave takes more of them.
template <class View>
requires(!View::holds_columns) struct LaplacianBlocks<View, false>
    : StatedBlocks<laplacian_block<View>, laplacian_threads<View> / laplacian_block<View>, false> {
  static constexpr int bytes = 2 * View::n_complex * int(sizeof(typename View::Real));
  static constexpr bool is_spinor_in_double = bytes > 96, is_vector_in_single = bytes <= 24;
  using OfSeveral = std::conditional_t<is_spinor_in_double, StatedBlocks<128, 3, false>, LaplacianBlocks>;
  using OfPlanes =
      StatedBlocks<is_spinor_in_double || is_vector_in_single ? 256 : 384, is_vector_in_single ? 2 : 1, false>;
};

template <class Links, class In, class View, int n_legs, bool others, bool factors, class StencilView>
struct ThreadBlocks<LaplacianKernel<Links, In, View, n_legs, others, factors, StencilView>>
    : LaplacianBlocks<View, n_legs == 8> {};

/// Whether a sum over legs is unrolled, in the order of leg_in_turn().
template <class Site>
inline constexpr bool unrolls_laplacian_legs = std::is_same_v<Site, LaneSite>;

/// Which steps have kernels of their own on GPUs.  space: sums in space, whose legs are unrolled.  without_factors: on
/// links without factors, for spinors on columns, which need every register that their blocks of threads leave them.
/// without_others: that read no field besides `from`, for spinors, of which registers cannot hold two at a site.
/// local: where no neighbour is in a halo, by which columns of floats are no faster.
template <class View>
struct LaplacianKernelsApart {
  static constexpr bool space = true, without_factors = View::holds_columns && View::n_complex > 3,
                        without_others = View::n_complex > 3,
                        local = !View::holds_columns || sizeof(typename View::Real) != 4;
};

}  // namespace kov::detail
