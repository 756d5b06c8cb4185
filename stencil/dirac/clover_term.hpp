// SPDX-License-Identifier: MIT
//
// CloverTerm: the site term of Wilson-clover and twisted-clover operators.
#pragma once

#include "kov/core/site/hermitian_blocks.hpp"
#include "kov/core/site/spin_basis.hpp"
#include "kov/core/vectors/reduce.hpp"
#include "kov/stencil/dirac/site_term.hpp"

#include <memory>
#include <optional>
#include <type_traits>

namespace kov {

/// c_sw of the planes in space and of those with t; c_R and c_T of Chroma's anisotropic action.
struct CloverCoefficients {
  double space, time;

  /// One coefficient for all planes, or one for each kind.
  CloverCoefficients(double c_sw) : space(c_sw), time(c_sw) {}  // NOLINT: meant to be implicit
  CloverCoefficients(double space, double time) : space(space), time(time) {}
};

/// Of a Wilson-clover operator, in lattice units.
struct CloverParameters {
  /// 1 / (2 kappa) - 4.
  double mass = 0;
  /// 1 at tree level.
  CloverCoefficients c_sw = 1;
  /// Twisted mass.
  double mu = 0;
  Anisotropy anisotropy = {};
};

namespace detail {

/// What a clover kernel applies to spinors.
template <class T, class Lanes>
struct CloverViews {
  /// A, and only where the inverse of a twisted term is applied (A^2 + mu^2)^-1.
  FieldView<HermitianBlocks, T, Lanes> blocks, square_inverse;
  /// What is added to A: i twist g5.
  T twist;
  /// Of the spinors.
  SpinBasis basis;
};

/// CloverTerm::apply() and apply_inverse() on fields of one shape.
template <class F>
struct CloverOn {
  using Views = CloverViews<typename F::Real, link_lanes_t<typename F::Lanes>>;
  static void multiply(const Views& views, const F& in, const F& out, const Exec& exec);
  static void multiply_by_inverse(const Views& views, const F& in, const F& out, const Exec& exec);
};

}  // namespace detail

/// D = 4 + m - c_sw / 2 sum over mu < nu of g_mu g_nu F_munu + i mu g5, with field_strength(gauge,
/// FieldStrengthTrace::kept) for F (Sheikholeslami and Wohlert, Nucl. Phys. B 259 (1985) 572; normalised as in Chroma).
/// Anisotropic: 1 + 3 nu / xi0 + m instead of 4 + m, and c_sw is c_space / xi0 for planes in space, c_time for those
/// with t.
///
/// A handle: copies share the memory.  For mu = 0 both D and its inverse are stored, 72 reals of T a site each; for
/// other mu the Hermitian part A of D and (A^2 + mu^2)^-1, because D^-1 = (A - i mu g5) (A^2 + mu^2)^-1.
template <class T>
class CloverTerm {
 public:
  /// gauge: four links in SU(3) a site, without boundary phases, which cancel in F; the blocks and their inverses are
  /// computed in its precision and rounded to T.  forms.columns: for fields of columns too.  Later changes of gauge
  /// have no effect.  Collective.  Throws InputError for parameters that are not finite or describe no anisotropy.
  template <class S>
  CloverTerm(const GaugeField<S>& gauge, const CloverParameters& parameters, const LinkForms& forms = {});
  /// The same term with these forms made as well.
  CloverTerm with(const LinkForms& forms) const;
  /// The same term on fields in this basis of spin: S D S, see SpinBasis.  The blocks stay in the chiral one; spinors
  /// are rotated to it and back in registers.
  CloverTerm with_basis(SpinBasis basis) const;
  /// The same term on some of its sites, which are a lattice of their own; part(field) returns those of a field, 0
  /// where a site of that lattice is none of these.  For single fields.
  template <class Part>
  CloverTerm on_part(const Part& part) const {
    CloverTerm term(*this);
    term.blocks_ = part(blocks_);
    term.inverse_ = part(inverse_);
    term.takes_columns_ = false;
    term.forms_ = std::make_shared<Forms>();
    return term;
  }

  const Lattice& lattice() const { return blocks_.lattice(); }
  const CloverParameters& parameters() const { return parameters_; }
  /// 4 + m if there is nothing else in D.
  std::optional<double> number() const;
  /// The Hermitian part of D.
  const Field<HermitianBlocks, T>& blocks() const { return blocks_; }
  /// Its inverse, or (A^2 + mu^2)^-1 for a twisted term.  Not finite on singular sites.
  const Field<HermitianBlocks, T>& inverse_blocks() const { return inverse_; }
  /// On how many sites the Hermitian part has no inverse, or one that is rounding errors alone.  0 for a twisted term.
  std::int64_t singular_sites() const { return singular_sites_; }

  /// The sum over the sites of `subset` of log |det D|, D being a 12 x 12 matrix: the real part of the trace of log D.
  /// In double from the blocks in T.  Collective.
  double trace_log(Subset subset = Subset::all, SumMode mode = SumMode::chunked) const;

  /// out = D in, or D^+ in, for every component: two different fields of equal shape, on all sites or those of one
  /// parity.  Asynchronous, ordered on exec.  Throws InputError when the shapes do not fit, and for columns if the term
  /// was made without LinkForms::columns; in the non-relativistic basis for those without takes_nonrelativistic.
  ///
  /// 504 flops (552 if twisted), in the non-relativistic basis 72 more; 72 + 48 reals of memory traffic a site, 72 / n
  /// + 48 a column for n of them.
  template <class S, class Lanes>
  requires std::same_as<real_of_storage_t<Spinor, S>, T>
  void apply(const SpinorField<S, Lanes>& in, const SpinorField<S, Lanes>& out, bool adjoint = false,
             const Exec& exec = {}) const {
    require_shapes(in, out);
    detail::CloverOn<SpinorField<S, Lanes>>::multiply(views<Lanes>(false, adjoint ? -1 : 1), in, out, exec);
  }
  /// The same with the inverse of D.  Throws InputError if the term has singular sites.
  ///
  /// Flops and traffic as apply(); if twisted, 1056 flops and 144 + 48 reals.
  template <class S, class Lanes>
  requires std::same_as<real_of_storage_t<Spinor, S>, T>
  void apply_inverse(const SpinorField<S, Lanes>& in, const SpinorField<S, Lanes>& out, bool adjoint = false,
                     const Exec& exec = {}) const {
    require_shapes(in, out);
    require(singular_sites_ == 0, "the clover term has no inverse on", singular_sites_,
            "sites, so these cannot be eliminated: solve for all sites without even-odd preconditioning");
    using On = detail::CloverOn<SpinorField<S, Lanes>>;
    if (parameters_.mu == 0)
      On::multiply(views<Lanes>(true, 0), in, out, exec);
    else
      On::multiply_by_inverse(views<Lanes>(true, adjoint ? 1 : -1), in, out, exec);
  }
  /// What apply_inverse() multiplies fields F by, if it does nothing else: not for twisted terms, in another basis than
  /// the chiral one, and where it throws.
  template <class F>
  std::optional<detail::HermitianView<F>> inverse_view() const {
    if (parameters_.mu != 0 || basis_ != SpinBasis::chiral || singular_sites_ != 0) return {};
    if (link_lanes_t<typename F::Lanes>::holds_columns && !takes_columns_) return {};
    return views<typename F::Lanes>(true, 0).blocks;
  }

 private:
  using Columns = Field<HermitianBlocks, T, ColumnLanes<1>>;
  struct Forms {
    Columns blocks, inverse;
  };

  void declare(const LinkForms& forms);
  template <class F>
  void require_shapes(const F& in, const F& out) const {
    require(in.lattice() == lattice() && in.conforms(out), "the clover term got", in.name(), "and", out.name(),
            "whose lattices, sites or columns do not fit: give it two fields of one shape on its lattice");
    require(in.data() != out.data(), "the clover term cannot work in place on", in.name(),
            ": give it two different fields");
  }
  template <class Lanes>
  auto views(bool inverse, int sign) const {
    detail::CloverViews<T, link_lanes_t<Lanes>> v;
    v.twist = T(sign * parameters_.mu);
    v.basis = basis_;
    if constexpr (link_lanes_t<Lanes>::holds_columns) {
      require(takes_columns_,
              "the clover term was made for single fields and got columns: make it with LinkForms{.columns = true}");
      set_views(v, forms_->blocks, forms_->inverse, inverse);
    } else {
      set_views(v, blocks_, inverse_, inverse);
    }
    return v;
  }
  template <class Views, class F>
  void set_views(Views& v, const F& blocks, const F& inverse, bool wants_inverse) const {
    const bool twisted = parameters_.mu != 0;
    v.blocks = wants_inverse && !twisted ? inverse.view() : blocks.view();
    if (twisted) v.square_inverse = inverse.view();
  }

  CloverParameters parameters_;
  std::int64_t singular_sites_ = 0;
  Field<HermitianBlocks, T> blocks_, inverse_;
  bool takes_columns_ = false;
  SpinBasis basis_ = SpinBasis::chiral;
  std::shared_ptr<Forms> forms_;
};

}  // namespace kov
