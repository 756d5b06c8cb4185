// SPDX-License-Identifier: MIT
#include "kov/contractions/hadrons/baryon_sums.hpp"

#include "kov/contractions/hadrons/baryon_program.hpp"
#include "kov/contractions/kernels/site_sums.hpp"
#include "kov/core/site/spin_color_matrix.hpp"

#include <cmath>
#include <numbers>

namespace kov::detail {

/// The propagators' colour matrices in the Dirac-Pauli basis: 2 U^+ S U, U of dirac_pauli_rotation(), so that all
/// factors are 1 or -1.  Hosts rotate a site once, 600 flops for each quark; a GPU, whose threads have no room for
/// that, where a matrix is used.
template <class T>
struct RotatedQuarks {
  using View = FieldView<Spinor, T>;
  View s[most_baryon_quarks];
  int n;

  /// sqrt(2) U has the rows row(k, 0) and row(k, 1) in column k, with these signs.
  static KOKKOS_FORCEINLINE_FUNCTION int row(int k, int i) { return 1 - (k & 1) + 2 * i; }
  static KOKKOS_FORCEINLINE_FUNCTION int sign(int k, int i) {
    return k == 0 || (k == 3 && i == 0) || (k == 2 && i == 1) ? -1 : 1;
  }

#if !defined(KOKKOS_ENABLE_CUDA)
  template <class R>
  struct Site {
    ColorMatrix<R> block[most_baryon_quarks * 16];
    const ColorMatrix<R>& operator()(int k) const { return block[k]; }
  };
  template <class SiteIndex>
  auto at(SiteIndex x) const {
    using R = decltype(s[0].element(x, 0, 0).re);
    Site<R> site;
    for (int q = 0; q < n; ++q)
      for (int b = 0; b < 3; ++b)
        for (int a = 0; a < 3; ++a) {
          Complex<R> half[16];  // at the source
          for (int r = 0; r < 2; ++r)
            for (int i = 0; i < 4; ++i) {
              const Complex<R> z = s[q].element(x, 3 * r + b, 3 * i + a), w = s[q].element(x, 3 * r + 6 + b, 3 * i + a);
              const int even = 1 - r;  // columns 0 and 2 of U have the rows 1 and 3, columns 1 and 3 the rows 0 and 2
              half[4 * i + (even ? 1 : 0)] = even ? z + w : -(z + w);
              half[4 * i + (even ? 3 : 2)] = even ? w - z : z - w;
            }
          for (int j = 0; j < 4; ++j) {
            const Complex<R>*h = half + j, plus02 = h[0] + h[8], plus13 = h[4] + h[12];
            site.block[16 * q + j](a, b) = -plus13;
            site.block[16 * q + 4 + j](a, b) = plus02;
            site.block[16 * q + 8 + j](a, b) = h[4] - h[12];
            site.block[16 * q + 12 + j](a, b) = h[8] - h[0];
          }
        }
    return site;
  }
#else
  /// Of a site: a matrix is loaded where it is used.
  struct Site {
    const RotatedQuarks* quarks;
    LaneSite x;
    KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<T> operator()(int k) const {
      const View& s = quarks->s[k >> 4];
      const int sink = k >> 2 & 3, source = k & 3;
      ColorMatrix<T> m = zero<ColorMatrix<T>>();
      for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 2; ++i) {
          const T factor = T(sign(sink, i) * sign(source, j));
          for (int b = 0; b < 3; ++b)
            for (int a = 0; a < 3; ++a) {
              const Complex<T> z = s.element(x, 3 * row(source, j) + b, 3 * row(sink, i) + a);
              m(a, b).re += factor * z.re;
              m(a, b).im += factor * z.im;
            }
        }
      return m;
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION Site at(LaneSite x) const { return {this, x}; }
#endif
};

/// Runs a program at a site.  Every quark has a factor 2 that the sums are divided by later.
template <class T>
struct BaryonKernel {
  RotatedQuarks<T> quarks;
  BaryonProgramView<T> program;

  template <class SiteIndex, class R>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(SiteIndex x, int b, Complex<R>* value) const {
    using Matrix = ColorMatrix<R>;
    const auto site = quarks.at(x);
    for (int v = 0; v < program.n_values[b]; ++v) value[v] = {R(T(0)), R(T(0))};
    for (int i = program.block_begin[b]; i < program.block_begin[b + 1]; ++i) {
      const auto d = program.diquarks[i];
      Matrix diquark = zero<Matrix>();
      for (int n = d.first_cross; n < d.last_cross; ++n) {
        const auto cross = program.crosses[n];
        add_cross(diquark, times(cross.coefficient, site(cross.x)), site(cross.y));
      }
      for (int n = d.first_third; n < d.last_third; ++n) {
        const auto third = program.thirds[n];
        const Matrix& q = site(third.z);
        Complex<R> z{R(T(0)), R(T(0))};
        for (int k = 0; k < 9; ++k) multiply_add(z, diquark.z[k], q.z[k]);
        for (int o = third.first_output; o < third.last_output; ++o) {
          const auto output = program.outputs[o];
          multiply_add(value[output.value], output.coefficient, z);
        }
      }
    }
  }

 private:
  /// Coefficients are mostly real.
  template <class R>
  static KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<R> times(const Complex<T>& a, const ColorMatrix<R>& m) {
    ColorMatrix<R> r;
    for (int k = 0; k < 9; ++k) r.z[k] = {a.re * m.z[k].re, a.re * m.z[k].im};
    if (a.im != T(0))
      for (int k = 0; k < 9; ++k) {
        r.z[k].re -= a.im * m.z[k].im;
        r.z[k].im += a.im * m.z[k].re;
      }
    return r;
  }
};

namespace {

/// e^{3 i angle}, exactly real for the two usual boundaries.
std::complex<double> wrap_phase(double angle) {
  using std::numbers::pi;
  const double total = std::remainder(3 * angle, 2 * pi);
  if (std::abs(total) < 1e-12) return 1;
  if (std::abs(std::abs(total) - pi) < 1e-12) return -1;
  return std::polar(1.0, total);
}

}  // namespace

template <class T>
std::vector<std::complex<double>> baryon_sums(const std::vector<const Propagator<T>*>& quarks,
                                              const std::vector<BaryonValue>& values,
                                              const std::vector<Momentum>& momenta, const PropagatorLabels& labels) {
  const Lattice& lattice = quarks.front()->lattice();
  const ValueBlocks blocks{int(values.size())};
  const BaryonProgram<T> program(values, blocks.block);
  BaryonKernel<T> kernel{{{}, int(quarks.size())}, program.view()};
  for (std::size_t q = 0; q < quarks.size(); ++q) kernel.quarks.s[q] = quarks[q]->columns().view();
  SliceSums sums = site_sums<T>("baryon", lattice, momenta, labels.origin, kernel, blocks);
  sums.sum_over_ranks(lattice.comm());

  const int n_times = sums.n_slices, t0 = labels.origin[3];
  const std::complex<double> wrapped = wrap_phase(labels.boundary.angle[3]);
  std::vector<std::complex<double>> result;
  result.reserve(sums.z.size());
  for (int v = 0; v < sums.n_values; ++v)
    for (int k = 0; k < sums.n_momenta; ++k)
      for (int t = t0; t < t0 + n_times; ++t)
        result.push_back(sums.at(k, t % n_times)[v] * (t < n_times ? 1.0 : wrapped) * 0.125);
  return result;
}

template std::vector<std::complex<double>> baryon_sums(const std::vector<const Propagator<float>*>&,
                                                       const std::vector<BaryonValue>&, const std::vector<Momentum>&,
                                                       const PropagatorLabels&);
template std::vector<std::complex<double>> baryon_sums(const std::vector<const Propagator<double>*>&,
                                                       const std::vector<BaryonValue>&, const std::vector<Momentum>&,
                                                       const PropagatorLabels&);

}  // namespace kov::detail
