// SPDX-License-Identifier: MIT
//
// Work on an execution-space instance that is not the default one: slow_copy() shows on GPUs whether what follows waits
// for it, because it is on the same instance.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/core/launch/for_each_site.hpp"

namespace kov::test {

/// An instance of the caller's own; on GPUs work on it runs beside that of others.
inline Exec own_instance() { return Kokkos::Experimental::partition_space(Exec(), 1)[0]; }

/// out = in, on GPUs after milliseconds, so that what does not wait for it reads what was there before.
template <class View>
struct SlowCopy {
  View in, out;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x, int c) const {
    auto v = in(x, c);
    using R = typename decltype(v)::Real;
    constexpr int rounds = has_packs ? 1 : 20000;
    for (int i = 0; i < rounds; ++i) v = R(0.5) * v + R(0.5) * v;  // exact
    out.set(x, v, c);
  }
};
template <class F>
void slow_copy(const F& in, const F& out, const Exec& exec) {
  for_each_site<typename F::Lanes>("slow_copy", out.range(), out.n_groups(),
                                   SlowCopy<typename F::View>{in.view(), out.view()}, exec);
}

}  // namespace kov::test
