// SPDX-License-Identifier: MIT
#include "kov/stencil/links/gauge_links.hpp"

#include "kov/core/field/convert.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/vectors/field_sums.hpp"
#include "kov/core/vectors/reduce.hpp"

#include <cmath>

namespace kov {

namespace detail {

/// Writes the doubled links of site x (see LinkView) to site `there` of out.
template <class In, class Out, class Site, class There>
KOKKOS_FORCEINLINE_FUNCTION void copy_both_legs(const Stencil::View& stencil, const In& in, const Out& out, Site x,
                                                There there) {
  const auto near = stencil.at(x);
  for (int leg = 0; leg < stencil.n_legs; leg += 2) {
    out.set(there, in(x, leg / 2), leg);
    out.set(there, in(x, near(leg + 1), leg / 2), leg + 1);
  }
}

template <class Storage>
struct DoubleLinks {
  Stencil::View stencil;
  NeighbourView<ColorMatrix, Storage> in;
  FieldView<ColorMatrix, Storage> out;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    copy_both_legs(stencil, in, out, x, x);
  }
};

#if !defined(KOKKOS_ENABLE_CUDA)
/// The same for links of eight reals, as they are stored: decoded and encoded again they would be others.
template <class Storage>
struct DoubleStoredLinks {
  using View = FieldView<ColorMatrix, Storage>;

  Stencil::View stencil;
  NeighbourView<ColorMatrix, Storage> in;
  View out;

  KOKKOS_FUNCTION void operator()(LaneSite x) const {
    const auto near = stencil.at(x);
    for (int leg = 0; leg < stencil.n_legs; leg += 2) {
      copy(in.field(), x, leg / 2, x, leg);
      const LaneHop hop = near(leg + 1);
      copy(hop.halo ? in.halo() : in.field(), LaneSite{hop.outer, hop.lane}, leg / 2, x, leg + 1);
    }
  }

 private:
  static KOKKOS_FUNCTION typename View::Stored* numbers(const View& view, LaneSite x, int component) {
    return view.address(x.outer, component) + View::first_lane(x.outer) + x.lane;
  }
  KOKKOS_FUNCTION void copy(const View& from, LaneSite y, int k, LaneSite x, int leg) const {
    const auto* const p = numbers(from, y, k);
    auto* const q = numbers(out, x, leg);
    for (int i = 0; i < View::Codec::n_stored; ++i) q[View::row * i] = p[View::row * i];
  }
};
#endif

/// The same with the sites of out in the order of columns, lane by lane.
template <class Storage>
struct ColumnLinks {
  Stencil::View stencil;
  NeighbourView<ColorMatrix, Storage> in;
  FieldView<ColorMatrix, Storage, ColumnLanes<1>> out;
  Layout::View layout, columns;

  KOKKOS_FUNCTION void operator()(LaneSite x) const {
    const int column = columns.even_odd_slot(layout.coordinate(x.outer, x.lane));
    copy_both_legs(stencil, in, out, x, LaneSite{column, 0});
  }
};

/// How many links in time are not 1, but for those from the last time slice to the first.
template <class S>
struct OtherTimeLinks {
  FieldView<ColorMatrix, S> links;
  Layout::View layout;
  int last_t;

  template <class Site>
  KOKKOS_FUNCTION auto operator()(Site x) const {
    if constexpr (std::is_same_v<Site, LaneSite>) {
      return Values<double, 1>{{other(x)}};
    } else {
      constexpr int n = FieldView<ColorMatrix, S>::lanes;
      Values<Pack<double, n>, 1> sum;
      for (int lane = 0; lane < n; ++lane) sum.v[0].set_lane(lane, other(LaneSite{x.outer, lane}));
      return sum;
    }
  }

 private:
  KOKKOS_FUNCTION double other(LaneSite x) const {
    if (!layout.is_site(x.outer, x.lane) || layout.coordinate(x.outer, x.lane)[3] == last_t) return 0;
    const auto u = links(x, 3);
    bool unit = true;
    for (int i = 0; i < 9; ++i) unit = unit && u.z[i].re == S(i % 4 == 0) && u.z[i].im == S(0);
    return unit ? 0 : 1;
  }
};

namespace {

template <class S>
void require_unit_time_links(const GaugeField<S>& gauge) {
  const Lattice& lattice = gauge.lattice();
  const int last_t = lattice.extent()[3] - 1 - lattice.geometry().origin()[3];
  const double others = sum_sites<1>("other_time_links", lattice, Subset::all,
                                     OtherTimeLinks<S>{gauge.view(), lattice.layout().view(), last_t})[0];
  require(others == 0, gauge.name(), "has", others,
          "links in time that are not 1, which TimeLinks::unit says they are: take in_temporal_gauge(gauge).links");
}

std::vector<Coord> both_ways(const std::vector<Coord>& steps) {
  std::vector<Coord> legs;
  for (const Coord& d : steps) {
    legs.push_back(d);
    legs.push_back({-d[0], -d[1], -d[2], -d[3]});
  }
  return legs;
}

template <class Storage>
std::string codec_name(LinkStorage storage) {
  using Codec = kov::Codec<ColorMatrix, Storage>;
  const std::string reals = std::to_string(Codec::n_stored);
  return std::string(storage == LinkStorage::once ? "links once" : "links twice") +
         (reals == "18" ? "" : ", " + reals + " reals") + (sizeof(typename Codec::Stored) == 2 ? ", 16 bits" : "");
}

/// Of the four directions, for links of a gauge field.
template <class S>
std::vector<Coord> steps_of(const GaugeField<S>& gauge) {
  require(gauge.n_components() == 4, gauge.name(), "has", gauge.n_components(), "components, but a gauge field has 4");
  return {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
}

std::vector<int> odd_numbers(std::size_t end) {
  std::vector<int> numbers;
  for (int k = 1; k < int(end); k += 2) numbers.push_back(k);
  return numbers;
}

}  // namespace

}  // namespace detail

template <class Storage>
GaugeLinks<Storage>::GaugeLinks(const GaugeField<float>& gauge, const LegFactors& factors, LinkStorage storage)
    : GaugeLinks(OfAnyPrecision(), detail::steps_of(gauge), gauge, factors, storage) {}

template <class Storage>
GaugeLinks<Storage>::GaugeLinks(const GaugeField<double>& gauge, const LegFactors& factors, LinkStorage storage)
    : GaugeLinks(OfAnyPrecision(), detail::steps_of(gauge), gauge, factors, storage) {}

template <class Storage>
GaugeLinks<Storage>::GaugeLinks(const std::vector<Coord>& steps, const Field<ColorMatrix, float>& matrices,
                                const LegFactors& factors, LinkStorage storage)
    : GaugeLinks(OfAnyPrecision(), steps, matrices, factors, storage) {}

template <class Storage>
GaugeLinks<Storage>::GaugeLinks(const std::vector<Coord>& steps, const Field<ColorMatrix, double>& matrices,
                                const LegFactors& factors, LinkStorage storage)
    : GaugeLinks(OfAnyPrecision(), steps, matrices, factors, storage) {}

template <class Storage>
GaugeLinks<Storage>::GaugeLinks(const GaugeLinks&) = default;
template <class Storage>
GaugeLinks<Storage>::GaugeLinks(GaugeLinks&&) noexcept = default;
template <class Storage>
GaugeLinks<Storage>& GaugeLinks<Storage>::operator=(GaugeLinks&&) noexcept = default;
template <class Storage>
GaugeLinks<Storage>::~GaugeLinks() = default;

template <class Storage>
template <class S>
GaugeLinks<Storage>::GaugeLinks(OfAnyPrecision, const std::vector<Coord>& steps, const Field<ColorMatrix, S>& matrices,
                                const LegFactors& factors, LinkStorage storage)
    : legs_(detail::both_ways(steps)),
      factors_(factors),
      storage_(storage),
      codec_(detail::codec_name<Storage>(storage)),
      links_(matrices.lattice(), "links", matrices.n_components()),
      forms_(std::make_shared<Forms>()) {
  require(matrices.n_components() == int(steps.size()), matrices.name(), "has", matrices.n_components(),
          "components for", steps.size(), "steps: give a matrix for each");
  if constexpr (sizeof(typename Codec<ColorMatrix, Storage>::Stored) == 2)
    require(std::isfinite(norm2(matrices)), matrices.name(),
            "has a number that is not finite, which 16 bits cannot show: check where the links come from");
  const Stencil& stencil = Stencil::of(lattice(), legs_);
  set_factors(leg_factors_, phases_, stencil, has_packs ? default_lanes : 1);
  if (factors.time_links == TimeLinks::unit) {
    detail::require_unit_time_links(matrices);
    codec_ += ", temporal gauge";
  }
  convert(matrices, links_);
  halo_ = Halo<ColorMatrix, Storage>(lattice(), stencil, links_.n_components(),
                                     {.legs = detail::odd_numbers(legs_.size())});
  neighbours_ = halo_.exchange(links_);
  if (has_packs && (lattice().layout().order() == Order::even_odd || storage_ == LinkStorage::twice)) make_doubled();
  Exec().fence("gauge links");  // operators may run on other instances
}

template <class Storage>
double GaugeLinks<Storage>::part_read() const {
  constexpr bool reads_all = !has_packs && !detail::asks_for_unit_links<typename Codec<ColorMatrix, Storage>::Stored>;
  if (reads_all || leg_factors_.unit == 0) return 1;
  const double n_slices = lattice().extent()[3];
  return 1 - (n_slices - 1) / (4 * n_slices);
}

template <class Storage>
GaugeLinks<Storage> GaugeLinks<Storage>::with(const LinkForms& forms) const {
  require(detail::have_column_form<Storage> || !forms.columns,
          "links of 8 numbers or of integers have no form for columns: apply their operators to fields of several "
          "components, or take links of 18 or 12 reals");
  GaugeLinks links(*this);
  if (!has_packs) return links;
  if (forms.doubled && !declared_.doubled) {
    make_doubled();
    links.declared_.doubled = true;
    if (storage_ == LinkStorage::once) links.codec_ += ", doubled between parities";
  }
  if (forms.columns && !declared_.columns) {
    make_columns();
    links.declared_.columns = true;
    set_factors(links.column_leg_factors_, links.column_phases_, Stencil::of_columns(lattice(), legs_), 1);
  }
  Exec().fence("forms of gauge links");
  return links;
}

template <class Storage>
void GaugeLinks<Storage>::make_doubled() const {
  if (forms_->doubled.n_components() > 0) return;
  forms_->doubled = Field<ColorMatrix, Storage>(lattice(), "doubled links", int(legs_.size()));
  const Stencil::View stencil = Stencil::of(lattice(), legs_).view();
  const SiteRange range = forms_->doubled.range();
#if !defined(KOKKOS_ENABLE_CUDA)  // on GPUs no links are doubled
  using Kernel = std::conditional_t<Codec<ColorMatrix, Storage>::shape.is_eight_of_su3(),
                                    detail::DoubleStoredLinks<Storage>, detail::DoubleLinks<Storage>>;
  if constexpr (std::is_same_v<Kernel, detail::DoubleStoredLinks<Storage>>)
    for_each_lane("double_links", range, Kernel{stencil, neighbours_, forms_->doubled.view()});
  else
    for_each_site("double_links", range, Kernel{stencil, neighbours_, forms_->doubled.view()});
#else
  for_each_site("double_links", range, detail::DoubleLinks<Storage>{stencil, neighbours_, forms_->doubled.view()});
#endif
}

template <class Storage>
void GaugeLinks<Storage>::make_columns() const {
  if constexpr (detail::have_column_form<Storage>) {
    if (forms_->columns.n_components() > 0) return;
    forms_->columns = Field<ColorMatrix, Storage, ColumnLanes<1>>(lattice(), "links for columns", int(legs_.size()));
    for_each_lane(
        "column_links", links_.range(),
        detail::ColumnLinks<Storage>{Stencil::of(lattice(), legs_).view(), neighbours_, forms_->columns.view(),
                                     lattice().layout().view(), lattice().column_layout().view()});
  }
}

template <class Storage>
void GaugeLinks<Storage>::set_factors(detail::LegFactorView<Real>& view, Buffer<Real>& phases, const Stencil& stencil,
                                      int lanes) const {
  detail::set_leg_factors(view, stencil, factors_);
  // GPUs take the 1 from the first site, which must have it.
  if (lattice().layout().extent()[3] == 1) view.unit = 0;
  if (view.scaled == 0 && view.phased == 0) return;
  phases = Buffer<Real>("leg phases", detail::crossing_phases<Real>(stencil, factors_.boundary, lanes));
  view.phases = phases.data();
}

template <class Storage>
LinkView<Storage> GaugeLinks<Storage>::site_view(bool from_parity, const detail::LegFactorView<Real>& factors) const {
  const auto& doubled = forms_->doubled;
  const bool gathers = lattice().layout().order() == Order::even_odd;
  if (has_packs && (gathers || storage_ == LinkStorage::twice || (from_parity && declared_.doubled)))
    return {{doubled.view(), doubled.view()}, true, factors};
  return {neighbours_, false, factors};
}

template <class Storage>
LinkView<Storage, ColumnLanes<1>> GaugeLinks<Storage>::column_view(const detail::LegFactorView<Real>& factors) const {
  const auto& columns = forms_->columns;
  require(declared_.columns,
          "an operator was applied to columns without links for them: construct it with LinkForms{.columns = true}");
  return {{columns.view(), columns.view()}, true, factors};
}

template class GaugeLinks<float>;
template class GaugeLinks<double>;
template class GaugeLinks<Fixed16>;
template class GaugeLinks<Links12<float>>;
template class GaugeLinks<Links12<double>>;
template class GaugeLinks<Links12<Fixed16>>;
template class GaugeLinks<Links8<float>>;
template class GaugeLinks<Links8<double>>;
template class GaugeLinks<Links8<Fixed16>>;

}  // namespace kov
