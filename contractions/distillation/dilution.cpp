// SPDX-License-Identifier: MIT
#include "kov/contractions/distillation/dilution.hpp"

#include <array>
#include <sstream>

namespace kov {

namespace {
constexpr std::array<const char*, 4> dilution_names{"none", "full", "block", "interlace"};
}  // namespace

int IndexDilution::classes(int N) const {
  if (kind == Kind::none) return 1;
  if (kind == Kind::full) return N;
  require(n >= 1 && n <= N, "dilution", to_string(*this), "of", N, "numbers has classes without any: take 1 to", N);
  return n;
}

int IndexDilution::class_of(int i, int N) const {
  if (kind == Kind::none) return 0;
  if (kind == Kind::full) return i;
  return kind == Kind::block ? int(std::int64_t(i) * n / N) : i % n;
}

std::string to_string(const IndexDilution& dilution) {
  const std::string name = dilution_names[std::size_t(dilution.kind)];
  const bool counts = dilution.kind == IndexDilution::Kind::block || dilution.kind == IndexDilution::Kind::interlace;
  return counts ? name + " " + std::to_string(dilution.n) : name;
}

IndexDilution dilution(const std::string& text) {
  std::istringstream words(text);
  std::string name, more;
  int n = 1;
  words >> name;
  for (std::size_t kind = 0; kind < dilution_names.size(); ++kind) {
    const bool counts = kind >= 2;
    if (name == dilution_names[kind] && (!counts || (words >> n && n >= 1)) && !(words >> more))
      return {IndexDilution::Kind(int(kind)), n};
  }
  throw InputError("\"" + text + "\" is no dilution: write none, full, block 4 or interlace 4");
}

DilutedNoise::DilutedNoise(const DilutionScheme& scheme, const Noise& noise, int n_times, int n_vectors)
    : scheme_(scheme),
      noise_(noise),
      n_times_(n_times),
      n_vectors_(n_vectors),
      n_time_(scheme.time.classes(n_times)),
      n_vector_(scheme.eigenvector.classes(n_vectors)),
      n_spin_(scheme.spin.classes(4)) {
  require(noise.kind != NoiseKind::gaussian,
          "Gaussian noise is no noise for dilution, because its numbers do not have size 1: take z2, z4 or u1");
}

std::complex<double> DilutedNoise::noise(int t, int n, int spin) const {
  SiteRandom random(noise_.seed, noise_.stream,
                    std::uint64_t(spin) + 4 * (std::uint64_t(t) + std::uint64_t(n_times_) * std::uint64_t(n)));
  const Complex<double> z = noise_number(noise_.kind, random);
  return {z.re, z.im};
}

int DilutedNoise::source_of(int t, int n, int spin) const {
  const int of_time = scheme_.time.class_of(t, n_times_), of_vector = scheme_.eigenvector.class_of(n, n_vectors_);
  return (of_time * n_vector_ + of_vector) * n_spin_ + scheme_.spin.class_of(spin, 4);
}

std::complex<double> DilutedNoise::coefficient(int source, int t, int n, int spin) const {
  return source == source_of(t, n, spin) ? noise(t, n, spin) : 0;
}

}  // namespace kov
