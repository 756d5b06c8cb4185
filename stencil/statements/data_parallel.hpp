// SPDX-License-Identifier: MIT
//
// Whole-lattice statements: A = B * C + shift(D, x, +1) is one kernel with its halo exchange, sum(real(trace(U)))
// another. For users who want no site loops; docs/data_parallel.md has examples.
#pragma once

#include "kov/core/base/queue.hpp"
#include "kov/core/field/site_map.hpp"
#include "kov/core/launch/streaming.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/core/vectors/reduce.hpp"
#include "kov/core/vectors/slice_sum.hpp"
#include "kov/stencil/launch/run_stencil.hpp"
#include "kov/stencil/statements/expression.hpp"
#include "kov/stencil/statements/phase.hpp"
#include "kov/stencil/statements/statement_sums.hpp"

namespace kov {

namespace detail {

template <template <class> class SiteT, class Node, class Out>
struct AssignKernel {
  static constexpr bool takes_pairs = Out::outers == 2;

  Node node;
  Out out;
  bool streaming;

  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int c) const {
    const auto value = as_site<SiteT>(settled(node(x, c)));
    set_or_stream(out, x, value, c, streaming);
  }
};

/// The type of a node's value at a site, as kernels on this machine compute it.
template <class Node>
using value_of_t = settled_t<decltype(std::declval<const Node&>()(std::declval<site_index_t<Exec>>(), 0))>;

/// Whether the value of E goes into fields of SiteT<T>; the compiler says why where it does not.
template <class E, template <class> class SiteT, class T>
constexpr bool can_assign() {
  static_assert(
      !AnyField<E>,
      "assign(expression, out) is for expressions: copy(from, to) of kov/core/vectors/field_ops.hpp copies a field, "
      "convert(from, to) of kov/core/field/convert.hpp changes its precision");
  static_assert(AnyField<E> || SiteExpression<E>,
                "assign(expression, out) takes an expression of fields first and the field that is written last");
  if constexpr (!SiteExpression<E> || is_wrong_v<E>) {
    return false;
  } else {
    constexpr bool same = std::is_same_v<typename E::Real, T>;
    static_assert(
        same,
        "the expression has another precision than the field: convert(from, to) of kov/core/field/convert.hpp "
        "brings fields to one precision first");
    if constexpr (same) {
      using Node = decltype(std::declval<const E&>().template bind<false>(std::declval<ExpressionPlan&>(), Coord{}));
      return holds_value<SiteT, value_of_t<Node>>();
    } else {
      return false;
    }
  }
}

/// The sum over components of a site, in double.
template <class Node>
struct SumKernel {
  static constexpr bool takes_pairs = outers_of_block<SiteLanes, float> == 2 &&
                                      std::is_same_v<value_real_t<value_of_t<Node>>, Pack<float, default_lanes>>;

  Node node;
  int n_components;
  /// Whether fields exceed the second-level cache, so that prefetching pays; sums over slices do not prefetch.
  bool prefetches;

  /// Prefetches what operator() reads.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site x) const requires requires {
    node.prefetch(x, 0);
  }
  {
    if (prefetches)
      for (int c = 0; c < n_components; ++c) node.prefetch(x, c);
  }
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Site x) const {
    using V = settled_t<decltype(node(x, 0))>;
    using R = decltype(to_double(value_real_t<V>()));
    Values<R, SumOf<V>::n> sum;
    for (int i = 0; i < SumOf<V>::n; ++i) sum.v[i] = R(0.0);
    for (int c = 0; c < n_components; ++c) SumOf<V>::add(sum, settled(node(x, c)));
    return sum;
  }
};

/// The same as complex numbers, two reals each, for slice_sums().
template <class Node, int n_reals>
struct SliceKernel {
  static constexpr int n_values = (n_reals + 1) / 2;
  static constexpr bool takes_pairs = SumKernel<Node>::takes_pairs;

  SumKernel<Node> kernel;

  template <class Site, class R>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int b, Complex<R>* value) const {
    constexpr int block = slice_sum_block<SliceKernel>;
    const auto sum = kernel(x);
    for (int i = 0; i < block; ++i) {
      const int k = 2 * (b * block + i);
      value[i] = {k < n_reals ? sum.v[k] : R(0.0), k + 1 < n_reals ? sum.v[k + 1] : R(0.0)};
    }
  }
};

/// [slice][real] of an expression.
template <class Node, int n_reals>
std::vector<double> slice_sums_of(const SumKernel<Node>& kernel, const Lattice& lattice, Subset subset, int direction,
                                  SumMode mode, const Exec& exec) {
  const SliceTable& slices = SliceTable::of(lattice, subset, direction);
  if (mode == SumMode::exact) {
    const SiteValues<n_reals, SumKernel<Node>> values("slice_sum", lattice, subset, kernel, exec);
    std::vector<std::span<const double>> of_sites;
    for (int k = 0; k < n_reals; ++k) of_sites.push_back(values[k]);
    return exact_slice_sums(lattice, slices, subset, of_sites);
  }
  using Kernel = SliceKernel<Node, n_reals>;
  SliceSums sums = slice_sums<double>("slice_sum", lattice, {{0, 0, 0}}, {0, 0, 0, 0}, Kernel{kernel},
                                      {Kernel::n_values, slice_sum_block<Kernel>}, slices, exec);
  sums.sum_over_ranks(lattice.comm());
  std::vector<double> reals;
  for (int s = 0; s < sums.n_slices; ++s)
    for (int k = 0; k < n_reals; ++k)
      reals.push_back(k % 2 == 0 ? sums.at(0, s)[k / 2].real() : sums.at(0, s)[k / 2].imag());
  return reals;
}

}  // namespace detail

/// out = expression, on the sites and components of out, in one kernel; the same as `out = expression`.  copy() and
/// convert() are for fields.
///
/// Exchanges the halos of shifted fields first, each along the legs that the statement uses, only for the parity that
/// it reads.  Collective when anything is shifted; otherwise asynchronous.  Ordered on exec.  The fields of the
/// expression may be out itself, shifted or not: where a site would be overwritten before it is read, the value goes
/// through a temporary field.
///
/// Throws InputError, on every rank, when the fields live on different lattices, have another number of components than
/// out or one, or have no values on the sites that are read, and when a shift reaches beyond the next rank.
template <class E, template <class> class SiteT, class T>
void assign(const E& expression, const Field<SiteT, T>& out, const Exec& exec = {}) {
  if constexpr (detail::can_assign<E, SiteT, T>()) {
    detail::ExpressionPlan plan(exec);
    expression.collect(plan, false, {});
    const bool conflict = plan.prepare(detail::FieldInfo(out));
    const Field<SiteT, T> target = conflict ? out.like("temporary of an assignment", exec) : out.alias();
    const auto node = expression.template bind<false>(plan, {});
    using Kernel = detail::AssignKernel<SiteT, std::remove_const_t<decltype(node)>, typename Field<SiteT, T>::View>;
    const bool streaming = !plan.reads(detail::FieldInfo(out)) && worth_streaming(2 * out.bytes());
    for_each_site("assign", target.range(), target.n_components(), Kernel{node, target.view(), streaming}, exec);
    if (conflict) copy(target, out, exec);
  }
}

namespace detail {
/// A new field for the value of an expression.
template <SiteExpression E, template <class> class SiteT, class T>
Field<SiteT, T> evaluate(const E& expression, const std::string& name, std::type_identity<Field<SiteT, T>>) {
  if constexpr (can_assign<E, SiteT, T>()) {
    ExpressionPlan plan;
    expression.collect(plan, false, {});
    plan.prepare();
    Field<SiteT, T> out(plan.lattice(), name, plan.n_components(), plan.subset());
    assign(expression, out);
    return out;
  } else {
    return {};
  }
}

template <class F, class... InOut, std::size_t... k>
void transform(const F& f, const std::tuple<const InOut&...>& fields, std::index_sequence<k...>) {
  kov::assign(map(f, std::get<k>(fields)...), std::get<sizeof...(k)>(fields));
}
}  // namespace detail

/// transform(f, in..., out): out(x) = f(in(x), ...), the same as assign(map(f, in...), out).
template <class F, class... InOut>
requires(sizeof...(InOut) > 1) void transform(const F& f, const InOut&... in_out) {
  detail::transform(f, std::tie(in_out...), std::make_index_sequence<sizeof...(InOut) - 1>());
}

// Sums run over all sites of the lattice, or over one parity where a field of the expression has only that, and over
// all components.  They are double, std::complex<double> or a SiteT<double>, as the expression has real numbers,
// complex numbers or site objects; site values are taken in the precision of the fields and added in double.  One
// kernel after the halo exchange, on exec, for which they wait; collective; the same on every rank, the same bits for
// any number of threads and, in exact mode, on any decomposition.  Errors as for assign().

/// The sum of an expression over sites and components.
template <Operand E>
auto sum(const E& e, SumMode mode = SumMode::chunked, const Exec& exec = {}) {
  const auto& expression = detail::term(e);
  detail::ExpressionPlan plan(exec);
  expression.collect(plan, false, {});
  plan.prepare();
  const auto node = expression.template bind<false>(plan, {});
  using Node = std::remove_const_t<decltype(node)>;
  using Result = detail::SumOf<detail::value_of_t<Node>>;
  const detail::SumKernel<Node> kernel{node, plan.n_components(), worth_streaming(plan.bytes())};
  const auto total = sum_sites<Result::n>("sum", plan.lattice(), plan.subset(), kernel, mode, exec);
  return Result::result(total.data());
}

/// The sums over the slices x_direction = 0, 1, ..., L - 1 of the whole lattice, time slices if nothing is said. Throws
/// InputError for a direction that is not one of 0 to 3.
template <Operand E>
auto slice_sum(const E& e, int direction = directions::t, SumMode mode = SumMode::chunked, const Exec& exec = {}) {
  require(direction >= 0 && direction < 4, "there are no slices of direction", direction, ": take one of 0 to 3");
  const auto& expression = detail::term(e);
  detail::ExpressionPlan plan(exec);
  expression.collect(plan, false, {});
  plan.prepare();
  const auto node = expression.template bind<false>(plan, {});
  using Node = std::remove_const_t<decltype(node)>;
  using Result = detail::SumOf<detail::value_of_t<Node>>;
  const std::vector<double> sums = detail::slice_sums_of<Node, Result::n>(
      {node, plan.n_components(), false}, plan.lattice(), plan.subset(), direction, mode, exec);
  std::vector<decltype(Result::result(sums.data()))> result;
  for (std::size_t s = 0; s < sums.size(); s += Result::n) result.push_back(Result::result(sums.data() + s));
  return result;
}

/// Sums of a statement that does not compile, so that no second message follows.
inline double sum(const detail::WrongStatement<true>&, SumMode = SumMode::chunked, const Exec& = {}) { return 0; }
inline std::vector<double> slice_sum(const detail::WrongStatement<true>&, int = 3, SumMode = SumMode::chunked,
                                     const Exec& = {}) {
  return {};
}

/// |e|^2, products in double.
template <SiteExpression E>
double norm2(const E& e, SumMode mode = SumMode::chunked, const Exec& exec = {}) {
  return sum(map(detail::DoubleNorm2{}, e), mode, exec);
}

/// The sum of conj(a) b, products in double; of two fields see field_ops.hpp.
template <Operand A, Operand B>
requires(SiteExpression<A> || SiteExpression<B>) std::complex<double> inner_product(const A& a, const B& b,
                                                                                    SumMode mode = SumMode::chunked,
                                                                                    const Exec& exec = {}) {
  return sum(map(detail::DoubleDot{}, a, b), mode, exec);
}

}  // namespace kov
