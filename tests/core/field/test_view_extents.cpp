// SPDX-License-Identifier: MIT
//
// Builds that check bounds (the preset debug) refuse accesses to sites, components and lanes that do not exist; others
// have views without a byte for it.
#include "kov/core/field/field.hpp"
#include "tests/support/bounds.hpp"

namespace kov {
namespace {

using test::ViewBounds;
using Psi = SpinorField<double>;

static_assert(detail::checks_bounds || sizeof(Psi::View) == sizeof(double*) + 2 * sizeof(int));

TEST_F(ViewBounds, AccessesOutsideAreRefused) {
  const Lattice lattice(Comm::self(), {4, 4, 4, 8});
  const Psi psi(lattice, "the spinor", 2);
  const auto refuses = [](const auto& access, const std::string& a, const std::string& b) {
    test::expect_refused(access, {"the spinor", a, b});
  };
  const auto view = psi.view(), odd = psi.odd().view(), second = psi.column(1).view();
  const int n = psi.range().n_outer;
  const Spinor<double> nothing = zero<Spinor<double>>();
  view(LaneSite{n - 1, default_lanes - 1}, 1);
  refuses([&] { view(LaneSite{n, 0}); }, "outer site " + std::to_string(n), "component 0");
  refuses([&] { view(LaneSite{-1, 0}); }, "outer site -1", "component 0");
  refuses([&] { view(LaneSite{0, 0}, 2); }, "component 2", "2 components");
  refuses([&] { view(LaneSite{0, default_lanes}); }, "lane " + std::to_string(default_lanes), "lanes");
  refuses([&] { view.set(LaneSite{0, 0}, nothing, -1); }, "component -1", "outer site 0");
  refuses([&] { second(LaneSite{0, 0}, 1); }, "component 1", "1 components");
  refuses([&] { odd(LaneSite{0, 0}); }, "outer site 0", std::to_string(n / 2));
  refuses([&] { HostField(psi).view().set(LaneSite{0, 0}, nothing, 7); }, "component 7", "2 components");
#if !defined(KOKKOS_ENABLE_CUDA)
  refuses([&] { view(PackSite{n}); }, "outer site " + std::to_string(n), "component 0");
  refuses([&] { view.set(PackSite{0}, zero<Spinor<Pack<double, default_lanes>>>(), 2); }, "component 2",
          "outer site 0");
  refuses([&] { view.read(PackSite{0}, 2); }, "component 2", "outer site 0");
#endif
}

}  // namespace
}  // namespace kov
