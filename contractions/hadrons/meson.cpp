// SPDX-License-Identifier: MIT
#include "kov/contractions/hadrons/meson.hpp"

#include "kov/contractions/hadrons/cuda/meson_tensor.hpp"
#include "kov/core/vectors/slice_sum.hpp"

#include <complex>

namespace kov {

namespace detail {

/// Block 4 c + d, value 4 a + b: sum over colours of conj(S2[a][c]) S1[b][d], sink spins a and b, source spins c and d.
template <class T>
struct MesonTensorKernel {
  /// 16 pairs of source spins, 16 pairs of sink spins in each.
  static constexpr ValueBlocks blocks{16 * 16, 16};
  using View = FieldView<Spinor, T>;
  View s1, s2;

  template <class Site, class R>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int index, Complex<R>* value) const {
    const int c = index / 4, d = index % 4;
    // Two sink spins of S2 at a time: their eight sums fill half of the registers that AVX-512 has.
    for (int half = 0; half < 4; half += 2) {
      Complex<R> sum[8];
      for (int i = 0; i < 8; ++i) sum[i] = {R(T(0)), R(T(0))};
      for (int source = 0; source < 3; ++source)
        for (int sink = 0; sink < 3; ++sink) {
          const Complex<R> p = s2.element(x, 3 * c + source, 3 * half + sink),
                           q = s2.element(x, 3 * c + source, 3 * half + 3 + sink);
          for (int b = 0; b < 4; ++b) {
            const Complex<R> s = s1.element(x, 3 * d + source, 3 * b + sink);
            conj_multiply_add(sum[b], p, s);
            conj_multiply_add(sum[4 + b], q, s);
          }
        }
      for (int i = 0; i < 8; ++i) value[4 * half + i] = sum[i];
    }
  }
};

}  // namespace detail

namespace {

/// One term of the trace: i^phase tensor[index].
struct Term {
  int index, phase;
};

/// Tr[g5 S2^+ g5 Gamma_sink S1 Gamma_source] = sum (g5 Gamma_sink)_ab (Gamma_source g5)_dc A_abcd.
std::vector<Term> trace_terms(const MesonChannel& channel) {
  const Gamma sink = Gamma::five() * Gamma::number(channel.sink),
              source = Gamma::number(channel.source) * Gamma::five();
  std::vector<Term> terms;
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t d = 0; d < 4; ++d) {
      const int b = sink.column[a], c = source.column[d];
      terms.push_back({(4 * c + int(d)) * 16 + 4 * int(a) + b, (sink.phase[a] + source.phase[d]) & 3});
    }
  return terms;
}

std::complex<double> add_terms(const std::vector<Term>& terms, const std::complex<double>* tensor) {
  constexpr std::complex<double> power[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  std::complex<double> sum = 0;
  for (const Term& term : terms) sum += power[term.phase] * tensor[term.index];
  return sum;
}

template <class T>
SliceSums tensor_sums(const Propagator<T>& s1, const Propagator<T>& s2, const std::vector<Momentum>& momenta,
                      const Coord& source, const Exec& exec) {
#if defined(KOKKOS_ENABLE_CUDA)
  if (detail::has_meson_tensor<T>(momenta)) return detail::meson_tensor_sums(s1, s2, momenta, source, exec);
#endif
  return slice_sums<T>("meson tensor", s1.lattice(), momenta, source,
                       detail::MesonTensorKernel<T>{s1.columns().view(), s2.columns().view()},
                       detail::MesonTensorKernel<T>::blocks, SliceTable::of(s1.lattice()), exec);
}

}  // namespace

std::vector<MesonChannel> diagonal_mesons() {
  std::vector<MesonChannel> channels;
  for (int n = 0; n < 16; ++n) channels.push_back({n, n});
  return channels;
}

std::vector<MesonChannel> all_mesons() {
  std::vector<MesonChannel> channels;
  for (int n = 0; n < 256; ++n) channels.push_back({n / 16, n % 16});
  return channels;
}

std::optional<int> meson_number(const std::string& name) {
  const auto& names = meson_names();
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt : std::optional(int(found - names.begin()));
}

std::string to_string(const MesonChannel& channel) {
  return meson_names()[std::size_t(channel.sink)] + "-" + meson_names()[std::size_t(channel.source)];
}

template <class T>
std::vector<Correlator> mesons(const Propagator<T>& s1, const Propagator<T>& s2,
                               const std::vector<MesonChannel>& channels, const std::vector<Momentum>& momenta,
                               const Exec& exec) {
  const Lattice& lattice = s1.lattice();
  const PropagatorLabels labels = detail::labels_of_both(s1, s2);
  const Coord source = labels.origin;
  require(!channels.empty(),
          "the list of meson channels is empty, so there is nothing to compute; see diagonal_mesons()");
  for (const MesonChannel& channel : channels)
    require(channel.sink >= 0 && channel.sink < 16 && channel.source >= 0 && channel.source < 16, "gamma numbers",
            channel.sink, "and", channel.source,
            "at sink and source: there are 16 matrices, so numbers go from 0 to 15");

  const SliceSums tensor = tensor_sums(s1, s2, momenta, source, exec);
  const int n_times = tensor.n_slices;
  std::vector<double> numbers;
  numbers.reserve(channels.size() * momenta.size() * std::size_t(n_times) * 2);
  for (const MesonChannel& channel : channels) {
    const std::vector<Term> terms = trace_terms(channel);
    for (int k = 0; k < int(momenta.size()); ++k)
      for (int t = 0; t < n_times; ++t) {
        const std::complex<double> z = add_terms(terms, tensor.at(k, (t + source[3]) % n_times));
        numbers.insert(numbers.end(), {z.real(), z.imag()});
      }
  }
  lattice.comm().sum(numbers);
  std::vector<Correlator> result;
  const double* from = numbers.data();
  for (const MesonChannel& channel : channels)
    for (const Momentum& p : momenta) {
      Correlator c{
          .kind = "meson", .channel = to_string(channel), .momentum = p, .source = source, .labels = labels.others};
      for (int t = 0; t < n_times; ++t, from += 2) c.value.emplace_back(from[0], from[1]);
      result.push_back(std::move(c));
    }
  return result;
}

template std::vector<Correlator> mesons(const Propagator<float>&, const Propagator<float>&,
                                        const std::vector<MesonChannel>&, const std::vector<Momentum>&, const Exec&);
template std::vector<Correlator> mesons(const Propagator<double>&, const Propagator<double>&,
                                        const std::vector<MesonChannel>&, const std::vector<Momentum>&, const Exec&);

}  // namespace kov
