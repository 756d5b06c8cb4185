// SPDX-License-Identifier: MIT
#include "kov/stencil/smearing/wuppertal.hpp"

#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/functions/slice_steps.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kov {

template <class T>
WuppertalSmearing<T>::WuppertalSmearing(const GaugeLinks<T>& links, const WuppertalParameters& parameters,
                                        const LinkForms& forms)
    : laplacian_(links, Dimensions::space, forms), parameters_(parameters) {
  lattice().require_same("Wuppertal smearing", parameters.width, parameters.iterations);
  require(std::isfinite(parameters.width) && parameters.width >= 0, "a smearing width of", parameters.width,
          "has no meaning: give a number of lattice units, 0 or more");
  require(parameters.iterations >= 0, parameters.iterations, "smearing iterations cannot be done: give 0 or more");
  require(parameters.iterations > 0 || parameters.width == 0, "a smearing of width", parameters.width,
          "needs iterations, at least 3 / 2 of the width squared; 0 were given");
}

template <class T>
template <template <class> class SiteT, class Lanes>
void WuppertalSmearing<T>::apply(const Field<SiteT, T, Lanes>& in, const Field<SiteT, T, Lanes>& out,
                                 const Exec& exec) const {
  require(in.conforms(out) && in.lattice() == lattice() && in.subset() == Subset::all, "the smearing got", in.name(),
          "and", out.name(),
          "which differ in shape, have one parity only, or are on another lattice than its links: give it two full "
          "fields of one shape on that lattice");
  const int n = parameters_.iterations;
  const double step = n > 0 ? parameters_.width * parameters_.width / (4 * n) : 0;
  if (step == 0) {
    if (in.data() != out.data()) copy(in, out, exec);
    return;
  }
  const LaplacianStep iteration{.alpha = 1 - 6 * step, .beta = step};
  if constexpr (std::is_same_v<Lanes, SiteLanes>)
    if (detail::worth_slices(in)) {
      // Many at once, for the caches, but not all: there may be more of them than there is memory for a list.
      constexpr int most = 1024;
      for (int left = n, k = std::min(n, most); left > 0; left -= k, k = std::min(left, most)) {
        const std::vector<LaplacianStep> steps(std::size_t(k), iteration);
        detail::take_by_slices(laplacian_.links(), steps, left == n ? in : out, out, exec);
      }
      return;
    }
  // Two buffers take turns so that the last iteration writes out.
  using F = Field<SiteT, T, Lanes>;
  const F other = out.like("smearing", exec);
  F from = in.alias();
  if (in.data() == out.data() && n % 2 == 1) {
    from = in.like("smearing input", exec);
    copy(in, from, exec);
  }
  for (int k = 1; k <= n; ++k) {
    const F& to = (n - k) % 2 == 0 ? out : other;
    laplacian_.take(iteration, from, from, from, to, exec);
    from = to.alias();
  }
}

template class WuppertalSmearing<float>;
template class WuppertalSmearing<double>;
#define KOV_INSTANTIATE(T, Lanes)                                                                                     \
  template void WuppertalSmearing<T>::apply(const Field<ColorVector, T, Lanes>&, const Field<ColorVector, T, Lanes>&, \
                                            const Exec&) const;                                                       \
  template void WuppertalSmearing<T>::apply(const Field<Spinor, T, Lanes>&, const Field<Spinor, T, Lanes>&,           \
                                            const Exec&) const
KOV_FOR_LANES(KOV_INSTANTIATE);
#undef KOV_INSTANTIATE

}  // namespace kov
