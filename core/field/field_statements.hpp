// SPDX-License-Identifier: MIT
//
// Where arithmetic on fields is plugged in, and the single message that the compiler prints for a statement without
// meaning.  Field's operators must be members.  They call two functions that an expression's header defines, found by
// argument-dependent lookup:
//   assign(expression, field)                        writes the expression's value into the field's memory
//   detail::evaluate(expression, name, type_identity<Field>)   returns a new field with it
#pragma once

#include "kov/core/site/complex.hpp"

#include <Kokkos_Macros.hpp>

#include <type_traits>

namespace kov {

template <template <class> class SiteT, class Storage, class Lanes>
class Field;

/// What can be assigned to a field site by site: a type with this tag.
template <class E>
concept SiteExpression = requires {
  typename E::SiteExpressionTag;
};

namespace detail {

template <class>
inline constexpr bool never = false;

template <class F>
inline constexpr bool is_any_field_v = false;
template <template <class> class SiteT, class Storage, class Lanes>
inline constexpr bool is_any_field_v<Field<SiteT, Storage, Lanes>> = true;
/// A Field of any site type, storage and lanes.
template <class F>
concept AnyField = is_any_field_v<F>;

/// Whether an assign() that takes these fields is declared.
template <class F>
concept HasStatements = requires(const F& f) {
  assign(f, f);
};
template <class F>
concept LacksStatements = AnyField<F> && !HasStatements<F>;

/// The value of a statement that does not compile: it combines with everything, so that the compiler prints one message
/// and no others follow.  known: whether assign() is declared.
template <bool known>
struct WrongStatement {
  using SiteExpressionTag = void;
  using Real = double;
};
template <class E>
inline constexpr bool is_wrong_v = false;
template <bool known>
inline constexpr bool is_wrong_v<WrongStatement<known>> = true;

// Functions that return whether a statement is valid.  If not, they print their message once, not for every type.

template <bool known>
constexpr bool say_what_is_missing() {
  static_assert(
      known,
      "arithmetic on fields needs #include \"kov/stencil/statements/data_parallel.hpp\", and fields in the lattice's "
      "ordinary layout (SiteLanes)");
  return known;
}
template <class F>
constexpr bool knows_statements() {
  return say_what_is_missing<HasStatements<F>>();
}
template <class F, class E>
constexpr bool can_state() {
  if constexpr (is_wrong_v<E>)
    return false;
  else
    return knows_statements<F>();
}
template <class F, class C>
constexpr bool can_scale() {
  static_assert(SiteNumber<C>, "fields are scaled in place by numbers alone: write x = a * x, where the order shows");
  if constexpr (SiteNumber<C>)
    return knows_statements<F>();
  else
    return false;
}

/// Operands of arithmetic for which no assign() is declared.
template <class A, class B>
concept WithoutStatements = LacksStatements<A> || LacksStatements<B> ||
                            (std::is_same_v<A, WrongStatement<false>> &&
                             (std::is_same_v<B, WrongStatement<false>> || SiteNumber<B>)) ||
                            (std::is_same_v<B, WrongStatement<false>> && SiteNumber<A>);

}  // namespace detail

/// These operators only print the message.
template <class A, class B>
requires detail::WithoutStatements<A, B>
auto operator+(const A&, const B&) {
  detail::say_what_is_missing<!detail::WithoutStatements<A, B>>();
  return detail::WrongStatement<false>();
}
template <class A, class B>
requires detail::WithoutStatements<A, B>
auto operator-(const A&, const B&) {
  detail::say_what_is_missing<!detail::WithoutStatements<A, B>>();
  return detail::WrongStatement<false>();
}
template <class A, class B>
requires detail::WithoutStatements<A, B>
auto operator*(const A&, const B&) {
  detail::say_what_is_missing<!detail::WithoutStatements<A, B>>();
  return detail::WrongStatement<false>();
}
template <class A, class B>
requires detail::WithoutStatements<A, B>
auto operator/(const A&, const B&) {
  detail::say_what_is_missing<!detail::WithoutStatements<A, B>>();
  return detail::WrongStatement<false>();
}

}  // namespace kov
