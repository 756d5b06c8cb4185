// SPDX-License-Identifier: MIT
//
// What solvers ask of an operator, and OperatorRef, the one type behind which they see them all.
#pragma once

#include "kov/core/base/error.hpp"

#include <concepts>
#include <type_traits>

namespace kov {

/// A linear map between fields of type F: apply(in, out) sets out = A in, asynchronously, for different fields in and
/// out.
template <class A, class F>
concept LinearOperator = requires(const A& a, const F& in, const F& out) {
  a.apply(in, out);
};

/// One that has its adjoint as well: apply_adjoint(in, out) sets out = A^+ in.
template <class A, class F>
concept AdjointableOperator = LinearOperator<A, F> && requires(const A& a, const F& in, const F& out) {
  a.apply_adjoint(in, out);
};

/// Any operator on fields F, by reference: it must outlive this.  Converts from every LinearOperator, so that functions
/// which take one are compiled once.
template <class F>
class OperatorRef {
 public:
  template <LinearOperator<F> A>
  requires(!std::same_as<A, OperatorRef>) OperatorRef(const A& a)  // NOLINT: the implicit conversion is the point
      : object_(&a),
        apply_([](const void* object, const F& in, const F& out) { static_cast<const A*>(object)->apply(in, out); }) {
    if constexpr (AdjointableOperator<A, F>)
      adjoint_ = [](const void* object, const F& in, const F& out) {
        static_cast<const A*>(object)->apply_adjoint(in, out);
      };
  }

  void apply(const F& in, const F& out) const { apply_(object_, in, out); }
  bool has_adjoint() const { return adjoint_ != nullptr; }
  /// Throws InputError for an operator without apply_adjoint().
  void apply_adjoint(const F& in, const F& out) const {
    require(
        has_adjoint(),
        "this operator has no adjoint, which the solver needs: give it apply_adjoint(in, out) or take another solver");
    adjoint_(object_, in, out);
  }

 private:
  using Function = void (*)(const void*, const F&, const F&);
  const void* object_;
  Function apply_, adjoint_ = nullptr;
};

/// The parameter type of functions that deduce F from their fields and accept any operator on them.
template <class F>
using AnyOperator = std::type_identity_t<OperatorRef<F>>;

}  // namespace kov
