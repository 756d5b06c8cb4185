// SPDX-License-Identifier: MIT
#include "kov/stencil/slice_smearing.hpp"

#include "kov/core/runtime.hpp"

namespace kov {

namespace {

/// Columns of slices that a thread works on at a time stay below this, both buffers together; longer ones are cut to
/// fewer components.
constexpr std::size_t cache_bytes = std::size_t(3) << 20, largest_bytes = std::size_t(24) << 20;

int outer_slice(const Layout& layout) {
  return layout.outer_extent()[0] * layout.outer_extent()[1] * layout.outer_extent()[2];
}

/// Of both buffers of one component.
template <template <class> class SiteT, class T>
std::size_t buffer_bytes(const Field<SiteT, T>& field) {
  return 2 * std::size_t(outer_slice(field.layout())) * Field<SiteT, T>::View::block * sizeof(T);
}

#if !defined(KOKKOS_ENABLE_CUDA)

/// The six spatial neighbours of each site of a slice, numbered lexicographically, the same for every slice; and where
/// the sites of every slice are.
struct SliceTable {
  explicit SliceTable(const Layout& layout) {
    const Coord& box = layout.outer_extent();
    n = outer_slice(layout);
    std::vector<std::uint32_t> to(std::size_t(n) * 6);
    std::vector<int> where(std::size_t(n) * std::size_t(box[3]));
    for (int i = 0; i < n; ++i) {
      const Coord x = coordinate(i, {box[0], box[1], box[2], 1});
      for (int leg = 0; leg < 6; ++leg) {
        const int mu = leg / 2;
        Coord y = x;
        y[mu] += leg % 2 ? -1 : +1;
        const bool wraps = y[mu] < 0 || y[mu] >= box[mu];
        y[mu] = (y[mu] + box[mu]) % box[mu];
        to[std::size_t(i) * 6 + std::size_t(leg)] =
            std::uint32_t(lexicographic(y, box)) << 3 | std::uint32_t(wraps ? layout.lane_bit(mu) : 0);
      }
      for (int t = 0; t < box[3]; ++t)
        where[std::size_t(t) * std::size_t(n) + std::size_t(i)] = layout.outer_index({x[0], x[1], x[2], t});
    }
    neighbours = Buffer<std::uint32_t>("slice neighbours", to);
    outer = Buffer<int>("slice sites", where);
  }

  int n;
  Buffer<std::uint32_t> neighbours;  // [site][leg]: site << 3 | lanes to exchange
  Buffer<int> outer;                 // [slice][site]
};

/// Components first, ..., of a slice in a field.
template <template <class> class SiteT, class T>
struct SliceInField {
  FieldView<SiteT, T, default_lanes> view;
  const int* outer;
  int first;
  T* address(int i, int c) const { return view.address(outer[i], first + c); }
};
/// The same in a buffer of its own.
template <template <class> class SiteT, class T>
struct SliceInBuffer {
  T* data;
  int n_components;
  T* address(int i, int c) const {
    return data +
           (std::size_t(i) * std::size_t(n_components) + std::size_t(c)) * FieldView<SiteT, T, default_lanes>::block;
  }
};

/// All steps of some components of one slice.
template <template <class> class SiteT, class T>
struct SliceKernel {
  static constexpr int N = default_lanes;
  using View = FieldView<SiteT, T, N>;
  using Value = SiteT<Pack<T, N>>;
  using Token = Kokkos::Experimental::UniqueToken<Kokkos::DefaultExecutionSpace>;

  LinkView<T> links;
  View in, out;
  const std::uint32_t* neighbours;
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
    const SliceInField<SiteT, T> source{in, outer + std::size_t(t) * std::size_t(n), first},
        target{out, source.outer, first};
    SliceInBuffer<SiteT, T> from{buffer, count}, to{buffer + slice, count};
    if (n_steps == 1) {
      step(source, from, source.outer, count);
      for (int i = 0; i < n; ++i)
        for (int c = 0; c < count; ++c) std::copy_n(from.address(i, c), View::block, target.address(i, c));
    } else {
      step(source, from, source.outer, count);
      for (int k = 2; k < n_steps; ++k, std::swap(from, to)) step(from, to, source.outer, count);
      step(from, target, source.outer, count);
    }
    token.release(id);
  }

 private:
  template <class From, class To>
  void step(const From& from, const To& to, const int* where, int count) const {
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < count; ++c) {
        Value sum = zero<Value>();
        for (int leg = 0; leg < 6; ++leg) {
          const std::uint32_t entry = neighbours[i * 6 + leg];
          color_multiply_add(sum, links.read(PackSite{where[i]}, 0, leg),
                             SiteInMemory<SiteT, T, N>(from.address(int(entry >> 3), c), int(entry & 7)));
        }
        using R = Pack<T, N>;
        sum = R(beta) * sum;
        multiply_add(sum, R(alpha), View(from.address(i, c), 0, 1)(PackSite{0}));
        View(to.address(i, c), 0, 1).set(PackSite{0}, sum);
      }
  }
};

/// As many components at once as fit into the cache, and no more than leave every thread some tasks.
template <template <class> class SiteT, class T>
int components_at_once(const Field<SiteT, T>& field) {
  int k = std::max(1, std::min(int(cache_bytes / buffer_bytes(field)), field.n_components()));
  while (k > 1 && field.layout().outer_extent()[3] * (field.n_components() / k) < 4 * Runtime::threads()) --k;
  return k;
}

#endif

}  // namespace

template <template <class> class SiteT, class T>
bool worth_slices(const Field<SiteT, T>& field) {
  const Layout& layout = field.layout();
  const Lattice& lattice = field.lattice();
  if (!has_packs || layout.order() != Order::virtual_nodes) return false;
  for (int mu = 0; mu < 3; ++mu)
    if (lattice.communicates(mu)) return false;
  return buffer_bytes(field) <= largest_bytes && layout.outer_extent()[3] * field.n_components() >= Runtime::threads();
}

template <template <class> class SiteT, class T>
void smear_slices([[maybe_unused]] const GaugeLinks<T>& links, [[maybe_unused]] const SmearingSteps& steps,
                  const Field<SiteT, T>& in, [[maybe_unused]] const Field<SiteT, T>& out) {
  require(worth_slices(in), "slices of", in.name(), "cannot be smeared one by one: ask worth_slices() first");
#if !defined(KOKKOS_ENABLE_CUDA)
  const SliceTable& table =
      in.lattice().template remember<SliceTable>("slice table", [&] { return SliceTable(in.layout()); });
  using Kernel = SliceKernel<SiteT, T>;
  const int at_once = components_at_once(in), parts = (in.n_components() + at_once - 1) / at_once;
  const typename Kernel::Token token;
  const Buffer<T> buffers("slice smearing", 2 * std::size_t(token.size()) * std::size_t(table.n) *
                                                std::size_t(at_once) * Kernel::View::block);
  Kokkos::parallel_for(
      "smear_slices",
      Kokkos::RangePolicy<Kokkos::Schedule<Kokkos::Dynamic>>(0, in.layout().outer_extent()[3] * parts,
                                                             Kokkos::ChunkSize(1)),
      Kernel{links.view(), in.view(), out.view(), table.neighbours.data(), table.outer.data(), buffers.data(), table.n,
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
