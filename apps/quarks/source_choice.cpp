// SPDX-License-Identifier: MIT
#include "apps/quarks/source_choice.hpp"

#include "apps/quarks/quark_solver.hpp"
#include "apps/settings/suggest.hpp"
#include "kov/contractions/hadrons/meson.hpp"
#include "kov/contractions/sources/source.hpp"
#include "kov/core/io/checksum.hpp"
#include "kov/core/io/text.hpp"
#include "kov/core/site/random.hpp"
#include "kov/stencil/smearing/momentum_smearing.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

namespace kov::app {

namespace {

/// A stream of random numbers for a text.
std::uint32_t stream_of(const std::string& text) { return crc32(std::as_bytes(std::span(text))); }

std::string file_name(const std::string& configuration) {
  return std::filesystem::path(configuration).filename().string();
}

NoiseKind noise_kind(const std::string& name) {
  return name == "z2" ? NoiseKind::z2 : name == "z4" ? NoiseKind::z4 : NoiseKind::u1;
}

std::array<int, 3> spacing_on(const std::array<int, 3>& spacing, const Coord& extent) {
  std::array<int, 3> result = spacing;
  for (std::size_t mu = 0; mu < 3; ++mu)
    if (result[mu] == 0) result[mu] = extent[mu] / 2;
  return result;
}

}  // namespace

void SourceChoice::add_to(Settings& s) {
  add_with(s, {"point", "wall", "momentum", "grid", "noise"},
           "momentum: [n_x, n_y, n_z] of the plane wave, in units of 2 pi / L");
}

void SourceChoice::add_all_to(Settings& s) {
  add_with(s, {"point", "wall", "momentum", "grid", "noise", "sequential"},
           "momentum: [n_x, n_y, n_z] of the plane wave, in units of 2 pi / L; sequential: that the sink gives");
  s.add("source.propagators", &propagators,
        "sequential: where the quark to the sink is, the output.prefix of an earlier run, or a name with "
        "{configuration}, {quark}, {x}, {y}, {z}, {t} in it");
  s.add("source.quark", &quark, "sequential: its name there");
  s.add("source.gamma", &gamma, "sequential: the meson at the sink, by its name");
  s.add("source.t_sink", &t_sink, "sequential: times from the source to the sink");
}

void SourceChoice::add_with(Settings& s, const std::vector<std::string>& types, const std::string& about_momentum) {
  s.add("source.type", &type, "what is smeared", types);
  s.add("source.smearing", &smearing, "of it", SmearingChoice::names());
  choice.add_to(s, "source");
  s.add("source.accuracy", &accuracy, "gaussian, node, theta, formula: error of their series");
  s.add("source.boost", &boost, "momentum smearing: k in F((p - k)^2), any numbers in units of 2 pi / L");
  s.add("source.origins", &origins,
        "coordinates [x, y, z, t] of the sources on every configuration; none: source.count");
  s.add("source.count", &count, "sources on every configuration, spread over it or drawn at random");
  s.add("source.random", &random, "draw the positions at random, others on each configuration");
  s.add("source.seed", &seed, "of random positions and noise");
  s.add("source.momentum", &momentum, about_momentum);
  s.add("source.spacing", &spacing, "grid: distances of its points; 0: half the extent");
  s.add("source.noise", &noise, "noise and grid: numbers on each site or point; 'none': a grid of ones",
        {"z2", "z4", "u1", "none"});
}

void SourceChoice::check(const Settings& settings) const {
  choice.check([&](const std::string& name) { return settings.origin("source." + name); }, {smearing});
  require(accuracy >= 1e-13 && accuracy < 1, settings.origin("source.accuracy"), "is", accuracy,
          "- it must be at least 1e-13 and less than 1");
  require(count > 0, settings.origin("source.count"), "is", count, "- it must be positive");
  require(type != "noise" || noise != "none", settings.origin("source.noise"),
          "is none, but a source of noise is made of random numbers: take z2, z4 or u1");
  if (is_sequential()) {
    require(!propagators.empty(), settings.origin("source.propagators"),
            "is empty, but a sequential source is made of the propagators of an earlier run: name its output.prefix");
    require(meson_number(gamma).has_value(), settings.origin("source.gamma"),
            not_a_choice(gamma, {meson_names().begin(), meson_names().end()}));
  }
  require(origins.empty() || !random, settings.origin("source.random"),
          "draws positions where source.origins names them: leave one of the two out");
  for (std::size_t k = 1; k < origins.size(); ++k)
    require(std::count(origins.begin(), origins.begin() + std::ptrdiff_t(k), origins[k]) == 0,
            settings.origin("source.origins"), "has [" + to_string(origins[k]) + "]",
            "twice: what comes from it would count twice; name it once");
  check_boost(settings, "source.boost", boost);
  for (const int distance : spacing)
    require(distance >= 0, settings.origin("source.spacing"), "has the component", distance, "- it must be 0 or more");
}

void SourceChoice::check(const Settings& settings, const Coord& extent) const {
  for (const Coord& origin : origins) {
    for (std::size_t mu = 0; mu < 4; ++mu)
      require(origin[mu] >= 0 && origin[mu] < extent[mu], settings.origin("source.origins"),
              "has [" + to_string(origin) + "],", "which is outside the lattice", to_string(extent));
    require(!is_wall() || (origin[0] == 0 && origin[1] == 0 && origin[2] == 0), settings.origin("source.origins"),
            "has [" + to_string(origin) + "],", "but a source of the type", type,
            "covers its time slice: name it by [0, 0, 0, t]");
  }
  if (is_sequential())
    require(t_sink >= 0 && t_sink < extent[3], settings.origin("source.t_sink"), "is", t_sink,
            "- it must be 0 or more and less than the extent in time,", extent[3]);
  const std::int64_t places = is_wall() ? extent[3] : random ? volume(extent) / 2 : 2 * extent[3];
  require(!origins.empty() || count <= places, settings.origin("source.count"), "is", std::to_string(count) + ",",
          "but this lattice has at most", places, "places for them; name more by source.origins");
  if (type == "grid")
    for (std::size_t mu = 0; mu < 3; ++mu) {
      const int distance = spacing_on(spacing, extent)[mu];
      require(extent[mu] % distance == 0, settings.origin("source.spacing"), "has", distance,
              "in one direction, which does not divide the extent", extent[mu], ": give a divisor of it");
    }
}

void SourceChoice::check_used(const std::function<void(const char*, bool, const char*)>& used) const {
  used("source.momentum", type == "momentum" || is_sequential(), "by sources of the types momentum and sequential");
  used("source.spacing", type == "grid", "by sources of the type grid");
  const bool noisy = type == "noise" || type == "grid";
  used("source.noise", noisy, "by sources of the types noise and grid");
  used("source.seed", noisy || random, "by noise and random positions");
  used("source.count", origins.empty(), "without source.origins");
}

SourceChoice SourceChoice::of(const NamedQuark& q) const {
  SourceChoice source = *this;
  source.boost = q.boost;
  return source;
}

std::vector<Coord> SourceChoice::positions(const Coord& extent, const std::string& configuration) const {
  if (!origins.empty()) return origins;
  std::vector<Coord> positions;
  if (random) {
    SiteRandom draws(seed, stream_of("positions " + file_name(configuration)), 0);
    while (int(positions.size()) < count) {
      Coord x{};
      for (std::size_t mu = is_wall() ? 3 : 0; mu < 4; ++mu) x[mu] = int(draws.uniform() * extent[mu]);
      if (std::find(positions.begin(), positions.end(), x) == positions.end()) positions.push_back(x);
    }
    return positions;
  }
  for (int k = 0; k < count; ++k) {
    const int half = is_wall() ? 0 : k % 2;
    positions.push_back({half * extent[0] / 2, half * extent[1] / 2, half * extent[2] / 2, k * extent[3] / count});
  }
  return positions;
}

std::string SourceChoice::description() const {
  std::string text = type;
  if (type == "momentum") text += sentence("", momentum[0], momentum[1], momentum[2]);
  if (type == "noise") text = noise + " noise on a time slice";
  if (is_sequential()) text += sentence(" through", gamma, "of", quark, "at t =", t_sink, "from", propagators);
  if (type == "grid") text += noise == "none" ? "" : " with " + noise + " noise";
  if (is_smeared()) text += ", smeared by " + choice.description(smearing);
  if (is_smeared() && is_boosted()) text += sentence(", boost", boost[0], boost[1], boost[2]);
  return text;
}

std::map<std::string, LabelValue> SourceChoice::labels(const LinkChoice& links) const {
  std::map<std::string, LabelValue> labels{{"source_smearing", smearing}};
  if (is_smeared()) {
    labels["source_profile"] = choice.description(smearing);
    labels["source_links"] = links.description();
    if (is_boosted())
      labels["source_boost"] = sentence(exact_text(boost[0]), exact_text(boost[1]), exact_text(boost[2]));
  }
  if (type == "momentum") labels["source_momentum"] = sentence(momentum[0], momentum[1], momentum[2]);
  if (is_sequential()) {
    labels["source_momentum"] = sentence(momentum[0], momentum[1], momentum[2]);
    labels["source_gamma"] = gamma;
    labels["source_quark"] = quark;
    labels["source_t_sink"] = std::int64_t(t_sink);
  }
  if (is_noisy()) labels["source_noise"] = noise;
  if (is_noisy()) labels["source_seed"] = std::int64_t(seed);
  return labels;
}

std::string SourceChoice::identity(const LinkChoice& links) const {
  std::string text = sentence(type, description(), "accuracy", exact_text(accuracy), "noise", noise, seed, "spacing",
                              spacing[0], spacing[1], spacing[2], "momentum", momentum[0], momentum[1], momentum[2]);
  if (is_sequential()) text += sentence("", gamma, t_sink);
  if (is_smeared())
    text += sentence(" links", links.smearing, links.steps, label_text(links.ape_weight), label_text(links.stout_rho));
  for (const double k : boost) text += " " + label_text(k);
  for (const double number :
       {choice.width, double(choice.iterations), choice.sigma, choice.node, choice.p2_max, choice.edge})
    text += " " + label_text(number);
  return text + " " + choice.formula;
}

void check_boost(const Settings& settings, const std::string& key, const std::array<double, 3>& boost) {
  for (const double k : boost)
    require(std::abs(k) < 1e9, settings.origin(key), "has the component", k, "- it must be a number below 10^9");
}

template <class T>
QuarkSmearing<T> SmearingMaker<T>::operator()(const SmearingChoice& choice, const std::string& smearing,
                                              double accuracy, const std::array<double, 3>& boost) {
  const SmearingShape shape = choice.shape(smearing);
  if (std::holds_alternative<std::monostate>(shape)) return QuarkSmearing<T>(gauge_.lattice());
  auto links = boosted_.find(boost);
  if (links == boosted_.end()) {
    if (!smooth_) smooth_.emplace(links_.smeared(gauge_));
    std::array<double, 3> k;
    for (std::size_t mu = 0; mu < 3; ++mu) k[mu] = 2 * std::numbers::pi * boost[mu] / gauge_.lattice().extent()[mu];
    const bool is_boosted = boost != std::array<double, 3>{};
    links = boosted_.emplace(boost, GaugeLinks<T>(*smooth_, is_boosted ? momentum_factors(k) : LegFactors())).first;
  }
  return QuarkSmearing<T>(links->second, shape, {.accuracy = {.error = accuracy}});
}

template <class T>
SourceMaker<T>::SourceMaker(const Lattice& lattice, const LinkChoice& links, const SourceChoice& source,
                            SmearingMaker<T>& smearings, const std::vector<NamedQuark>& quarks)
    : lattice_(lattice), source_(source), links_(links) {
  for (const NamedQuark& quark : quarks)
    if (!smearings_.contains(quark.boost))
      smearings_.emplace(quark.boost, smearings(source.choice, source.smearing, source.accuracy, quark.boost));
}

template <class T>
Propagator<T> SourceMaker<T>::sequential(const Coord& origin, const StoredPropagator& to_sink,
                                         const std::string& links_checksum, const QuarkSmearing<T>& smearing) const {
  const Propagator<T> s = read_stored<T>(lattice_, to_sink, links_checksum);
  if (!smearing.is_none()) smearing.apply(s.columns(), s.columns());
  const Gamma gamma = Gamma::number(meson_number(source_.gamma).value());
  return sequential_source(s, (origin[3] + source_.t_sink) % lattice_.extent()[3], gamma, source_.momentum);
}

template <class T>
Propagator<T> SourceMaker<T>::operator()(const NamedQuark& quark, const Coord& origin, const std::string& configuration,
                                         const std::optional<StoredPropagator>& to_sink,
                                         const std::string& links_checksum) const {
  const int t = origin[3];
  const QuarkSmearing<T>& smearing = smearings_.at(quark.boost);
  const Noise noise{noise_kind(source_.noise), source_.seed,
                    stream_of("noise " + file_name(configuration) + " " + to_string(origin))};
  Propagator<T> source = [&] {
    if (to_sink) return sequential(origin, *to_sink, links_checksum, smearing);
    if (source_.type == "wall") return wall_source<T>(lattice_, t);
    if (source_.type == "momentum") return momentum_source<T>(lattice_, t, source_.momentum);
    if (source_.type == "noise")
      return Propagator<T>(noise_source<T>(lattice_, {.noise = noise, .t = t}), {.source = "noise", .origin = origin});
    if (source_.type == "grid")
      return grid_source<T>(lattice_, {.origin = origin,
                                       .spacing = spacing_on(source_.spacing, lattice_.extent()),
                                       .noise = source_.noise == "none" ? std::nullopt : std::optional(noise)});
    return point_source<T>(lattice_, origin);
  }();
  if (!smearing.is_none()) smearing.apply(source.columns(), source.columns());
  require_usable(source);
  source.labels.others = source_.of(quark).labels(links_);
  return source;
}

template class SmearingMaker<float>;
template class SmearingMaker<double>;
template class SourceMaker<float>;
template class SourceMaker<double>;

}  // namespace kov::app
