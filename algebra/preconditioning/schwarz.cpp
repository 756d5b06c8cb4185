// SPDX-License-Identifier: MIT
#include "kov/algebra/preconditioning/schwarz.hpp"

#include "kov/core/field/site_map.hpp"
#include "kov/stencil/statements/data_parallel.hpp"

#include <vector>

namespace kov {

namespace {

void require_blocks(const Lattice& lattice, const Coord& block) {
  lattice.require_same("blocks of the lattice", to_string(block));
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int extent = lattice.extent()[mu], n = block[mu] > 0 ? extent / block[mu] : 0;
    require(n > 0 && n * block[mu] == extent && (n == 1 || n % 2 == 0), "blocks of", to_string(block),
            "do not fit into a lattice of", to_string(lattice.extent()),
            ": in each direction take its extent, or one that divides it an even number of times, so that black and "
            "white blocks take turns");
  }
}

/// Calls f(global coordinate) for the sites of this rank, in the order of export_sites().
template <class Function>
void for_each_own_site(const Lattice& lattice, const Function& f) {
  const Geometry& geometry = lattice.geometry();
  for (std::int64_t i = 0; i < geometry.local_volume(); ++i) f(geometry.global(coordinate(i, geometry.local_extent())));
}

bool leaves_block(const Coord& x, std::size_t mu, const Coord& block, const Coord& extent) {
  return block[mu] < extent[mu] && x[mu] % block[mu] == block[mu] - 1;
}

/// 1 in the blocks of one colour.
template <class T>
Field<Scalar, T> blocks_of_colour(const Lattice& lattice, const Coord& block, int colour) {
  std::vector<double> numbers;
  for_each_own_site(lattice, [&](const Coord& x) {
    Coord of_block;
    for (std::size_t mu = 0; mu < 4; ++mu) of_block[mu] = x[mu] / block[mu];
    numbers.insert(numbers.end(), {parity(of_block) == colour ? 1.0 : 0.0, 0.0});
  });
  const Field<Scalar, T> mask(lattice, colour == 0 ? "black blocks" : "white blocks");
  import_sites(numbers, mask);
  return mask;
}

}  // namespace

template <class S>
GaugeField<S> links_within_blocks(const GaugeField<S>& gauge, const Coord& block) {
  const Lattice& lattice = gauge.lattice();
  require_blocks(lattice, block);
  std::vector<double> numbers = export_sites(gauge);
  auto link = numbers.begin();
  for_each_own_site(lattice, [&](const Coord& x) {
    for (std::size_t mu = 0; mu < 4; ++mu, link += 18)
      if (leaves_block(x, mu, block, lattice.extent())) std::fill(link, link + 18, 0.0);
  });
  const GaugeField<S> cut = gauge.like("links within blocks");
  import_sites(numbers, cut);
  return cut;
}

template <class T>
Schwarz<T>::Schwarz(const Lattice& lattice, const Operator<F>& M, const Operator<F>& M_blocks,
                    const SchwarzParameters& parameters, int n_columns)
    : M_(M),
      parameters_(parameters),
      black_((require_blocks(lattice, parameters.block), blocks_of_colour<T>(lattice, parameters.block, 0))),
      white_(blocks_of_colour<T>(lattice, parameters.block, 1)),
      r_(lattice, "residual", n_columns),
      x_(r_.like("solution")),
      source_(r_.like("residual in blocks")),
      z_(r_.like("step")),
      Mz_(r_.like("M step")),
      in_blocks_(M_blocks, r_, parameters.steps, parameters.omega) {
  lattice.require_same("a Schwarz procedure", parameters.cycles, parameters.steps, parameters.omega, n_columns);
  require(parameters.cycles > 0, parameters.cycles, "cycles are no preconditioner: ask for one or more");
}

template <class T>
void Schwarz<T>::apply(const Vector& in, const Vector& out, const Exec& exec) const {
  require(in.n_components() == r_.n_components() && in.subset() == Subset::all, "a Schwarz procedure for",
          r_.n_components(), "columns on all sites was applied to", in.name(), "with", in.n_components(), "on",
          in.subset() == Subset::all ? "all" : "half of the",
          "sites: construct it with the number of columns, and give it full fields");
  const Vector r(r_), x(x_), z(z_), Mz(Mz_);
  convert(in, r, exec);
  zero(x, exec);
  for (int cycle = 0; cycle < parameters_.cycles; ++cycle)
    for (const Field<Scalar, T>* const colour : {&black_, &white_}) {
      assign(*colour * r_, source_, exec);
      in_blocks_.apply(Vector(source_), z, exec);
      axpy(1.0, z, x, {}, exec);
      if (cycle + 1 == parameters_.cycles && colour == &white_) break;  // nobody reads this residual
      M_.apply(z_, Mz_, exec);
      axpy(-1.0, Mz, r, {}, exec);
    }
  convert(x, out, exec);
}

template class Schwarz<float>;
template class Schwarz<double>;
template GaugeField<float> links_within_blocks(const GaugeField<float>&, const Coord&);
template GaugeField<double> links_within_blocks(const GaugeField<double>&, const Coord&);

}  // namespace kov
