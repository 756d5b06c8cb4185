// SPDX-License-Identifier: MIT
#include "kov/contractions/distillation/distilled_baryons.hpp"

#include "kov/contractions/distillation/distilled_lists.hpp"
#include "kov/contractions/engine/source_times.hpp"
#include "kov/contractions/hadrons/baryon_sums.hpp"
#include "kov/contractions/kernels/product.hpp"
#include "kov/core/base/error.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace kov {

namespace {

/// A quark of a list, and a pair of spins.
struct SpinLine {
  int quark, pair;
  auto operator<=>(const SpinLine&) const = default;
};
using SpinLinePair = std::pair<SpinLine, SpinLine>;

/// One contraction: the numbers of its two first lines together and of its third one.
struct BaryonEntry {
  std::size_t first_two, third;
  std::complex<double> coefficient;
};

/// What has to be computed for a list of correlations.
struct BaryonWork {
  std::vector<std::string> quarks;
  std::vector<SpinLine> firsts, thirds, lines;  // lines: all that occur
  std::vector<SpinLinePair> pairs;
  std::vector<std::vector<BaryonEntry>> entries;  // of each correlation

  BaryonWork(const std::vector<BaryonCorrelation>& correlations, const std::map<std::string, std::string>& same_as) {
    std::map<std::string, int> numbers;
    const auto number = [&](const std::string& name) {
      const std::string quark = detail::quark_that_is_read(name, same_as);
      const auto [at, is_new] = numbers.emplace(quark, int(quarks.size()));
      if (is_new) quarks.push_back(quark);
      return at->second;
    };
    std::vector<detail::BaryonValue> values;
    for (const BaryonCorrelation& c : correlations) {
      auto sink = c.sink.quarks, source = c.source.quarks;
      std::sort(sink.begin(), sink.end());
      std::sort(source.begin(), source.end());
      require(sink == source, c.name,
              "has other quarks at the sink than at the source, so that it vanishes: leave it out");
      for (const BaryonOperator* op : {&c.sink, &c.source})
        for (const BaryonTerm& term : op->terms)
          for (const int spin : term.spin)
            require(spin >= 0 && spin < 4, op->name, "has a term of spin", spin,
                    ": there are 4, so give one from 0 to 3");
      const auto& q = c.sink.quarks;
      values.push_back(detail::wick_contraction(c.sink, c.source, {number(q[0]), number(q[1]), number(q[2])}));
    }
    const auto line = [](const detail::BaryonValue& value, const detail::BaryonContraction& term, std::size_t k) {
      return SpinLine{value.quark[k], term.pair[k]};
    };
    std::set<SpinLine> some_firsts, some_thirds, some_lines;
    std::set<SpinLinePair> some_pairs;
    for (const auto& value : values)
      for (const auto& term : value.terms) {
        for (std::size_t k = 0; k < 3; ++k) some_lines.insert(line(value, term, k));
        some_firsts.insert(line(value, term, 0));
        some_pairs.insert({line(value, term, 0), line(value, term, 1)});
        some_thirds.insert(line(value, term, 2));
      }
    firsts.assign(some_firsts.begin(), some_firsts.end());
    thirds.assign(some_thirds.begin(), some_thirds.end());
    lines.assign(some_lines.begin(), some_lines.end());
    pairs.assign(some_pairs.begin(), some_pairs.end());
    for (const auto& value : values) {
      std::vector<BaryonEntry> list;
      for (const auto& term : value.terms)
        list.push_back({place_of(pairs, {line(value, term, 0), line(value, term, 1)}),
                        place_of(thirds, line(value, term, 2)), term.coefficient});
      entries.push_back(std::move(list));
    }
  }

  template <class X>
  static std::size_t place_of(const std::vector<X>& sorted, const X& x) {
    return std::size_t(std::lower_bound(sorted.begin(), sorted.end(), x) - sorted.begin());
  }
};

/// to[i'][i] = (U^+ tau U)[i][i'] of a pair of spins, U = dirac_pauli_rotation().
template <class T>
void rotate_and_transpose(const std::vector<Complex<T>>& tau, int pair, int n, Complex<T>* to) {
  const SpinMatrix<double> u = dirac_pauli_rotation();
  std::fill_n(to, std::size_t(n) * std::size_t(n), Complex<T>{T(0), T(0)});
  for (int r = 0; r < 4; ++r)
    for (int s = 0; s < 4; ++s) {
      const T factor = T(u(r, pair / 4).re * u(s, pair % 4).re);  // U is real
      if (factor == T(0)) continue;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          to[std::ptrdiff_t(j) * n + i] +=
              factor * tau[std::size_t(r * n + i) * 4 * std::size_t(n) + std::size_t(s * n + j)];
    }
}

/// The contraction of one sink and source at a time.
template <class T>
class BaryonContractions {
 public:
  using Z = Complex<T>;
  BaryonContractions(const BaryonWork& work, int n, std::size_t workspace_bytes)
      : work_(work), n_(n), square_(std::size_t(n) * std::size_t(n)), cube_(square_ * std::size_t(n)) {
    const std::size_t fit = std::max<std::size_t>(1, workspace_bytes / (cube_ * sizeof(Z)));
    pairs_at_once_ = std::min(fit, work.pairs.size());
    host_lines_.resize(work.lines.size() * square_);
    lines_ = Buffer<Z>("perambulators of spins", host_lines_.size());
    sink_ = Buffer<Z>("elemental at the sink", cube_);
    source_ = Buffer<Z>("elemental at the source", cube_);
    firsts_ = Buffer<Z>("elementals with a quark", work.firsts.size() * cube_);
    seconds_ = Buffer<Z>("elementals with two quarks", pairs_at_once_ * cube_);
    thirds_ = Buffer<Z>("elementals with the third quark", work.thirds.size() * cube_);
    sums_ = Buffer<Complex<double>>("contractions of baryons", work.pairs.size() * work.thirds.size());
  }

  /// tau of each quark from source to sink.
  void load_quarks(const std::vector<std::vector<Z>>& tau) {
    for (std::size_t k = 0; k < work_.lines.size(); ++k)
      rotate_and_transpose(tau[std::size_t(work_.lines[k].quark)], work_.lines[k].pair, n_,
                           host_lines_.data() + k * square_);
    lines_.copy_from(host_lines_);
  }

  /// [pair of lines][third line]; the elementals [i][j][k].
  std::vector<Complex<double>> contract(std::span<const Z> at_sink, std::span<const Z> conjugate_at_source,
                                        const Exec& exec) {
    sink_.copy_from(at_sink);
    source_.copy_from(conjugate_at_source);
    const int n = n_, nn = int(square_);
    for (std::size_t k = 0; k < work_.firsts.size(); ++k)
      multiply<Z>(line(work_.firsts[k]), shared_matrix<const Z>(sink_.data(), n, nn),
                  shared_matrix<Z>(firsts_.data() + k * cube_, n, nn), {}, {}, exec);
    for (std::size_t k = 0; k < work_.thirds.size(); ++k)
      multiply<Z>(shared_matrix<const Z>(source_.data(), nn, n), line(work_.thirds[k]),
                  shared_matrix<Z>(thirds_.data() + k * cube_, nn, n), {}, {}, exec);
    for (std::size_t first = 0; first < work_.pairs.size(); first += pairs_at_once_) {
      const std::size_t count = std::min(pairs_at_once_, work_.pairs.size() - first);
      for (std::size_t k = 0; k < count; ++k) {
        const auto& [one, two] = work_.pairs[first + k];
        const std::size_t from = BaryonWork::place_of(work_.firsts, one);
        multiply<Z>(line(two), packed_matrices<const Z>(firsts_.data() + from * cube_, n, n),
                    packed_matrices<Z>(seconds_.data() + k * cube_, n, n), {{n, 1, 1, 1}}, {}, exec);
      }
      traces<Z>({seconds_.data(), thirds_.data(), int(count), int(work_.thirds.size()), std::int64_t(cube_), 1, 0, 0},
                {sums_.data() + first * work_.thirds.size(), 0, 1}, parts_, {}, exec);
    }
    exec.fence("distilled_baryons");
    return sums_.to_host();
  }

 private:
  Matrices<const Z> line(const SpinLine& of) const {
    return shared_matrix<const Z>(lines_.data() + BaryonWork::place_of(work_.lines, of) * square_, n_, n_);
  }

  const BaryonWork& work_;
  int n_;
  std::size_t square_, cube_, pairs_at_once_;
  std::vector<Z> host_lines_;
  Buffer<Z> lines_, sink_, source_, firsts_, seconds_, thirds_;
  Buffer<Complex<double>> sums_;
  TraceWorkspace parts_;
};

}  // namespace

template <class T>
std::vector<std::complex<double>> distilled_baryons(const std::vector<BaryonCorrelation>& correlations, int n_momenta,
                                                    const DistilledQuarks<T>& quarks,
                                                    const DistilledBaryonOptions& options, const Exec& exec) {
  using Z = Complex<T>;
  require(!correlations.empty() && n_momenta >= 1 && quarks.n_vectors >= 1 && quarks.n_times >= 1, correlations.size(),
          "correlations of baryons at", n_momenta, "momenta with", quarks.n_vectors, "eigenvectors on", quarks.n_times,
          "time slices were asked for: there must be one of each at least");
  require(quarks.elemental && quarks.perambulator,
          "correlators of baryons need elementals and perambulators: give both");
  const int n = quarks.n_vectors, n_times = quarks.n_times;
  const std::vector<int> sources = detail::source_times(options.sources, n_times);

  const BaryonWork work(correlations, quarks.same_as);
  std::vector<std::complex<double>> correlators(std::size_t(n_momenta) * std::size_t(n_times) * correlations.size());
  if (work.pairs.empty()) return correlators;
  BaryonContractions<T> contractions(work, n, options.workspace_bytes);
  const std::size_t cube = std::size_t(n) * std::size_t(n) * std::size_t(n);
  const std::vector<Z> empty_cube(cube);
  std::vector<std::vector<Z>> at_source(static_cast<std::size_t>(n_momenta), empty_cube), tau(work.quarks.size());
  for (std::vector<Z>& t : tau) t.resize(16 * std::size_t(n) * std::size_t(n));
  std::vector<Z> at_sink = empty_cube;
  const std::complex<double> beyond = detail::wrap_phase_of_baryons(options.boundary);
  for (const int t0 : sources) {
    for (int p = 0; p < n_momenta; ++p) {
      quarks.elemental(t0, p, at_source[std::size_t(p)]);
      for (Z& z : at_source[std::size_t(p)]) z = conj(z);
    }
    for (int t = 0; t < n_times; ++t) {
      for (std::size_t q = 0; q < tau.size(); ++q) quarks.perambulator(work.quarks[q], t, t0, tau[q]);
      contractions.load_quarks(tau);
      for (int p = 0; p < n_momenta; ++p) {
        quarks.elemental(t, p, at_sink);
        const std::vector<Complex<double>> sums = contractions.contract(at_sink, at_source[std::size_t(p)], exec);
        std::complex<double>* to =
            correlators.data() +
            (std::size_t(p) * std::size_t(n_times) + std::size_t((t - t0 + n_times) % n_times)) * correlations.size();
        for (const std::vector<BaryonEntry>& entries : work.entries) {
          std::complex<double> sum = 0;
          for (const BaryonEntry& e : entries) {
            const Complex<double>& z = sums[e.first_two * work.thirds.size() + e.third];
            sum += e.coefficient * std::complex<double>(z.re, z.im);
          }
          *to++ += t < t0 ? beyond * sum : sum;
        }
      }
    }
  }
  return correlators;
}

template std::vector<std::complex<double>> distilled_baryons(const std::vector<BaryonCorrelation>&, int,
                                                             const DistilledQuarks<float>&,
                                                             const DistilledBaryonOptions&, const Exec&);
template std::vector<std::complex<double>> distilled_baryons(const std::vector<BaryonCorrelation>&, int,
                                                             const DistilledQuarks<double>&,
                                                             const DistilledBaryonOptions&, const Exec&);

}  // namespace kov
