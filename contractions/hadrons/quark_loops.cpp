// SPDX-License-Identifier: MIT
#include "kov/contractions/hadrons/quark_loops.hpp"

#include "kov/core/lattice/global_site.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/site/spin_matrix.hpp"
#include "kov/core/vectors/column_matrix.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/core/vectors/field_sums.hpp"
#include "kov/core/vectors/slice_sum.hpp"
#include "kov/stencil/statements/data_parallel.hpp"

#include <algorithm>
#include <complex>
#include <map>
#include <span>
#include <string>
#include <utility>

namespace kov {

namespace detail {

/// Which part of a noise vector is wanted: residues of t, x, y, z; spin, colour and parity, -1 where all are.
struct LoopPart {
  int time, space, t, x, y, z, spin, color, parity;

  KOKKOS_INLINE_FUNCTION bool holds(const Coord& at) const {
    return at[3] % time == t && at[0] % space == x && at[1] % space == y && at[2] % space == z &&
           (parity < 0 || (at[0] + at[1] + at[2] + at[3]) % 2 == parity);
  }
};

template <class T>
struct LoopPartKernel {
  GlobalSite site;
  LoopPart part;
  FieldView<Spinor, T> noise, out;

  KOKKOS_FUNCTION void operator()(LaneSite at) const {
    Spinor<T> psi = zero<Spinor<T>>();
    if (part.holds(site.coordinate(at))) {
      const Spinor<T> eta = noise(at);
      for (int s = 0; s < 4; ++s)
        for (int a = 0; a < 3; ++a)
          if ((part.spin < 0 || part.spin == s) && (part.color < 0 || part.color == a)) psi(s, a) = eta(s, a);
    }
    out.set(at, psi);
  }
};

/// Number 4 a + b: the sum over colours of conj(left[a]) right[b].
template <class T>
struct LoopKernel {
  static constexpr int n_values = 16;
  static constexpr bool takes_pairs = FieldView<Spinor, T>::outers == 2;

  FieldView<Spinor, T> left, right;

  template <class Site, class R>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int, Complex<R>* value) const {
    Complex<R> r[n_values];
    for (int i = 0; i < n_values; ++i) r[i] = {R(T(0)), R(T(0))};
    for (int c = 0; c < 3; ++c)
      for (int a = 0; a < 4; ++a) {
        const Complex<R> eta = left.element(x, 0, 3 * a + c);
        for (int b = 0; b < 4; ++b) conj_multiply_add(r[4 * a + b], eta, right.element(x, 0, 3 * b + c));
      }
    for (int i = 0; i < n_values; ++i) value[i] = r[i];
  }
};

namespace {

std::vector<LoopPart> loop_parts(const LoopDilution& d) {
  std::vector<LoopPart> parts;
  const int spins = d.spin ? 4 : 1, colors = d.color ? 3 : 1, parities = d.parity ? 2 : 1;
  for (int t = 0; t < d.time; ++t)
    for (int x = 0; x < d.space; ++x)
      for (int y = 0; y < d.space; ++y)
        for (int z = 0; z < d.space; ++z)
          for (int spin = 0; spin < spins; ++spin)
            for (int color = 0; color < colors; ++color)
              for (int parity = 0; parity < parities; ++parity)
                parts.push_back(
                    {d.time, d.space, t, x, y, z, d.spin ? spin : -1, d.color ? color : -1, d.parity ? parity : -1});
  return parts;
}

void check_loops(const Lattice& lattice, const LoopParameters& p) {
  const Coord& extent = lattice.extent();
  require(p.hits > 0, "loops of", p.hits, "hits of noise were asked for: give 1 or more");
  require(p.dilution.time > 0 && extent[3] % p.dilution.time == 0, "dilution in time by", p.dilution.time,
          "does not divide the extent", extent[3], ": give a divisor of it");
  for (std::size_t mu = 0; mu < 3; ++mu)
    require(p.dilution.space > 0 && extent[mu] % p.dilution.space == 0, "dilution in space by", p.dilution.space,
            "does not divide the extent", extent[mu], ": give a divisor of all three");
  require(p.dilution.n_parts() <= LoopDilution::most_parts, "dilution into", p.dilution.n_parts(),
          "parts was asked for, each of which is a solve, and at most", LoopDilution::most_parts,
          "are accepted: give fewer");
  require(!p.dilution.parity || p.dilution.time % 2 != 0 || p.dilution.space % 2 != 0,
          "dilution by even numbers in time and space tells even sites from odd ones, and dilution by parity was asked "
          "for beside it, half of whose parts would be empty: leave it out");
  require(p.hopping.order >= 0 && p.hopping.order <= 4, "a hopping expansion to order", p.hopping.order,
          "is not known: take an order from 0 to 4");
  for (const int n : extent)
    require(n >= p.hopping.order, "a hopping expansion to order", p.hopping.order, "wraps around the lattice",
            to_string(extent), ": take an order that is not above its extents");
}

/// psi = (1 - M / d)^order psi
template <class T>
void hop(const Operator<SpinorField<T>>& M, const HoppingExpansion& hopping, const SpinorField<T>& psi,
         const Exec& exec) {
  const SpinorField<T> of_m = psi.like("hopping expansion", exec);
  for (int k = 0; k < hopping.order; ++k) {
    M.apply(psi, of_m, exec);
    axpy(-1 / hopping.diagonal, of_m, psi, exec);
  }
}

/// The tensors of LoopKernel, [momentum][time][4 a + b], and a factor.
template <class T>
void add_tensor(SliceSums& sums, double factor, const SpinorField<T>& left, const SpinorField<T>& right,
                const std::vector<Momentum>& momenta, const Exec& exec) {
  const SliceSums one = slice_sums<T>("quark loop", left.lattice(), momenta, {0, 0, 0, 0},
                                      LoopKernel<T>{left.view(), right.view()}, exec);
  if (sums.z.empty()) {
    sums = one;
    for (auto& z : sums.z) z *= factor;
  } else {
    for (std::size_t i = 0; i < sums.z.size(); ++i) sums.z[i] += factor * one.z[i];
  }
}

/// sum over ab of m_ab tensor[4 a + b]
std::complex<double> traced(const SpinMatrix<double>& m, const std::complex<double>* tensor) {
  std::complex<double> sum = 0;
  for (int i = 0; i < 16; ++i) sum += std::complex<double>(m.z[i].re, m.z[i].im) * tensor[i];
  return sum;
}

/// Places of a hit in two lists of loops.
using HitPairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// The hits that both lists have.
HitPairs equal_hits(const std::vector<Correlator>& sinks, const std::vector<Correlator>& sources) {
  std::size_t n_labels = 0;
  const auto places = [&](const std::vector<Correlator>& loops) {
    std::map<std::string, std::size_t> place;
    for (std::size_t k = 0; k < loops.size(); ++k) {
      const auto label = loops[k].labels.find("hit");
      if (label == loops[k].labels.end()) continue;
      ++n_labels;
      require(place.emplace(label_text(label->second), k).second, "the hit", label_text(label->second), "of loops",
              loops[k].channel, "is there twice, and its noise would be correlated with itself: give each hit once");
    }
    return place;
  };
  const auto of_sinks = places(sinks), of_sources = places(sources);
  require(n_labels == 0 || n_labels == sinks.size() + sources.size(), "the label hit, which tells equal noise from",
          "different noise, is on", n_labels, "of", sinks.size() + sources.size(), "loops: label all or none");
  HitPairs pairs;
  if (n_labels == 0)
    for (std::size_t k = 0; k < std::min(sinks.size(), sources.size()); ++k) pairs.emplace_back(k, k);
  for (const auto& [hit, k] : of_sinks)
    if (const auto same = of_sources.find(hit); same != of_sources.end()) pairs.emplace_back(k, same->second);
  return pairs;
}

/// All that does not depend on the noise: what modes and the hopping expansion know.
struct KnownLoops {
  SliceSums modes;
  double hopping = 0;
};

}  // namespace

}  // namespace detail

std::int64_t LoopDilution::n_parts() const {
  return std::int64_t(time) * space * space * space * (spin ? 4 : 1) * (color ? 3 : 1) * (parity ? 2 : 1);
}

template <class T>
LoopModes<T> loop_modes(const AnyOperator<SpinorField<T>>& M, const Lattice& lattice,
                        const EigenParameters& parameters) {
  const SpinorField<T> of_m(lattice, "M x", 1, parameters.subset);
  const auto hermitian = [&](const SpinorField<T>& in, const SpinorField<T>& out, const Exec& exec) {
    M.apply(in, of_m, exec);
    assign(Gamma::five() * of_m, out, exec);
  };
  const HermitianEigenvectors<T> found =
      lowest_eigenvectors<T>(Operator<SpinorField<T>>(hermitian), lattice, parameters);
  return {found.vectors.alias(), found.values};
}

template <class T>
std::vector<Correlator> quark_loops(const std::type_identity_t<Solver<SpinorField<T>>>& solver,
                                    const AnyOperator<SpinorField<T>>& M, const Lattice& lattice,
                                    const LoopParameters& parameters, const std::vector<Momentum>& momenta,
                                    const LoopModes<T>* modes, const Exec& exec) {
  detail::check_loops(lattice, parameters);
  if (modes != nullptr)
    require(modes->vectors.lattice() == lattice && modes->vectors.n_components() == int(modes->values.size()),
            "there are", modes->values.size(), "eigenvalues for", modes->vectors.n_components(),
            "low modes, or these are on another lattice: give one of each for the lattice of the loops");
  const Coord& extent = lattice.extent();
  const int n_times = extent[3], n_momenta = int(momenta.size());
  const HoppingExpansion& hopping = parameters.hopping;

  detail::KnownLoops known;
  if (hopping.order > 0) known.hopping = 12.0 * extent[0] * extent[1] * extent[2] / hopping.diagonal;
  if (modes != nullptr)
    for (std::size_t i = 0; i < modes->values.size(); ++i) {
      const SpinorField<T> v = modes->vectors.column(int(i)), hopped = v.like("mode", exec);
      copy(v, hopped, exec);
      detail::hop<T>(M, hopping, hopped, exec);
      detail::add_tensor<T>(known.modes, 1 / modes->values[i], v, hopped, momenta, exec);
    }

  std::vector<Correlator> result;
  std::vector<double> numbers;
  const double mean_square = parameters.noise.kind == NoiseKind::gaussian ? 2 : 1;
  const SpinorField<T> eta(lattice, "noise"), part(lattice, "part of noise"), turned(lattice, "g5 noise"),
      psi(lattice, "solution");
  for (int hit = 0; hit < parameters.hits; ++hit) {
    Noise noise = parameters.noise;
    noise.stream += std::uint32_t(hit);
    fill_noise(eta, noise, exec);
    SliceSums sums{};
    for (const detail::LoopPart& which : detail::loop_parts(parameters.dilution)) {
      for_each_lane("noise_part", part.range(),
                    detail::LoopPartKernel<T>{GlobalSite(lattice), which, eta.view(), part.view()}, exec);
      zero(psi, exec);
      detail::on_default_instance(exec, [&] { solver(M, part, psi); });
      if (modes != nullptr) {
        assign(Gamma::five() * part, turned, exec);
        std::vector<std::complex<double>> overlaps = gram_matrix(modes->vectors, turned, exec);
        for (std::size_t i = 0; i < overlaps.size(); ++i) overlaps[i] /= -modes->values[i];
        rotate_add(modes->vectors, std::span<const std::complex<double>>(overlaps), psi, exec);
      }
      detail::hop<T>(M, hopping, psi, exec);
      detail::add_tensor<T>(sums, 1 / mean_square, part, psi, momenta, exec);
    }
    for (int n = 0; n < 16; ++n)
      for (int k = 0; k < n_momenta; ++k)
        for (int t = 0; t < n_times; ++t) {
          std::complex<double> z = detail::traced(spin_matrix(Gamma::number(n)), sums.at(k, t));
          if (modes != nullptr && !modes->values.empty())
            z += detail::traced(spin_matrix(Gamma::five() * Gamma::number(n)), known.modes.at(k, t));
          numbers.insert(numbers.end(), {z.real(), z.imag()});
        }
  }
  lattice.comm().sum(numbers);
  const double* from = numbers.data();
  for (int hit = 0; hit < parameters.hits; ++hit)
    for (int n = 0; n < 16; ++n)
      for (const Momentum& p : momenta) {
        const bool at_rest = p[0] % extent[0] == 0 && p[1] % extent[1] == 0 && p[2] % extent[2] == 0;
        Correlator c{.kind = "loop",
                     .channel = meson_names()[std::size_t(n)],
                     .momentum = p,
                     .source = no_source,
                     .labels = {{"hit", std::int64_t(hit)}}};
        for (int t = 0; t < n_times; ++t, from += 2)
          c.value.emplace_back(from[0] + (n == 0 && at_rest ? known.hopping : 0.0), from[1]);
        result.push_back(std::move(c));
      }
  return result;
}

std::vector<double> disconnected_product(const std::vector<Correlator>& sinks, const std::vector<Correlator>& sources,
                                         bool shared) {
  require(!sinks.empty() && !sources.empty(), "a disconnected product takes loops at the sink and at the source, and",
          sinks.size(), "and", sources.size(), "were given: give one at least of each");
  const std::size_t n = sinks.front().value.size();
  for (const auto* list : {&sinks, &sources})
    for (const Correlator& c : *list)
      require(c.value.size() == n && n > 0, "loops of", n, "and", c.value.size(),
              "times have no product: take those of one lattice");
  const auto equal_hits = shared ? detail::equal_hits(sinks, sources) : detail::HitPairs();
  const std::size_t n_pairs = sinks.size() * sources.size() - equal_hits.size();
  require(n_pairs > 0,
          "both loops are of one hit, whose noise would be correlated with itself: measure two hits or more");
  // Of all pairs, less those of equal hits.
  std::vector<std::complex<double>> product(n), all_sinks(n), all_sources(n);
  const auto add_product = [&](double factor, const auto& sink, const auto& source) {
    for (std::size_t t = 0; t < n; ++t)
      for (std::size_t t0 = 0; t0 < n; ++t0) product[t] += factor * sink[(t0 + t) % n] * source[t0];
  };
  for (std::size_t t = 0; t < n; ++t) {
    for (const Correlator& c : sinks) all_sinks[t] += c.value[t];
    for (const Correlator& c : sources) all_sources[t] += c.value[t];
  }
  add_product(1, all_sinks, all_sources);
  for (const auto& [sink, source] : equal_hits) add_product(-1, sinks[sink].value, sources[source].value);
  std::complex<double> mean_sink = 0, mean_source = 0;
  for (const Correlator& c : sinks)
    for (const auto& z : c.value) mean_sink += z / double(n * sinks.size());
  for (const Correlator& c : sources)
    for (const auto& z : c.value) mean_source += z / double(n * sources.size());
  std::vector<double> row;
  for (const auto& z : product)
    row.insert(row.end(), {z.real() / double(n_pairs) / double(n), z.imag() / double(n_pairs) / double(n)});
  row.insert(row.end(), {mean_sink.real(), mean_sink.imag(), mean_source.real(), mean_source.imag()});
  return row;
}

std::vector<double> vacuum_subtracted(const std::vector<double>& mean_row) {
  require(mean_row.size() >= 6 && mean_row.size() % 2 == 0, "a row of", mean_row.size(),
          "numbers is not one that disconnected_product() returns: give the mean of its rows");
  const std::size_t n = mean_row.size() / 2 - 2;
  const double* v = mean_row.data() + 2 * n;
  std::vector<double> result;
  for (std::size_t t = 0; t < n; ++t) result.push_back(mean_row[2 * t] - (v[0] * v[2] - v[1] * v[3]));
  return result;
}

template LoopModes<float> loop_modes(const Operator<SpinorField<float>>&, const Lattice&, const EigenParameters&);
template LoopModes<double> loop_modes(const Operator<SpinorField<double>>&, const Lattice&, const EigenParameters&);
template std::vector<Correlator> quark_loops<float>(const Solver<SpinorField<float>>&,
                                                    const Operator<SpinorField<float>>&, const Lattice&,
                                                    const LoopParameters&, const std::vector<Momentum>&,
                                                    const LoopModes<float>*, const Exec&);
template std::vector<Correlator> quark_loops<double>(const Solver<SpinorField<double>>&,
                                                     const Operator<SpinorField<double>>&, const Lattice&,
                                                     const LoopParameters&, const std::vector<Momentum>&,
                                                     const LoopModes<double>*, const Exec&);

}  // namespace kov
