// SPDX-License-Identifier: MIT
#include "kov/contractions/hadrons/three_point.hpp"

#include "kov/contractions/hadrons/rotated_quarks.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/lattice/global_site.hpp"
#include "kov/core/launch/for_each_site.hpp"
#include "kov/stencil/operators/shift.hpp"

#include <algorithm>
#include <map>

namespace kov {

namespace detail {

/// Two quarks that a contraction leaves when it loses a third: coefficient eps eps q_x q_y belongs to the pair of spins
/// `pair` of the third.
template <class T>
struct OpenedContraction {
  short x, y, pair;
  Complex<T> coefficient;
};

/// g5 (d C / d S)^* g5 at the sites of one time slice: one lane at a time, as they are few.
template <class T>
struct OpenedBaryonKernel {
  RotatedQuarks<T> quarks;
  GlobalSite site;
  int t;
  const OpenedContraction<T>* contractions;
  int n;
  FieldView<Spinor, T> source;

  KOKKOS_FUNCTION void operator()(LaneSite at) const {
    if (site.coordinate(at)[3] != t) return;
    const auto quark = quarks.at(at);
    ColorMatrix<T> opened[16];
    for (int pair = 0; pair < 16; ++pair) opened[pair] = zero<ColorMatrix<T>>();
    for (int i = 0; i < n; ++i) {
      const OpenedContraction<T> c = contractions[i];
      ColorMatrix<T> cross = zero<ColorMatrix<T>>();
      add_cross(cross, quark(c.x), quark(c.y));
      multiply_add(opened[c.pair], c.coefficient, cross);
    }
    for (int r = 0; r < 4; ++r)
      for (int b = 0; b < 3; ++b) {
        Spinor<T> column = zero<Spinor<T>>();
        for (int j = 0; j < 4; ++j)
          for (int k = 0; k < 2; ++k)
            for (int l = 0; l < 4; ++l)
              for (int m = 0; m < 2; ++m) {
                if (RotatedQuarks<T>::row(j, k) != r) continue;
                // U on both sides takes the derivative back to the basis of propagators.
                const int s = RotatedQuarks<T>::row(l, m);
                const T sign =
                    T(RotatedQuarks<T>::sign(j, k) * RotatedQuarks<T>::sign(l, m) * ((r < 2) == (s < 2) ? 1 : -1));
                for (int a = 0; a < 3; ++a) column(s, a) += sign * conj(opened[4 * l + j](a, b));
              }
        source.set(at, column, 3 * r + b);
      }
  }
};

namespace {

/// Values whose quarks are numbers of `list`; number: the one that is opened.
template <class T>
Propagator<T> opened_source(const QuarkList<T>& list, const std::vector<BaryonValue>& values, int number, int t_sink,
                            const Momentum& p, const PropagatorLabels& labels, const Exec& exec) {
  const Lattice& lattice = list.front().second->lattice();
  require(t_sink >= 0 && t_sink < lattice.extent()[3], "the time", t_sink, "of a sink is outside the lattice",
          to_string(lattice.extent()), "; give one from 0 to the extent minus 1");
  // Two propagators have a factor of 2 each, and U on both sides one of 1 / 2.
  const std::complex<double> scale = (t_sink < labels.origin[3] ? wrap_phase_of_baryons(labels.boundary) : 1.0) / 8.0;
  std::map<std::array<int, 3>, std::complex<double>> opened;
  for (const BaryonValue& value : values)
    for (const BaryonContraction& term : value.terms)
      for (std::size_t k = 0; k < 3; ++k) {
        if (value.quark[k] != number) continue;
        const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
        std::array<int, 2> left{16 * value.quark[i] + term.pair[i], 16 * value.quark[j] + term.pair[j]};
        std::sort(left.begin(), left.end());
        opened[{left[0], left[1], term.pair[k]}] += scale * term.coefficient;
      }
  require(!opened.empty(), "no correlator has the quark", list[std::size_t(number)].first,
          "so that there is no sequential source of it: take one of theirs");
  std::vector<OpenedContraction<T>> contractions;
  for (const auto& [key, c] : opened)
    contractions.push_back({short(key[0]), short(key[1]), short(key[2]), {T(c.real()), T(c.imag())}});
  const Buffer<OpenedContraction<T>> buffer("opened contractions", contractions, exec);

  const Propagator<T>& quark = *list[std::size_t(number)].second;
  Propagator<T> source = quark.like("sequential source");
  OpenedBaryonKernel<T> kernel{{{}, int(list.size())}, GlobalSite(lattice),      t_sink,
                               buffer.data(),          int(contractions.size()), source.columns().view()};
  for (std::size_t q = 0; q < list.size(); ++q) kernel.quarks.s[q] = list[q].second->columns().view();
  for_each_lane("baryon_sequential_source", source.columns().range(), kernel, exec);
  multiply_phase(source.columns(), opposite(p), labels.origin, exec);
  exec.fence("the list of contractions ends here");
  source.labels.source = "sequential";
  return source;
}

/// Derivatives and shifted propagators, each made once.
template <class T>
class MovedQuark {
 public:
  MovedQuark(const GaugeLinks<T>& links, const Propagator<T>& s, const Exec& exec)
      : links_(links), s_(s), exec_(exec) {}

  /// D_mu ... D_nu S of the directions, the last one first.
  const Propagator<T>& derivative(const std::vector<int>& directions) {
    if (directions.empty()) return s_;
    return moved('d', directions, [&](const Propagator<T>& from, const Propagator<T>& to) {
      covariant_derivative(links_, from.columns(), directions.front(), to.columns(), exec_);
    });
  }
  /// U(path) S(x + path): the last step first.
  const Propagator<T>& along(const std::vector<int>& path) {
    if (path.empty()) return s_;
    const int step = path.front();
    return moved('p', path, [&](const Propagator<T>& from, const Propagator<T>& to) {
      covariant_shift(links_, from.columns(), std::abs(step) - 1, step > 0 ? 1 : -1, to.columns(), exec_);
    });
  }

 private:
  template <class Move>
  const Propagator<T>& moved(char kind, const std::vector<int>& steps, const Move& move) {
    const std::pair key{kind, steps};
    if (const auto found = made_.find(key); found != made_.end()) return found->second;
    const std::vector<int> rest(steps.begin() + 1, steps.end());
    const Propagator<T>& from = kind == 'd' ? derivative(rest) : along(rest);
    Propagator<T> to = s_.like("moved " + s_.name(), exec_);
    move(from, to);
    return made_.emplace(key, std::move(to)).first->second;
  }

  const GaugeLinks<T>& links_;
  const Propagator<T>& s_;
  Exec exec_;
  std::map<std::pair<char, std::vector<int>>, Propagator<T>> made_;
};

void check_current(const QuarkCurrent& current) {
  require(current.gamma >= 0 && current.gamma < 16, "there is no gamma matrix of number", current.gamma,
          "for a current: give one from 0 to 15");
  require(current.derivatives.size() <= 2, "a current has", current.derivatives.size(),
          "derivatives: there are those of order 0 to 2");
  require(current.derivatives.empty() || current.path.empty(),
          "a current has derivatives and a path: give one of the two");
  for (const int mu : current.derivatives)
    require(mu >= 0 && mu < 4, "there is no derivative in direction", mu, ": give one from 0 to 3");
  for (const int step : current.path)
    require(step != 0 && std::abs(step) <= 4, "there is no step", step, "of a path: give 1 to 4, or -1 to -4");
}

}  // namespace

}  // namespace detail

std::string to_string(const QuarkCurrent& current) {
  detail::check_current(current);
  std::string text = meson_names()[std::size_t(current.gamma)];
  for (const int mu : current.derivatives) text += std::string(" D_") + "xyzt"[mu];
  if (!current.path.empty()) text += " path ";
  for (const int step : current.path) text += std::string(step > 0 ? "+" : "-") + "xyzt"[std::abs(step) - 1];
  return text;
}

QuarkCurrent quark_current(const std::string& text) {
  const std::vector<std::string> parts = words(text);
  const std::string like =
      "; a current is a gamma matrix by the name of its meson, and perhaps derivatives or a path: "
      "'a0_g4', 'rho_z D_z D_t', 'a0 path +x-y'";
  require(!parts.empty(), "a current is empty" + like);
  const std::optional<int> gamma = meson_number(parts.front());
  require(gamma.has_value(), "the current '" + text + "' begins with",
          parts.front() + ", which is none of the mesons" + like);
  QuarkCurrent current{.gamma = *gamma};
  const auto direction = [&](char name) {
    const std::size_t mu = std::string_view("xyzt").find(name);
    require(mu < 4, "the current '" + text + "' has the direction '" + std::string(1, name) + "'" + like);
    return int(mu);
  };
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const std::string& part = parts[k];
    if (part.size() == 3 && part.starts_with("D_")) {
      current.derivatives.push_back(direction(part[2]));
      continue;
    }
    require(part == "path" && k + 1 < parts.size(), "the current '" + text + "' has '" + part + "'" + like);
    for (const std::string& steps : std::vector(parts.begin() + std::ptrdiff_t(k) + 1, parts.end()))
      for (std::size_t i = 0; i < steps.size(); i += 2) {
        require(i + 1 < steps.size() && (steps[i] == '+' || steps[i] == '-'),
                "the current '" + text + "' has the steps '" + steps + "'" + like);
        current.path.push_back((steps[i] == '+' ? 1 : -1) * (direction(steps[i + 1]) + 1));
      }
    break;
  }
  detail::check_current(current);
  return current;
}

template <class T>
Propagator<T> meson_sequential_source(const Propagator<T>& s2, int t_sink, const Gamma& sink, const Momentum& p,
                                      const Exec& exec) {
  return sequential_source(s2, t_sink, Gamma::five() * sink.adjoint() * Gamma::five(), opposite(p), exec);
}

template <class T>
Propagator<T> baryon_sequential_source(const Quarks<T>& quarks, const std::vector<BaryonCorrelation>& correlations,
                                       const std::string& quark, int t_sink, const Momentum& p, const Exec& exec) {
  const detail::QuarkList<T> list = detail::needed_quarks<T>(quarks, correlations);
  const PropagatorLabels labels = detail::labels_of_quarks<T>(list);
  require(int(list.size()) <= detail::most_baryon_quarks, "a sequential source of", list.size(),
          "different quarks was asked for, and it takes", detail::most_baryon_quarks, ": ask for fewer at a time");
  const auto number = [&](const std::string& name) {
    return int(std::find_if(list.begin(), list.end(), [&](const auto& q) { return q.first == name; }) - list.begin());
  };
  require(number(quark) < int(list.size()), "no operator has the quark", quark, ": take one of theirs");
  std::vector<detail::BaryonValue> values;
  for (const BaryonCorrelation& c : correlations) {
    const auto& q = c.sink.quarks;
    values.push_back(detail::wick_contraction(c.sink, c.source, {number(q[0]), number(q[1]), number(q[2])}));
  }
  return detail::opened_source<T>(list, values, number(quark), t_sink, p, labels, exec);
}

template <class T>
Propagator<T> baryon_sequential_source(const Propagator<T>& q, const Propagator<T>& p, const BaryonChannel& channel,
                                       bool of_p, int t_sink, const Momentum& momentum, const Exec& exec) {
  require(channel.direct == channel.exchange, channel.name,
          "is defined for equal quarks only: its flavours cannot be told apart");
  return detail::opened_source<T>({{"q", &q}, {"p", &p}}, {detail::value_of(channel, 0, 1)}, of_p ? 1 : 0, t_sink,
                                  momentum, detail::labels_of_both(q, p), exec);
}

template <class T>
std::vector<Correlator> three_point_functions(const GaugeLinks<T>& links, const Propagator<T>& s,
                                              const Propagator<T>& q, const std::vector<QuarkCurrent>& currents,
                                              const std::vector<Momentum>& momenta, int source, const Exec& exec) {
  require(!currents.empty(), "the list of currents is empty, so there is nothing to compute: give one at least");
  for (const QuarkCurrent& current : currents) detail::check_current(current);
  detail::MovedQuark<T> right(links, s, exec), left(links, q, exec);
  std::vector<Correlator> result(currents.size() * momenta.size());
  std::vector<bool> done(currents.size(), false);
  for (std::size_t first = 0; first < currents.size(); ++first) {
    if (done[first]) continue;
    // All gammas of one set of derivatives or path are one sweep.
    const std::vector<int>&d = currents[first].derivatives, &path = currents[first].path;
    std::vector<std::size_t> same;
    std::vector<MesonChannel> channels;
    for (std::size_t k = first; k < currents.size(); ++k)
      if (currents[k].derivatives == d && currents[k].path == path) {
        same.push_back(k);
        channels.push_back({.sink = currents[k].gamma, .source = source});
        done[k] = true;
      }
    const auto add = [&](double factor, const Propagator<T>& of_s, const Propagator<T>& of_q) {
      const std::vector<Correlator> found = mesons(of_s, of_q, channels, momenta, exec);
      for (std::size_t i = 0; i < found.size(); ++i) {
        Correlator& to = result[same[i / momenta.size()] * momenta.size() + i % momenta.size()];
        if (to.value.empty()) {
          to = found[i];
          to.kind = "three-point";
          to.channel = to_string(currents[same[i / momenta.size()]]);
          for (auto& z : to.value) z *= factor;
        } else {
          for (std::size_t t = 0; t < to.value.size(); ++t) to.value[t] += factor * found[i].value[t];
        }
      }
    };
    if (d.empty()) {
      add(1, right.along(path), q);
    } else if (d.size() == 1) {
      add(0.5, right.derivative(d), q);
      add(-0.5, s, left.derivative(d));
    } else {
      add(0.25, right.derivative(d), q);
      add(-0.25, right.derivative({d[1]}), left.derivative({d[0]}));
      add(-0.25, right.derivative({d[0]}), left.derivative({d[1]}));
      add(0.25, s, left.derivative({d[1], d[0]}));
    }
  }
  return result;
}

template Propagator<float> meson_sequential_source(const Propagator<float>&, int, const Gamma&, const Momentum&,
                                                   const Exec&);
template Propagator<float> baryon_sequential_source<float>(const Quarks<float>&, const std::vector<BaryonCorrelation>&,
                                                           const std::string&, int, const Momentum&, const Exec&);
template Propagator<float> baryon_sequential_source(const Propagator<float>&, const Propagator<float>&,
                                                    const BaryonChannel&, bool, int, const Momentum&, const Exec&);
template std::vector<Correlator> three_point_functions(const GaugeLinks<float>&, const Propagator<float>&,
                                                       const Propagator<float>&, const std::vector<QuarkCurrent>&,
                                                       const std::vector<Momentum>&, int, const Exec&);
template Propagator<double> meson_sequential_source(const Propagator<double>&, int, const Gamma&, const Momentum&,
                                                    const Exec&);
template Propagator<double> baryon_sequential_source<double>(const Quarks<double>&,
                                                             const std::vector<BaryonCorrelation>&, const std::string&,
                                                             int, const Momentum&, const Exec&);
template Propagator<double> baryon_sequential_source(const Propagator<double>&, const Propagator<double>&,
                                                     const BaryonChannel&, bool, int, const Momentum&, const Exec&);
template std::vector<Correlator> three_point_functions(const GaugeLinks<double>&, const Propagator<double>&,
                                                       const Propagator<double>&, const std::vector<QuarkCurrent>&,
                                                       const std::vector<Momentum>&, int, const Exec&);

}  // namespace kov
