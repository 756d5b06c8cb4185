// SPDX-License-Identifier: MIT
#include "kov/contractions/hadrons/conserved_current.hpp"

#include "kov/contractions/sources/propagator_statements.hpp"
#include "kov/stencil/operators/shift.hpp"

#include <algorithm>

namespace kov {

namespace {

/// U_mu(x) S(x + mu).
template <class T>
Propagator<T> transported(const GaugeLinks<T>& links, int mu, const Propagator<T>& s, const Exec& exec) {
  Propagator<T> next = s.like("transported " + s.name(), exec);
  covariant_shift(links, s.columns(), mu, 1, next.columns(), exec);
  return next;
}

/// Two propagators and what one link brings to x.
template <class T>
struct CurrentParts {
  CurrentParts(const GaugeLinks<T>& links, int mu, const Propagator<T>& s1, const Propagator<T>& s2, const Exec& exec)
      : mu(mu),
        s1(s1.alias()),
        s2(s2.alias()),
        next1(transported(links, mu, s1, exec)),
        next2(transported(links, mu, s2, exec)),
        exec(exec) {}

  Field<Scalar, T> current(const Gamma& source) const {
    const Gamma g5 = Gamma::five();
    Field<Scalar, T> out(s1.lattice(), "conserved current");
    assign(T(0.5) * (trace(g5 * adj(next2) * g5 * (1 + Gamma::direction(mu)) * s1 * source) -
                     trace(g5 * adj(s2) * g5 * (1 - Gamma::direction(mu)) * next1 * source)),
           out, exec);
    return out;
  }

  int mu;
  Propagator<T> s1, s2, next1, next2;
  Exec exec;
};

}  // namespace

template <class T>
Field<Scalar, T> conserved_current(const GaugeLinks<T>& links, int mu, const Propagator<T>& s1, const Propagator<T>& s2,
                                   const Gamma& source, const Exec& exec) {
  require(mu >= 0 && mu < 4, "there is no current in direction", mu, ": give one from 0 to 3");
  detail::labels_of_both(s1, s2);
  return CurrentParts<T>(links, mu, s1, s2, exec).current(source);
}

template <class T>
std::vector<Correlator> conserved_currents(const GaugeLinks<T>& links, const Propagator<T>& s1, const Propagator<T>& s2,
                                           const std::vector<int>& sources, const std::vector<Momentum>& momenta,
                                           const Exec& exec) {
  const PropagatorLabels labels = detail::labels_of_both(s1, s2);
  for (const int n : sources)
    require(n >= 0 && n < 16, "there is no gamma matrix of number", n, "for the source: give one from 0 to 15");
  std::vector<Correlator> result;
  for (int mu = 0; mu < 4; ++mu) {
    const CurrentParts<T> parts(links, mu, s1, s2, exec);
    for (const int n : sources) {
      const Field<Scalar, T> current = parts.current(Gamma::number(n));
      for (const Momentum& p : momenta) {
        auto slices =
            slice_sum(current * phase<T>(s1.lattice(), p, labels.origin), directions::t, SumMode::chunked, exec);
        std::rotate(slices.begin(), slices.begin() + labels.origin[3], slices.end());
        result.push_back({.kind = "conserved current",
                          .channel = std::string(1, "xyzt"[mu]) + "-" + meson_names()[std::size_t(n)],
                          .momentum = p,
                          .source = labels.origin,
                          .labels = labels.others,
                          .value = {slices.begin(), slices.end()}});
      }
    }
  }
  return result;
}

template Field<Scalar, float> conserved_current(const GaugeLinks<float>&, int, const Propagator<float>&,
                                                const Propagator<float>&, const Gamma&, const Exec&);
template Field<Scalar, double> conserved_current(const GaugeLinks<double>&, int, const Propagator<double>&,
                                                 const Propagator<double>&, const Gamma&, const Exec&);
template std::vector<Correlator> conserved_currents(const GaugeLinks<float>&, const Propagator<float>&,
                                                    const Propagator<float>&, const std::vector<int>&,
                                                    const std::vector<Momentum>&, const Exec&);
template std::vector<Correlator> conserved_currents(const GaugeLinks<double>&, const Propagator<double>&,
                                                    const Propagator<double>&, const std::vector<int>&,
                                                    const std::vector<Momentum>&, const Exec&);

}  // namespace kov
