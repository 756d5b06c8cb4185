// SPDX-License-Identifier: MIT
#include "kov/stencil/dirac/twisted_mass_term.hpp"

#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/launch/streaming.hpp"
#include "kov/core/site/gamma.hpp"
#include "kov/stencil/operator_work.hpp"
#include "kov/stencil/operators/nonrelativistic.hpp"

namespace kov::detail {

/// out(x) = (number + i twist g5) in(x); see TwistedMassTerm for flops and memory traffic.
template <class View, SpinBasis basis>
struct TwistKernel {
  using Real = typename View::Real;
  static constexpr bool takes_pairs = View::outers == 2;

  View in, out;
  Real number, twist;
  bool streaming;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    const auto psi = in(x, c);
    using R = typename std::decay_t<decltype(psi)>::Real;
    auto result = R(number) * psi;
    add_twist<basis>(result, R(twist), psi);
    set_or_stream(out, x, result, c, streaming);
  }
};

template <class F>
void TwistOn<F>::apply(double number, double twist, SpinBasis basis, const F& in, const F& out, const Exec& exec) {
  using Real = typename F::Real;
  const auto launch = [&]<SpinBasis of_fields>(std::integral_constant<SpinBasis, of_fields>) {
    using Kernel = TwistKernel<typename F::View, of_fields>;
    const bool streaming = worth_streaming(in.bytes() + out.bytes());
    count_operator(in, out, 96, 0);
    for_each_site<typename F::Lanes>("twisted_mass", out.range(), out.n_groups(),
                                     Kernel{in.view(), out.view(), Real(number), Real(twist), streaming}, exec);
  };
  in_basis(basis, in, launch);
}

#define KOV_INSTANTIATE(T, Lanes) template struct TwistOn<SpinorField<T, Lanes>>
KOV_FOR_LANES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE
template struct TwistOn<SpinorField<Fixed16>>;

}  // namespace kov::detail
