// SPDX-License-Identifier: MIT
//
// Operator: a type that holds any linear operator on fields F; solvers and functions of operators take it.
#pragma once

#include "kov/core/base/error.hpp"
#include "kov/core/base/memory.hpp"
#include "kov/core/base/queue.hpp"

#include <concepts>
#include <string>
#include <type_traits>

namespace kov {

/// A linear map between fields of type F: apply(in, out) sets out = A in, asynchronously, for different fields in and
/// out of one shape.  If A also has apply(in, out, exec), it runs on any execution space instance, see Operator.
template <class A, class F>
concept LinearOperator = requires(const A& a, const F& in, const F& out) {
  a.apply(in, out);
};

/// A linear operator that also has its adjoint: apply_adjoint(in, out) sets out = A^+ in.
template <class A, class F>
concept AdjointableOperator = LinearOperator<A, F> && requires(const A& a, const F& in, const F& out) {
  a.apply_adjoint(in, out);
};

namespace detail {
/// Calls work(), which launches on the default instance: after what was launched on exec before, and before what is
/// launched on exec later.
template <class Work>
void on_default_instance(const Exec& exec, const Work& work) {
  if (!kernels_are_asynchronous) return work();
  const Exec its_own;
  order_after(its_own, exec);
  work();
  order_after(exec, its_own);
}
}  // namespace detail

/// Any operator on fields F, or a function of (in, out) or (in, out, exec), so that functions that take an Operator are
/// compiled once.  Keeps a copy: operators are handles, so copies are cheap.
template <class F>
class Operator {
 public:
  template <class A>
  requires(!std::same_as<A, Operator> && LinearOperator<A, F>) Operator(const A& a)  // NOLINT: meant to be implicit
      : kept_(detail::Shared::copy_of(a)), apply_([](const void* kept, const F& in, const F& out, const Exec& exec) {
          const A& a = *static_cast<const A*>(kept);
          if constexpr (requires { a.apply(in, out, exec); })
            a.apply(in, out, exec);
          else
            detail::on_default_instance(exec, [&] { a.apply(in, out); });
        }) {
    if constexpr (AdjointableOperator<A, F>)
      adjoint_ = [](const void* kept, const F& in, const F& out, const Exec& exec) {
        const A& a = *static_cast<const A*>(kept);
        if constexpr (requires { a.apply_adjoint(in, out, exec); })
          a.apply_adjoint(in, out, exec);
        else
          detail::on_default_instance(exec, [&] { a.apply_adjoint(in, out); });
      };
    if constexpr (requires { std::string(a.name()); })
      name_ = [](const void* kept) { return std::string(static_cast<const A*>(kept)->name()); };
  }
  /// Kept: A, or a pointer to it if it is a function and no object.
  template <class A, class Kept = std::decay_t<const A&>>
  requires(!std::same_as<A, Operator> && std::invocable<const A&, const F&, const F&>)
      Operator(const A& a)  // NOLINT: likewise
      : kept_(detail::Shared::copy_of<Kept>(a)),
        apply_([](const void* kept, const F& in, const F& out, const Exec& exec) {
          detail::on_default_instance(exec, [&] { (*static_cast<const Kept*>(kept))(in, out); });
        }) {}
  template <class A, class Kept = std::decay_t<const A&>>
  requires std::invocable<const A&, const F&, const F&, const Exec&> Operator(const A& a)  // NOLINT: likewise
      : kept_(detail::Shared::copy_of<Kept>(a)),
        apply_([](const void* kept, const F& in, const F& out, const Exec& exec) {
          (*static_cast<const Kept*>(kept))(in, out, exec);
        }) {}

  /// Ordered on exec.  An operator that takes no instance runs on the default one, but after what was launched on exec
  /// before and before what is launched on exec later.
  void apply(const F& in, const F& out, const Exec& exec = {}) const { apply_(kept_.get(), in, out, exec); }
  bool has_adjoint() const { return adjoint_ != nullptr; }
  /// Likewise.  Throws InputError for an operator without apply_adjoint().
  void apply_adjoint(const F& in, const F& out, const Exec& exec = {}) const {
    require(
        has_adjoint(),
        "this operator has no adjoint, which the solver needs: give it apply_adjoint(in, out) or take another solver");
    adjoint_(kept_.get(), in, out, exec);
  }
  /// The name() of the operator that it was made from, for reports of solvers; "" if that has none.
  std::string name() const { return name_ ? name_(kept_.get()) : ""; }

 private:
  using Apply = void (*)(const void* kept, const F& in, const F& out, const Exec& exec);

  detail::Shared kept_;
  Apply apply_, adjoint_ = nullptr;
  std::string (*name_)(const void* kept) = nullptr;
};

/// The parameter type of functions that deduce F from their fields and accept any operator on them.
template <class F>
using AnyOperator = std::type_identity_t<Operator<F>>;

}  // namespace kov
