// SPDX-License-Identifier: MIT
//
// Correlator matrices of meson operators in distillation: the dense engine for any matrices, and the factorised engine
// for operators that are an elemental times a gamma matrix.
//
// Index orders, all row-major.  N_v eigenvectors; a row is spin * N_v + eigenvector (spin slow), N = 4 N_v of them.
//   perambulator tau(t', t):  [spin'][n'][spin][n], an N x N matrix; of several sinks one after another
//   elemental phi(t):         [n][m], an N_v x N_v matrix; of a slice: [elemental][n][m]
//   operator Phi(t):          [spin][n][spin'][m], N x N; of a slice: [operator][row][column]
//   correlators:              [delta][i][j]
// A buffer of a whole configuration is [t_sink][t_source] of perambulators and [t] of slices.
#pragma once

#include "kov/contractions/kernels/product.hpp"
#include "kov/contractions/kernels/trace.hpp"
#include "kov/core/site/gamma.hpp"

#include <complex>
#include <memory>
#include <span>
#include <vector>

namespace kov {

/// How an engine multiplies matrices, and in how much memory.
struct EngineOptions {
  /// Sums of products and of traces in double precision for data in float; factors between the two are rounded to float
  /// once.  Sums over times always are in double.
  bool wide_sums = false;
  /// A BLAS to choose from, and what chooses the fastest kernel for each shape, at its first call: ProductOptions says
  /// how.  Without a tuner our own kernels work.
  Blas blas = {};
  Tuner* tuner = nullptr;
  /// For the products of several sinks, which are then contracted together.
  std::size_t workspace_bytes = std::size_t(1) << (has_packs ? 26 : 30);
};

/// What an engine adds up in one call: correlators from one source to neighbouring sinks.  All data are in memory where
/// kernels run.
template <class T>
struct SinkSlices {
  int t_source = 0, first_sink = 0, n_sinks = 1;
  /// Slices of sinks first_sink, first_sink + 1, ..., and from one to the next.
  const Complex<T>* at_sinks = nullptr;
  std::int64_t sink_stride = 0;
  /// The slice of t_source.
  const Complex<T>* at_source = nullptr;
  /// tau(first_sink, t_source), ..., of the quark that goes from the source to the sinks.
  const Complex<T>* perambulators = nullptr;
  std::int64_t perambulator_stride = 0;
  /// The same of the quark whose antiquark goes there, with the same stride; null: the same quark.
  const Complex<T>* antiquarks = nullptr;

  const Complex<T>* perambulators_back() const { return antiquarks ? antiquarks : perambulators; }
};

namespace detail {

/// What both engines have: sums, memory, and the cutting of many sinks into what fits.
template <class T>
class EngineMemory {
 public:
  /// bytes_of_sink: what a sink takes beside its two factors.
  EngineMemory(int n_operators, int n_times, std::size_t numbers_of_sink, std::size_t bytes_of_sink,
               const EngineOptions& options);

  int n_operators() const { return n_operators_; }
  int n_times() const { return n_times_; }
  /// How many sinks are contracted together.
  int sinks_at_once() const { return sinks_at_once_; }
  std::vector<std::complex<double>> correlators() const;

 protected:
  void require_slices(const SinkSlices<T>& slices) const;
  ProductOptions product_options(Gamma5Fold gamma5, bool conjugate) const {
    return {.gamma5 = gamma5,
            .conjugate = conjugate,
            .wide_sums = options_.wide_sums,
            .blas = options_.blas,
            .tuner = options_.tuner};
  }
  TraceOptions trace_options() const {
    return {.wide_sums = options_.wide_sums, .blas = options_.blas, .tuner = options_.tuner};
  }

  int n_operators_, n_times_, sinks_at_once_;
  EngineOptions options_;
  Buffer<Complex<T>> left_, right_;
  Buffer<Complex<double>> sums_;
  std::shared_ptr<TraceWorkspace> workspace_;
};

}  // namespace detail

/// C_ij(delta) = sum over t of Tr[Phi_i(t + delta) tau(t + delta, t) Phi_j(t)^+ tau(t, t + delta)] (paper 000 of
/// kernels/ladder/ladder.hpp, eq. 1.2), with times modulo n_times and tau(t, t') = gamma_5 tau(t', t)^+ gamma_5, which
/// a twisted mass breaks.  With quarks of two masses tau(t, t + delta) is that of the antiquark's.  For c operators a
/// sink costs 2 c products of N x N matrices and c^2 traces: 16 c N^3 + 8 c^2
/// N^2 flops.
template <class T>
class DenseEngine : public detail::EngineMemory<T> {
 public:
  using Real = T;
  /// n_rows: N.  Throws InputError for numbers that are not positive, and when N is odd.
  DenseEngine(int n_operators, int n_rows, int n_times, const EngineOptions& options = {});

  std::size_t slice_numbers() const { return std::size_t(this->n_operators_) * perambulator_numbers(); }
  std::size_t perambulator_numbers() const { return std::size_t(n_rows_) * std::size_t(n_rows_); }

  /// Adds the correlators of these sinks.  Asynchronous; one instance at a time.  Throws InputError for times outside
  /// of [0, n_times).
  void add(const SinkSlices<T>& slices, const Exec& exec = {});

 private:
  int n_rows_;
};

/// An operator Phi = elemental (x) Gamma: Phi[s n][s' m] = Gamma[s][s'] phi[n][m].
struct FactorisedOperator {
  int elemental = 0;
  Gamma gamma{};
};

/// The same correlators for operators that are products.  Elementals are multiplied once for all gammas, and the traces
/// over eigenvectors of all spin components are one matrix product: for e elementals a sink costs 32 e products of N_v
/// x N_v matrices and (16 e)^2 traces, 256 e N_v^3 + 2048 e^2 N_v^2 flops.
template <class T>
class FactorisedEngine : public detail::EngineMemory<T> {
 public:
  using Real = T;
  /// Throws InputError for numbers that are not positive, and for an operator whose elemental there is not.
  FactorisedEngine(std::span<const FactorisedOperator> operators, int n_elementals, int n_vectors, int n_times,
                   const EngineOptions& options = {});

  std::size_t slice_numbers() const {
    return std::size_t(n_elementals_) * std::size_t(n_vectors_) * std::size_t(n_vectors_);
  }
  std::size_t perambulator_numbers() const { return 16 * std::size_t(n_vectors_) * std::size_t(n_vectors_); }

  /// As DenseEngine::add(); slices hold elementals.
  void add(const SinkSlices<T>& slices, const Exec& exec = {});

 private:
  int n_elementals_, n_vectors_;
  /// Of each operator: elemental; columns and phases of Gamma, and of its adjoint.
  Buffer<int> table_;
  Buffer<Complex<double>> spin_traces_;
};

extern template class detail::EngineMemory<float>;
extern template class detail::EngineMemory<double>;
extern template class DenseEngine<float>;
extern template class DenseEngine<double>;
extern template class FactorisedEngine<float>;
extern template class FactorisedEngine<double>;

}  // namespace kov
