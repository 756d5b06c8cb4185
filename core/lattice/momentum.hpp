// SPDX-License-Identifier: MIT
//
// Lattice momenta and their phases e^{+i p.(x - x_source)}.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/lattice/lattice.hpp"
#include "kov/core/site/complex.hpp"

#include <array>
#include <string>
#include <vector>

namespace kov {

/// The integers n of p = 2 pi n / L, in x, y and z.
using Momentum = std::array<int, 3>;

/// "1 0 -1"
std::string to_string(const Momentum& p);

/// n_x^2 + n_y^2 + n_z^2
inline int norm2(const Momentum& p) { return p[0] * p[0] + p[1] * p[1] + p[2] * p[2]; }

/// -p
inline Momentum opposite(const Momentum& p) { return {-p[0], -p[1], -p[2]}; }

/// A momentum of a list and its opposite, whose phases are complex conjugates, by their numbers in it.
struct OppositeMomenta {
  int first = -1;
  /// -1 where the opposite is not in the list, and of a momentum that rests.
  int second = -1;
  /// Whether it is zero, with phase 1.
  bool rests = false;
};
/// Every momentum of the list in one of them, in the order of the first ones.
std::vector<OppositeMomenta> opposite_momenta(const std::vector<Momentum>& momenta);

/// The phases of a list of momenta at the sites of this rank, as three factors each, computed once in double.
template <class T>
class MomentumPhases {
 public:
  /// source: a global coordinate, which gets phase 1; its t does not matter.  exec: of the kernels that use them.
  MomentumPhases(const Lattice& lattice, const std::vector<Momentum>& momenta, const Coord& source,
                 const Exec& exec = {});

  int size() const { return n_; }

  /// Passed to kernels.
  struct View {
    /// factor[(offset[mu] + x_mu) * n + k] of momentum k < n, x_mu local.
    const Complex<T>* factor;
    int n, offset[3];

    /// e^{+2 pi i p.(x - x_source) / L} of momentum k at the local coordinate x.
    KOKKOS_FORCEINLINE_FUNCTION Complex<T> operator()(const Coord& x, int k) const {
      const Complex<T> a = factor[(offset[0] + x[0]) * n + k], b = factor[(offset[1] + x[1]) * n + k];
      return (a * b) * factor[(offset[2] + x[2]) * n + k];
    }
  };
  View view() const { return {factor_.data(), n_, {0, offset_[0], offset_[1]}}; }

 private:
  int n_, offset_[2];
  Buffer<Complex<T>> factor_;
};

}  // namespace kov
