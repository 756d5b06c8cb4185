// SPDX-License-Identifier: MIT
//
// slow_copy(): shows on GPUs whether what follows waits for it, because it is on the same execution-space instance.
#pragma once

#include "kov/core/field/field.hpp"
#include "kov/core/launch/for_each_site.hpp"

namespace kov::test {

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
