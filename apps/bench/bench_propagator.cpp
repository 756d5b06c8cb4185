// SPDX-License-Identifier: MIT
#include "apps/bench/bench_propagator.hpp"

#include "apps/settings/format.hpp"
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/precision/reliable_updates.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "kov/stencil/gauge/heatbath.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace kov::app {

namespace {

constexpr int n_columns = 12;

GaugeField<double> thermalised(const Lattice& lattice, double beta, int sweeps) {
  const GaugeField<double> gauge(lattice, "gauge", 4);
  cold_start(gauge);
  PureGaugeUpdate<double> update(gauge, beta, 1);
  for (int i = 0; i < sweeps; ++i) {
    update.heatbath();
    for (int k = 0; k < 3; ++k) update.overrelax();
  }
  return gauge;
}

/// The operators in all storages, the source and the table.
class Table {
 public:
  Table(const Session& session, const PropagatorBench& problem)
      : session_(session),
        problem_(problem),
        lattice_(session.comm, problem.lattice),
        gauge_(thermalised(lattice_, problem.beta, problem.sweeps)),
        parameters_{.mass = problem.mass, .c_sw = problem.c_sw},
        source_(point_source<double>(lattice_, {0, 0, 0, 0}).columns().alias()) {}

  /// M in a storage of links.
  template <class Storage>
  WilsonCloverOperator<Storage> M(const LinkForms& forms = {.doubled = true}) const {
    return {gauge_, BoundaryAngles::antiperiodic_in_time(), parameters_, forms};
  }
  BiCgStab bicgstab() const { return {.tolerance = problem_.tolerance}; }

  /// A row: one column after the other.
  template <class Solver>
  void by_columns(const std::string& name, const WilsonCloverOperator<double>& M, const Solver& solver) {
    const SpinorField<double> x(lattice_, "solution");
    std::vector<SolveReport> reports;
    for (int k = 0; k < n_columns; ++k) {
      zero(x);
      reports.push_back(solver(M, source_.column(k), x));
    }
    row(name, "one by one", reports);
  }
  /// A row: all columns at once; Lanes: of the fields.
  template <class Lanes, class Solver>
  void together(const std::string& name, const WilsonCloverOperator<double>& M, const Solver& solver) {
    using F = SpinorField<double, Lanes>;
    const F b(lattice_, "source", n_columns), x = b.like("solution");
    convert(source_, b);
    const std::vector<SolveReport> reports(1, solver(M, b, x));
    row(name, Lanes::holds_columns ? "12, columns in lanes" : "12, sites in lanes", reports);
  }
  template <class Lanes>
  static constexpr LinkForms forms() {
    return {.doubled = !Lanes::holds_columns, .columns = Lanes::holds_columns};
  }

  void head() const {
    session_.say(format("Wilson-clover, mass %g, c_sw %g, quenched links at beta %g, %s: a point source, to %g",
                        problem_.mass, problem_.c_sw, problem_.beta, to_string(problem_.lattice).c_str(),
                        problem_.tolerance));
    session_.say(format("%-52s %-20s %10s %9s %8s %9s %10s", "solver", "columns", "iterations", "seconds", "speed",
                        "Gflop/s", "residual"));
  }

 private:
  void row(const std::string& name, const std::string& columns, const std::vector<SolveReport>& reports) {
    int iterations = 0;
    double seconds = 0, flops = 0, residual = 0;
    for (const SolveReport& report : reports) {
      iterations = std::max(iterations, report.iterations);
      seconds += report.seconds;
      flops += report.flops;
      residual = std::max(residual, report.residual);
    }
    if (first_ == 0) first_ = seconds;
    session_.say(format("%-52s %-20s %10d %9.2f %8.2f %9.1f %10.1e", name.c_str(), columns.c_str(), iterations, seconds,
                        first_ / seconds, flops / seconds * 1e-9, residual));
  }

  const Session& session_;
  PropagatorBench problem_;
  Lattice lattice_;
  GaugeField<double> gauge_;
  CloverParameters parameters_;
  SpinorField<double> source_;
  double first_ = 0;
};

/// The reduced operator of M on fields of spinors in Storage.
template <class Storage, class Lanes = SiteLanes, class M>
auto reduced(const M& m, int n) {
  return SchurComplement<typename M::Storage, typename M::Term, SpinorField<Storage, Lanes>>(m, n);
}

}  // namespace

void bench_propagator(const Session& session, const PropagatorBench& problem) {
  constexpr auto form = SchurForm::asymmetric;
  Table table(session, problem);
  table.head();
  const auto M = table.M<double>();
  const auto low = table.M<float>();
  const auto low12 = table.M<Links12<float>>();
  const BiCgStab bicgstab = table.bicgstab();
  table.by_columns("BiCGstab, double", M, EvenOdd(M, bicgstab));
  table.by_columns("defect correction, float", M, EvenOdd(M, MixedPrecision(reduced<float>(low, 1), bicgstab)));
  table.by_columns("reliable updates, float", M, EvenOdd(M, ReliableUpdates(reduced<float>(low, 1), bicgstab)));
  table.by_columns("reliable updates, float, 12 reals", M,
                   EvenOdd(M, ReliableUpdates(reduced<float>(low12, 1), bicgstab)));
  table.by_columns("reliable updates, 16-bit, 12 reals", M,
                   EvenOdd(M, ReliableUpdates<Fixed16>(reduced<Fixed16>(low12, 1), bicgstab)));
  table.together<SiteLanes>("BiCGstab, double", M, EvenOdd(M, bicgstab, form, n_columns));
  table.together<SiteLanes>("defect correction, float", M,
                            EvenOdd(M, MixedPrecision(reduced<float>(low, n_columns), bicgstab), form, n_columns));
  table.together<SiteLanes>("reliable updates, float", M,
                            EvenOdd(M, ReliableUpdates(reduced<float>(low, n_columns), bicgstab), form, n_columns));
  table.together<SiteLanes>(
      "reliable updates, 16-bit", M,
      EvenOdd(M, ReliableUpdates<Fixed16>(reduced<Fixed16>(low, n_columns), bicgstab), form, n_columns));
  using Columns = ColumnLanes<8>;
  constexpr LinkForms forms = Table::forms<Columns>();
  const auto wide = table.M<double>(forms);
  const auto wide_low = table.M<float>(forms);
  table.together<Columns>("BiCGstab, double", wide, EvenOdd<double, Columns>(wide, bicgstab, form, n_columns));
  table.together<Columns>(
      "reliable updates, float", wide,
      EvenOdd<double, Columns>(
          wide, ReliableUpdates<float, double, Columns>(reduced<float, Columns>(wide_low, n_columns), bicgstab), form,
          n_columns));
}

}  // namespace kov::app
