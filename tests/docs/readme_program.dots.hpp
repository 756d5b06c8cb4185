// SPDX-License-Identifier: MIT
//
// What stands for the dots in README's program.
// clang-format off: it is the inside of a function
  using namespace kov;
  using namespace kov::directions;
  const SpinorField<double> psi(lattice, "psi"), out(lattice, "out"), expected(lattice, "expected"), other(lattice, "other");
  fill_noise(psi, {.kind = NoiseKind::gaussian});
  const auto U_x = gauge.column(x), U_y = gauge.column(y);
#include "readme_statements.hpp"
  covariant_shift(links, psi, x, +1, expected);
  covariant_shift(links, psi, x, -1, other);
  expected += other;
  std::complex<double> product = 0;
  for (const auto& c : correlator) product += c;
  bool right = same("statement", out, expected);
  right &= same("plaquette", plaquette / (3 * double(lattice.volume())), plaquettes(gauge).plane(x, y));
  right &= same("correlator", product.real(), inner_product(psi, out).real());
  apply_readme_kernel(links, psi, out);
  CovariantLaplacian<double>(links).apply(psi, expected);
  right &= same("kernel", out, expected);
  dirac.apply(psi, out);
  right &= norm2(out) > 0;
  require(right, "the README shows code that does something else: see above");
