// SPDX-License-Identifier: MIT
//
// Expressions over fields: sums, products, adjoints, traces and shifts that are not computed until they are assigned or
// summed, and then in one kernel.  Assignments and sums are in data_parallel.hpp.
#pragma once

#include "kov/stencil/statements/expression_plan.hpp"
#include "kov/stencil/statements/site_algebra.hpp"

#include <tuple>

namespace kov {

namespace directions {
/// Names of directions: using namespace kov::directions.
inline constexpr int x = 0, y = 1, z = 2, t = 3;
}  // namespace directions

namespace detail {

template <class Site, class T>
struct RealOf {
  using type = T;
};
#if !defined(KOKKOS_ENABLE_CUDA)
template <class T>
struct RealOf<PackSite, T> {
  using type = Pack<T, default_lanes>;
};
template <class T>
struct RealOf<PairSite, T> {
  using type = Pack<T, 2 * default_lanes>;
};
#endif
/// T of all lanes of a site.
template <class Site, class T>
using real_of_t = typename RealOf<Site, T>::type;

/// Kernel side of a field: its value at x, a Complex for Scalar.  step: 0 if the field's only component is used for
/// all, else 1.
template <template <class> class SiteT, class T>
struct FieldNode {
  FieldView<SiteT, T> field;
  int step;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int c) const {
    if constexpr (FieldView<SiteT, T>::n_complex == 1)
      return field(x, c * step).z[0];
    else
      return field(x, c * step);
  }
  /// On CPUs: prefetches what operator() reads.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site x, int c) const {
    if (c == 0 || step != 0) field.prefetch(x.outer, c * step);
  }
};

/// The same for the neighbour on a leg.
template <template <class> class SiteT, class T>
struct ShiftedNode {
  Stencil::View stencil;
  NeighbourView<SiteT, T> field;
  int leg, step;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int c) const {
    const auto near = stencil.at(x);
    if constexpr (FieldView<SiteT, T>::n_complex == 1)
      return field.neighbour(x, near, leg, c * step).z[0];
    else
      return field.neighbour(x, near, leg, c * step);
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site x, int c) const {
    if (c == 0 || step != 0) prefetch_neighbour(field, stencil.at(x), leg, c * step);
  }
};

/// C: T or Complex<T>.
template <class T, class C>
struct NumberNode {
  C value;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site, int) const {
    using R = real_of_t<Site, T>;
    if constexpr (is_complex_v<C>)
      return Complex<R>{R(value.re), R(value.im)};
    else
      return R(value);
  }
};

/// A list of arguments, evaluated from last to first; then f is called with all values.  In a + b * c, a is thus loaded
/// after the product is computed, which saves registers.
struct NoNodes {
  template <class F, class Site, class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto call(const F& f, Site, int, const V&... values) const {
    return f(values...);
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site, int) const {}
};
template <class Head, class Tail>
struct Nodes {
  Head head;
  Tail tail;
  template <class F, class Site, class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto call(const F& f, Site x, int c, const V&... values) const {
    return tail.call(f, x, c, head(x, c), values...);
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site x, int c) const {
    if constexpr (requires { head.prefetch(x, c); }) head.prefetch(x, c);
    tail.prefetch(x, c);
  }
};
template <class F, class Arguments>
struct MapNode {
  F f;
  Arguments arguments;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x, int c) const {
    return arguments.call(f, x, c);
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site x, int c) const {
    arguments.prefetch(x, c);
  }
};

// Terms, the host side of expressions.  collect() adds the fields to the plan; bind<shifted>() makes the kernel side,
// with all fields read at x + d.

template <template <class> class SiteT, class T>
struct FieldTerm {
  using SiteExpressionTag = void;
  using Real = T;
  Field<SiteT, T> field;

  void collect(ExpressionPlan& plan, bool shifted, const Coord& d) const { plan.add(FieldInfo(field), shifted, d); }

  template <bool shifted>
  auto bind(ExpressionPlan& plan, const Coord& d) const {
    const int step = field.n_components() > 1;
    if constexpr (!shifted) {
      return FieldNode<SiteT, T>{field.view(), step};
    } else {
      using Neighbours = NeighbourView<SiteT, T>;
      auto& read = plan.shifted(FieldInfo(field));
      if (!read.neighbours.has_value()) read.neighbours = halo(read).exchange(wanted(read), 0, plan.exec());
      return ShiftedNode<SiteT, T>{read.stencil->view(), std::any_cast<Neighbours>(read.neighbours), read.leg(d), step};
    }
  }

 private:
  Field<SiteT, T> wanted(const ExpressionPlan::Shifted& read) const {
    return read.wanted == Subset::all ? field.alias() : field.half(read.wanted);
  }
  const Halo<SiteT, T>& halo(const ExpressionPlan::Shifted& read) const {
    using H = Halo<SiteT, T>;
    const int n = field.n_components();
    return read.halos().template find<H>(n,
                                         [&] { return std::make_shared<const H>(field.lattice(), *read.stencil, n); });
  }
};

template <class T, class C>
struct NumberTerm {
  using SiteExpressionTag = void;
  using Real = T;
  C value;

  void collect(ExpressionPlan&, bool, const Coord&) const {}
  template <bool shifted>
  auto bind(ExpressionPlan&, const Coord&) const {
    return NumberNode<T, C>{value};
  }
};

template <class F, class First, class... Rest>
struct MapTerm {
  using SiteExpressionTag = void;
  using Real = typename First::Real;
  F f;
  std::tuple<First, Rest...> arguments;

  void collect(ExpressionPlan& plan, bool shifted, const Coord& d) const {
    std::apply([&](const auto&... a) { (a.collect(plan, shifted, d), ...); }, arguments);
  }
  template <bool shifted>
  auto bind(ExpressionPlan& plan, const Coord& d) const {
    const auto nodes = bind_to<shifted, 1 + sizeof...(Rest)>(plan, d);
    return MapNode<F, std::remove_const_t<decltype(nodes)>>{f, nodes};
  }

 private:
  template <bool shifted, std::size_t n>
  auto bind_to(ExpressionPlan& plan, const Coord& d) const {
    if constexpr (n == 0) {
      return NoNodes{};
    } else {
      const auto head = std::get<n - 1>(arguments).template bind<shifted>(plan, d);
      const auto tail = bind_to<shifted, n - 1>(plan, d);
      return Nodes<std::remove_const_t<decltype(head)>, std::remove_const_t<decltype(tail)>>{head, tail};
    }
  }
};

template <class E>
struct ShiftTerm {
  using SiteExpressionTag = void;
  using Real = typename E::Real;
  E expression;
  Coord displacement;

  void collect(ExpressionPlan& plan, bool, const Coord& d) const { expression.collect(plan, true, sum(d)); }
  template <bool shifted>
  auto bind(ExpressionPlan& plan, const Coord& d) const {
    return expression.template bind<true>(plan, sum(d));
  }

 private:
  Coord sum(Coord d) const {
    for (std::size_t mu = 0; mu < 4; ++mu) d[mu] += displacement[mu];
    return d;
  }
};

template <class F>
inline constexpr bool is_field_v = false;
template <template <class> class SiteT, class T>
inline constexpr bool is_field_v<Field<SiteT, T>> = true;

template <template <class> class SiteT, class T>
FieldTerm<SiteT, T> term(const Field<SiteT, T>& field) {
  return {field.alias()};
}
template <SiteExpression E>
const E& term(const E& expression) {
  return expression;
}
/// For an operand that is neither a field nor an expression: a specialisation has a static auto of(const X&) that
/// returns the operand's term.
template <class X>
struct OperandTerm;
template <class X>
concept HasOperandTerm = requires(const X& x) {
  OperandTerm<X>::of(x);
};
template <HasOperandTerm X>
auto term(const X& x) {
  return OperandTerm<X>::of(x);
}
template <class Operand>
using term_t = std::remove_cvref_t<decltype(term(std::declval<const Operand&>()))>;

template <class T, class C>
auto number_term(const C& c) {
  if constexpr (std::is_arithmetic_v<C>)
    return NumberTerm<T, T>{T(c)};
  else
    return NumberTerm<T, Complex<T>>{{T(c.real()), T(c.imag())}};
}

template <class First, class... Rest>
constexpr bool one_precision() {
  constexpr bool one = (std::is_same_v<typename First::Real, typename Rest::Real> && ...);
  static_assert(one,
                "an expression has one precision: convert(from, to) of kov/core/field/convert.hpp brings fields to it, "
                "phase<float>() makes phases in it");
  return one;
}
template <class F, class... E>
auto make_map(const F& f, const E&... e) {
  if constexpr ((is_wrong_v<E> || ...))
    return WrongStatement<true>{};
  else if constexpr (one_precision<E...>())
    return MapTerm<F, E...>{f, {e...}};
  else
    return WrongStatement<true>{};
}

}  // namespace detail

/// What expressions are made of: fields of default_lanes, expressions, and, with
/// kov/contractions/sources/propagator_statements.hpp, propagators.
template <class X>
concept Operand = SiteExpression<X> || detail::is_field_v<X> || detail::HasOperandTerm<X>;

// The value of an expression at a site is a real or complex number (a field of Scalar is complex) or a site object over
// R, where R is a Pack of sites on a CPU.  All fields of an expression have the same precision and lattice; a field of
// one component combines with every component of the other fields: U.column(mu) * propagator.  Expressions keep handles
// to their fields and read them when they are evaluated.

/// f(a(x), b(x), ...), with a function of your own: a struct at namespace scope with a templated
///   KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const
/// that returns a number or a site object over the R of its arguments.
template <class F, Operand... Operands>
auto map(const F& f, const Operands&... operands) {
  return detail::make_map(f, detail::term(operands)...);
}

/// shift(D, mu, distance)(x) = D(x + distance mu-hat), periodic: +1 reads the forward neighbour.  mu: 0 to 3, see
/// kov::directions; distance: any, but at most the local extent if mu is divided among ranks (else InputError, on every
/// rank).
///
/// The shift of an expression shifts all its fields, still in one kernel and without a temporary: shift(adj(U) * psi,
/// mu, -1) is psi transported from x - mu to x.
template <Operand E>
auto shift(const E& e, int mu, int distance) {
  require(mu >= 0 && mu < 4, "a shift in direction", mu, "does not exist: give a direction from 0 to 3");
  Coord displacement;
  for (int nu = 0; nu < 4; ++nu) displacement[std::size_t(nu)] = nu == mu ? distance : 0;
  if constexpr (detail::is_wrong_v<E>)
    return e;
  else
    return detail::ShiftTerm<detail::term_t<E>>{detail::term(e), displacement};
}

/// Sums, differences and opposites at every site, of operands with values of one type.
template <Operand A, Operand B>
auto operator+(const A& a, const B& b) {
  return map(detail::Add{}, a, b);
}
template <Operand A, Operand B>
auto operator-(const A& a, const B& b) {
  return map(detail::Subtract{}, a, b);
}
template <Operand A>
auto operator-(const A& a) {
  return map(detail::Negate{}, a);
}
/// Matrix times matrix of one space, colour matrix times colour vector, spinor or half spinor, spin matrix times
/// spinor, number times anything.
template <Operand A, Operand B>
auto operator*(const A& a, const B& b) {
  return map(detail::Multiply{}, a, b);
}
/// Divides by a real number at every site.
template <Operand A, Operand B>
auto operator/(const A& a, const B& b) {
  return map(detail::Divide{}, a, b);
}

/// A number, real or complex and the same at every site, times or divided into the values.
template <SiteNumber C, Operand E>
auto operator*(C a, const E& e) {
  return map(detail::Multiply{}, detail::number_term<typename detail::term_t<E>::Real>(a), e);
}
template <SiteNumber C, Operand E>
auto operator*(const E& e, C a) {
  return a * e;
}
template <SiteNumber C, Operand E>
auto operator/(const E& e, C a) {
  if constexpr (std::is_arithmetic_v<C>)
    return (1 / double(a)) * e;
  else
    return (C(1) / a) * e;
}
/// Sums and differences with a number, which must be of the type of the values: not of matrices.
template <SiteNumber C, Operand E>
auto operator+(const E& e, C a) {
  return map(detail::Add{}, e, detail::number_term<typename detail::term_t<E>::Real>(a));
}
template <SiteNumber C, Operand E>
auto operator+(C a, const E& e) {
  return e + a;
}
template <SiteNumber C, Operand E>
auto operator-(const E& e, C a) {
  return map(detail::Subtract{}, e, detail::number_term<typename detail::term_t<E>::Real>(a));
}
template <SiteNumber C, Operand E>
auto operator-(C a, const E& e) {
  return map(detail::Subtract{}, detail::number_term<typename detail::term_t<E>::Real>(a), e);
}
/// Gamma times spinors, spin matrices or propagators.
template <Operand E>
auto operator*(const Gamma& gamma, const E& e) {
  return map(detail::GammaTimes{gamma}, e);
}
/// The same with a sum of gammas and numbers: (1 - Gamma::direction(3)) * psi.
template <Operand E>
auto operator*(const SpinMatrix<double>& m, const E& e) {
  return map(detail::SpinTimes<typename detail::term_t<E>::Real>(m), e);
}

/// Propagators times gamma, from the right.
template <Operand E>
auto operator*(const E& e, const Gamma& gamma) {
  return map(detail::TimesGamma{gamma}, e);
}
template <Operand E>
auto operator*(const E& e, const SpinMatrix<double>& m) {
  return map(detail::TimesSpin<typename detail::term_t<E>::Real>(m), e);
}

/// Hermitian conjugate of matrices, complex conjugate of numbers.
template <Operand E>
auto adj(const E& e) {
  return map(detail::Adjoint{}, e);
}
/// Complex conjugate of every element.
template <Operand E>
auto conj(const E& e) {
  return map(detail::Conjugate{}, e);
}
/// Trace of matrices; of propagators over spin and colour.
template <Operand E>
auto trace(const E& e) {
  return map(detail::Trace{}, e);
}
/// Spin trace of propagators, a colour matrix.
template <Operand E>
auto trace_spin(const E& e) {
  return map(detail::TraceSpin{}, e);
}
/// Colour trace of propagators, a spin matrix.
template <Operand E>
auto trace_color(const E& e) {
  return map(detail::TraceColor{}, e);
}
/// Transpose of propagators, in spin and colour.
template <Operand E>
auto transpose(const E& e) {
  return map(detail::Transpose{}, e);
}
/// Diquark of two propagators, see kov/core/site/spin_color_matrix.hpp.
template <Operand X, Operand Y>
auto diquark(const X& x, const Y& y) {
  return map(detail::Diquark{}, x, y);
}
template <Operand E>
auto real(const E& e) {
  return map(detail::RealPart{}, e);
}
template <Operand E>
auto imag(const E& e) {
  return map(detail::ImaginaryPart{}, e);
}
/// The sum of conj(a) b over the elements of each site: a complex number per site.
template <Operand A, Operand B>
auto dot(const A& a, const B& b) {
  return map(detail::Dot{}, a, b);
}
/// The colour matrix a[row] conj(b[column]) of each site, summed over spins.
template <Operand A, Operand B>
auto outer_product(const A& a, const B& b) {
  return map(detail::Outer{}, a, b);
}

}  // namespace kov
