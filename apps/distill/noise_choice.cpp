// SPDX-License-Identifier: MIT
#include "apps/distill/noise_choice.hpp"

#include "kov/core/io/checksum.hpp"
#include "kov/core/io/text.hpp"

#include <filesystem>
#include <set>
#include <span>

namespace kov::app {

namespace {

/// Throws InputError, which names the key, where the text is no dilution or N numbers do not have its classes.
void check_dilution(const Settings& settings, const std::string& key, const std::string& text, int N) {
  try {
    dilution(text).classes(N);
  } catch (const InputError& error) {
    throw InputError(sentence(settings.origin(key) + ":", error.what()));
  }
}

NoiseKind noise_kind(const std::string& name) {
  return name == "z2" ? NoiseKind::z2 : name == "z4" ? NoiseKind::z4 : NoiseKind::u1;
}

}  // namespace

void NoiseChoice::add_to(Settings& s) {
  s.add("noise.count", &count,
        "of independent noises, whose diluted parts are the sources of perambulators; 0: none, a source for each spin "
        "and eigenvector");
  s.add("noise.kind", &kind, "of their numbers, which have size 1", {"z2", "z4", "u1"});
  s.add("noise.seed", &seed, "of all of them, on all configurations");
  s.add("noise.time", &time, "dilution of the source times: 'full', 'none', 'block n' or 'interlace n'");
  s.add("noise.spin", &spin, "of spins, likewise");
  s.add("noise.eigenvectors", &eigenvectors, "of eigenvectors, likewise");
}

void NoiseChoice::check(const Settings& settings, int n_vectors) const {
  require(count >= 0 && count <= 1000, settings.origin("noise.count"), "is", count, "- it must be from 0 to 1000");
  if (!is_used()) return;
  check_dilution(settings, "noise.spin", spin, 4);
  check_dilution(settings, "noise.eigenvectors", eigenvectors, n_vectors);
}

void NoiseChoice::check_times(const Settings& settings, int n_times) const {
  if (is_used()) check_dilution(settings, "noise.time", time, n_times);
}

DilutionScheme NoiseChoice::scheme() const {
  return {.time = dilution(time), .spin = dilution(spin), .eigenvector = dilution(eigenvectors)};
}

DilutedNoise NoiseChoice::noise(int k, const std::string& configuration, int n_times, int n_vectors) const {
  const std::string name =
      "noise " + std::to_string(k) + " " + std::filesystem::path(configuration).filename().string();
  return DilutedNoise(scheme(),
                      {.kind = noise_kind(kind), .seed = seed, .stream = crc32(std::as_bytes(std::span(name)))},
                      n_times, n_vectors);
}

std::vector<int> NoiseChoice::time_classes(const std::vector<int>& times, int n_times) const {
  std::set<int> classes;
  for (const int t : times) classes.insert(dilution(time).class_of(t, n_times));
  return {classes.begin(), classes.end()};
}

std::string NoiseChoice::description() const {
  const DilutionScheme of = scheme();
  return sentence(kind + ", dilution time", to_string(of.time) + ", spin", to_string(of.spin) + ", eigenvectors",
                  to_string(of.eigenvector));
}

std::map<std::string, LabelValue> NoiseChoice::labels() const {
  return {{"noise", description()}, {"noise_seed", std::int64_t(seed)}};
}

}  // namespace kov::app
