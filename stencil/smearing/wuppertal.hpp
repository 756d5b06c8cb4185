// SPDX-License-Identifier: MIT
//
// Wuppertal (Gaussian) smearing of quark fields with the spatial covariant Laplacian.
#pragma once

#include "kov/stencil/operators/laplacian.hpp"

namespace kov {

/// (1 + w^2 / (4 N) Delta)^N in Chroma's convention, unnormalised: w is the width in lattice units, N the number of
/// iterations.  Larger N is closer to exp(w^2 Delta / 4); N below 3 w^2 / 2 lets the shortest waves grow.
struct WuppertalParameters {
  double width = 0;
  int iterations = 0;
};

/// Smears sources and sinks alike, usually with smeared links and without boundary phases in space.
///
/// Every iteration is one sweep of the links for all components: out = (1 - 6 s) in + s (sum of the six legs), s = w^2
/// / (4 N).  Where no message crosses a time slice, a CPU takes slice after slice through all iterations instead, with
/// sites in lanes.
template <class T>
class WuppertalSmearing {
 public:
  /// forms: {.columns = true} if it will be applied to columns in lanes.  Throws InputError for a width or a number of
  /// iterations that is negative or not finite.
  WuppertalSmearing(const GaugeLinks<T>& links, const WuppertalParameters& parameters, const LinkForms& forms = {});

  const WuppertalParameters& parameters() const { return parameters_; }
  const Lattice& lattice() const { return laplacian_.lattice(); }

  /// out = smeared in, every component (12 for a propagator), on full fields of Spinor or ColorVector; in may be out.
  /// Ordered on exec.  Throws InputError when the shapes differ.
  template <template <class> class SiteT, class Lanes>
  void apply(const Field<SiteT, T, Lanes>& in, const Field<SiteT, T, Lanes>& out, const Exec& exec = {}) const;

  /// A new field with the smeared components of in.
  template <template <class> class SiteT, class Lanes>
  Field<SiteT, T, Lanes> operator()(const Field<SiteT, T, Lanes>& in, const Exec& exec = {}) const {
    const Field<SiteT, T, Lanes> out = in.like("smeared " + in.name());
    apply(in, out, exec);
    return out;
  }

 private:
  CovariantLaplacian<T> laplacian_;
  WuppertalParameters parameters_;
};

}  // namespace kov
