// SPDX-License-Identifier: MIT
#include "kov/stencil/functions/slice_series.hpp"

#include "kov/stencil/functions/slice_smearing.hpp"
#include "kov/stencil/functions/slice_table.hpp"

namespace kov::detail {

namespace {

#if !defined(KOKKOS_ENABLE_CUDA)

/// All steps of some components of one slice.  From each step to the next the vector, the one before and the input stay
/// in the caches.
template <template <class> class SiteT, class T>
struct SliceSeriesKernel {
  static constexpr int N = default_lanes;
  using View = FieldView<SiteT, T>;
  using Slice = SliceView<SiteT, T, InEither>;
  using Token = Kokkos::Experimental::UniqueToken<Kokkos::DefaultExecutionSpace>;

  LinkView<T> links;
  View in, out;
  const std::uint32_t* neighbours;
  const std::uint8_t* crossings;
  const int* outer;
  const SeriesStep* steps;
  T* buffers;
  int n, n_components, at_once, n_steps;
  Token token;

  void operator()(int task) const {
    const int parts = (n_components + at_once - 1) / at_once, t = task / parts, first = task % parts * at_once;
    const int count = std::min(at_once, n_components - first);
    const std::size_t slice = std::size_t(n) * std::size_t(at_once) * View::block;
    const int id = token.acquire();
    const int* const where = outer + std::size_t(t) * std::size_t(n);
    const Slice source(in, where, first), target(out, where, first);
    T* const buffer = buffers + 2 * std::size_t(id) * slice;
    const Slice own[2] = {{buffer, n, count}, {buffer + slice, n, count}};
    Slice from = source;
    for (int k = 0; k < n_steps; ++k) {
      // A single step in place reads neighbours of what it would write.
      const bool direct = k + 1 == n_steps && k > 0;
      const Slice& to = direct ? target : own[k % 2];
      step(steps[k], source, from, own[k % 2], to, where, count);
      from = to;
    }
    if (n_steps == 1)
      for (int i = 0; i < n; ++i)
        for (int c = 0; c < count; ++c) target.set(i, c, from(i, c));
    token.release(id);
  }

 private:
  void step(const SeriesStep& s, const Slice& source, const Slice& from, const Slice& before, const Slice& to,
            const int* where, int count) const {
    using Value = SiteT<Pack<T, N>>;
    using R = Pack<T, N>;
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < count; ++c) {
        Value sum = zero<Value>();
        add_slice_legs(sum, links, from, neighbours, crossings, where, i, c);
        Value result = zero<Value>();
        if (s.has_before) result -= before(i, c);
        multiply_add(result, R(T(s.source)), source(i, c));
        multiply_add(result, R(T(s.alpha)), from(i, c));
        multiply_add(result, R(T(s.beta)), sum);
        to.set(i, c, result);
      }
  }
};

#endif

}  // namespace

template <template <class> class SiteT, class T>
void apply_steps_by_slices([[maybe_unused]] const GaugeLinks<T>& links,
                           [[maybe_unused]] const std::vector<SeriesStep>& steps, const Field<SiteT, T>& in,
                           [[maybe_unused]] const Field<SiteT, T>& out) {
  require(worth_slices(in), "slices of", in.name(), "cannot be smeared one by one: ask worth_slices() first");
#if !defined(KOKKOS_ENABLE_CUDA)
  const SliceTable& table = SliceTable::of(in.lattice());
  using Kernel = SliceSeriesKernel<SiteT, T>;
  const int at_once = components_at_once(in, 3), parts = (in.n_components() + at_once - 1) / at_once;
  const typename Kernel::Token token;
  const Buffer<T> buffers("slice series", 2 * std::size_t(token.size()) * std::size_t(table.n) * std::size_t(at_once) *
                                              Kernel::View::block);
  Kokkos::parallel_for("slice_series",
                       Kokkos::RangePolicy<Kokkos::Schedule<Kokkos::Dynamic>>(0, in.layout().outer_extent()[3] * parts,
                                                                              Kokkos::ChunkSize(1)),
                       Kernel{links.view(), in.view(), out.view(), table.neighbours.data(),
                              Stencil::of_space(in.lattice()).view().crossings, table.outer.data(), steps.data(),
                              buffers.data(), table.n, in.n_components(), at_once, int(steps.size()), token});
  Kokkos::fence("slices done");
#endif
}

template void apply_steps_by_slices(const GaugeLinks<float>&, const std::vector<SeriesStep>&,
                                    const Field<ColorVector, float>&, const Field<ColorVector, float>&);
template void apply_steps_by_slices(const GaugeLinks<double>&, const std::vector<SeriesStep>&,
                                    const Field<ColorVector, double>&, const Field<ColorVector, double>&);
template void apply_steps_by_slices(const GaugeLinks<float>&, const std::vector<SeriesStep>&,
                                    const Field<Spinor, float>&, const Field<Spinor, float>&);
template void apply_steps_by_slices(const GaugeLinks<double>&, const std::vector<SeriesStep>&,
                                    const Field<Spinor, double>&, const Field<Spinor, double>&);

}  // namespace kov::detail
