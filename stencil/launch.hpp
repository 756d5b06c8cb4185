// SPDX-License-Identifier: MIT
//
// Launches of stencil operators: run_stencil(), the view of the stencil that a kernel gets, and prefetches.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/lattice/tune.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/launch/streaming.hpp"
#include "kov/stencil/halo/stencil_halos.hpp"

#include <string_view>
#include <tuple>

namespace kov {

/// The most bytes that a stencil operator from in to out with n_legs legs reads and writes, a link for every site and
/// leg included.
template <class FieldT>
std::size_t operator_bytes(const FieldT& in, const FieldT& out, int n_legs) {
  const std::size_t sites = std::size_t(out.range().n_outer) * out.layout().lanes();
  return in.bytes() + out.bytes() + sites * 18 * std::size_t(n_legs) * sizeof(typename FieldT::Real);
}

/// A halo of nearest neighbours for fields of this shape that the lattice keeps, for free functions; one exchange at a
/// time.  Operators keep their own halos, see StencilHalos.
template <template <class> class SiteT, class T>
const Halo<SiteT, T>& halo_for(const Lattice& lattice, int n_components, const HaloChoice& choice = {}) {
  using H = Halo<SiteT, T>;
  return lattice.remember<H>(std::tuple(n_components, choice), [&] { return H(lattice, n_components, choice); });
}

/// In kernels over packs or columns: prefetches what the next call will read on one leg: the next component, or, after
/// the last one, the links and component 0 of the next outer site.  Colour vectors need so little arithmetic on a leg
/// that the first leg prefetches for all.
template <class Site, class Near, class Links, class In>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_next(const Stencil::View& stencil, const Near& near, const Links& links,
                                               const In& in, Site x, int leg, int component, int n_components) {
  if constexpr (!std::is_same_v<Site, LaneSite>) {
    constexpr bool all_at_once = In::n_complex <= 3;
    if (all_at_once && leg > 0) return;
    const Site next = site_after(x);
    const auto near_next = stencil.at(next);
    for (int l = leg; l < (all_at_once ? stencil.n_legs : leg + 1); ++l) {
      if (component + 1 < n_components) {
        prefetch_neighbour(in, near, l, component + 1);
      } else {
        links.prefetch(next, near_next, l);
        prefetch_neighbour(in, near_next, l, 0);
      }
    }
  }
}

/// How a stencil kernel is launched.
struct StencilLaunch {
  /// How the fields that the kernel reads besides `in` are stored, if its speed depends on that.
  std::string_view codec = "plain";
  /// Of the halo's compressor.
  int variant = 0;
  Exec exec = {};
};

namespace detail {

/// The kernel for launches that read no halo: it reads through neighbours.local() where that exists.
template <class Neighbours, class Make>
auto make_local(const Neighbours& neighbours, const Make& make) {
  if constexpr (requires { neighbours.local(); })
    return make(neighbours.local());
  else
    return make(neighbours);
}

/// run_stencil() where no neighbour is in a halo.
template <class HaloT, class In, class Out, class Make>
void run_without_halo(const std::string& name, const HaloT& halo, const In& in, const Out& out, const Make& make,
                      const StencilLaunch& launch) {
  for_each_site<typename Out::Lanes>(name, out.range(), out.n_groups(),
                                     make_local(halo.exchange(in, launch.variant, launch.exec), make), launch.exec);
}

}  // namespace detail

/// Runs kernel = make(neighbours) on the sites of `out` with the neighbours of `in`: after the halo exchange or
/// overlapping with it, as the lattice's HaloOptions say or whichever the tuner finds faster.  Results are bitwise the
/// same.  The kernel is called for every group of components of `out`.  Ordered on launch.exec.
///
/// Launches without halos, and the interior of an overlapped one, read through neighbours.local() where that exists.
template <class HaloT, class In, class Out, class Make>
void run_stencil(const std::string& name, const Stencil& stencil, const HaloT& halo, const In& in, const Out& out,
                 const Make& make, const StencilLaunch& launch = {}) {
  if (!halo.active()) return detail::run_without_halo(name, halo, in, out, make, launch);
  using Lanes = typename Out::Lanes;
  const Lattice& lattice = in.lattice();
  const auto& exec = launch.exec;
  const int n_groups = out.n_groups();
  const auto blocking = [&] {
    for_each_site<Lanes>(name, out.range(), n_groups, make(halo.exchange(in, launch.variant, exec)), exec);
  };
  const auto overlapped = [&] {
    const auto neighbours = halo.begin(in, launch.variant, exec);
    for_each_site<Lanes>(name + "_interior", stencil.interior(out.subset()), n_groups,
                         detail::make_local(neighbours, make), exec);
    halo.finish(exec);
    for_each_site<Lanes>(name + "_surface", stencil.surface(out.subset()), n_groups, make(neighbours), exec);
  };
  const auto run = [&](int candidate) { candidate == 0 ? blocking() : overlapped(); };
  switch (lattice.halo_options().overlap) {
    case HaloOptions::Overlap::blocking:
      return run(0);
    case HaloOptions::Overlap::overlapped:
      return run(1);
    case HaloOptions::Overlap::tuned:
      break;
  }
  Tuner& tuner = lattice.tuner();
  Tuner::Choice& choice = halo.overlap_choice(tuner, {name, out.subset(), n_groups, launch.codec});
  if (choice.is_made()) return run(choice.candidate());
  tuner.run_best(choice, run, [&] { exec.fence(name); });
}

/// The views of a stencil that a kernel is compiled for.  On GPUs each view makes another kernel, and the more special
/// views find neighbours faster; on CPUs one view serves all stencils.
enum class StencilForms {
  /// Any legs.
  any,
  /// Any legs, with a separate kernel for nearest neighbours.
  any_and_nearest,
  /// The nearest neighbours.
  nearest,
  /// The nearest neighbours, with a separate kernel if none of them is in a halo.
  nearest_and_local,
  /// Any legs, with separate kernels for both of these.
  any_and_nearest_and_local
};

/// Calls f with the most special of these views that fits the stencil.
template <StencilForms forms, class F>
void with_view(const Stencil& stencil, const F& f) {
  using enum StencilForms;
  constexpr bool takes_any = forms == any || forms == any_and_nearest || forms == any_and_nearest_and_local;
  if constexpr (has_packs) {
    f(takes_any ? Stencil::NearestView{stencil.view()} : stencil.nearest());
  } else {
    if constexpr (takes_any)
      if (forms == any || !stencil.is_nearest()) return f(stencil.view());
    if constexpr (forms == nearest_and_local || forms == any_and_nearest_and_local)
      if (!stencil.halo().any()) return f(stencil.local());
    if constexpr (forms != any) f(stencil.nearest());
  }
}

/// The same with the halo that an operator keeps for fields of the shape of `in`.
template <class Compressor = WholeSites, class In, class Out, class Make>
void run_stencil(const std::string& name, const StencilHalos& halos, const In& in, const Out& out, const Make& make,
                 const StencilLaunch& launch = {}) {
  run_stencil(name, halos.stencil<typename In::Lanes>(), halos.halo<Compressor>(in), in, out, make, launch);
}

/// The same for kernel = make(neighbours, view), with the view that with_view() chooses.
template <StencilForms forms, class Compressor = WholeSites, class In, class Out, class Make>
void run_stencil(const std::string& name, const StencilHalos& halos, const In& in, const Out& out, const Make& make,
                 const StencilLaunch& launch = {}) {
  with_view<forms>(halos.stencil<typename In::Lanes>(), [&](const auto& view) {
    const auto make_with_view = [&](const auto& neighbours) { return make(neighbours, view); };
    if constexpr (std::is_same_v<decltype(view), const Stencil::LocalView&>)
      detail::run_without_halo(name, halos.halo<Compressor>(in), in, out, make_with_view, launch);
    else
      run_stencil<Compressor>(name, halos, in, out, make_with_view, launch);
  });
}

}  // namespace kov
