// SPDX-License-Identifier: MIT
//
// Private to mesons and baryons: phases of momenta at every site, for kernels of GPUs.
#pragma once

#include "kov/core/base/memory.hpp"
#include "kov/core/lattice/lattice.hpp"
#include "kov/core/lattice/momentum.hpp"
#include "kov/core/launch/for_each_item.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kov::detail {

template <class T>
struct SitePhasesKernel {
  static constexpr int most = 8;

  typename MomentumPhases<T>::View phases;
  Layout::View layout;
  int n, momentum[most];
  Complex<T>* to;

  KOKKOS_FUNCTION void operator()(int site) const {
    const Coord x = layout.coordinate(site / default_lanes, site % default_lanes);
    for (int k = 0; k < n; ++k)
      to[std::ptrdiff_t(site) * n + k] = momentum[k] < 0 ? Complex<T>{T(0), T(0)} : phases(x, momentum[k]);
  }
};

/// The phases of some momenta at every site: [outer][lane][momentum].  To find the coordinate of a site and to multiply
/// the factors of three directions takes the teams that sum hadrons longer than to load what was made before.
template <class T>
class SitePhases {
 public:
  static constexpr int most = SitePhasesKernel<T>::most;

  /// For up to n momenta at a time, `most` or fewer, and kernels on exec.
  SitePhases(const Lattice& lattice, const std::vector<Momentum>& momenta, const Coord& source, int n, const Exec& exec)
      : n_sites_(lattice.layout().n_outer() * default_lanes),
        layout_(lattice.layout().view()),
        phases_(lattice, momenta, source, exec),
        exec_(exec),
        numbers_("phases of sites", std::size_t(n_sites_) * std::size_t(n), exec) {}

  /// Those of momenta by their numbers in the list, zeros for -1.  Valid for kernels that are launched before the next
  /// call.
  const Complex<T>* of(const std::vector<int>& momenta) const {
    SitePhasesKernel<T> kernel{phases_.view(), layout_, int(momenta.size()), {}, numbers_.data()};
    std::copy(momenta.begin(), momenta.end(), kernel.momentum);
    for_each_item("phases of sites", n_sites_, kernel, exec_);
    return numbers_.data();
  }

 private:
  int n_sites_;
  Layout::View layout_;
  MomentumPhases<T> phases_;
  Exec exec_;
  Buffer<Complex<T>> numbers_;
};

}  // namespace kov::detail
