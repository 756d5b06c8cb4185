// SPDX-License-Identifier: MIT
//
// Launches of stencil operators: run_stencil(), the view of the stencil that a kernel gets, and prefetches.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/field/shared_view.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/launch/function_ref.hpp"
#include "kov/core/launch/launch_shape.hpp"
#include "kov/core/launch/streaming.hpp"
#include "kov/stencil/halo/stencil_halos.hpp"
#include "kov/stencil/operator_work.hpp"

#include <memory>
#include <optional>
#include <string_view>

namespace kov {

/// The most bytes that a stencil operator from in to out with n_legs legs reads and writes, a link for every site and
/// leg included, as LinkStorage stores it.
template <class LinkStorage, class FieldT>
std::size_t operator_bytes(const FieldT& in, const FieldT& out, int n_legs) {
  const std::size_t sites = std::size_t(out.range().n_outer) * out.layout().lanes();
  return in.bytes() + out.bytes() +
         sites * std::size_t(n_legs) * std::size_t(detail::bytes_of_site<ColorMatrix, LinkStorage>);
}

/// A halo of nearest neighbours for fields of this shape that the lattice keeps, for free functions; one exchange at a
/// time.  Operators keep their own halos, see StencilHalos.
template <template <class> class SiteT, class T, class Lanes = SiteLanes>
const Halo<SiteT, T, Lanes>& halo_for(const Lattice& lattice, int n_components, const HaloChoice& choice = {}) {
  using H = Halo<SiteT, T, Lanes>;
  return HaloTable::of_nearest(lattice, choice).template find<H>(n_components, [&] {
    const bool columns = has_packs && Lanes::holds_columns;
    return std::make_shared<const H>(lattice, columns ? Stencil::of_columns(lattice) : Stencil::of(lattice),
                                     n_components, choice);
  });
}

namespace detail {
/// The shared view of a field with its halo, see kov/core/field/shared_view.hpp.
template <template <class> class Part, template <class> class SiteT, class T, class Lanes>
auto shared_view(const NeighbourView<SiteT, T, Lanes>& view) {
  const auto field = shared_view<Part>(view.field()), halo = shared_view<Part>(view.halo());
  if constexpr (holds_fours<Lanes>)
    return NeighbourView<Part, T, FourColumns>(field, halo);
  else
    return NeighbourView<SiteT, T>(field, halo);
}
}  // namespace detail

/// In kernels over packs or columns: prefetches what the next call will read on one leg: the next component, or, after
/// the last one, the links and component 0 of the next outer site.  neighbour: whether the neighbour is prefetched and
/// not only links.
template <class Site, class Near, class Links, class In>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_next_on_leg(const Stencil::View& stencil, const Near& near,
                                                      const Links& links, const In& in, Site x, int leg, int component,
                                                      int n_components, bool neighbour = true) {
  if constexpr (!std::is_same_v<Site, LaneSite>) {
    with_component_after(
        x, component, n_components, [&](Site next, int c, auto is_at_x) __attribute__((always_inline)) {
          if constexpr (decltype(is_at_x)::value) {
            if (neighbour) prefetch_neighbour(in, near, leg, c);
          } else {
            const auto near_next = stencil.at(next);
            links.prefetch(next, near_next, leg);
            if (neighbour) prefetch_neighbour(in, near_next, leg, c);
          }
        });
  }
}

/// The same in kernels that call it for each of all legs.  Colour vectors need so little arithmetic on a leg that the
/// first leg prefetches for all.  Where lanes are sites, neighbours in x and in -y are not prefetched: sites of this
/// row or of the two before it read them, and they are still in a cache.  Legs are in the order of
/// nearest_neighbours(), or repetitions of it.
template <class Site, class Near, class Links, class In>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_next(const Stencil::View& stencil, const Near& near, const Links& links,
                                               const In& in, Site x, int leg, int component, int n_components) {
  constexpr bool all_at_once = In::n_complex <= 3;
  if (all_at_once && leg > 0) return;
  for (int l = leg; l < (all_at_once ? stencil.n_legs : leg + 1); ++l)
    prefetch_next_on_leg(stencil, near, links, in, x, l, component, n_components,
                         std::is_same_v<Site, ColumnSite> || l % 8 == 2 || l % 8 >= 4);
}

/// How a stencil kernel is launched.
struct StencilLaunch {
  /// How the fields that the kernel reads besides `in` are stored, if its speed depends on that.
  std::string_view codec = "plain";
  /// The variant of the halo's compressor.
  int variant = 0;
  /// Where the kernel runs, and what the exchange is ordered on.
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

/// A launch that reads no halo, as the tuner's key describes it.
struct LocalLaunch {
  std::string_view name, codec;
  Subset sites;
  int components, results, n_legs;
  int complex_numbers, real_bytes, lanes;  // of the field that is read
  bool of_columns;                         // what its lanes are

  friend bool operator==(const LocalLaunch&, const LocalLaunch&) = default;
};
template <class In, class Out>
LocalLaunch local_launch(const std::string& name, const In& in, const Out& out, int n_legs,
                         const StencilLaunch& launch) {
  return {name,
          launch.codec,
          out.subset(),
          in.n_groups(),
          out.n_groups(),
          n_legs,
          In::View::n_complex,
          int(sizeof(typename In::Stored)),
          In::View::lanes,
          In::View::holds_columns};
}

/// Runs it in the shape that the lattice's tuner chooses where it has a file, else in the default shape.  A rank may
/// run such launches by itself, so where there are several ranks, which would have to agree, they are not tuned.
/// layout: of the sites that are written; legs(): of its stencil, asked for at the first launch.
void run_local(const Lattice& lattice, const Layout& layout, const Exec& exec, const LocalLaunch& launch,
               FunctionRef<std::string()> legs, FunctionRef<void(const LaunchShape& shape)> run);

/// run_stencil() where no neighbour is in a halo.
template <class HaloT, class In, class Out, class Make>
void run_without_halo(const std::string& name, const HaloT& halo, const In& in, const Out& out, const Make& make,
                      const StencilLaunch& launch) {
  const auto kernel = make_local(halo.exchange(in, launch.variant, launch.exec), make);
  const auto run = [&](const LaunchShape& shape) {
    for_each_site<typename Out::Lanes>(name, out.range(), out.n_groups(), kernel, launch.exec, shape);
  };
  run_local(
      in.lattice(), out.layout(), launch.exec, local_launch(name, in, out, 8, launch),
      [] { return std::string("nearest"); }, run);
}

/// Sites that a kernel of a stencil is launched on: those of a list, which may be empty, or, without a list, those of a
/// range.
struct StencilSites {
  SiteRange range;
  std::optional<SiteList> list;
};

/// Launches a kernel, whose type is not known, on sites with these neighbours; is_local: none of those of the sites is
/// in a halo.
template <class Neighbours>
using RunOnSites = FunctionRef<void(const std::string& name, const StencilSites& sites, const Neighbours& neighbours,
                                    bool is_local, const LaunchShape& shape)>;

/// The runs of an operator with a halo: after the exchange (candidate 0) or overlapping with it (1), as the lattice's
/// ExchangeOptions say or whichever the tuner finds faster; then in the shape that the tuner chooses where it has a
/// file.
void run_with_halo(const std::string& name, const Lattice& lattice, const Layout& layout, const Exec& exec,
                   const HaloLaunches& launches, FunctionRef<void(int candidate, const LaunchShape& shape)> run);

/// run_stencil() where neighbours are in a halo: compiled once for all kernels that read such a field.
template <class HaloT, class In>
void run_around_halo(const std::string& name, const Stencil& stencil, const HaloT& halo, const In& in,
                     const SiteRange& range, Subset subset, int n_groups, const StencilLaunch& launch,
                     RunOnSites<typename HaloT::Neighbours> run_on) {
  const HaloLaunches& launches = halo.launches(in.lattice().tuner(), HaloReader{name, subset, n_groups, launch.codec});
  const auto run = [&](int candidate, const LaunchShape& shape) {
    if (candidate == 0) return run_on(name, {range, {}}, halo.exchange(in, launch.variant, launch.exec), false, shape);
    const auto neighbours = halo.begin(in, launch.variant, launch.exec);
    run_on(launches.interior, {range, stencil.interior(subset)}, neighbours, true, shape);
    halo.finish(launch.exec);
    run_on(launches.surface, {range, stencil.surface(subset)}, neighbours, false, shape);
  };
  run_with_halo(name, in.lattice(), in.layout(), launch.exec, launches, run);
}

}  // namespace detail

/// Runs kernel = make(neighbours) on the sites of `out` with the neighbours of `in`: after the halo exchange or
/// overlapping with it, as the lattice's ExchangeOptions say or whichever the tuner finds faster.  Results are bitwise
/// the same.  The kernel is called for every group of components of `out`.  Ordered on launch.exec.
///
/// Launches without halos, and the interior of an overlapped one, read through neighbours.local() where that exists.
template <class HaloT, class In, class Out, class Make>
void run_stencil(const std::string& name, const Stencil& stencil, const HaloT& halo, const In& in, const Out& out,
                 const Make& make, const StencilLaunch& launch = {}) {
  using Lanes = typename Out::Lanes;
  const int n_groups = out.n_groups();
  const auto run_on = [&](const std::string& part, const detail::StencilSites& sites, const auto& neighbours,
                          bool is_local, const LaunchShape& shape) {
    const auto run = [&](const auto& kernel) {
      if (sites.list)
        for_each_site<Lanes>(part, *sites.list, n_groups, kernel, launch.exec, shape);
      else
        for_each_site<Lanes>(part, sites.range, n_groups, kernel, launch.exec, shape);
    };
    if (is_local)
      run(detail::make_local(neighbours, make));
    else
      run(make(neighbours));
  };
  if (!halo.active()) {
    const auto neighbours = halo.exchange(in, launch.variant, launch.exec);
    const auto run = [&](const LaunchShape& shape) { run_on(name, {out.range(), {}}, neighbours, true, shape); };
    const auto local = detail::local_launch(name, in, out, int(stencil.legs().size()), launch);
    return detail::run_local(
        in.lattice(), out.layout(), launch.exec, local, [&] { return stencil.name(); }, run);
  }
  detail::run_around_halo(name, stencil, halo, in, out.range(), out.subset(), n_groups, launch, run_on);
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
  any_and_nearest_and_local,
  /// Any legs, with a separate kernel for nearest neighbours of which none is in a halo.
  any_and_local
};

/// The forms of a kernel over these views of fields and links: `most`, if memory holds what kernels compute in.  Where
/// a codec decodes, a special view saves little, and the kernel has one form fewer.
template <StencilForms most, class... Views>
inline constexpr StencilForms forms_for = (Views::Codec::is_plain && ...) ? most
                                          : most == StencilForms::any_and_nearest_and_local
                                              ? StencilForms::any_and_local
                                          : most == StencilForms::nearest_and_local ? StencilForms::nearest
                                                                                    : most;

/// Calls f with the most special of these views that fits the stencil.
template <StencilForms forms, class F>
void with_view(const Stencil& stencil, const F& f) {
  using enum StencilForms;
  constexpr bool takes_any =
      forms == any || forms == any_and_nearest || forms == any_and_nearest_and_local || forms == any_and_local;
  if constexpr (has_packs) {
    f(takes_any ? Stencil::NearestView{stencil.view()} : stencil.nearest());
  } else {
    if constexpr (takes_any)
      if (forms == any || !stencil.is_nearest() || (forms == any_and_local && stencil.halo().any()))
        return f(stencil.view());
    if constexpr (forms == nearest_and_local || forms == any_and_nearest_and_local || forms == any_and_local)
      if (!stencil.halo().any()) return f(stencil.local());
    if constexpr (forms != any && forms != any_and_local) f(stencil.nearest());
  }
}

/// The same for kernel = make(neighbours, view), with the view that with_view() chooses.  A kernel may read neighbours
/// in other fields too, on legs of the same stencil: their halos have been exchanged before.
template <StencilForms forms, class HaloT, class In, class Out, class Make>
void run_stencil(const std::string& name, const Stencil& stencil, const HaloT& halo, const In& in, const Out& out,
                 const Make& make, const StencilLaunch& launch = {}) {
  with_view<forms>(stencil, [&](const auto& view) {
    const auto make_with_view = [&](const auto& neighbours) { return make(neighbours, view); };
    if constexpr (std::is_same_v<decltype(view), const Stencil::LocalView&>)
      detail::run_without_halo(name, halo, in, out, make_with_view, launch);
    else
      run_stencil(name, stencil, halo, in, out, make_with_view, launch);
  });
}

/// The same with the halo that an operator keeps for fields of the shape of `in`.
template <class Compressor = WholeSites, class In, class Out, class Make>
void run_stencil(const std::string& name, const StencilHalos& halos, const In& in, const Out& out, const Make& make,
                 const StencilLaunch& launch = {}) {
  run_stencil(name, halos.stencil<typename In::Lanes>(), halos.halo<Compressor>(in), in, out, make, launch);
}

/// The same with the halo of an operator and the view that with_view() chooses: kernel = make(neighbours, view).
template <StencilForms forms, class Compressor = WholeSites, class In, class Out, class Make>
void run_stencil(const std::string& name, const StencilHalos& halos, const In& in, const Out& out, const Make& make,
                 const StencilLaunch& launch = {}) {
  run_stencil<forms>(name, halos.stencil<typename In::Lanes>(), halos.halo<Compressor>(in), in, out, make, launch);
}

}  // namespace kov
