// SPDX-License-Identifier: MIT
#include "kov/algebra/preconditioning/schwarz_blocks.hpp"

#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/launch/work.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/core/vectors/slice_sum.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>

namespace kov {

namespace detail {

template <class View>
struct GatherBlocksKernel {
  const int* places;
  View whole, part;

  KOKKOS_FUNCTION void operator()(LaneSite x, int c) const {
    const int place = places[x.outer * default_lanes + x.lane];
    if (place >= 0)
      part.set(x, whole(LaneSite{place / default_lanes, place % default_lanes}, c), c);
    else
      part.set(x, zero<std::decay_t<decltype(part(x, c))>>(), c);
  }
};

template <class View>
struct AddBlocksKernel {
  const int* places;
  View part, whole;

  KOKKOS_FUNCTION void operator()(LaneSite x, int c) const {
    const int place = places[x.outer * default_lanes + x.lane];
    if (place < 0) return;
    const LaneSite to{place / default_lanes, place % default_lanes};
    whole.set(to, whole(to, c) + part(x, c), c);
  }
};

/// q^+ r and |q|^2 of column b in double, so that small residuals in float do not vanish squared.
template <class View>
struct BlockProductsKernel {
  static constexpr bool takes_pairs = View::outers == 2;

  View q, r;

  template <class Site, class R>
  KOKKOS_FUNCTION void operator()(Site x, int b, Complex<R>* value) const {
    const auto v = q(x, b), w = r(x, b);
    Complex<R> product{R(0.0), R(0.0)};
    R square(0.0);
    kov::unroll<View::n_complex>([&](int i) __attribute__((always_inline)) {
      const auto z = to_double(v.z[i]);
      conj_multiply_add(product, z, to_double(w.z[i]));
      square += norm2(z);
    });
    value[0] = product;
    value[1] = {square, R(0.0)};
  }
};

/// x = x + a r, and unless it is the last step r = r - a q, where a depends on block and column.
template <class View>
struct BlockStepKernel {
  using T = typename View::Real;
  View q, r, x;
  const int* of_block;
  const Complex<T>* steps;  // [block][column]
  int n_columns;
  bool is_last;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site at, int c) const {
    const auto a = step(at, c);
    auto residual = r(at, c), solution = x(at, c);
    kov::unroll<View::n_complex>([&](int i)
                                     __attribute__((always_inline)) { multiply_add(solution.z[i], a, residual.z[i]); });
    x.set(at, solution, c);
    if (is_last) return;
    const auto image = q(at, c);
    kov::unroll<View::n_complex>([&](int i)
                                     __attribute__((always_inline)) { multiply_add(residual.z[i], -a, image.z[i]); });
    r.set(at, residual, c);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Complex<T> step(LaneSite at, int c) const {
    return steps[of_block[at.outer * default_lanes + at.lane] * n_columns + c];
  }
#if !defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_FORCEINLINE_FUNCTION auto step(PackSite at, int c) const {
    Complex<Pack<T, default_lanes>> a;
    for (int lane = 0; lane < default_lanes; ++lane) {
      const Complex<T> one = step(LaneSite{at.outer, lane}, c);
      a.re.set_lane(lane, one.re);
      a.im.set_lane(lane, one.im);
    }
    return a;
  }
#endif
};

}  // namespace detail

namespace {

void require_blocks(const Lattice& whole, const Coord& block, BlockColour colour) {
  whole.require_same("blocks of the lattice", to_string(block), int(colour));
  int n_odd = 0;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int extent = whole.extent()[mu], n = block[mu] > 0 ? extent / block[mu] : 0;
    require(n > 0 && n * block[mu] == extent && (n == 1 || n % 2 == 0 || colour == BlockColour::all), "blocks of",
            to_string(block), "do not fit into a lattice of", to_string(whole.extent()),
            ": in each direction take its extent, or one that divides it an even number of times, so that black and "
            "white blocks take turns");
    require(whole.geometry().local_extent()[mu] % block[mu] == 0, "blocks of", to_string(block),
            "do not fit into the part of a rank,", to_string(whole.geometry().local_extent()) + ",",
            "and a block must not lie on two ranks: take extents that divide those of the part, or fewer ranks");
    n_odd += block[mu] % 2;
  }
  require(n_odd <= 1, "blocks of", to_string(block), "have more than one odd extent: take one, or none");
}

/// The direction in which blocks are put one after the other: the one with an odd extent, else one that leaves a
/// lattice for virtual nodes, if there is one.  Only directions with boundaries between blocks.
int direction_of_blocks(const Coord& block, const Coord& whole, int n) {
  int direction = -1;
  for (int mu = 3; mu >= 0; --mu) {
    const std::size_t i = std::size_t(mu);
    if (block[i] == whole[i]) continue;
    if (block[i] % 2 != 0) return mu;
    Coord extent = block;
    extent[i] *= n;
    if (direction < 0 || Layout::fits(extent, default_lanes)) direction = mu;
    if (Layout::fits(extent, default_lanes)) break;
  }
  return direction < 0 ? 3 : direction;
}

}  // namespace

SchwarzBlocks::SchwarzBlocks(const Lattice& whole, const Coord& block, BlockColour colour)
    : block_((require_blocks(whole, block, colour), block)),
      whole_extent_(whole.extent()),
      n_whole_sites_(whole.geometry().local_volume()) {
  const Geometry& geometry = whole.geometry();
  const Coord& local = geometry.local_extent();
  Coord counts;
  for (std::size_t mu = 0; mu < 4; ++mu) counts[mu] = local[mu] / block[mu];
  std::vector<Coord> first_sites;
  for (std::int64_t k = 0; k < volume(counts); ++k) {
    Coord of_block = coordinate(k, counts), first;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      first[mu] = of_block[mu] * block[mu];
      of_block[mu] += geometry.origin()[mu] / block[mu];
    }
    if (colour == BlockColour::all || parity(of_block) == (colour == BlockColour::white ? 1 : 0))
      first_sites.push_back(first);
  }
  const int n_blocks = int(first_sites.size());
  if (n_blocks > 0) direction_ = direction_of_blocks(block, whole_extent_, n_blocks);
  const std::size_t mu = std::size_t(direction_);
  Coord extent = block;
  extent[mu] *= n_blocks + (block[mu] % 2 != 0 ? n_blocks % 2 : 0);
  // One rank may have a block more than another, and all must throw.
  std::array<std::int64_t, 2> most{extent[mu], n_blocks};
  whole.comm().max(most);
  require(most[0] < (1 << 16), most[1], "blocks of", to_string(block), "on a rank are too many: take larger ones");
  if (n_blocks == 0) return;
  lattice_.emplace(Comm::self(), extent);

  const Layout &layout = lattice_->layout(), &of_whole = whole.layout();
  std::vector<int> places(std::size_t(layout.n_outer()) * default_lanes, -1), of_block(places.size());
  sites_.resize(std::size_t(layout.n_sites()));
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    Coord x = coordinate(std::int64_t(i), extent);
    const auto here = layout.locate(x);
    const std::size_t place = std::size_t(here.outer) * default_lanes + std::size_t(here.lane);
    const std::size_t k = std::size_t(x[mu] / block[mu]);
    x[mu] %= block[mu];
    of_block[place] = int(k);
    sites_[i] = -1;
    if (k >= first_sites.size()) continue;
    for (std::size_t nu = 0; nu < 4; ++nu) x[nu] += first_sites[k][nu];
    const auto there = of_whole.locate(x);
    places[place] = there.outer * default_lanes + there.lane;
    sites_[i] = int(lexicographic(x, local));
  }
  places_ = Buffer<int>("sites of blocks", places);
  of_block_ = Buffer<int>("blocks of sites", of_block);
}

void SchwarzBlocks::share_lattice(const SchwarzBlocks& other) {
  if (!empty() && !other.empty() && lattice().extent() == other.lattice().extent()) lattice_ = other.lattice();
}

std::vector<double> SchwarzBlocks::part_of(const std::vector<double>& whole) const {
  const std::size_t n = whole.size() / std::size_t(n_whole_sites_);
  std::vector<double> part(n * sites_.size());
  for (std::size_t i = 0; i < sites_.size(); ++i)
    if (sites_[i] >= 0)
      std::copy_n(whole.begin() + std::ptrdiff_t(n) * sites_[i], n, part.begin() + std::ptrdiff_t(n * i));
  return part;
}

void SchwarzBlocks::cut(std::vector<double>& links) const {
  auto link = links.begin();
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const Coord x = coordinate(std::int64_t(i), lattice().extent());
    for (std::size_t mu = 0; mu < 4; ++mu, link += 18)
      if (block_[mu] < whole_extent_[mu] && x[mu] % block_[mu] == block_[mu] - 1) std::fill(link, link + 18, 0.0);
  }
}

template <class T>
void SchwarzBlocks::gather(const SpinorField<T>& whole, const SpinorField<T>& part, const Exec& exec) const {
  detail::count_work(0, 2 * double(part.bytes()));
  for_each_lane("gather_blocks", part.range(), part.n_components(),
                detail::GatherBlocksKernel<typename SpinorField<T>::View>{places_.data(), whole.view(), part.view()},
                exec);
}

template <class T>
void SchwarzBlocks::add(const SpinorField<T>& part, const SpinorField<T>& whole, const Exec& exec) const {
  detail::count_work(double(part.bytes()) / sizeof(T), 3 * double(part.bytes()));
  for_each_lane("add_blocks", part.range(), part.n_components(),
                detail::AddBlocksKernel<typename SpinorField<T>::View>{places_.data(), part.view(), whole.view()},
                exec);
}

template <class T>
void SchwarzBlocks::minimal_residual(const Operator<SpinorField<T>>& A, int n_steps, double omega,
                                     const SpinorField<T>& r, const SpinorField<T>& q, const SpinorField<T>& x,
                                     const Exec& exec) const {
  using View = typename SpinorField<T>::View;
  const int n_columns = r.n_components(), n_slices = slices_per_block();
  const SliceTable& slices = SliceTable::of(lattice(), r.subset(), direction_);
  std::vector<Complex<T>> steps(std::size_t(n_blocks() * n_columns));
  const Buffer<Complex<T>> on_device("steps of blocks", steps.size(), exec);
  zero(x, exec);
  for (int k = 0; k < n_steps; ++k) {
    A.apply(r, q, exec);
    detail::count_work(double(r.bytes()) / sizeof(T) * 6, 2 * double(r.bytes()));
    const SliceSums sums =
        slice_sums<double>("block_products", lattice(), {{0, 0, 0}}, {0, 0, 0, 0},
                           detail::BlockProductsKernel<View>{q.view(), r.view()}, {2 * n_columns, 2}, slices, exec);
    for (int b = 0; b < n_blocks(); ++b)
      for (int c = 0; c < n_columns; ++c) {
        std::complex<double> product = 0;
        double square = 0;
        for (int slice = b * n_slices; slice < (b + 1) * n_slices; ++slice) {
          product += sums.at(0, slice)[2 * c];
          square += sums.at(0, slice)[2 * c + 1].real();
        }
        const std::complex<double> a = square == 0 ? 0 : omega * product / square;
        steps[std::size_t(b * n_columns + c)] = {T(a.real()), T(a.imag())};
      }
    detail::copy_to_device_after(exec, on_device.data(), steps.data(), steps.size() * sizeof(Complex<T>));
    const bool is_last = k + 1 == n_steps;
    detail::count_work(double(r.bytes()) / sizeof(T) * (is_last ? 4 : 8), double(r.bytes()) * (is_last ? 3 : 5));
    for_each_site("block_step", r.range(), r.n_groups(),
                  detail::BlockStepKernel<View>{q.view(), r.view(), x.view(), of_block_.data(), on_device.data(),
                                                n_columns, is_last},
                  exec);
  }
}

#define KOV_INSTANTIATE(T)                                                                                           \
  template void SchwarzBlocks::gather(const SpinorField<T>&, const SpinorField<T>&, const Exec&) const;              \
  template void SchwarzBlocks::add(const SpinorField<T>&, const SpinorField<T>&, const Exec&) const;                 \
  template void SchwarzBlocks::minimal_residual(const Operator<SpinorField<T>>&, int, double, const SpinorField<T>&, \
                                                const SpinorField<T>&, const SpinorField<T>&, const Exec&) const
KOV_INSTANTIATE(float);
KOV_INSTANTIATE(double);
#undef KOV_INSTANTIATE

}  // namespace kov
