// SPDX-License-Identifier: MIT
#include "apps/bench/bench_propagator.hpp"

#include "apps/bench/bench_rows.hpp"
#include "apps/files/output_files.hpp"
#include "apps/files/picture_files.hpp"
#include "apps/files/text_file.hpp"
#include "apps/plot/residual_plot.hpp"
#include "apps/settings/format.hpp"
#include "kov/algebra/krylov/bicgstab.hpp"
#include "kov/algebra/krylov/gcr.hpp"
#include "kov/algebra/precision/mixed_precision.hpp"
#include "kov/algebra/precision/reliable_updates.hpp"
#include "kov/algebra/preconditioning/even_odd.hpp"
#include "kov/algebra/preconditioning/schwarz.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/stencil/dirac/wilson_clover.hpp"
#include "kov/stencil/gauge/heatbath.hpp"

#include <algorithm>
#include <optional>
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

/// "Wilson-clover, mass -0.27, ..."
std::string description(const PropagatorBench& problem) {
  return format("Wilson-clover, mass %g, c_sw %g, quenched links at beta %g, %s: a point source", problem.mass,
                problem.c_sw, problem.beta, to_string(problem.lattice).c_str());
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
  /// With a Schwarz procedure of M, where blocks fit.
  std::optional<Gcr> schwarz_gcr(const WilsonCloverOperator<float>& low) const {
    const auto block = schwarz_block(lattice_);
    if (!block) return {};
    Gcr gcr{.tolerance = problem_.tolerance};
    gcr.preconditioner = Schwarz<float>(low, gauge_, BoundaryAngles::antiperiodic_in_time(),
                                        {.block = *block, .cycles = 2, .steps = 2, .sites = BlockSites::even});
    return gcr;
  }
  const SpinorField<double>& source() const { return source_; }

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
    session_.say(description(problem_) + format(", to %g", problem_.tolerance));
    session_.say(format("%-52s %-20s %10s %9s %8s %9s %10s", "solver", "columns", "iterations", "seconds", "speed",
                        "Gflop/s", "residual"));
  }

  /// PREFIX.txt and the picture, of what was measured so far.
  void write_residuals() const {
    write_text_file(session_.comm, problem_.output + ".txt", residual_table(description(problem_), histories_));
    WrittenFiles files(session_);
    files.add({problem_.output + ".txt"});
    files.draw(problem_.output,
               residual_plot("Residuals of the first column", description(problem_), histories_, problem_.tolerance));
    files.say();
  }

 private:
  void row(const std::string& name, const std::string& columns, const std::vector<SolveReport>& reports) {
    histories_.push_back({name + ", " + columns, reports.front().history.front()});
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
  std::vector<ResidualHistory> histories_;
};

/// The reduced operator of M on fields of spinors in Storage.
template <class Storage, class Lanes = SiteLanes, class M>
auto reduced(const M& m, int n) {
  return SchurComplement<typename M::Storage, typename M::Term, SpinorField<Storage, Lanes>>(m, n);
}

constexpr double deltas[] = {1e-1, 1e-2, 1e-3, 1e-5};

/// The rows of one high precision; M, b: in it.
template <class T>
class DeltaRows {
 public:
  DeltaRows(const Session& session, const WilsonCloverOperator<T>& M, const SpinorField<T>& b, double tolerance)
      : session_(session), M_(M), b_(b), solver_{.tolerance = tolerance, .on_failure = OnFailure::report} {
    row("BiCGstab alone", "", solver_);
  }

  /// low: M in the low precision, for spinors in Storage.
  template <class Storage, class LowM>
  void with(const std::string& low_name, const LowM& low) {
    for (const double delta : deltas)
      row(low_name, format("%.0e", delta), ReliableUpdates<Storage, T>(reduced<Storage>(low, 1), solver_, delta));
  }

 private:
  template <class Solver>
  void row(const std::string& low_name, const std::string& delta, const Solver& solver) {
    const SpinorField<T> x = b_.like("solution");
    const SolveReport report = EvenOdd(M_, solver)(M_, b_, x);
    if (alone_ == 0) alone_ = report.seconds;
    session_.say(format("%-8s %-16s %9.0e %7s %10d %9d %9d %9.3f %7.2f %10.1e%s", sizeof(T) == 4 ? "float" : "double",
                        low_name.c_str(), solver_.tolerance, delta.c_str(), report.iterations, report.renewals,
                        report.precision_switches, report.seconds, alone_ / report.seconds, report.residual,
                        report.converged ? "" : "  not converged"));
  }

  const Session& session_;
  const WilsonCloverOperator<T>& M_;
  const SpinorField<T>& b_;
  BiCgStab solver_;
  double alone_ = 0;
};

}  // namespace

void bench_delta(const Session& session, const PropagatorBench& problem) {
  const Table table(session, problem);
  session.say(description(problem));
  session.say(format("%-8s %-16s %9s %7s %10s %9s %9s %9s %7s %10s", "high", "low", "tolerance", "delta", "iterations",
                     "renewals", "switches", "seconds", "speed", "residual"));
  const auto M = table.M<double>();
  const auto low = table.M<float>();
  const SpinorField<double> b = table.source().column(0);
  const SpinorField<float> b_low(b.lattice(), "source");
  convert(b, b_low);
  DeltaRows<float> single(session, low, b_low, 1e-6);
  single.with<float>("float", low);
  single.with<Fixed16>("16-bit", low);
  DeltaRows<double> twice(session, M, b, 1e-12);
  twice.with<double>("double", M);
  twice.with<float>("float", low);
  twice.with<Fixed16>("16-bit", low);
}

void bench_propagator(const Session& session, const PropagatorBench& problem) {
  OutputFiles outputs;
  std::vector<OutputLock> locks;
  if (!problem.output.empty()) {
    std::vector<std::string> endings = picture_endings();
    endings.push_back(".txt");
    outputs.add(problem.output, endings);
    outputs.require_usable(session);
    locks = outputs.lock(session);
  }
  session.begin();
  constexpr auto form = SchurForm::asymmetric;
  Table table(session, problem);
  table.head();
  const auto M = table.M<double>();
  const auto low = table.M<float>();
  const auto low12 = table.M<Links12<float>>();
  const auto low16 = table.M<Links12<Fixed16>>();
  const BiCgStab bicgstab = table.bicgstab();
  table.by_columns("BiCGstab, double", M, EvenOdd(M, bicgstab));
  table.by_columns("defect correction, float", M, EvenOdd(M, MixedPrecision(reduced<float>(low, 1), bicgstab)));
  table.by_columns("reliable updates, float", M, EvenOdd(M, ReliableUpdates(reduced<float>(low, 1), bicgstab)));
  table.by_columns("reliable updates, float, 12 reals", M,
                   EvenOdd(M, ReliableUpdates(reduced<float>(low12, 1), bicgstab)));
  table.by_columns("reliable updates, 16-bit, 12 reals", M,
                   EvenOdd(M, ReliableUpdates<Fixed16>(reduced<Fixed16>(low16, 1), bicgstab)));
  const NormalConjugateGradient cgnr{.tolerance = problem.tolerance};
  table.by_columns("CGNR, reliable updates, float", M, EvenOdd(M, ReliableUpdates(reduced<float>(low, 1), cgnr)));
  if (const auto gcr = table.schwarz_gcr(low)) table.by_columns("GCR, Schwarz in float", M, *gcr);
  table.together<SiteLanes>("BiCGstab, double", M, EvenOdd(M, bicgstab, form, n_columns));
  table.together<SiteLanes>("defect correction, float", M,
                            EvenOdd(M, MixedPrecision(reduced<float>(low, n_columns), bicgstab), form, n_columns));
  table.together<SiteLanes>("reliable updates, float", M,
                            EvenOdd(M, ReliableUpdates(reduced<float>(low, n_columns), bicgstab), form, n_columns));
  table.together<SiteLanes>(
      "reliable updates, 16-bit, 12 reals", M,
      EvenOdd(M, ReliableUpdates<Fixed16>(reduced<Fixed16>(low16, n_columns), bicgstab), form, n_columns));
  using Columns = ColumnLanes<4>;
  constexpr LinkForms forms = Table::forms<Columns>();
  const auto wide = table.M<double>(forms);
  const auto wide_low = table.M<float>(forms);
  table.together<Columns>("BiCGstab, double", wide, EvenOdd<double, Columns>(wide, bicgstab, form, n_columns));
  table.together<Columns>(
      "reliable updates, float", wide,
      EvenOdd<double, Columns>(
          wide, ReliableUpdates<float, double, Columns>(reduced<float, Columns>(wide_low, n_columns), bicgstab), form,
          n_columns));
  if (!problem.output.empty()) table.write_residuals();
}

}  // namespace kov::app
