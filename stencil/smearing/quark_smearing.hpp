// SPDX-License-Identifier: MIT
//
// QuarkSmearing: one type for every smearing of sources and sinks, so that programs choose at run time.
#pragma once

#include "kov/stencil/smearing/profile_smearing.hpp"
#include "kov/stencil/smearing/wuppertal.hpp"

#include <variant>

namespace kov {

/// Nothing (a point stays a point), Wuppertal's steps, or F(p^2) of p^2 = -Laplacian: gaussian_profile(),
/// node_profile(), theta_profile() or a function of one's own.
using SmearingShape = std::variant<std::monostate, WuppertalParameters, RealFunction>;

/// out = smeared in.  Hermitian, so that it goes into sources and sinks alike, which may have different ones:
///
/// const GaugeLinks<double> smooth(stout(gauge, {.n = 10}));
/// const QuarkSmearing<double> at_source(smooth, WuppertalParameters{.width = 3, .iterations = 20}),
///     at_sink(smooth, node_profile(2));
/// const auto source = smeared(point_source<double>(lattice, origin), at_source);
/// const auto quark = smeared(solve_propagator(solver, M, source).propagator, at_sink);
///
/// With links from momentum_factors() it is momentum smearing.
template <class T>
class QuarkSmearing {
 public:
  /// Nothing, for which no links are needed.
  explicit QuarkSmearing(const Lattice& lattice) : lattice_(lattice) {}
  /// series: how an F(p^2) is approximated; forms: {.columns = true} if it will be applied to columns in lanes.  Throws
  /// like WuppertalSmearing and ProfileSmearing.
  QuarkSmearing(const GaugeLinks<T>& links, const SmearingShape& shape, const ProfileParameters& series = {},
                const LinkForms& forms = {});

  const Lattice& lattice() const { return lattice_; }
  /// Whether it does nothing: apply() only copies in to out.
  bool is_none() const { return smearing_.index() == 0; }
  /// The series of an F(p^2), with its order() and error(); nullptr for other smearings.
  const ChebyshevSeries* series() const;

  /// Every component (12 for a propagator) in one sweep of the links, on full fields of Spinor or ColorVector; in may
  /// be out.  Ordered on exec.  Throws InputError when the shapes differ.
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
  Lattice lattice_;
  std::variant<std::monostate, WuppertalSmearing<T>, ProfileSmearing<T>> smearing_;
};

}  // namespace kov
