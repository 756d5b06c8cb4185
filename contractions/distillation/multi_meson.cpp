// SPDX-License-Identifier: MIT
#include "kov/contractions/distillation/multi_meson.hpp"

#include "kov/contractions/distillation/distilled_lists.hpp"
#include "kov/contractions/engine/contraction_runner.hpp"
#include "kov/contractions/engine/source_times.hpp"
#include "kov/core/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kov {

namespace {

/// A matrix in the traces of mesons: what it is, and where.
struct MesonMatrix {
  enum class Kind {
    gamma,
    sink_elemental,    // phi(t)
    source_elemental,  // phi(0)^+
    forward,           // tau(t, 0)
    backward,          // tau(0, t)
    at_sink,           // tau(t, t)
    at_source          // tau(0, 0)
  };
  Kind kind;
  Gamma gamma = {};
  int elemental = 0;
  std::string quark = {};

  std::string name() const {
    switch (kind) {
      case Kind::gamma: {
        std::string text = "gamma";
        for (int s = 0; s < 4; ++s)
          text +=
              " " + std::to_string(gamma.column[std::size_t(s)]) + "i" + std::to_string(gamma.phase[std::size_t(s)]);
        return text;
      }
      case Kind::sink_elemental:
        return "phi" + std::to_string(elemental) + "(t)";
      case Kind::source_elemental:
        return "phi" + std::to_string(elemental) + "(0)^+";
      case Kind::forward:
        return quark + "(t,0)";
      case Kind::backward:
        return quark + "(0,t)";
      case Kind::at_sink:
        return quark + "(t,t)";
      case Kind::at_source:
        return quark + "(0,0)";
    }
    return "";
  }
  bool is_shared() const { return kind == Kind::gamma || kind == Kind::source_elemental || kind == Kind::at_source; }
};

/// A product of traces with its coefficient.
struct MesonDiagram {
  std::vector<int> traces;
  std::complex<double> coefficient;
};

/// All matrices, traces and diagrams of a matrix of correlators.
class MesonDiagrams {
 public:
  MesonDiagrams(const std::vector<MultiMesonOperator>& operators, const std::map<std::string, std::string>& same_as)
      : same_as_(same_as) {
    for (const MultiMesonOperator& sink : operators)
      for (const MultiMesonOperator& source : operators) add(sink, source);
  }

  const std::map<std::string, std::string>& same_as() const { return same_as_; }
  const std::vector<MesonMatrix>& matrices() const { return matrices_; }
  const std::vector<MatrixTrace>& traces() const { return traces_; }
  /// Of each pair of sink and source.
  const std::vector<std::vector<MesonDiagram>>& diagrams() const { return diagrams_; }

 private:
  void add(const MultiMesonOperator& sink, const MultiMesonOperator& source) {
    // Loops are known by the names of their matrices until it is clear which are needed: contractions may cancel.
    std::map<std::vector<std::vector<std::string>>, std::complex<double>> sums;
    std::map<std::string, MesonMatrix> known;
    for (const MultiMesonTerm& a : sink.terms)
      for (const MultiMesonTerm& b : source.terms) {
        std::vector<QuarkBilinear> mesons = a.mesons;
        for (const QuarkBilinear& m : b.mesons) mesons.push_back({m.quark, m.antiquark, m.vertex});
        const std::size_t n_sink = a.mesons.size();
        for (const WickContraction& contraction : wick_contractions(mesons)) {
          std::vector<std::vector<std::string>> loops;
          for (const std::vector<int>& loop : contraction.loops) {
            loops.push_back({});
            for (std::size_t i = 0; i < loop.size(); ++i) {
              const std::size_t k = std::size_t(loop[i]), next = std::size_t(loop[(i + 1) % loop.size()]);
              for (const MesonMatrix& m : matrices_of(mesons[k], k < n_sink, next < n_sink)) {
                loops.back().push_back(m.name());
                known.emplace(loops.back().back(), m);
              }
            }
            rotate_to_least(loops.back());
          }
          std::sort(loops.begin(), loops.end());
          sums[loops] += double(contraction.sign()) * a.coefficient * std::conj(b.coefficient);
        }
      }
    double largest = 0;
    for (const auto& [loops, coefficient] : sums) largest = std::max(largest, std::abs(coefficient));
    std::vector<MesonDiagram> diagrams;
    for (const auto& [loops, coefficient] : sums) {
      if (std::abs(coefficient) <= 1e-12 * largest) continue;
      MesonDiagram diagram{{}, coefficient};
      for (const auto& loop : loops) diagram.traces.push_back(trace_number(loop, known));
      diagrams.push_back(std::move(diagram));
    }
    diagrams_.push_back(std::move(diagrams));
  }

  /// Gamma, elemental and the propagator to the next meson, from its slice.
  std::vector<MesonMatrix> matrices_of(const QuarkBilinear& meson, bool is_sink, bool next_is_sink) const {
    using enum MesonMatrix::Kind;
    std::vector<MesonMatrix> all;
    const Gamma g4 = Gamma::direction(3), g = meson.vertex.gamma, gamma_here = is_sink ? g : g4 * g.adjoint() * g4;
    if (!(gamma_here == Gamma{})) all.push_back({.kind = gamma, .gamma = gamma_here});
    all.push_back({.kind = is_sink ? sink_elemental : source_elemental, .elemental = meson.vertex.elemental});
    all.push_back({.kind = is_sink ? (next_is_sink ? at_sink : forward) : (next_is_sink ? backward : at_source),
                   .quark = detail::quark_that_is_read(meson.quark, same_as_)});
    return all;
  }

  /// A loop may begin at any of its matrices: where it is lexicographically least.
  static void rotate_to_least(std::vector<std::string>& loop) {
    std::vector<std::string> rotated = loop, least = loop;
    for (std::size_t i = 1; i < loop.size(); ++i) {
      std::rotate(rotated.begin(), rotated.begin() + 1, rotated.end());
      least = std::min(least, rotated);
    }
    loop = least;
  }

  int trace_number(const std::vector<std::string>& loop, const std::map<std::string, MesonMatrix>& known) {
    const auto [at, is_new] = trace_numbers_.emplace(loop, int(traces_.size()));
    if (!is_new) return at->second;
    MatrixTrace trace;
    for (const std::string& name : loop) {
      const auto [number, is_new_matrix] = matrix_numbers_.emplace(name, int(matrices_.size()));
      if (is_new_matrix) matrices_.push_back(known.at(name));
      trace.push_back(number->second);
    }
    traces_.push_back(std::move(trace));
    return at->second;
  }

  std::map<std::string, std::string> same_as_;
  std::vector<MesonMatrix> matrices_;
  std::vector<MatrixTrace> traces_;
  std::vector<std::vector<MesonDiagram>> diagrams_;
  std::map<std::string, int> matrix_numbers_;
  std::map<std::vector<std::string>, int> trace_numbers_;
};

/// The matrices of some sinks and a source, on the host and where kernels run.
template <class T>
class MesonData {
 public:
  using Z = Complex<T>;
  MesonData(const std::vector<MesonMatrix>& matrices, const ContractionPlan& plan, const DistilledQuarks<T>& quarks)
      : matrices_(matrices), quarks_(quarks) {
    for (std::size_t k = 0; k < matrices.size(); ++k) {
      sizes_.push_back(std::size_t(plan.values()[k].size()));
      const std::size_t n = sizes_[k] * std::size_t(matrices[k].is_shared() ? 1 : plan.n_items());
      host_.emplace_back(n);
      device_.emplace_back(matrices[k].name(), n);
      data_.push_back(device_[k].data());
    }
  }

  /// Complex numbers of all matrices here, on the host and where kernels run, and of perambulators that are read
  /// before they are turned round.
  struct Size {
    std::size_t shared = 0, of_sink = 0;
  };
  static Size size(const std::vector<MesonMatrix>& matrices, const ContractionPlan& plan) {
    Size all;
    std::map<std::string, std::size_t> read;
    for (std::size_t k = 0; k < matrices.size(); ++k) {
      const auto n = std::size_t(plan.values()[k].size());
      (matrices[k].is_shared() ? all.shared : all.of_sink) += 2 * n;
      if (matrices[k].kind == MesonMatrix::Kind::forward || matrices[k].kind == MesonMatrix::Kind::backward)
        read[matrices[k].quark] = n;
      if (matrices[k].kind == MesonMatrix::Kind::source_elemental) read["elemental"] = n;
    }
    for (const auto& [name, n] : read) all.shared += n;
    return all;
  }

  /// Of source time t0: what all sinks share.
  void load_source(int t0) {
    for (std::size_t k = 0; k < matrices_.size(); ++k) {
      const MesonMatrix& m = matrices_[k];
      if (!m.is_shared()) continue;
      std::vector<Z>& to = host_[k];
      if (m.kind == MesonMatrix::Kind::gamma) {
        std::fill(to.begin(), to.end(), Z{T(0), T(0)});
        for (std::size_t s = 0; s < 4; ++s)
          to[4 * s + std::size_t(m.gamma.column[s])] = times_i_power(m.gamma.phase[s], Z{T(1), T(0)});
      } else if (m.kind == MesonMatrix::Kind::source_elemental) {
        const std::size_t n = std::size_t(quarks_.n_vectors);
        std::vector<Z> phi(n * n);
        quarks_.elemental(t0, m.elemental, phi);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) to[j * n + i] = conj(phi[i * n + j]);
      } else {
        quarks_.perambulator(m.quark, t0, t0, to);
      }
      device_[k].copy_from(to);
    }
  }

  /// Of sinks first, first + 1, ...
  void load_sinks(int t0, int first, int n_sinks) {
    for (int item = 0; item < n_sinks; ++item) {
      const int t = first + item;
      std::map<std::string, std::vector<Z>> forward;  // read once, and turned round where it is needed
      for (std::size_t k = 0; k < matrices_.size(); ++k) {
        const MesonMatrix& m = matrices_[k];
        if (m.is_shared()) continue;
        const std::span<Z> to = std::span(host_[k]).subspan(std::size_t(item) * sizes_[k], sizes_[k]);
        if (m.kind == MesonMatrix::Kind::sink_elemental) {
          quarks_.elemental(t, m.elemental, to);
          continue;
        }
        if (m.kind == MesonMatrix::Kind::at_sink) {
          quarks_.perambulator(m.quark, t, t, to);
          continue;
        }
        std::vector<Z>& tau = forward[m.quark];
        if (tau.empty()) {
          tau.resize(sizes_[k]);
          quarks_.perambulator(m.quark, t, t0, tau);
        }
        if (m.kind == MesonMatrix::Kind::forward)
          std::copy(tau.begin(), tau.end(), to.begin());
        else
          turn_round(tau, to);
      }
    }
    for (std::size_t k = 0; k < matrices_.size(); ++k)
      if (!matrices_[k].is_shared()) device_[k].copy_from(host_[k]);
  }
  std::span<const Z* const> data() const { return data_; }

 private:
  /// to = gamma_5 tau^+ gamma_5
  void turn_round(const std::vector<Z>& tau, std::span<Z> to) const {
    const std::size_t n = 4 * std::size_t(quarks_.n_vectors);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const Z z = conj(tau[i * n + j]);
        to[j * n + i] = (i < n / 2) == (j < n / 2) ? z : -z;
      }
  }

  const std::vector<MesonMatrix>& matrices_;
  const DistilledQuarks<T>& quarks_;
  std::vector<std::size_t> sizes_;
  std::vector<std::vector<Z>> host_;
  std::vector<Buffer<Z>> device_;
  std::vector<const Z*> data_;
};

/// For as many sinks at once as fit with their data, one at least.
template <class T>
ContractionPlan plan_that_fits(const MesonDiagrams& diagrams, const std::vector<NamedMatrix>& matrices, int n_times,
                               std::size_t workspace_bytes) {
  const double fit = double(workspace_bytes) / sizeof(Complex<T>);
  for (int n_sinks = n_times;;) {
    ContractionPlan plan(matrices, diagrams.traces(), n_sinks);
    const auto data = MesonData<T>::size(diagrams.matrices(), plan);
    // Products that all sinks share: no more of them at a time than all.
    double shared = double(data.shared);
    for (std::size_t k = matrices.size(); k < plan.values().size(); ++k)
      if (plan.values()[k].shared) shared += double(plan.values()[k].size());
    const double all =
        double(data.shared) + double(data.of_sink) * n_sinks + double(plan.workspace_numbers()) +
        double(sizeof(Complex<double>) / sizeof(Complex<T>)) * plan.n_computed_traces() * double(n_sinks);
    if (all <= fit || n_sinks == 1) return plan;
    // Another number of sinks may have another plan, so that this is repeated.
    const double of_sink = std::max(all - shared, 1.0) / n_sinks;
    n_sinks = int(std::clamp((fit - shared) / of_sink, 1.0, double(n_sinks - 1)));
  }
}

/// What multi_meson_contraction() returns: the plan, which is made once, and what it is carried out on.
template <class T>
class PlannedMesons {
 public:
  PlannedMesons(const std::vector<MultiMesonOperator>& operators, const DistilledQuarks<T>& quarks,
                const MultiMesonOptions& options)
      : n_vectors_(quarks.n_vectors),
        n_times_(quarks.n_times),
        n_operators_(operators.size()),
        diagrams_(operators, quarks.same_as) {
    if (diagrams_.traces().empty()) return;
    plan_.emplace(plan_that_fits<T>(diagrams_, named_matrices(), n_times_, options.workspace_bytes));
    if (options.plan) options.plan(plan_->description(sizeof(Complex<T>)));
  }

  std::vector<std::complex<double>> operator()(const DistilledQuarks<T>& quarks, const std::vector<int>& sources,
                                               const Exec& exec) const {
    require(quarks.elemental && quarks.perambulator,
            "correlators of mesons need elementals and perambulators: give both");
    require(quarks.n_vectors == n_vectors_ && quarks.n_times == n_times_ && quarks.same_as == diagrams_.same_as(),
            "correlators of mesons were planned for", n_vectors_, "eigenvectors on", n_times_, "time slices, not for",
            quarks.n_vectors, "on", quarks.n_times, "or for other quarks: plan them for those");
    const std::vector<int> times = detail::source_times(sources, n_times_);
    const std::size_t n = n_operators_;
    std::vector<std::complex<double>> correlators(std::size_t(n_times_) * n * n);
    if (!plan_) return correlators;
    MesonData<T> data(diagrams_.matrices(), *plan_, quarks);
    ContractionRunner<T> runner(*plan_);
    const int at_once = plan_->n_items();
    for (const int t0 : times) {
      data.load_source(t0);
      for (int first = 0; first < n_times_; first += at_once) {
        const int n_sinks = std::min(at_once, n_times_ - first);
        data.load_sinks(t0, first, n_sinks);
        runner.run(data.data(), n_sinks, exec);
        add_diagrams(runner.traces(), n_sinks, first - t0, correlators);
      }
    }
    return correlators;
  }

 private:
  std::vector<NamedMatrix> named_matrices() const {
    std::vector<NamedMatrix> matrices;
    for (const MesonMatrix& m : diagrams_.matrices()) {
      using Kind = MesonMatrix::Kind;
      const bool is_spin = m.kind == Kind::gamma;
      const int rows = is_spin ? 0 : n_vectors_;
      matrices.push_back({.name = m.name(),
                          .space = is_spin ? MatrixSpace::spins
                                   : m.kind == Kind::sink_elemental || m.kind == Kind::source_elemental
                                       ? MatrixSpace::vectors
                                       : MatrixSpace::both,
                          .rows = rows,
                          .columns = rows,
                          .shared = m.is_shared()});
    }
    return matrices;
  }

  /// traces: [trace][sink], of sinks at delta, delta + 1, ... modulo n_times.
  void add_diagrams(const std::vector<std::complex<double>>& traces, int n_sinks, int delta,
                    std::vector<std::complex<double>>& correlators) const {
    const std::size_t n_pairs = n_operators_ * n_operators_;
    for (int item = 0; item < n_sinks; ++item) {
      std::complex<double>* const to = correlators.data() + std::size_t((delta + item + n_times_) % n_times_) * n_pairs;
      for (std::size_t pair = 0; pair < n_pairs; ++pair)
        for (const MesonDiagram& diagram : diagrams_.diagrams()[pair]) {
          std::complex<double> product = diagram.coefficient;
          for (const int trace : diagram.traces)
            product *= traces[std::size_t(trace) * std::size_t(n_sinks) + std::size_t(item)];
          to[pair] += product;
        }
    }
  }

  int n_vectors_, n_times_;
  std::size_t n_operators_;
  MesonDiagrams diagrams_;
  std::optional<ContractionPlan> plan_;
};

/// In a function of this namespace, as GCC warns of lambdas and members of such types elsewhere.
template <class T>
MultiMesonContraction<T> planned_mesons(const std::vector<MultiMesonOperator>& operators,
                                        const DistilledQuarks<T>& quarks, const MultiMesonOptions& options) {
  return PlannedMesons<T>(operators, quarks, options);
}

}  // namespace

template <class T>
MultiMesonContraction<T> multi_meson_contraction(const std::vector<MultiMesonOperator>& operators,
                                                 const DistilledQuarks<T>& quarks, const MultiMesonOptions& options) {
  require(!operators.empty() && quarks.n_vectors >= 1 && quarks.n_times >= 1, "correlators of", operators.size(),
          "operators with", quarks.n_vectors, "eigenvectors on", quarks.n_times,
          "time slices were asked for: there must be one of each at least");
  return planned_mesons(operators, quarks, options);
}

template <class T>
std::vector<std::complex<double>> multi_meson_correlators(const std::vector<MultiMesonOperator>& operators,
                                                          const DistilledQuarks<T>& quarks,
                                                          const MultiMesonOptions& options, const Exec& exec) {
  return multi_meson_contraction(operators, quarks, options)(quarks, options.sources, exec);
}

template MultiMesonContraction<float> multi_meson_contraction(const std::vector<MultiMesonOperator>&,
                                                              const DistilledQuarks<float>&, const MultiMesonOptions&);
template MultiMesonContraction<double> multi_meson_contraction(const std::vector<MultiMesonOperator>&,
                                                               const DistilledQuarks<double>&,
                                                               const MultiMesonOptions&);
template std::vector<std::complex<double>> multi_meson_correlators(const std::vector<MultiMesonOperator>&,
                                                                   const DistilledQuarks<float>&,
                                                                   const MultiMesonOptions&, const Exec&);
template std::vector<std::complex<double>> multi_meson_correlators(const std::vector<MultiMesonOperator>&,
                                                                   const DistilledQuarks<double>&,
                                                                   const MultiMesonOptions&, const Exec&);

}  // namespace kov
