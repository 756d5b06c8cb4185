// SPDX-License-Identifier: MIT
#include "apps/smear/smear_shape.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace kov::app {

namespace {

using std::numbers::pi;

/// The shortest way round from b to a, -extent / 2 < d <= extent / 2.
int shortest(int a, int b, int extent) {
  const int d = ((a - b) % extent + extent) % extent;
  return d > extent / 2 ? d - extent : d;
}

}  // namespace

SliceShape::SliceShape(const SpinorField<double>& psi, const Coord& midpoint)
    : extent_(psi.lattice().extent()),
      midpoint_(midpoint),
      psi_(n * std::size_t(extent_[0]) * std::size_t(extent_[1]) * std::size_t(extent_[2])) {
  const Lattice& lattice = psi.lattice();
  const Geometry& geometry = lattice.geometry();
  const HostField host(psi);
  for (std::int64_t i = 0; i < geometry.local_volume(); ++i) {
    const Coord local = coordinate(i, geometry.local_extent()), x = geometry.global(local);
    if (x[3] != midpoint[3]) continue;
    const Layout::Position position = lattice.layout().locate(local);
    const Spinor<double> v = host.view()(LaneSite{position.outer, position.lane});
    std::complex<double>* to = psi_.data() + (at(x) - psi_.data());
    for (std::size_t k = 0; k < n; ++k) to[k] = {v.z[k].re, v.z[k].im};
  }
  lattice.comm().sum(std::span(reinterpret_cast<double*>(psi_.data()), 2 * psi_.size()));
}

const std::complex<double>* SliceShape::at(const Coord& x) const {
  return psi_.data() + n * std::size_t(lexicographic({x[0], x[1], x[2], 0}, extent_));
}

double SliceShape::norm(const Coord& x) const {
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += std::norm(at(x)[k]);
  return std::sqrt(sum);
}

double SliceShape::radius() const {
  double weight = 0, sum = 0;
  for (std::int64_t i = 0; i < volume({extent_[0], extent_[1], extent_[2], 1}); ++i) {
    const Coord x = coordinate(i, extent_);
    const double w = norm(x) * norm(x);
    double r2 = 0;
    for (std::size_t mu = 0; mu < 3; ++mu) r2 += std::pow(shortest(x[mu], midpoint_[mu], extent_[mu]), 2);
    weight += w;
    sum += w * r2;
  }
  return weight > 0 ? std::sqrt(sum / weight) : 0;
}

ColumnTable SliceShape::line(int mu) const {
  ColumnTable table{.name = "line", .columns = {std::string(1, "xyz"[mu]), "|psi|"}, .rows = {}};
  Coord x = midpoint_;
  for (x[std::size_t(mu)] = 0; x[std::size_t(mu)] < extent_[std::size_t(mu)]; ++x[std::size_t(mu)])
    table.rows.push_back({double(x[std::size_t(mu)]), norm(x)});
  return table;
}

ColumnTable SliceShape::plane() const {
  ColumnTable table{.name = "plane", .columns = {"x", "y", "|psi|"}, .rows = {}};
  for (int y = 0; y < extent_[1]; ++y)
    for (int x = 0; x < extent_[0]; ++x)
      table.rows.push_back({double(x), double(y), norm({x, y, midpoint_[2], midpoint_[3]})});
  return table;
}

ColumnTable SliceShape::radial() const {
  struct Shell {
    double sum = 0;
    int sites = 0;
  };
  std::map<int, Shell> shells;
  const int reach = std::min({extent_[0], extent_[1], extent_[2]}) / 2;
  for (std::int64_t i = 0; i < volume({extent_[0], extent_[1], extent_[2], 1}); ++i) {
    const Coord x = coordinate(i, extent_);
    int r2 = 0;
    for (std::size_t mu = 0; mu < 3; ++mu) {
      const int d = shortest(x[mu], midpoint_[mu], extent_[mu]);
      r2 += d * d;
    }
    if (r2 > reach * reach) continue;
    Shell& shell = shells[r2];
    shell.sum += norm(x);
    ++shell.sites;
  }
  ColumnTable table{.name = "radial", .columns = {"r", "mean |psi|", "sites"}, .rows = {}};
  for (const auto& [r2, shell] : shells)
    table.rows.push_back({std::sqrt(double(r2)), shell.sum / shell.sites, double(shell.sites)});
  return table;
}

ColumnTable SliceShape::spectrum(int mu, const std::array<int, 3>& others) const {
  const std::size_t direction = std::size_t(mu);
  const int extent = extent_[direction];
  // Summed over the other two directions first.
  std::vector<std::complex<double>> line(n * std::size_t(extent));
  for (std::int64_t i = 0; i < volume({extent_[0], extent_[1], extent_[2], 1}); ++i) {
    const Coord x = coordinate(i, extent_);
    double angle = 0;
    for (std::size_t nu = 0; nu < 3; ++nu)
      if (nu != direction) angle -= 2 * pi * others[nu] * x[nu] / extent_[nu];
    const std::complex<double> phase = std::polar(1.0, angle);
    for (std::size_t k = 0; k < n; ++k) line[n * std::size_t(x[direction]) + k] += phase * at(x)[k];
  }
  ColumnTable table{.name = "spectrum", .columns = {std::string("n_") + "xyz"[mu], "|psi(n)|"}, .rows = {}};
  for (int p = extent / 2 - extent + 1; p <= extent / 2; ++p) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
      std::complex<double> z = 0;
      for (int x = 0; x < extent; ++x) z += std::polar(1.0, -2 * pi * p * x / extent) * line[n * std::size_t(x) + k];
      sum += std::norm(z);
    }
    table.rows.push_back({double(p), std::sqrt(sum)});
  }
  return table;
}

}  // namespace kov::app
