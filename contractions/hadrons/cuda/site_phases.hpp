// SPDX-License-Identifier: MIT
//
// Private to mesons and baryons: phases of momenta at every site, for kernels of GPUs.
#pragma once

#include "kov/core/base/error.hpp"
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

/// The phases of some momenta at every site: [outer][lane][momentum].  Teams that sum hadrons load them, which is
/// faster than to make them there (docs/performance.md).
template <class T>
class SitePhases {
 public:
  static constexpr int most = SitePhasesKernel<T>::most;

  /// For up to n momenta at a time, `most` or fewer, and kernels on exec.
  SitePhases(const Lattice& lattice, const std::vector<Momentum>& momenta, const Coord& source, int n, const Exec& exec)
      : n_(n),
        n_sites_(lattice.layout().n_outer() * default_lanes),
        layout_(lattice.layout().view()),
        phases_(lattice, momenta, source, exec),
        exec_(exec),
        numbers_("phases of sites", std::size_t(n_sites_) * std::size_t(n), exec) {
    require(0 < n && n <= most, "phases of", n, "momenta at a time were asked for: take 1 to", most);
  }

  /// Those of n momenta or fewer by their numbers in the list, zeros for -1.  Valid for kernels that are launched on
  /// exec before the next call.
  const Complex<T>* of(const std::vector<int>& momenta) const {
    require(momenta.size() <= std::size_t(n_), "phases of", momenta.size(),
            "momenta were asked for where there is room", "for", n_);
    SitePhasesKernel<T> kernel{phases_.view(), layout_, int(momenta.size()), {}, numbers_.data()};
    std::copy(momenta.begin(), momenta.end(), kernel.momentum);
    for_each_item("phases of sites", n_sites_, kernel, exec_);
    return numbers_.data();
  }

 private:
  int n_, n_sites_;
  Layout::View layout_;
  MomentumPhases<T> phases_;
  Exec exec_;
  Buffer<Complex<T>> numbers_;
};

}  // namespace kov::detail
