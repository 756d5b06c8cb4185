// SPDX-License-Identifier: MIT
#include "kov/stencil/operators/adjoint_laplacian.hpp"

#include "kov/stencil/launch/run_stencil.hpp"
#include "kov/stencil/links/links_at.hpp"

namespace kov {

namespace detail {

/// Eight legs: 8 * 448 + 60 flops and 16 + 16 + 72 reals of memory traffic.
template <class Links, class In, class Out, class StencilView>
struct AdjointLaplacianKernel {
  using Real = typename Out::Real;
  static constexpr bool takes_pairs = Out::outers == 2;

  StencilView stencil;
  Links links;
  In in;
  Out out;
  int n_components;
  Real alpha, beta;
  int n_legs;
  bool streaming;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    const auto near = stencil.at(x);
    const LinksAt<Links, Site, 8, false> u(links, x, near);
    using Octet = decltype(in(x, c));
    using R = typename Octet::Real;
    auto sum = zero<ColorMatrix<R>>();
    // Not unrolled: code that runs once on small lattices is loaded for each use.
    for (int leg = 0; leg < n_legs; leg += 2) {
      add_leg<false>(sum, x, near, u, leg, c);
      add_leg<true>(sum, x, near, u, leg + 1, c);
    }
    Octet result = R(beta) * to_adjoint(sum);
    multiply_add(result, R(alpha), in(x, c));
    set_or_stream(out, x, result, c, streaming);
  }

 private:
  template <bool is_backward, class Sum, class Site, class Near, class U>
  KOKKOS_FORCEINLINE_FUNCTION void add_leg(Sum& sum, Site x, const Near& near, const U& u, int leg, int c) const {
    if (streaming) prefetch_next(stencil, near, links, in, x, leg, c, n_components);
    add_conjugated(sum, u.template of_leg<is_backward>(near(leg), leg), to_color_matrix(in.neighbour(x, near, leg, c)));
  }
};

}  // namespace detail

template <class T>
template <class Lanes>
void AdjointLaplacian<T>::combine(double alpha, double beta, const Field<AdjointVector, T, Lanes>& in,
                                  const Field<AdjointVector, T, Lanes>& out, const Exec& exec) const {
  require(in.conforms(out) && in.lattice() == lattice() && in.subset() == Subset::all && in.data() != out.data(),
          "the adjoint Laplacian got", in.name(), "and", out.name(),
          "which must be two different full fields of one shape, on the lattice of its links");
  const int n_legs = 2 * int(dimensions_);
  const bool streaming = worth_streaming(operator_bytes<T>(in, out, n_legs));
  const auto links = links_.template bare_view<Lanes>();
  const auto to = detail::shared_view<AdjointVector>(out.view());
  run_stencil<StencilForms::nearest_and_local>(
      "adjoint_laplacian", halos_, in, out,
      [&](const auto& neighbours, const auto& stencil) {
        const auto from = detail::shared_view<AdjointVector>(neighbours);
        using Kernel = detail::AdjointLaplacianKernel<std::decay_t<decltype(links)>, std::decay_t<decltype(from)>,
                                                      std::decay_t<decltype(to)>, std::decay_t<decltype(stencil)>>;
        const Kernel kernel{stencil,  links,   from,   to,       detail::shared_groups<AdjointVector>(in),
                            T(alpha), T(beta), n_legs, streaming};
        return detail::by_shared_groups<AdjointVector>(kernel, in);
      },
      {.codec = links_.codec(), .exec = exec});
}

#define KOV_INSTANTIATE(T, Lanes)                                                                   \
  template void AdjointLaplacian<T>::combine(double, double, const Field<AdjointVector, T, Lanes>&, \
                                             const Field<AdjointVector, T, Lanes>&, const Exec&) const
KOV_FOR_LANES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE

}  // namespace kov
