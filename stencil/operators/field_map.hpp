// SPDX-License-Identifier: MIT
//
// FieldMap: any linear operator on fields F, owned, behind one type; how functions of an operator see it.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>

namespace kov {

/// out = A in, for different fields in and out of one shape.  Converts from everything that has apply(in, out), and
/// from everything that can be called with (in, out).  Keeps a copy: operators are handles, so copies are cheap.
template <class F>
class FieldMap {
 public:
  template <class A>
  requires requires(const A& a, const F& f) {
    a.apply(f, f);
  } &&(!std::same_as<A, FieldMap>)FieldMap(const A& a)  // NOLINT: the implicit conversion is the point
      : apply_([a](const F& in, const F& out) { a.apply(in, out); }) {
  }
  template <class A>
  requires std::invocable<const A&, const F&, const F&> FieldMap(const A& a)  // NOLINT: likewise
      : apply_(a) {}

  void apply(const F& in, const F& out) const { apply_(in, out); }

 private:
  std::function<void(const F&, const F&)> apply_;
};

/// The parameter type of functions that deduce F from their fields and accept any operator on them.
template <class F>
using AnyFieldMap = std::type_identity_t<FieldMap<F>>;

}  // namespace kov
