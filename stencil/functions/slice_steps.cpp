// SPDX-License-Identifier: MIT
#include "kov/stencil/functions/slice_steps.hpp"

#include "kov/core/launch/for_each_task.hpp"
#include "kov/stencil/functions/slice_stencil.hpp"
#include "kov/stencil/operators/laplacian_step.hpp"

namespace kov::detail {

namespace {

#if !defined(KOKKOS_ENABLE_CUDA)

/// Numbers of a slice of n outer sites and k components, and a few cache lines, so that slices which follow one another
/// do not begin at the same place of a page: their sites would compete for the same lines of the first cache.
template <class View>
std::size_t padded_slice(int n, int k) {
  constexpr std::size_t line = 64 / sizeof(typename View::Real);
  return std::size_t(n / View::outers) * std::size_t(k) * View::block + 21 * line;
}

/// All steps of some components of one slice.  The last two vectors and the input stay in the caches from each step to
/// the next.  Site: PairSite where the table has pairs and registers hold them.
template <template <class> class SiteT, class T, bool others, class Site>
struct SliceStepsKernel {
  using View = FieldView<SiteT, T>;
  using Step = StepAtSite<T, others>;
  using Slice = SliceView<SiteT, T>;
  using InField = SliceView<SiteT, T, SlicePlace::in_field>;
  using InBuffer = SliceView<SiteT, T, SlicePlace::in_buffer>;

  LinkView<T> links;
  View in, out;
  const std::uint32_t* neighbours;
  const std::uint64_t* pairs;
  const std::uint8_t* crossings;
  const std::uint32_t* crossing_legs;
  const int* outer;
  const Step* steps;
  T* buffers;  // two slices for each thread
  int n, n_components, at_once, n_steps;

  void operator()(int task, int thread) const {
    const int parts = (n_components + at_once - 1) / at_once, t = task / parts, first = task % parts * at_once;
    const int count = std::min(at_once, n_components - first);
    const std::size_t slice = padded_slice<View>(n, at_once);
    const int* const where = outer + std::size_t(t) * std::size_t(n);
    const SliceStencil stencil{neighbours, pairs, crossings, crossing_legs, where};
    const Slice source(in, where, first), target(out, where, first);
    T* const buffer = buffers + 2 * std::size_t(thread) * slice;
    const Slice own[2] = {{buffer, n, count}, {buffer + slice, n, count}};
    Slice from = source;
    for (int k = 0; k < n_steps; ++k) {
      // A single step never writes to out directly: out may be in, whose neighbours the step still reads.
      const bool direct = k + 1 == n_steps && k > 0;
      const Slice& to = direct ? target : own[k % 2];
      const Slice& before = steps[k].has_before ? own[k % 2] : from;
      if (k == 0)
        take(steps[k], source, InField(from), before, to, stencil, count);
      else
        take(steps[k], source, InBuffer(from), before, to, stencil, count);
      from = to;
    }
    if (n_steps == 1)
      for (int i = 0; i < n; ++i)
        for (int c = 0; c < count; ++c) target.set(PackSite{i}, c, from(PackSite{i}, c));
  }

 private:
  template <class From>
  void take(const Step& step, const Slice& source, const From& from, const Slice& before, const Slice& to,
            const SliceStencil& stencil, int count) const {
    // Kernels are compiled once more for links without factors where that is faster: colour vectors compute least.
    if constexpr (std::is_same_v<Site, PackSite>)
      if (!links.has_factors()) return take_with<false>(step, source, from, before, to, stencil, count);
    take_with<true>(step, source, from, before, to, stencil, count);
  }
  template <bool multiplies, class From>
  void take_with(const Step& step, const Slice& source, const From& from, const Slice& before, const Slice& to,
                 const SliceStencil& stencil, int count) const {
    const OtherFields<Slice, others> other{source, before};
    for (int k = 0; k < n; k += outers_of_site<Site>)
      for (int c = 0; c < count; ++c) {
        const Site i{k};
        auto sum = zero<decltype(from(i, c))>();
        add_slice_legs<multiplies>(sum, links, from, stencil, i, c);
        step.finish(sum, i, c, from, other);
        to.set(i, c, sum);
      }
  }
};

#endif

}  // namespace

template <template <class> class SiteT, class T>
bool worth_slices(const Field<SiteT, T>& field) {
  const Layout& layout = field.layout();
  const Lattice& lattice = field.lattice();
  if (!has_packs || layout.order() != Order::virtual_nodes) return false;
  for (int mu = 0; mu < 3; ++mu)
    if (lattice.communicates(mu)) return false;
  return 2 * slice_bytes(field) <= slice_largest_bytes &&
         layout.outer_extent()[3] * field.n_components() >= Runtime::threads();
}

template <template <class> class SiteT, class T>
void take_by_slices([[maybe_unused]] const GaugeLinks<T>& links,
                    [[maybe_unused]] const std::vector<LaplacianStep>& steps, const Field<SiteT, T>& in,
                    [[maybe_unused]] const Field<SiteT, T>& out, [[maybe_unused]] const Exec& exec) {
  require(worth_slices(in), "slices of", in.name(), "cannot be smeared one by one: ask worth_slices() first");
#if !defined(KOKKOS_ENABLE_CUDA)
  const SliceNeighbours& table = SliceNeighbours::of(in.lattice());
  const bool reads_others =
      std::any_of(steps.begin(), steps.end(), [](const LaplacianStep& step) { return step.reads_others(); });
  const auto take = [&]<class Site>(auto others, Site) {
    using Kernel = SliceStepsKernel<SiteT, T, decltype(others)::value, Site>;
    using View = typename Kernel::View;
    const std::vector<typename Kernel::Step> at_site(steps.begin(), steps.end());
    const int in_cache = reads_others ? 3 : 2;  // slices, of each component
    const int at_once = components_at_once(in, in_cache), parts = (in.n_components() + at_once - 1) / at_once;
    const Buffer<T> buffers("slices", 2 * std::size_t(n_task_threads(exec)) * padded_slice<View>(table.n, at_once));
    const Stencil::View space = Stencil::of_space(in.lattice()).view();
    for_each_task("slices_of_laplacian", in.layout().outer_extent()[3] * parts,
                  Kernel{links.view(), in.view(), out.view(), table.neighbours.data(), table.pairs.data(),
                         space.crossings, space.crossing_legs, table.outer.data(), at_site.data(), buffers.data(),
                         table.n, in.n_components(), at_once, int(steps.size())},
                  exec);
  };
  launch_step<typename Field<SiteT, T>::View>(reads_others, [&](auto others) {
    if constexpr (registers_hold_pairs<T>)
      if (table.has_pairs) return take(others, PairSite{});
    take(others, PackSite{});
  });
#endif
}

template bool worth_slices(const Field<ColorVector, float>&);
template bool worth_slices(const Field<ColorVector, double>&);
template bool worth_slices(const Field<Spinor, float>&);
template bool worth_slices(const Field<Spinor, double>&);
template void take_by_slices(const GaugeLinks<float>&, const std::vector<LaplacianStep>&,
                             const Field<ColorVector, float>&, const Field<ColorVector, float>&, const Exec&);
template void take_by_slices(const GaugeLinks<double>&, const std::vector<LaplacianStep>&,
                             const Field<ColorVector, double>&, const Field<ColorVector, double>&, const Exec&);
template void take_by_slices(const GaugeLinks<float>&, const std::vector<LaplacianStep>&, const Field<Spinor, float>&,
                             const Field<Spinor, float>&, const Exec&);
template void take_by_slices(const GaugeLinks<double>&, const std::vector<LaplacianStep>&, const Field<Spinor, double>&,
                             const Field<Spinor, double>&, const Exec&);

}  // namespace kov::detail
