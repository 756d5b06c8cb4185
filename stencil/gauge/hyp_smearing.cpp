// SPDX-License-Identifier: MIT
#include "kov/stencil/gauge/hyp_smearing.hpp"

#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/site/su3.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/observables/observables.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace kov {

namespace detail {

/// The staples of one fat link.  The links that are transported and those that transport them are components of the
/// level below.
struct CarriedStaples {
  struct Along {
    int nu, carried, along;
  };
  int mu, n;
  Along term[3];
};

/// Component k: A_k(x)^+ B_k(x) A_k(x + mu), the lower staple of x + nu_k.
template <class T>
struct CarriedCornerKernel {
  Stencil::View stencil;
  NeighbourView<ColorMatrix, T> below;
  FieldView<ColorMatrix, T> corners;
  CarriedStaples staples;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto near = stencil.at(x);
    for (int k = 0; k < staples.n; ++k) {
      const int along = staples.term[k].along;
      corners.set(x, adj(below(x, along)) * (below(x, staples.term[k].carried) * below(x, near(2 * staples.mu), along)),
                  k);
    }
  }
};

/// out(x) = link_weight U_mu(x) + staple_weight sum of both staples over k.
template <class T>
struct CarriedSumKernel {
  Stencil::View stencil;
  NeighbourView<ColorMatrix, T> below, corners;
  FieldView<ColorMatrix, T> u, out;
  CarriedStaples staples;
  T link_weight, staple_weight;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    const auto near = stencil.at(x);
    const auto link = u(x, staples.mu);
    using R = typename decltype(u(x, 0))::Real;
    auto sum = zero<ColorMatrix<R>>();
    for (int k = 0; k < staples.n; ++k) {
      const int nu = staples.term[k].nu, along = staples.term[k].along;
      const auto far = below(x, near(2 * nu), staples.term[k].carried) * adj(below(x, near(2 * staples.mu), along));
      sum += below(x, along) * far;
      sum += corners(x, near(2 * nu + 1), k);
    }
    sum = R(staple_weight) * sum;
    multiply_add(sum, R(link_weight), link);
    out.set(x, sum);
  }
};

}  // namespace detail

namespace {

/// A fat link V(mu; S): S is a set of directions as bits.
struct FatLink {
  int mu;
  unsigned int set;
  friend bool operator==(const FatLink&, const FatLink&) = default;
};

/// The fat links with this many directions in S, among the given ones: the components of one level, in order.
std::vector<FatLink> fat_links(unsigned int directions, int size) {
  std::vector<FatLink> links;
  for (int mu = 0; mu < 4; ++mu)
    for (unsigned int set = 0; set < 16; ++set)
      if ((directions >> mu & 1) != 0 && (set & ~directions) == 0 && (set >> mu & 1) == 0 && std::popcount(set) == size)
        links.push_back({mu, set});
  return links;
}

/// The component of a link in the level below; thin links are components 0 to 3.
int component(const std::vector<FatLink>& below, const FatLink& link) {
  if (link.set == 0) return link.mu;
  return int(std::find(below.begin(), below.end(), link) - below.begin());
}

detail::CarriedStaples staples_of(const FatLink& link, const std::vector<FatLink>& below) {
  detail::CarriedStaples staples{.mu = link.mu, .n = 0, .term = {}};
  for (int nu = 0; nu < 4; ++nu) {
    if ((link.set >> nu & 1) == 0) continue;
    const unsigned int rest = link.set & ~(1u << nu);
    staples.term[staples.n++] = {nu, component(below, {link.mu, rest}), component(below, {nu, rest})};
  }
  return staples;
}

/// What all steps of a smearing share.
template <class T>
class HypStep {
 public:
  HypStep(const Lattice& lattice, const HypSmearing& smearing)
      : smearing_(smearing),
        stencil_(Stencil::of(lattice).view()),
        corners_(lattice, "corners", 3),
        fuzzy_(lattice, "link plus staples"),
        corner_halo_(lattice, 3) {
    for (unsigned int mu = 0; mu < 4; ++mu) directions_ |= smearing.directions[mu] ? 1u << mu : 0u;
    const int levels = std::popcount(directions_) - 1;
    for (int k = 0; k <= levels; ++k) {
      links_.push_back(fat_links(directions_, k));
      const int n = k == 0 ? 4 : int(links_.back().size());
      fields_.emplace_back(lattice, "fat links", n);
      halos_.emplace_back(lattice, n);
    }
  }

  /// The links of `thin`, smeared, in place.
  void operator()(const GaugeField<T>& thin) {
    copy(thin, fields_[0]);
    for (std::size_t level = 1; level < fields_.size(); ++level) {
      const double alpha = level == 1 ? smearing_.alpha3 : level == 2 ? smearing_.alpha2 : smearing_.alpha1;
      const auto below = halos_[level - 1].exchange(fields_[level - 1]);
      for (std::size_t k = 0; k < links_[level].size(); ++k)
        smear(below, staples_of(links_[level][k], links_[level - 1]), alpha, fields_[level].column(int(k)));
    }
    const std::vector<FatLink>& top = links_.back();
    for (std::size_t k = 0; k < top.size(); ++k) copy(fields_.back().column(int(k)), thin.column(top[k].mu));
  }

 private:
  void smear(const NeighbourView<ColorMatrix, T>& below, const detail::CarriedStaples& staples, double alpha,
             const Field<ColorMatrix, T>& out) {
    for_each_site("carried_corners", corners_.range(),
                  detail::CarriedCornerKernel<T>{stencil_, below, corners_.view(), staples});
    const GaugeField<T>& thin = fields_[0];
    for_each_site("carried_staples", fuzzy_.range(),
                  detail::CarriedSumKernel<T>{stencil_, below, corner_halo_.exchange(corners_), thin.view(),
                                              fuzzy_.view(), staples, T(1 - alpha), T(alpha / (2 * staples.n))});
    copy(thin.column(staples.mu), out);
    project_by_trace(out, fuzzy_, smearing_.projection);
  }

  HypSmearing smearing_;
  Stencil::View stencil_;
  unsigned int directions_ = 0;
  std::vector<std::vector<FatLink>> links_;  // of each level, 0 is the thin links
  std::vector<Field<ColorMatrix, T>> fields_;
  std::vector<Halo<ColorMatrix, T>> halos_;
  Field<ColorMatrix, T> corners_, fuzzy_;
  Halo<ColorMatrix, T> corner_halo_;
};

}  // namespace

template <class T>
GaugeField<T> hyp(const GaugeField<T>& gauge, const HypSmearing& smearing) {
  require_gauge(gauge);
  gauge.lattice().require_same("HYP smearing", smearing.alpha1, smearing.alpha2, smearing.alpha3, smearing.n,
                               to_text({smearing.directions.begin(), smearing.directions.end()}));
  for (const double alpha : {smearing.alpha1, smearing.alpha2, smearing.alpha3})
    detail::require_smearing(alpha, "an alpha of HYP smearing", smearing.n, smearing.directions);
  const GaugeField<T> smeared = gauge.clone("HYP links");
  if (smearing.n == 0) return smeared;
  HypStep<T> step(gauge.lattice(), smearing);
  for (int k = 0; k < smearing.n; ++k) step(smeared);
  return smeared;
}

template GaugeField<float> hyp(const GaugeField<float>&, const HypSmearing&);
template GaugeField<double> hyp(const GaugeField<double>&, const HypSmearing&);

}  // namespace kov
