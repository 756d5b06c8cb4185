// SPDX-License-Identifier: MIT
#include "kov/stencil/statements/expression_plan.hpp"

#include <algorithm>
#include <map>

namespace kov::detail {

namespace {

Subset at(Subset sites, const Coord& displacement) { return parity(displacement) != 0 ? opposite(sites) : sites; }

std::string subset_name(Subset subset) {
  return subset == Subset::all ? "all sites" : subset == Subset::even ? "even sites" : "odd sites";
}

/// The shortest displacement to the same site of a periodic lattice.
Coord shortest(Coord d, const Coord& extent) {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    d[mu] %= extent[mu];
    if (d[mu] > extent[mu] / 2) d[mu] -= extent[mu];
    if (d[mu] < -(extent[mu] - 1) / 2) d[mu] += extent[mu];
  }
  return d;
}

}  // namespace

ExpressionPlan::~ExpressionPlan() {
  if (!tables_.empty()) exec_.fence("tables of an expression in use");
}

void ExpressionPlan::add(const FieldInfo& field, bool shifted, const Coord& displacement) {
  reads_.push_back({field, shifted, shortest(displacement, field.lattice.extent())});
  n_components_ = std::max(n_components_, field.n_values);
}

void ExpressionPlan::require_lattice(const Lattice& lattice) const {
  for (const Lattice& other : lattices_)
    require(other == lattice,
            "a phase and a field of one expression are on different lattices: make both on the same lattice");
}

void ExpressionPlan::require_one_lattice() const {
  require_lattice(lattice());
  if (reads_.empty()) return;
  const FieldInfo& first = reads_.front().field;
  const FieldInfo& most = std::max_element(reads_.begin(), reads_.end(), [](const Read& a, const Read& b) {
                            return a.field.n_values < b.field.n_values;
                          })->field;
  for (const Read& read : reads_) {
    const FieldInfo& in = read.field;
    require(in.lattice == first.lattice, in.name, "and", first.name,
            "are on different lattices, but in one expression: make both on the same lattice");
    require(in.n_values == 1 || in.n_values == most.n_values, in.name, "has", in.n_values, "components and", most.name,
            "has", most.n_values, ": fields of one expression have one number of components, or a single one");
  }
}

std::size_t ExpressionPlan::bytes() const {
  std::map<const void*, std::size_t> fields;
  std::size_t sum = 0;
  for (const Read& read : reads_) {
    std::size_t& counted = fields[read.field.begin];
    if (read.field.bytes <= counted) continue;
    sum += read.field.bytes - counted;
    counted = read.field.bytes;
  }
  return sum;
}

bool ExpressionPlan::reads(const FieldInfo& field) const {
  return std::any_of(reads_.begin(), reads_.end(),
                     [&](const Read& read) { return read.field.begin < field.end && field.begin < read.field.end; });
}

bool ExpressionPlan::prepare(const FieldInfo& out) {
  bool conflict = false;
  require_lattice(out.lattice);
  for (const Read& read : reads_) {
    const FieldInfo& in = read.field;
    require(in.lattice == out.lattice, in.name, "and", out.name,
            "are on different lattices: assign expressions of fields of one lattice");
    require(in.n_values == 1 || in.n_values == out.n_values, in.name, "has", in.n_values, "components and", out.name,
            "has", out.n_values, ": an expression has as many as the field that it is assigned to, or one for all");
    const Subset wanted = at(out.subset, read.displacement);
    require(in.subset == Subset::all || in.subset == wanted, in.name, "has values on", subset_name(in.subset),
            "only, but", subset_name(wanted), "are needed to assign to", out.name, "on", subset_name(out.subset));
    const bool overlaps = in.begin < out.end && out.begin < in.end;
    // Components are read and written one by one: a later component may need the old value of an earlier one.
    const bool values = in.n_values != in.n_components || out.n_values != out.n_components;
    const bool same = in.origin == out.origin && in.n_components == out.n_components;
    const bool site_by_site = !read.shifted && !values && (same || out.n_components == 1);
    conflict = conflict || (overlaps && !site_by_site);
  }
  n_components_ = out.n_values;
  subset_ = out.subset;
  make_stencils();
  return conflict;
}

void ExpressionPlan::prepare() {
  require_one_lattice();
  Subset sites = Subset::all;
  const FieldInfo* why = nullptr;
  for (const Read& read : reads_) {
    if (read.field.subset == Subset::all) continue;
    const Subset known = at(read.field.subset, read.displacement);
    if (why != nullptr)
      require(known == sites, "a sum over the", subset_name(sites), "of", why->name, "needs values of", read.field.name,
              "on sites where it has none: take both fields on one parity");
    sites = known;
    why = &read.field;
  }
  subset_ = sites;
  make_stencils();
}

void ExpressionPlan::make_stencils() {
  for (const Read& read : reads_) {
    if (!read.shifted) continue;
    const auto same = [&](const Shifted& s) {
      return s.field.origin == read.field.origin && s.field.n_components == read.field.n_components &&
             s.field.subset == read.field.subset;
    };
    auto found = std::find_if(shifted_.begin(), shifted_.end(), same);
    const Subset wanted = at(*subset_, read.displacement);
    if (found == shifted_.end()) {
      shifted_.push_back({read.field, {}, wanted, nullptr, int(shifted_.size()), {}});
      found = shifted_.end() - 1;
    }
    if (found->wanted != wanted) found->wanted = Subset::all;
    if (std::find(found->legs.begin(), found->legs.end(), read.displacement) == found->legs.end())
      found->legs.push_back(read.displacement);
  }
  for (Shifted& s : shifted_) s.stencil = &Stencil::of(s.field.lattice, s.legs);
}

ExpressionPlan::Shifted& ExpressionPlan::shifted(const FieldInfo& field) {
  return *std::find_if(shifted_.begin(), shifted_.end(), [&](const Shifted& s) {
    return s.field.origin == field.origin && s.field.n_components == field.n_components &&
           s.field.subset == field.subset;
  });
}

const HaloTable& ExpressionPlan::Shifted::halos() const {
  return field.lattice.remember<HaloTable>(std::pair(number, stencil), [] { return HaloTable(); });
}

int ExpressionPlan::Shifted::leg(const Coord& displacement) const {
  const Coord d = shortest(displacement, field.lattice.extent());
  return int(std::find(legs.begin(), legs.end(), d) - legs.begin());
}

}  // namespace kov::detail
