// SPDX-License-Identifier: MIT
#include "kov/contractions/hadrons/baryon.hpp"

#include "kov/contractions/hadrons/baryon_sums.hpp"

#include <algorithm>
#include <set>

namespace kov {

namespace {

using Spin = SpinMatrix<double>;

Spin gamma(int n) { return spin_matrix(Gamma::number(n)); }
Spin times(Complex<double> a, const Spin& m) { return a * m; }
Spin upper_components() { return times({0.5, 0}, gamma(0) + gamma(8)); }
/// (g2 + i g1) / 2
Spin gamma_minus() { return times({0.5, 0}, gamma(2) + times({0, 1}, gamma(1))); }

/// sum over kl of left_ki m_kl right_lj, left and right U or its complex conjugate, which are the same: U is real.
Spin rotated(const Spin& m) {
  const Spin u = dirac_pauli_rotation();
  Spin r = zero<Spin>();
  // Entries of U are 0 and +-sqrt(1/2): products of two are rounded to +-1/2.
  const auto sign = [&](int k, int i) { return u(k, i).re > 0 ? 1.0 : u(k, i).re < 0 ? -1.0 : 0.0; };
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k)
        for (int l = 0; l < 4; ++l) {
          const double a = sign(k, i) * sign(l, j) / 2;
          r(i, j).re += a * m(k, l).re;
          r(i, j).im += a * m(k, l).im;
        }
  return r;
}

/// A list of different propagators, and which of them each quark is.
template <class T>
struct QuarkNumbers {
  std::vector<const Propagator<T>*> different;
  std::map<std::string, int> number;

  void add(const std::string& name, const Propagator<T>& s) {
    const auto found = std::find_if(different.begin(), different.end(),
                                    [&](const auto* other) { return other->columns().data() == s.columns().data(); });
    number[name] = int(found - different.begin());
    if (found == different.end()) different.push_back(&s);
  }
};

/// One correlator for each name and momentum.
std::vector<Correlator> labelled(const std::vector<std::string>& names, const std::vector<Momentum>& momenta,
                                 const PropagatorLabels& labels, const std::vector<std::complex<double>>& numbers) {
  const auto n_times = std::ptrdiff_t(numbers.size() / (names.size() * momenta.size()));
  std::vector<Correlator> result;
  auto from = numbers.begin();
  for (const std::string& name : names)
    for (const Momentum& momentum : momenta) {
      result.push_back({.kind = "baryon",
                        .channel = name,
                        .momentum = momentum,
                        .source = labels.origin,
                        .labels = labels.others,
                        .value = {from, from + n_times}});
      from += n_times;
    }
  return result;
}

}  // namespace

namespace detail {

BaryonValue value_of(const BaryonChannel& channel, int q, int p) {
  struct Entry {
    int row, column;
    std::complex<double> value;
  };
  const auto entries = [](const Spin& m) {
    std::vector<Entry> list;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        if (m(i, j).re != 0 || m(i, j).im != 0) list.push_back({i, j, {m(i, j).re, m(i, j).im}});
    return list;
  };
  const auto diquark = entries(rotated(channel.diquark)), projector = entries(rotated(channel.projector));
  BaryonValue value{{p, q, q}, {}};
  const auto pair = [](int sink, int source) { return 4 * sink + source; };
  for (const Entry& t : projector)  // the open spins: t.column at the sink, t.row at the source
    for (const Entry& sink : diquark)
      for (const Entry& source : diquark) {
        const std::complex<double> c = t.value * sink.value * source.value;
        const int of_p = pair(sink.row, source.row);
        value.terms.push_back({{of_p, pair(sink.column, source.column), pair(t.column, t.row)}, channel.direct * c});
        value.terms.push_back({{of_p, pair(sink.column, t.row), pair(t.column, source.column)}, channel.exchange * c});
      }
  return value;
}

template <class T>
QuarkList<T> needed_quarks(const Quarks<T>& quarks, const std::vector<BaryonCorrelation>& correlations) {
  require(!correlations.empty(), "the list of baryons is empty, so there is nothing to compute; see octet_operators()");
  std::set<std::string> needed;
  for (const BaryonCorrelation& c : correlations) {
    for (const BaryonOperator* op : {&c.sink, &c.source})
      for (const BaryonTerm& term : op->terms)
        for (const int spin : term.spin)
          require(spin >= 0 && spin < 4, op->name, "has a term of spin", spin,
                  ": there are 4, so give one from 0 to 3");
    for (const std::string& name : c.sink.quarks) {
      require(quarks.contains(name), c.name, "needs the quark", name,
              "and no propagator was given for it: give one of that name");
      needed.insert(name);
    }
    auto sink = c.sink.quarks, source = c.source.quarks;
    std::sort(sink.begin(), sink.end());
    std::sort(source.begin(), source.end());
    require(sink == source, c.name,
            "has other quarks at the sink than at the source, so that it vanishes: leave it out");
  }
  QuarkList<T> list;
  for (const std::string& name : needed) list.emplace_back(name, &quarks.at(name).get());
  return list;
}

template <class T>
PropagatorLabels labels_of_quarks(const QuarkList<T>& quarks) {
  for (const auto& [name, s] : quarks) labels_of_both(*quarks.front().second, *s);
  PropagatorLabels labels = quarks.front().second->labels;
  std::map<std::string, LabelValue> shared;
  for (const auto& [label, value] : labels.others)
    if (std::all_of(quarks.begin(), quarks.end(), [&, &label = label, &value = value](const auto& quark) {
          const auto& others = quark.second->labels.others;
          const auto found = others.find(label);
          return found != others.end() && found->second == value;
        }))
      shared[label] = value;
  labels.others = shared;
  for (const auto& [name, s] : quarks)
    for (const auto& [label, value] : s->labels.others)
      if (!shared.contains(label)) labels.others[label + "_" + name] = value;
  return labels;
}

template QuarkList<float> needed_quarks<float>(const Quarks<float>&, const std::vector<BaryonCorrelation>&);
template QuarkList<double> needed_quarks<double>(const Quarks<double>&, const std::vector<BaryonCorrelation>&);
template PropagatorLabels labels_of_quarks<float>(const QuarkList<float>&);
template PropagatorLabels labels_of_quarks<double>(const QuarkList<double>&);

}  // namespace detail

Spin unpolarised_projector() { return upper_components(); }
Spin mixed_projector() { return upper_components() + times({0, -0.5}, gamma(3) + gamma(11)); }
Spin mixed_negative_parity_projector() {
  return times({0.5, 0}, gamma(0) - gamma(8)) + times({0, -0.5}, gamma(3) - gamma(11));
}

Spin diquark_cg5() { return gamma(5); }
Spin diquark_cg5_g4() { return times({-1, 0}, gamma(13)); }
Spin diquark_cg_minus() { return gamma(10) * gamma_minus(); }
Spin diquark_cg4_minus() { return gamma(10) * gamma(8) * gamma_minus(); }
Spin diquark_cg5_nr() { return diquark_cg5() * upper_components(); }
Spin diquark_cg_minus_nr() { return diquark_cg_minus() * upper_components(); }

BaryonChannel nucleon() { return {"nucleon", unpolarised_projector(), diquark_cg5(), 1, 1}; }

std::vector<BaryonChannel> standard_baryons() {
  const Spin mixed = mixed_projector(), unpolarised = unpolarised_projector();
  const Spin lower_diquark = diquark_cg5() * times({0.5, 0}, gamma(0) - gamma(8));
  return {{"proton_mixed_cg5", mixed, diquark_cg5(), 1, 1},
          {"lambda_mixed_cg5", mixed, diquark_cg5(), 1, 2},
          {"delta_mixed_cgm", mixed, diquark_cg_minus(), 3, 6},
          {"proton_mixed_cg5g4", mixed, diquark_cg5_g4(), 1, 1},
          {"lambda_mixed_cg5g4", mixed, diquark_cg5_g4(), 1, 2},
          {"delta_mixed_cg4m", mixed, diquark_cg4_minus(), 3, 6},
          {"proton_mixed_cg5nr", mixed, diquark_cg5_nr(), 1, 1},
          {"lambda_mixed_cg5nr", mixed, diquark_cg5_nr(), 1, 2},
          {"delta_mixed_cgmnr", mixed, diquark_cg_minus_nr(), 12, 24},
          {"proton_unpol_cg5", unpolarised, diquark_cg5(), 1, 1},
          {"proton_unpol_cg5g4", unpolarised, diquark_cg5_g4(), 1, 1},
          {"proton_unpol_cg5nr", unpolarised, diquark_cg5_nr(), 1, 1},
          {"lambda_naive_unpol_cg5", unpolarised, diquark_cg5(), 1, 0},
          {"xi_unpol_cg5", unpolarised, diquark_cg5(), 1, 1},
          {"lambda_naive_mixed_cg5", mixed, diquark_cg5(), 1, 0},
          {"xi_mixed_cg5", mixed, diquark_cg5(), 1, 1},
          {"proton_negpar_cg5nr", mixed_negative_parity_projector(), lower_diquark, 1, 1}};
}

template <class T>
std::vector<Correlator> baryons(const Propagator<T>& q, const Propagator<T>& p,
                                const std::vector<BaryonChannel>& channels, const std::vector<Momentum>& momenta,
                                const Exec& exec) {
  const PropagatorLabels labels = detail::labels_of_both(q, p);
  require(!channels.empty(), "the list of baryons is empty, so there is nothing to compute; see standard_baryons()");
  QuarkNumbers<T> quarks;
  quarks.add("q", q);
  quarks.add("p", p);
  std::vector<std::string> names;
  std::vector<detail::BaryonValue> values;
  for (const BaryonChannel& channel : channels) {
    require(channel.direct == channel.exchange || quarks.different.size() == 1, channel.name,
            "is defined for equal quarks only, and two different propagators were given; pass the same one twice");
    names.push_back(channel.name);
    values.push_back(detail::value_of(channel, quarks.number.at("q"), quarks.number.at("p")));
  }
  return labelled(names, momenta, labels, detail::baryon_sums(quarks.different, values, momenta, labels, exec));
}

template <class T>
std::vector<Correlator> baryons(const Quarks<T>& quarks, const std::vector<BaryonCorrelation>& correlations,
                                const std::vector<Momentum>& momenta, const Exec& exec) {
  const detail::QuarkList<T> list = detail::needed_quarks<T>(quarks, correlations);
  QuarkNumbers<T> numbers;
  for (const auto& [name, s] : list) numbers.add(name, *s);
  require(int(numbers.different.size()) <= detail::most_baryon_quarks, "baryons of", numbers.different.size(),
          "different propagators were asked for at once, and a sweep takes", detail::most_baryon_quarks,
          ": ask for those of fewer quarks at a time");
  const PropagatorLabels labels = detail::labels_of_quarks<T>(list);
  std::vector<std::string> names;
  std::vector<detail::BaryonValue> values;
  for (const BaryonCorrelation& c : correlations) {
    std::array<int, 3> quark{};
    for (std::size_t k = 0; k < 3; ++k) quark[k] = numbers.number.at(c.sink.quarks[k]);
    names.push_back(c.name);
    values.push_back(detail::wick_contraction(c.sink, c.source, quark));
  }
  return labelled(names, momenta, labels, detail::baryon_sums(numbers.different, values, momenta, labels, exec));
}

template <class T>
std::vector<Correlator> baryons(const Quarks<T>& quarks, const std::vector<BaryonOperator>& operators,
                                const std::vector<Momentum>& momenta, const Exec& exec) {
  std::vector<BaryonCorrelation> correlations;
  for (const BaryonOperator& op : operators) correlations.push_back({op.name, op, op});
  return baryons<T>(quarks, correlations, momenta, exec);
}

template std::vector<Correlator> baryons(const Propagator<float>&, const Propagator<float>&,
                                         const std::vector<BaryonChannel>&, const std::vector<Momentum>&, const Exec&);
template std::vector<Correlator> baryons<float>(const Quarks<float>&, const std::vector<BaryonCorrelation>&,
                                                const std::vector<Momentum>&, const Exec&);
template std::vector<Correlator> baryons<float>(const Quarks<float>&, const std::vector<BaryonOperator>&,
                                                const std::vector<Momentum>&, const Exec&);
template std::vector<Correlator> baryons(const Propagator<double>&, const Propagator<double>&,
                                         const std::vector<BaryonChannel>&, const std::vector<Momentum>&, const Exec&);
template std::vector<Correlator> baryons<double>(const Quarks<double>&, const std::vector<BaryonCorrelation>&,
                                                 const std::vector<Momentum>&, const Exec&);
template std::vector<Correlator> baryons<double>(const Quarks<double>&, const std::vector<BaryonOperator>&,
                                                 const std::vector<Momentum>&, const Exec&);

}  // namespace kov
