// SPDX-License-Identifier: MIT
//
// A user's program: its own kernels on the library's fields, and one of the library's operators.  Where all links
// vanish the covariant Laplacian is multiplication by -8.
#include "kov/core/base/version.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/core/runtime/runtime.hpp"
#include "kov/core/vectors/reduce.hpp"
#include "kov/stencil/operators/laplacian.hpp"

#include <cmath>
#include <cstdio>

namespace {

using View = kov::Field<kov::Spinor, double>::View;

struct FillWithOne {
  View out;
  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x) const {
    auto psi = kov::zero<decltype(out(x))>();
    using R = typename decltype(psi)::Real;
    for (auto& z : psi.z) z.re = R(1.0);
    out.set(x, psi);
  }
};

struct SumOfRealParts {
  View in;
  template <class Site>
  KOKKOS_FUNCTION auto operator()(Site x) const {
    const auto psi = in(x);
    using R = typename decltype(psi)::Real;
    kov::Values<R, 1> sum{{R(0.0)}};
    for (const auto& z : psi.z) sum.v[0] += z.re;
    return sum;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const kov::Runtime runtime(argc, argv);
  const kov::Lattice lattice(kov::Comm::world(), {4, 4, 4, 8});
  const kov::GaugeField<double> no_links(lattice, "links", 4);
  const kov::Field<kov::Spinor, double> one(lattice, "one"), result(lattice, "result");
  kov::for_each_site("fill", one.range(), FillWithOne{one.view()});
  kov::CovariantLaplacian<double>(kov::GaugeLinks<double>(no_links)).apply(one, result);
  const double sum = kov::sum_sites<1>("sum", lattice, kov::Subset::all, SumOfRealParts{result.view()})[0];
  const double expected = -8.0 * 12 * double(lattice.volume());
  std::printf("Kovariant %s: sum %g, expected %g\n", kov::version(), sum, expected);
  return std::fabs(sum - expected) < 1e-9 * std::fabs(expected) ? 0 : 1;
}
