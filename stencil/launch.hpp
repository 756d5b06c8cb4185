// SPDX-License-Identifier: MIT
//
// What stencil operators share at their launch: halos kept per lattice and shape, views of one component, and whether
// results should go past the caches.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/lattice/tune.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/stencil/halo/stencil_halos.hpp"

#include <tuple>

namespace kov {

/// Whether an operator that touches so many bytes streams through memory: then writes past the caches and, on CPUs,
/// prefetches pay, while in cache they cost.
inline bool worth_streaming(std::size_t bytes) { return bytes > (std::size_t(has_packs ? 16 : 64) << 20); }

/// The bytes of a stencil operator from in to out with links of its own for n_legs legs: what it touches at most.
template <class FieldT>
std::size_t operator_bytes(const FieldT& in, const FieldT& out, int n_legs) {
  const std::size_t sites = std::size_t(out.range().n_outer) * out.layout().lanes();
  return in.bytes() + out.bytes() + sites * 18 * std::size_t(n_legs) * sizeof(typename FieldT::Real);
}

/// Threads of a block and blocks on a multiprocessor for kernels that sum over legs into Out on GPUs.
template <class Out>
inline constexpr int leg_threads = Out::holds_columns ? 128 : 256;
template <class Out>
inline constexpr int leg_blocks = (sizeof(typename Out::Real) == 4 ? 512
                                   : Out::holds_columns            ? 384
                                                                   : 256) /
                                  leg_threads<Out>;

/// The lattice's own halo of nearest neighbours for fields of this shape, one exchange at a time: for functions, which
/// keep nothing.  Operators have their own, see StencilHalos.
template <template <class> class SiteT, class T>
const Halo<SiteT, T>& halo_for(const Lattice& lattice, int n_components, const HaloChoice& choice = {}) {
  using H = Halo<SiteT, T>;
  return lattice.remember<H>(std::tuple(n_components, choice), [&] { return H(lattice, n_components, choice); });
}

/// Prefetches what the next step will read on one leg, where packs stream through memory: the next component, or, after
/// the last one, the links and component 0 of the next outer site.  Colour vectors have so little to compute on a leg
/// that the first one prefetches for all of them.
template <class Site, class Near, class Links, class In>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_next(const Stencil::View& stencil, const Near& near, const Links& links,
                                               const In& in, Site x, int leg, int component, int n_components) {
  if constexpr (!std::is_same_v<Site, LaneSite>) {
    constexpr bool all_at_once = In::n_complex <= 3;
    if (all_at_once && leg > 0) return;
    const Site next{x.outer + 1};
    const auto near_next = stencil.at(next);
    for (int l = leg; l < (all_at_once ? stencil.n_legs : leg + 1); ++l) {
      if (component + 1 < n_components) {
        in.prefetch(near(l), component + 1);
      } else {
        links.prefetch(next, near_next, l);
        in.prefetch(near_next(l), 0);
      }
    }
  }
}

/// How a stencil kernel is launched.
struct StencilLaunch {
  /// How fields are stored that the kernel reads besides `in`, where its speed depends on that.
  std::string codec = "plain";
  /// Of what the halo's compressor makes of sites.
  int variant = 0;
  Exec exec = {};
};

/// Runs kernel = make(neighbours) on the sites of `out` with the neighbours of `in`: after the exchange of its halo, or
/// while it is going on, whichever the lattice's HaloOptions say or the tuner finds faster.  Both give the same bits,
/// each site being computed once by the same kernel.  The kernel is called for every group of components of `out`.
/// Ordered on launch.exec.
template <class HaloT, class In, class Out, class Make>
void run_stencil(const std::string& name, const Stencil& stencil, const HaloT& halo, const In& in, const Out& out,
                 const Make& make, const StencilLaunch& launch = {}) {
  using Lanes = typename Out::Lanes;
  const Lattice& lattice = in.lattice();
  const auto& exec = launch.exec;
  const int n_groups = out.n_groups();
  const auto blocking = [&] {
    for_each_site<Lanes>(name, out.range(), n_groups, make(halo.exchange(in, launch.variant, exec)), exec);
  };
  if (!halo.active()) return blocking();
  const auto overlapped = [&] {
    const auto kernel = make(halo.begin(in, launch.variant, exec));
    for_each_site<Lanes>(name + "_interior", stencil.interior(out.subset()), n_groups, kernel, exec);
    halo.finish(exec);
    for_each_site<Lanes>(name + "_surface", stencil.surface(out.subset()), n_groups, kernel, exec);
  };
  switch (lattice.halo_options().overlap) {
    case HaloOptions::Overlap::blocking:
      return blocking();
    case HaloOptions::Overlap::overlapped:
      return overlapped();
    case HaloOptions::Overlap::tuned:
      break;
  }
  TuneKey key = halo.tune_key();
  key.kernel = name;
  key.choice = "overlap";
  key.sites = out.subset() == Subset::all ? "all" : out.subset() == Subset::even ? "even" : "odd";
  key.results = n_groups;
  key.codec = launch.codec;
  lattice.tuner().run_best(key, 2, [&](int candidate) {
    candidate == 0 ? blocking() : overlapped();
    exec.fence(name);
  });
}

/// The same with the halo that an operator has for fields of the shape of `in`.
template <class Compressor = WholeSites, class In, class Out, class Make>
void run_stencil(const std::string& name, const StencilHalos& halos, const In& in, const Out& out, const Make& make,
                 const StencilLaunch& launch = {}) {
  run_stencil(name, halos.stencil<typename In::Lanes>(), halos.halo<Compressor>(in), in, out, make, launch);
}

}  // namespace kov
