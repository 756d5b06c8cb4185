// SPDX-License-Identifier: MIT
#include "kov/contractions/engine/engine.hpp"

#include "kov/contractions/kernels/product.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/launch/for_each_item.hpp"

#include <algorithm>

namespace kov {

namespace detail {

namespace {

/// Integers of an operator in the table that ApplyGammas reads.
constexpr int table_row = 17;

}  // namespace

/// C_ij += sum over a, c of Gamma_i[a][b] T[(i, b, c), (j, a, d)] Gamma_j^+[c][d] s_a s_d, where every row of a Gamma
/// has one entry and s is the diagonal of gamma_5; T = tr(phi_i tau[b][c] (tau[a][d] phi_j)^+).  16 terms for each
/// result.
struct ApplyGammas {
  const int* table;
  /// [sink][elemental, b, c][elemental, a, d]
  const Complex<double>* traces;
  Complex<double>* sums;
  int n_operators, n_elementals, first, n_times;

  KOKKOS_FUNCTION void operator()(int number) const {
    const int n_results = n_operators * n_operators, sink = number / n_results, result = number % n_results;
    const int* const left = table + result / n_operators * table_row;
    const int* const right = table + result % n_operators * table_row;
    const int n = 16 * n_elementals;
    const Complex<double>* const of_pair =
        traces + std::int64_t(sink) * n * n + std::int64_t(16 * left[0]) * n + 16 * right[0];
    Complex<double>& to = sums[std::int64_t((first + sink) % n_times) * n_results + result];
    Complex<double> sum{0, 0};
    for (int a = 0; a < 4; ++a) {
      const int b = left[1 + a], left_phase = left[5 + a];
      for (int c = 0; c < 4; ++c) {
        const int d = right[9 + c], right_phase = right[13 + c];
        const int sign = (a < 2) == (d < 2) ? 0 : 2;
        sum += times_i_power(left_phase + right_phase + sign, of_pair[std::int64_t(4 * b + c) * n + 4 * a + d]);
      }
    }
    to += sum;
  }
};

template <class T>
EngineMemory<T>::EngineMemory(int n_operators, int n_times, std::size_t numbers_of_sink, std::size_t bytes_of_sink,
                              const EngineOptions& options)
    : n_operators_(n_operators), n_times_(n_times), options_(options) {
  require(n_operators > 0 && n_times > 0, "correlators of", n_operators, "operators on", n_times,
          "time slices were asked for: there must be one of each at least");
  const std::size_t bytes = 2 * numbers_of_sink * sizeof(Complex<T>) + bytes_of_sink;
  sinks_at_once_ =
      int(std::clamp<std::size_t>(options.workspace_bytes / std::max<std::size_t>(bytes, 1), 1, std::size_t(n_times)));
  left_ = Buffer<Complex<T>>("left factors of correlators", std::size_t(sinks_at_once_) * numbers_of_sink);
  right_ = Buffer<Complex<T>>("right factors of correlators", std::size_t(sinks_at_once_) * numbers_of_sink);
  sums_ = Buffer<Complex<double>>("correlators",
                                  std::size_t(n_times) * std::size_t(n_operators) * std::size_t(n_operators));
  workspace_ = std::make_shared<TraceWorkspace>();
}

template <class T>
std::vector<std::complex<double>> EngineMemory<T>::correlators() const {
  std::vector<std::complex<double>> all;
  all.reserve(sums_.size());
  for (const Complex<double>& z : sums_.to_host()) all.emplace_back(z.re, z.im);
  return all;
}

template <class T>
void EngineMemory<T>::require_slices(const SinkSlices<T>& s) const {
  require(s.t_source >= 0 && s.t_source < n_times_ && s.first_sink >= 0 && s.n_sinks >= 0 &&
              s.first_sink + s.n_sinks <= n_times_,
          "correlators from time", s.t_source, "to", s.n_sinks, "times from", s.first_sink,
          "on were asked for: times are in [0,", n_times_, ")");
}

template class EngineMemory<float>;
template class EngineMemory<double>;

/// Calls f(sinks, first place) with as many sinks as are contracted together.
template <class T, class F>
void for_some_sinks(const SinkSlices<T>& all, int at_once, int n_times, const F& f) {
  for (int first = 0; first < all.n_sinks; first += at_once) {
    SinkSlices<T> some = all;
    some.first_sink = all.first_sink + first;
    some.n_sinks = std::min(at_once, all.n_sinks - first);
    some.at_sinks = all.at_sinks + first * all.sink_stride;
    some.perambulators = all.perambulators + first * all.perambulator_stride;
    if (all.antiquarks) some.antiquarks = all.antiquarks + first * all.perambulator_stride;
    f(some, (some.first_sink - all.t_source + n_times) % n_times);
  }
}

}  // namespace detail

template <class T>
DenseEngine<T>::DenseEngine(int n_operators, int n_rows, int n_times, const EngineOptions& options)
    : detail::EngineMemory<T>(
          n_operators, n_times,
          std::size_t(std::max(n_operators, 0)) * std::size_t(std::max(n_rows, 0)) * std::size_t(std::max(n_rows, 0)),
          std::size_t(std::max(n_operators, 0)) * std::size_t(std::max(n_operators, 0)) * sizeof(Complex<double>),
          options),
      n_rows_(n_rows) {
  require(n_rows > 0 && n_rows % 2 == 0, "operators have", n_rows,
          "rows: spin times eigenvectors, an even number, was expected");
}

template <class T>
void DenseEngine<T>::add(const SinkSlices<T>& slices, const Exec& exec) {
  this->require_slices(slices);
  using Z = Complex<T>;
  const int n = n_rows_, c = this->n_operators_;
  const std::int64_t matrix = std::int64_t(n) * n, sink = c * matrix;
  detail::for_some_sinks(slices, this->sinks_at_once_, this->n_times_, [&](const SinkSlices<T>& s, int first) {
    const Matrices<const Z> tau{s.perambulators, n, n, n, {0, s.perambulator_stride}},
        back{s.perambulators_back(), n, n, n, {0, s.perambulator_stride}};
    const Batch batch{{c, s.n_sinks, 1, 1}};
    multiply<Z>({s.at_sinks, n, n, n, {matrix, s.sink_stride}}, tau, {this->left_.data(), n, n, n, {matrix, sink}},
                batch, this->product_options(Gamma5Fold::none, false), exec);
    multiply<Z>(back, {s.at_source, n, n, n, {matrix, 0}}, {this->right_.data(), n, n, n, {matrix, sink}}, batch,
                this->product_options(Gamma5Fold::signs, true), exec);
    traces<Z>({this->left_.data(), this->right_.data(), c, c, matrix, s.n_sinks, sink, sink},
              {this->sums_.data(), first, this->n_times_, true}, *this->workspace_, this->trace_options(), exec);
  });
}

template <class T>
FactorisedEngine<T>::FactorisedEngine(std::span<const FactorisedOperator> operators, int n_elementals, int n_vectors,
                                      int n_times, const EngineOptions& options)
    : detail::EngineMemory<T>(int(operators.size()), n_times,
                              16 * std::size_t(std::max(n_elementals, 0)) * std::size_t(std::max(n_vectors, 0)) *
                                  std::size_t(std::max(n_vectors, 0)),
                              // traces by spin, and at least as much for their parts
                              2 * 256 * std::size_t(std::max(n_elementals, 0)) *
                                  std::size_t(std::max(n_elementals, 0)) * sizeof(Complex<double>),
                              options),
      n_elementals_(n_elementals),
      n_vectors_(n_vectors) {
  require(n_elementals > 0 && n_vectors > 0, n_elementals, "elementals of", n_vectors,
          "eigenvectors: there must be one of each at least");
  std::vector<int> table;
  for (const FactorisedOperator& op : operators) {
    require(op.elemental >= 0 && op.elemental < n_elementals, "an operator is made of elemental", op.elemental,
            "and there are", n_elementals, ": count from 0");
    const Gamma adjoint = op.gamma.adjoint();
    table.push_back(op.elemental);
    for (const auto* four : {&op.gamma.column, &op.gamma.phase, &adjoint.column, &adjoint.phase})
      table.insert(table.end(), four->begin(), four->end());
  }
  static_assert(detail::table_row == 1 + 4 * 4);
  table_ = Buffer<int>("gammas of operators", std::span<const int>(table));
  spin_traces_ = Buffer<Complex<double>>("traces by spin", std::size_t(this->sinks_at_once_) * 256 *
                                                               std::size_t(n_elementals) * std::size_t(n_elementals));
}

template <class T>
void FactorisedEngine<T>::add(const SinkSlices<T>& slices, const Exec& exec) {
  this->require_slices(slices);
  using Z = Complex<T>;
  const int n = n_vectors_, rows = 4 * n, e = n_elementals_;
  const std::int64_t matrix = std::int64_t(n) * n, sink = 16 * e * matrix, block_row = std::int64_t(n) * rows;
  detail::for_some_sinks(slices, this->sinks_at_once_, this->n_times_, [&](const SinkSlices<T>& s, int first) {
    // Directions of the batch: column and row of the spin block, elemental, sink.
    const Batch batch{{4, 4, e, s.n_sinks}};
    const Matrices<const Z> tau{s.perambulators, n, n, rows, {n, block_row, 0, s.perambulator_stride}},
        back{s.perambulators_back(), n, n, rows, {n, block_row, 0, s.perambulator_stride}};
    multiply<Z>({s.at_sinks, n, n, n, {0, 0, matrix, s.sink_stride}}, tau,
                {this->left_.data(), n, n, n, {matrix, 4 * matrix, 16 * matrix, sink}}, batch,
                this->product_options(Gamma5Fold::none, false), exec);
    multiply<Z>(back, {s.at_source, n, n, n, {0, 0, matrix, 0}},
                {this->right_.data(), n, n, n, {matrix, 4 * matrix, 16 * matrix, sink}}, batch,
                this->product_options(Gamma5Fold::none, true), exec);
    traces<Z>({this->left_.data(), this->right_.data(), 16 * e, 16 * e, matrix, s.n_sinks, sink, sink},
              {spin_traces_.data(), 0, s.n_sinks}, *this->workspace_, this->trace_options(), exec);
    for_each_item("apply_gammas", s.n_sinks * this->n_operators_ * this->n_operators_,
                  detail::ApplyGammas{table_.data(), spin_traces_.data(), this->sums_.data(), this->n_operators_, e,
                                      first, this->n_times_},
                  exec);
  });
}

template class DenseEngine<float>;
template class DenseEngine<double>;
template class FactorisedEngine<float>;
template class FactorisedEngine<double>;

}  // namespace kov
