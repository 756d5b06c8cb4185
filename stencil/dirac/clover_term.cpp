// SPDX-License-Identifier: MIT
#include "kov/stencil/dirac/clover_term.hpp"

#include "kov/core/field/convert.hpp"
#include "kov/core/launch/streaming.hpp"
#include "kov/core/site/gamma.hpp"
#include "kov/stencil/dirac/cuda/clover_blocks.hpp"
#include "kov/stencil/observables/field_strength.hpp"
#include "kov/stencil/operator_work.hpp"
#include "kov/stencil/operators/hermitian_product.hpp"
#include "kov/stencil/operators/nonrelativistic.hpp"

#include <Kokkos_MathematicalFunctions.hpp>

#include <cmath>
#include <limits>

namespace kov {

namespace detail {

/// In kernels over packs or columns: prefetches what the next call on sites of this parity will read.
template <class In, class Site, class... Blocks>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_next_site(const In& in, Site x, int c, const Blocks&... blocks) {
  if constexpr (!std::is_same_v<Site, LaneSite>) {
    const int next = site_after(x).outer;
    in.prefetch(next, c);
    if (c == 0) (blocks.prefetch(next, 0), ...);
  }
}

/// psi of this basis in the chiral one, times sqrt(2) if that is another; and the same on the way back, divided by it.
template <SpinBasis basis, class R>
KOKKOS_FORCEINLINE_FUNCTION Spinor<R> to_chiral(const Spinor<R>& psi) {
  if constexpr (basis == SpinBasis::chiral)
    return psi;
  else
    return spin_sums(psi);
}
template <SpinBasis basis, class R>
KOKKOS_FORCEINLINE_FUNCTION Spinor<R> from_chiral(const Spinor<R>& psi) {
  if constexpr (basis == SpinBasis::chiral)
    return psi;
  else
    return R(0.5) * spin_sums(psi);
}

/// out(x) = (A(x) + i twist g5) in(x); see CloverTerm::apply() for flops and memory traffic.
template <class Blocks, class View, SpinBasis basis>
struct CloverKernel {
  using Real = typename View::Real;
  static constexpr bool takes_pairs = View::outers == 2;

  Blocks blocks;
  View in, out;
  Real twist;
  bool streaming;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    if (streaming) prefetch_next_site(in, x, c, blocks);
    const auto psi = to_chiral<basis>(in(x, c));
    std::decay_t<decltype(psi)> result;
    const ElementsAt<Blocks, Site> a{blocks, x};
    multiply_block<0>(a, psi.z, result.z);
    multiply_block<1>(a, psi.z + 6, result.z + 6);
    if (twist != Real(0)) add_twist(result, twist, psi);
    set_or_stream(out, x, from_chiral<basis>(result), c, streaming);
  }
};

/// out(x) = (A(x) + i twist g5) S(x) in(x), S being the inverse of A^2 + mu^2; see CloverTerm::apply_inverse().
template <class Blocks, class View, SpinBasis basis>
struct TwistedInverseKernel {
  using Real = typename View::Real;
  static constexpr bool takes_pairs = View::outers == 2;

  Blocks blocks, square_inverse;
  View in, out;
  Real twist;
  bool streaming;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    if (streaming) prefetch_next_site(in, x, c, blocks, square_inverse);
    const auto psi = to_chiral<basis>(in(x, c));
    std::decay_t<decltype(psi)> solved, result;
    const ElementsAt<Blocks, Site> a{blocks, x}, s{square_inverse, x};
    multiply_block<0>(s, psi.z, solved.z);
    multiply_block<0>(a, solved.z, result.z);
    multiply_block<1>(s, psi.z + 6, solved.z + 6);
    multiply_block<1>(a, solved.z + 6, result.z + 6);
    add_twist(result, twist, solved);
    set_or_stream(out, x, from_chiral<basis>(result), c, streaming);
  }
};

/// g_mu g_nu of one plane, and what multiplies it and F_munu.
template <class T>
struct CloverPlane {
  Gamma gamma;
  T coefficient;
};

/// A from the six components of the field strength: 4 + m on the diagonal, and sum of coefficient g_mu g_nu F_munu.
template <class T>
struct CloverBlocksKernel {
  FieldView<ColorMatrix, T> strength;
  FieldView<HermitianBlocks, T> out;
  CloverPlane<T> planes[6];
  T diagonal;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    using A = decltype(out(x));
    using R = typename A::Real;
    A a = zero<A>();
    for (int block = 0; block < 2; ++block)
      for (int i = 0; i < A::n_rows; ++i) a.diagonal(block, i) = R(diagonal);
    for (int p = 0; p < 6; ++p) {
      const auto f = R(planes[p].coefficient) * strength(x, p);
      for (int spin = 0; spin < 4; ++spin) add(a, f, spin, planes[p].gamma.column[spin], planes[p].gamma.phase[spin]);
    }
    out.set(x, a);
  }

 private:
  /// Adds i^phase f to the entries of two spins of one chirality that are stored.
  template <class A, class F>
  KOKKOS_FORCEINLINE_FUNCTION void add(A& a, const F& f, int row, int column, int phase) const {
    const int block = row / 2, i = 3 * (row % 2), j = 3 * (column % 2);
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l) {
        const auto entry = times_i_power(phase, f(k, l));
        if (i + k == j + l)
          a.diagonal(block, i + k) += entry.re;
        else if (i + k > j + l)
          a.lower(block, i + k, j + l) += entry;
      }
  }
};

/// out = A^-1, or (A^2 + mu^2)^-1 if mu is not 0.
template <class T>
struct InvertCloverKernel {
  FieldView<HermitianBlocks, T> in, out;
  T mu;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto a = in(x);
    using R = typename decltype(in(x))::Real;
    out.set(x, inverse(mu == T(0) ? a : square_plus(a, R(mu * mu))));
  }
};

/// log |det D| of a site, and 1 if D is singular there: its smallest pivot is a rounding error of the largest.
struct LogDeterminant {
  double log, singular;

  KOKKOS_FUNCTION LogDeterminant(const HermitianBlocks<double>& a, double mu, double epsilon) : log(0), singular(0) {
    const HermitianBlocks<double> squared = mu == 0 ? a : square_plus(a, mu * mu);
    double least = 1e300, most = 0;
    for (int block = 0; block < 2; ++block) {
      const BlockFactors<double> factors(squared, block);
      for (const double d : factors.d) {
        const double size = d < 0 ? -d : d;
        log += Kokkos::log(size);
        least = size < least ? size : least;
        most = size > most ? size : most;
      }
    }
    if (mu != 0)
      log *= 0.5;
    else if (!(least > 12 * epsilon * most && log - log == 0))
      singular = 1;
  }
};

/// The sums of LogDeterminant.
template <class T>
struct LogDeterminantKernel {
  FieldView<HermitianBlocks, T> blocks;
  double mu;

  template <class Site>
  KOKKOS_FUNCTION auto operator()(Site x) const {
    constexpr double epsilon = sizeof(T) == 8 ? 2.2e-16 : 1.2e-7;
    if constexpr (std::is_same_v<Site, LaneSite>) {
      const LogDeterminant d(in_double(blocks(x)), mu, epsilon);
      return Values<double, 2>{{d.log, d.singular}};
    } else {
      constexpr int n = FieldView<HermitianBlocks, T>::lanes;
      Values<Pack<double, n>, 2> sums;
      for (int lane = 0; lane < n; ++lane) {
        const LogDeterminant d(in_double(blocks(LaneSite{x.outer, lane})), mu, epsilon);
        sums.v[0].set_lane(lane, d.log);
        sums.v[1].set_lane(lane, d.singular);
      }
      return sums;
    }
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION HermitianBlocks<double> in_double(const HermitianBlocks<T>& a) {
    HermitianBlocks<double> r;
    for (int k = 0; k < r.n_complex; ++k) r.z[k] = to_double(a.z[k]);
    return r;
  }
};

namespace {

/// The planes in the order of field_strength(): 01 02 03 12 13 23.
template <class T>
CloverBlocksKernel<T> blocks_kernel(const Field<ColorMatrix, T>& strength, const Field<HermitianBlocks, T>& out,
                                    const CloverParameters& p) {
  CloverBlocksKernel<T> kernel{strength.view(), out.view(), {}, T(p.anisotropy.diagonal(p.mass))};
  int plane = 0;
  for (int mu = 0; mu < 4; ++mu)
    for (int nu = mu + 1; nu < 4; ++nu) {
      const double c = nu == 3 ? p.c_sw.time : p.c_sw.space / p.anisotropy.xi0;
      kernel.planes[plane++] = {Gamma::direction(mu) * Gamma::direction(nu), T(-0.5 * c)};
    }
  return kernel;
}

/// Of one block a site.
template <class F>
std::size_t bytes_of_blocks(const F& field) {
  const std::size_t sites = std::size_t(field.range().n_outer) * std::size_t(field.layout().lanes());
  return sites * 2 * HermitianBlocks<double>::n_complex * sizeof(typename F::Real);
}

/// blocks in T: the field itself if that is what it has.
template <class T, class S>
Field<HermitianBlocks, T> rounded(const Field<HermitianBlocks, S>& blocks) {
  if constexpr (std::is_same_v<S, T>) {
    return blocks.alias();
  } else {
    Field<HermitianBlocks, T> out(blocks.lattice(), blocks.name());
    convert(blocks, out);
    return out;
  }
}

}  // namespace

/// What the rotations to the chiral basis and back add to the flops of a site.
template <SpinBasis basis>
inline constexpr double rotation_flops = basis == SpinBasis::chiral ? 0 : 72;

template <class F>
void CloverOn<F>::multiply(const Views& views, const F& in, const F& out, const Exec& exec) {
  const bool streaming = worth_streaming(in.bytes() + out.bytes() + bytes_of_blocks(out));
  in_basis(views.basis, in, [&]<SpinBasis basis>(std::integral_constant<SpinBasis, basis>) {
    using Kernel = CloverKernel<decltype(views.blocks), typename F::View, basis>;
    count_operator(in, out, (views.twist == 0 ? 504 : 552) + rotation_flops<basis>,
                   bytes_of_site<HermitianBlocks, typename F::Real>);
    for_each_site<typename F::Lanes>("clover", out.range(), out.n_groups(),
                                     Kernel{views.blocks, in.view(), out.view(), views.twist, streaming}, exec);
  });
}

template <class F>
void CloverOn<F>::multiply_by_inverse(const Views& views, const F& in, const F& out, const Exec& exec) {
  const bool streaming = worth_streaming(in.bytes() + out.bytes() + 2 * bytes_of_blocks(out));
  in_basis(views.basis, in, [&]<SpinBasis basis>(std::integral_constant<SpinBasis, basis>) {
    using Kernel = TwistedInverseKernel<decltype(views.blocks), typename F::View, basis>;
    count_operator(in, out, 1056 + rotation_flops<basis>, 2 * bytes_of_site<HermitianBlocks, typename F::Real>);
    for_each_site<typename F::Lanes>(
        "twisted_clover_inverse", out.range(), out.n_groups(),
        Kernel{views.blocks, views.square_inverse, in.view(), out.view(), views.twist, streaming}, exec);
  });
}

#define KOV_INSTANTIATE(T, Lanes) template struct CloverOn<SpinorField<T, Lanes>>
KOV_FOR_LANES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE
template struct CloverOn<SpinorField<Fixed16>>;

}  // namespace detail

template <class T>
template <class S>
CloverTerm<T>::CloverTerm(const GaugeField<S>& gauge, const CloverParameters& parameters, const LinkForms& forms)
    : parameters_(parameters), forms_(std::make_shared<Forms>()) {
  detail::require_anisotropy(parameters.anisotropy);
  const CloverCoefficients& c = parameters.c_sw;
  require(
      std::isfinite(parameters.mass) && std::isfinite(c.space) && std::isfinite(c.time) && std::isfinite(parameters.mu),
      "a clover term with mass", parameters.mass, ", c_sw", c.space, "and", c.time, "and mu", parameters.mu,
      "is not defined: give finite numbers");
  const Lattice& lattice = gauge.lattice();
  lattice.require_same("clover term", parameters.mass, c.space, c.time, parameters.mu, parameters.anisotropy.xi0,
                       parameters.anisotropy.nu);
  const Field<HermitianBlocks, S> blocks(lattice, "clover term"), inverse(lattice, "inverse of the clover term");
  {
    const Field<ColorMatrix, S> strength = field_strength(gauge, FieldStrengthTrace::kept);
    for_each_site("clover_blocks", blocks.range(), detail::blocks_kernel(strength, blocks, parameters));
    Exec().fence("clover blocks");
  }
  for_each_site("invert_clover", inverse.range(),
                detail::InvertCloverKernel<S>{blocks.view(), inverse.view(), S(parameters.mu)});
  singular_sites_ = std::int64_t(sum_sites<2>("clover_log_determinant", lattice, Subset::all,
                                              detail::LogDeterminantKernel<S>{blocks.view(), parameters.mu})[1]);
  blocks_ = detail::rounded<T>(blocks);
  inverse_ = detail::rounded<T>(inverse);
  declare(forms);
  Exec().fence("clover term");
}

template <class T>
CloverTerm<T> CloverTerm<T>::with(const LinkForms& forms) const {
  CloverTerm term(*this);
  term.declare(forms);
  Exec().fence("clover term");
  return term;
}

template <class T>
CloverTerm<T> CloverTerm<T>::with_basis(SpinBasis basis) const {
  CloverTerm term(*this);
  term.basis_ = basis;
  return term;
}

template <class T>
void CloverTerm<T>::declare(const LinkForms& forms) {
  if (!has_packs || !forms.columns) return;
  takes_columns_ = true;
  if (forms_->blocks.n_components() > 0) return;
  forms_->blocks = Columns(lattice(), "clover term for columns");
  forms_->inverse = Columns(lattice(), "inverse of the clover term for columns");
  convert(blocks_, forms_->blocks);
  convert(inverse_, forms_->inverse);
}

template <class T>
std::optional<double> CloverTerm<T>::number() const {
  if (parameters_.c_sw.space != 0 || parameters_.c_sw.time != 0 || parameters_.mu != 0) return {};
  return parameters_.anisotropy.diagonal(parameters_.mass);
}

template <class T>
double CloverTerm<T>::trace_log(Subset subset, SumMode mode) const {
  return sum_sites<2>("clover_log_determinant", lattice(), subset,
                      detail::LogDeterminantKernel<T>{blocks_.view(), parameters_.mu}, mode)[0];
}

template class CloverTerm<float>;
template CloverTerm<float>::CloverTerm(const GaugeField<float>&, const CloverParameters&, const LinkForms&);
template CloverTerm<float>::CloverTerm(const GaugeField<double>&, const CloverParameters&, const LinkForms&);
template class CloverTerm<double>;
template CloverTerm<double>::CloverTerm(const GaugeField<float>&, const CloverParameters&, const LinkForms&);
template CloverTerm<double>::CloverTerm(const GaugeField<double>&, const CloverParameters&, const LinkForms&);

}  // namespace kov
