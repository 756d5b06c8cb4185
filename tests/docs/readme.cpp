// SPDX-License-Identifier: MIT
//
// README's program with its two fragments in place of the dots (readme_program.dots.hpp).  Fails where the kernel is
// not the Laplacian of the library, or the statements are not the covariant shifts, plaquette and scalar product that
// they stand for.
#include "kov/core/field/noise.hpp"
#include "kov/stencil/observables/observables.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "kov/stencil/operators/shift.hpp"
#include "kov/stencil/statements/data_parallel.hpp"
#include "readme_kernel.hpp"

#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>

/// out = Delta in with the kernel of the README.
inline void apply_readme_kernel(const kov::GaugeLinks<double>& links, const kov::SpinorField<double>& in,
                                const kov::SpinorField<double>& out) {
  const auto& stencil = kov::Stencil::of(in.lattice());
  const auto& halo = kov::halo_for<kov::Spinor, double>(in.lattice(), in.n_components());
  kov::run_stencil("readme", stencil, halo, in, out, [&](const auto& neighbours) {
    return Laplacian{stencil.view(), links.view(), neighbours, out.view()};
  });
}

/// Whether numbers and fields are the same but for rounding; says so where they are not.
inline bool same(const char* what, double a, double b) {
  constexpr double rounding = 1000 * std::numeric_limits<double>::epsilon();
  if (std::abs(a - b) <= rounding * std::abs(b)) return true;
  std::printf("README's %s is %.15g, but should be %.15g\n", what, a, b);
  return false;
}
inline bool same(const char* what, const kov::SpinorField<double>& a, const kov::SpinorField<double>& b) {
  const double size = std::sqrt(kov::norm2(b));
  return size > 0 && same(what, size + std::sqrt(kov::norm2(a - b)), size);
}

#include "readme_program.hpp"
