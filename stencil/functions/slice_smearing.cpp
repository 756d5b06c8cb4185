// SPDX-License-Identifier: MIT
#include "kov/stencil/functions/slice_smearing.hpp"

#include "kov/stencil/functions/slice_table.hpp"

namespace kov {

namespace {

#if !defined(KOKKOS_ENABLE_CUDA)

/// All steps of some components of one slice.
template <template <class> class SiteT, class T>
struct SliceKernel {
  static constexpr int N = default_lanes;
  using View = FieldView<SiteT, T>;
  using Value = SiteT<Pack<T, N>>;
  using InField = detail::SliceView<SiteT, T, detail::InField>;
  using InBuffer = detail::SliceView<SiteT, T, detail::InBuffer>;
  using Token = Kokkos::Experimental::UniqueToken<Kokkos::DefaultExecutionSpace>;

  LinkView<T> links;
  View in, out;
  const std::uint32_t* neighbours;
  const std::uint8_t* crossings;
  const int* outer;
  T* buffers;
  int n, n_components, at_once, n_steps;
  T alpha, beta;
  Token token;

  void operator()(int task) const {
    const int parts = (n_components + at_once - 1) / at_once, t = task / parts, first = task % parts * at_once;
    const int count = std::min(at_once, n_components - first);
    const std::size_t slice = std::size_t(n) * std::size_t(at_once) * View::block;
    const int id = token.acquire();
    T* const buffer = buffers + 2 * std::size_t(id) * slice;
    const int* const where = outer + std::size_t(t) * std::size_t(n);
    const InField source(in, where, first), target(out, where, first);
    InBuffer from(buffer, n, count), to(buffer + slice, n, count);
    step(source, from, where, count);
    if (n_steps == 1) {
      for (int i = 0; i < n; ++i)
        for (int c = 0; c < count; ++c) target.set(i, c, from(i, c));
    } else {
      for (int k = 2; k < n_steps; ++k, std::swap(from, to)) step(from, to, where, count);
      step(from, target, where, count);
    }
    token.release(id);
  }

 private:
  template <class From, class To>
  void step(const From& from, const To& to, const int* where, int count) const {
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < count; ++c) {
        Value sum = zero<Value>();
        detail::add_slice_legs(sum, links, from, neighbours, crossings, where, i, c);
        using R = Pack<T, N>;
        sum = R(beta) * sum;
        multiply_add(sum, R(alpha), from(i, c));
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
  return 2 * detail::slice_bytes(field) <= detail::slice_largest_bytes &&
         layout.outer_extent()[3] * field.n_components() >= Runtime::threads();
}

template <template <class> class SiteT, class T>
void smear_slices([[maybe_unused]] const GaugeLinks<T>& links, [[maybe_unused]] const SmearingSteps& steps,
                  const Field<SiteT, T>& in, [[maybe_unused]] const Field<SiteT, T>& out) {
  require(worth_slices(in), "slices of", in.name(), "cannot be smeared one by one: ask worth_slices() first");
#if !defined(KOKKOS_ENABLE_CUDA)
  const detail::SliceTable& table = detail::SliceTable::of(in.lattice());
  using Kernel = SliceKernel<SiteT, T>;
  const int at_once = detail::components_at_once(in, 2), parts = (in.n_components() + at_once - 1) / at_once;
  const typename Kernel::Token token;
  const Buffer<T> buffers("slice smearing", 2 * std::size_t(token.size()) * std::size_t(table.n) *
                                                std::size_t(at_once) * Kernel::View::block);
  Kokkos::parallel_for(
      "smear_slices",
      Kokkos::RangePolicy<Kokkos::Schedule<Kokkos::Dynamic>>(0, in.layout().outer_extent()[3] * parts,
                                                             Kokkos::ChunkSize(1)),
      Kernel{links.view(), in.view(), out.view(), table.neighbours.data(),
             Stencil::of_space(in.lattice()).view().crossings, table.outer.data(), buffers.data(), table.n,
             in.n_components(), at_once, steps.n_steps, T(steps.alpha), T(steps.beta), token});
  Kokkos::fence("slices smeared");
#endif
}

template bool worth_slices(const Field<ColorVector, float>&);
template bool worth_slices(const Field<ColorVector, double>&);
template bool worth_slices(const Field<Spinor, float>&);
template bool worth_slices(const Field<Spinor, double>&);
template void smear_slices(const GaugeLinks<float>&, const SmearingSteps&, const Field<ColorVector, float>&,
                           const Field<ColorVector, float>&);
template void smear_slices(const GaugeLinks<double>&, const SmearingSteps&, const Field<ColorVector, double>&,
                           const Field<ColorVector, double>&);
template void smear_slices(const GaugeLinks<float>&, const SmearingSteps&, const Field<Spinor, float>&,
                           const Field<Spinor, float>&);
template void smear_slices(const GaugeLinks<double>&, const SmearingSteps&, const Field<Spinor, double>&,
                           const Field<Spinor, double>&);

}  // namespace kov
