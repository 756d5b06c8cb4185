// SPDX-License-Identifier: MIT
//
// The gauge-covariant Laplacian in three or four dimensions, on colour vectors, spinors and blocks of columns; and
// steps of recurrences with it.
#pragma once

#include "kov/stencil/links/gauge_links.hpp"

#include <optional>
#include <vector>

namespace kov {

/// Directions an operator works in.
enum class Dimensions { space = 3, spacetime = 4 };

/// A step of a recurrence: to = alpha from + beta * (sum over the legs of U_leg(x) from(x + leg)) + source in - before,
/// where the last two terms are optional.
struct LaplacianStep {
  double alpha, beta;
  /// The coefficient of `in`.  Absent: the step has no source.
  std::optional<double> source = {};
  /// Whether `before`, the result of the step before the last one, is subtracted.
  bool has_before = false;

  /// Whether the step reads fields besides `from`.
  bool reads_others() const { return source || has_before; }
};

template <class StorageT>
class CovariantLaplacian;

namespace detail {

/// The nearest neighbours in these dimensions.  Throws InputError if the legs of links do not begin with them.
std::vector<Coord> laplacian_legs(const std::vector<Coord>& legs, Dimensions dimensions);

/// CovariantLaplacian::take() on fields of one shape.
template <class Storage, class F>
struct LaplacianOn {
  static void take(const CovariantLaplacian<Storage>& laplacian, const LaplacianStep& step, const F& in, const F& from,
                   const F& before, const F& to, const Exec& exec);
};

}  // namespace detail

/// (Delta psi)(x) = sum over mu of U_mu(x) psi(x + mu) + adj(U_mu(x - mu)) psi(x - mu) - 2 psi(x).  Storage: of the
/// links.
template <class StorageT>
class CovariantLaplacian {
 public:
  using Storage = StorageT;

  /// forms: of the links, if the operator will be applied to columns.  Throws InputError for links of longer legs.
  explicit CovariantLaplacian(const GaugeLinks<Storage>& links, Dimensions dimensions = Dimensions::spacetime,
                              const LinkForms& forms = {})
      : links_(links.with(forms)),
        dimensions_(dimensions),
        halos_(lattice(), detail::laplacian_legs(links.legs(), dimensions)) {}

  /// out = Delta in, for every component of a field of ColorVector or Spinor.  Asynchronous, ordered on exec; in and
  /// out must be different fields.
  template <template <class> class SiteT, class S, class Lanes>
  void apply(const Field<SiteT, S, Lanes>& in, const Field<SiteT, S, Lanes>& out, const Exec& exec = {}) const {
    combine(-2 * int(dimensions_), 1, in, out, exec);
  }

  /// out = alpha in + beta * (sum of the legs): Delta is alpha = -2 d, beta = 1.  Throws InputError when the shapes
  /// differ.
  template <template <class> class SiteT, class S, class Lanes>
  void combine(double alpha, double beta, const Field<SiteT, S, Lanes>& in, const Field<SiteT, S, Lanes>& out,
               const Exec& exec = {}) const {
    take({alpha, beta}, in, in, in, out, exec);
  }
  /// One step of a recurrence.  to may be the same field as in or before, but not as from.  in is read only if the step
  /// has a source, before only if the step has a before.
  template <template <class> class SiteT, class S, class Lanes>
  void take(const LaplacianStep& step, const Field<SiteT, S, Lanes>& in, const Field<SiteT, S, Lanes>& from,
            const Field<SiteT, S, Lanes>& before, const Field<SiteT, S, Lanes>& to, const Exec& exec = {}) const {
    static_assert(!Lanes::holds_columns || detail::have_column_form<Storage>,
                  "links of 8 numbers or of integers take fields with sites in lanes, a component for each column");
    detail::LaplacianOn<Storage, Field<SiteT, S, Lanes>>::take(*this, step, in, from, before, to, exec);
  }

  const Lattice& lattice() const { return links_.lattice(); }
  const GaugeLinks<Storage>& links() const { return links_; }
  Dimensions dimensions() const { return dimensions_; }
  /// The halos of the legs that the operator reads.
  const StencilHalos& halos() const { return halos_; }

 private:
  GaugeLinks<Storage> links_;
  Dimensions dimensions_;
  StencilHalos halos_;
};

}  // namespace kov
