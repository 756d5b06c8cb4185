// SPDX-License-Identifier: MIT
//
// The lattices every operator is tested on: each memory order, awkward extents, halos by rank count or by force.
#pragma once

#include "kov/core/lattice/lattice.hpp"

#include <cctype>
#include <cstdlib>
#include <gtest/gtest.h>
#include <ostream>
#include <sstream>
#include <string_view>
#include <vector>

namespace kov::test {

struct LatticeCase {
  Coord extent;
  std::optional<Order> order;
  bool force_exchange;

  /// Whether the processes of this run can share it.
  bool possible(int n_ranks) const {
    try {
      Geometry::choose_grid(extent, n_ranks);
      return true;
    } catch (const InputError&) {
      return false;
    }
  }
  Lattice make(const Comm& comm) const {
    return Lattice(comm, extent, {.grid = {}, .order = order, .force_exchange = force_exchange});
  }
};

inline std::ostream& operator<<(std::ostream& out, const LatticeCase& c) {
  out << to_string(c.extent);
  if (c.order) out << ' ' << to_string(*c.order);
  return out << (c.force_exchange ? " forced halo" : "");
}

/// A name for INSTANTIATE_TEST_SUITE_P.
inline std::string case_name(const ::testing::TestParamInfo<LatticeCase>& info) {
  std::ostringstream text;
  text << info.param;
  std::string name = text.str();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

/// Tests of each lattice that the processes of this run can share: class Laplacians : public test::OnLattices {}.
class OnLattices : public ::testing::TestWithParam<LatticeCase> {
 protected:
  void SetUp() override {
    if (!GetParam().possible(Comm::world().size()))
      GTEST_SKIP() << "does not apply: no process grid of this many ranks fits these extents";
  }
};

/// Whether legs of so many links end on the next rank at the latest.
inline bool legs_fit(const Lattice& lattice, int n_links) {
  for (int mu = 0; mu < 4; ++mu)
    if (lattice.communicates(mu) && lattice.geometry().local_extent()[mu] < n_links) return false;
  return true;
}

/// 4^4, 6^4, 4^3x8, 8^3x4, 10^3x12, 2x6x4x10: with the order that they get, with even-odd order, and with halos forced.
/// The environment variable KOV_TEST_LATTICES takes a part: `some`, each of these extents and orders once but for the
/// largest, which takes longer than all of them, every other one with halos forced; `rest`, all others.
inline std::vector<LatticeCase> lattice_cases() {
  const char* const text = std::getenv("KOV_TEST_LATTICES");
  const std::string_view part = text ? text : "all";
  require(part == "all" || part == "some" || part == "rest", "KOV_TEST_LATTICES is", std::string(part),
          "- it takes all, some or rest");
  const std::vector<LatticeCase> shapes = {{{4, 4, 4, 4}, {}, false},
                                           {{6, 6, 6, 6}, {}, false},
                                           {{2, 6, 4, 10}, {}, false},
                                           {{10, 10, 10, 12}, {}, false},
                                           {{8, 8, 8, 4}, {}, false},
                                           {{4, 4, 4, 8}, {}, false},
                                           {{4, 4, 4, 8}, Order::even_odd, false}};
  std::vector<LatticeCase> cases;
  for (const bool forced : {false, true})
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const bool is_large = volume(shapes[i].extent) > 4000;
      if (forced && is_large) continue;
      const bool is_of_some = (i % 2 == 0) == forced && !is_large;
      if (part == "all" || is_of_some == (part == "some")) cases.push_back({shapes[i].extent, shapes[i].order, forced});
    }
  return cases;
}

/// The lattice_cases() with at most max_volume sites, for tests against slow references.
inline std::vector<LatticeCase> small_lattice_cases(std::int64_t max_volume) {
  std::vector<LatticeCase> cases = lattice_cases();
  std::erase_if(cases, [&](const LatticeCase& c) { return volume(c.extent) > max_volume; });
  return cases;
}

}  // namespace kov::test
