// SPDX-License-Identifier: MIT
#include "kov/contractions/hadrons/baryon.hpp"

#include "kov/core/site/spin_color_matrix.hpp"
#include "kov/core/vectors/slice_sum.hpp"

#include <cmath>
#include <numbers>

namespace kov {

namespace detail {

/// The entries of a spin matrix that are not zero, by row and by column.
template <class T>
struct SparseSpin {
  struct Lines {
    int begin[5];
    int at[16];
    Complex<T> value[16];
  };
  Lines rows, columns;

  explicit SparseSpin(const SpinMatrix<double>& m) : rows(lines(m, false)), columns(lines(m, true)) {}

 private:
  static Lines lines(const SpinMatrix<double>& m, bool transposed) {
    Lines l{};
    int n = 0;
    for (int i = 0; i < 4; ++i) {
      l.begin[i] = n;
      for (int j = 0; j < 4; ++j) {
        const Complex<double> z = transposed ? m(j, i) : m(i, j);
        if (z.re == 0 && z.im == 0) continue;
        l.at[n] = j;
        l.value[n++] = {T(z.re), T(z.im)};
      }
    }
    l.begin[4] = n;
    return l;
  }
};

/// Values 0..15: A_ab, 16..31: B_ab of BaryonChannel.
template <class T>
struct BaryonKernel {
  static constexpr int n_blocks = 1, block = 32;
  static constexpr bool has_arrays = true;
  using View = FieldView<Spinor, T>;
  View q, p;
  SparseSpin<T> sp;

  /// S[sink_spin][source_spin] as a matrix [sink colour][source colour].
  template <class Site>
  static KOKKOS_FORCEINLINE_FUNCTION auto colours(const View& s, Site x, int sink_spin, int source_spin) {
    ColorMatrix<decltype(s.element(x, 0, 0).re)> m;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) m(i, j) = s.element(x, 3 * source_spin + j, 3 * sink_spin + i);
    return m;
  }

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int) const {
    using R = decltype(q.element(x, 0, 0).re);
    using Matrix = ColorMatrix<R>;
    SiteNumbers<R, block> r;
    for (int v = 0; v < block; ++v) r.z[v] = {R(T(0)), R(T(0))};
    Matrix diquark_trace = zero<Matrix>();
    for (int b = 0; b < 4; ++b) {
      Matrix right[4];  // (sp Q)_rb
      for (int row = 0; row < 4; ++row) {
        right[row] = zero<Matrix>();
        for (int n = sp.rows.begin[row]; n < sp.rows.begin[row + 1]; ++n)
          multiply_add_shared(right[row], sp.rows.value[n], colours(q, x, sp.rows.at[n], b));
      }
      for (int s = 0; s < 4; ++s) {
        Matrix diquark = zero<Matrix>();  // sum over r of (P sp)_rs x (sp Q)_rb
        for (int row = 0; row < 4; ++row) {
          Matrix left = zero<Matrix>();
          for (int n = sp.columns.begin[s]; n < sp.columns.begin[s + 1]; ++n)
            multiply_add_shared(left, sp.columns.value[n], colours(p, x, row, sp.columns.at[n]));
          add_cross(diquark, left, right[row]);
        }
        if (s == b) diquark_trace += diquark;
        for (int a = 0; a < 4; ++a) contract(r.z[16 + 4 * a + b], diquark, colours(q, x, a, s));
      }
    }
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) contract(r.z[4 * a + b], diquark_trace, colours(q, x, a, b));
    return r;
  }

 private:
  template <class R>
  static KOKKOS_FORCEINLINE_FUNCTION void multiply_add_shared(ColorMatrix<R>& acc, const Complex<T>& a,
                                                              const ColorMatrix<R>& m) {
    for (int i = 0; i < 9; ++i) multiply_add(acc.z[i], Complex<R>{R(a.re), R(a.im)}, m.z[i]);
  }
  template <class R>
  static KOKKOS_FORCEINLINE_FUNCTION void contract(Complex<R>& acc, const ColorMatrix<R>& a, const ColorMatrix<R>& b) {
    for (int i = 0; i < 9; ++i) multiply_add(acc, a.z[i], b.z[i]);
  }
};

}  // namespace detail

namespace {

using Spin = SpinMatrix<double>;

Spin gamma(int n) { return spin_matrix(Gamma::number(n)); }
Spin times(Complex<double> a, const Spin& m) { return a * m; }
Spin upper_components() { return times({0.5, 0}, gamma(0) + gamma(8)); }
/// (g2 + i g1) / 2
Spin gamma_minus() { return times({0.5, 0}, gamma(2) + times({0, 1}, gamma(1))); }

/// e^{3 i angle}, exactly real for the two usual boundaries.
std::complex<double> wrap_phase(double angle) {
  using std::numbers::pi;
  const double total = std::remainder(3 * angle, 2 * pi);
  if (std::abs(total) < 1e-12) return 1;
  if (std::abs(std::abs(total) - pi) < 1e-12) return -1;
  return std::polar(1.0, total);
}

/// tr[projector (direct A + exchange B)]
std::complex<double> project(const BaryonChannel& channel, const std::complex<double>* values) {
  std::complex<double> sum = 0;
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) {
      const Complex<double> t = channel.projector(b, a);
      sum += std::complex<double>(t.re, t.im) *
             (channel.direct * values[4 * a + b] + channel.exchange * values[16 + 4 * a + b]);
    }
  return sum;
}

}  // namespace

Spin unpolarised_projector() { return upper_components(); }
Spin mixed_projector() { return upper_components() + times({0, -0.5}, gamma(3) + gamma(11)); }
Spin mixed_negative_parity_projector() {
  return times({0.5, 0}, gamma(0) - gamma(8)) + times({0, -0.5}, gamma(3) - gamma(11));
}

Spin diquark_cg5() { return gamma(5); }
Spin diquark_cg5_g4() { return times({-1, 0}, gamma(13)); }
Spin diquark_cg_minus() { return gamma(10) * gamma_minus(); }
Spin diquark_cg4_minus() { return gamma(10) * gamma(8) * gamma_minus(); }
Spin diquark_cg5_nr() { return diquark_cg5() * upper_components(); }
Spin diquark_cg_minus_nr() { return diquark_cg_minus() * upper_components(); }

BaryonChannel nucleon() { return {"nucleon", unpolarised_projector(), diquark_cg5(), 1, 1}; }

std::vector<BaryonChannel> standard_baryons() {
  const Spin mixed = mixed_projector(), unpolarised = unpolarised_projector();
  const Spin lower_diquark = diquark_cg5() * times({0.5, 0}, gamma(0) - gamma(8));
  return {{"proton_mixed_cg5", mixed, diquark_cg5(), 1, 1},
          {"lambda_mixed_cg5", mixed, diquark_cg5(), 1, 2},
          {"delta_mixed_cgm", mixed, diquark_cg_minus(), 3, 6},
          {"proton_mixed_cg5g4", mixed, diquark_cg5_g4(), 1, 1},
          {"lambda_mixed_cg5g4", mixed, diquark_cg5_g4(), 1, 2},
          {"delta_mixed_cg4m", mixed, diquark_cg4_minus(), 3, 6},
          {"proton_mixed_cg5nr", mixed, diquark_cg5_nr(), 1, 1},
          {"lambda_mixed_cg5nr", mixed, diquark_cg5_nr(), 1, 2},
          {"delta_mixed_cgmnr", mixed, diquark_cg_minus_nr(), 12, 24},
          {"proton_unpol_cg5", unpolarised, diquark_cg5(), 1, 1},
          {"proton_unpol_cg5g4", unpolarised, diquark_cg5_g4(), 1, 1},
          {"proton_unpol_cg5nr", unpolarised, diquark_cg5_nr(), 1, 1},
          {"lambda_naive_unpol_cg5", unpolarised, diquark_cg5(), 1, 0},
          {"xi_unpol_cg5", unpolarised, diquark_cg5(), 1, 1},
          {"lambda_naive_mixed_cg5", mixed, diquark_cg5(), 1, 0},
          {"xi_mixed_cg5", mixed, diquark_cg5(), 1, 1},
          {"proton_negpar_cg5nr", mixed_negative_parity_projector(), lower_diquark, 1, 1}};
}

template <class T>
std::vector<Correlator> baryons(const Propagator<T>& q, const Propagator<T>& p,
                                const std::vector<BaryonChannel>& channels, const std::vector<Momentum>& momenta) {
  const Lattice& lattice = q.lattice();
  const PropagatorLabels labels = detail::labels_of_both(q, p);
  const Coord source = labels.origin;
  require(!channels.empty(), "the list of baryons is empty, so there is nothing to compute; see standard_baryons()");
  for (const BaryonChannel& channel : channels)
    require(channel.direct == channel.exchange || q.columns().data() == p.columns().data(), channel.name,
            "is defined for equal quarks only, and two different propagators were given; pass the same one twice");

  const int n_times = lattice.extent()[3], n_momenta = int(momenta.size());
  const std::complex<double> wrapped = wrap_phase(labels.boundary.angle[3]);
  std::vector<double> numbers(channels.size() * momenta.size() * std::size_t(n_times) * 2);
  std::vector<bool> done(channels.size(), false);
  for (std::size_t first = 0; first < channels.size(); ++first) {
    if (done[first]) continue;
    const Spin& diquark = channels[first].diquark;
    const detail::BaryonKernel<T> kernel{q.columns().view(), p.columns().view(), detail::SparseSpin<T>(diquark)};
    const SliceSums sums = slice_sums<T>("baryon", lattice, momenta, source, kernel);
    for (std::size_t c = first; c < channels.size(); ++c) {
      if (done[c] || !(channels[c].diquark == diquark)) continue;
      done[c] = true;
      for (int k = 0; k < n_momenta; ++k)
        for (int t = 0; t < n_times; ++t) {
          const int time = t + source[3];
          const std::complex<double> z =
              project(channels[c], sums.at(k, time % n_times)) * (time < n_times ? 1.0 : wrapped);
          double* to = numbers.data() +
                       ((c * std::size_t(n_momenta) + std::size_t(k)) * std::size_t(n_times) + std::size_t(t)) * 2;
          to[0] = z.real();
          to[1] = z.imag();
        }
    }
  }
  lattice.comm().sum(numbers);
  std::vector<Correlator> result;
  const double* from = numbers.data();
  for (const BaryonChannel& channel : channels)
    for (const Momentum& momentum : momenta) {
      Correlator c{
          .kind = "baryon", .channel = channel.name, .momentum = momentum, .source = source, .labels = labels.others};
      for (int t = 0; t < n_times; ++t, from += 2) c.value.emplace_back(from[0], from[1]);
      result.push_back(std::move(c));
    }
  return result;
}

template std::vector<Correlator> baryons(const Propagator<float>&, const Propagator<float>&,
                                         const std::vector<BaryonChannel>&, const std::vector<Momentum>&);
template std::vector<Correlator> baryons(const Propagator<double>&, const Propagator<double>&,
                                         const std::vector<BaryonChannel>&, const std::vector<Momentum>&);

}  // namespace kov
