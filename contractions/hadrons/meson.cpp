// SPDX-License-Identifier: MIT
#include "kov/contractions/hadrons/meson.hpp"

#include "kov/contractions/hadrons/cuda/meson_tensor.hpp"
#include "kov/contractions/hadrons/cuda/meson_traces.hpp"
#include "kov/core/base/host_threads.hpp"
#include "kov/core/launch/function_ref.hpp"
#include "kov/core/vectors/slice_sum.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <utility>

namespace kov {

namespace detail {

/// The block of source spins c and d, of those with c <= d or of all.
KOKKOS_FORCEINLINE_FUNCTION int tensor_block(bool half, int c, int d) { return half ? c + d * (d + 1) / 2 : 4 * c + d; }

/// Sums over colours of conj(S2[a][c]) S1[b][d], sink spins a and b, source spins c and d: a block for each pair of c
/// and d, value 4 a + b.  Of two equal propagators that matrix of pairs (c, a) by (d, b) is Hermitian, and only blocks
/// with c <= d are computed.
template <class T>
struct MesonTensorKernel {
  using View = FieldView<Spinor, T>;
  static constexpr bool takes_pairs = View::outers == 2;

  View s1, s2;
  bool same;

  /// 16 pairs of sink spins in each.
  ValueBlocks blocks() const { return {(same ? 10 : 16) * 16, 16}; }

  template <class Site, class R>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Site x, int index, Complex<R>* value) const {
    int c = index / 4, d = index % 4;
    if (same) {
      d = (index > 0) + (index > 2) + (index > 5);
      c = index - tensor_block(true, 0, d);
    }
    // Two sink spins of S2 at a time: their eight sums fill half of the registers that AVX-512 has.
    for (int half = 0; half < 4; half += 2) {
      Complex<R> sum[8];
      for (int i = 0; i < 8; ++i) sum[i] = {R(T(0)), R(T(0))};
      for (int source = 0; source < 3; ++source)
        for (int sink = 0; sink < 3; ++sink) {
          const Complex<R> p = loaded(s2.element(x, 3 * c + source, 3 * half + sink)),
                           q = loaded(s2.element(x, 3 * c + source, 3 * half + 3 + sink));
          for (int b = 0; b < 4; ++b) {
            const Complex<R> s = loaded(s1.element(x, 3 * d + source, 3 * b + sink));
            conj_multiply_add(sum[b], p, s);
            conj_multiply_add(sum[4 + b], q, s);
          }
        }
      for (int i = 0; i < 8; ++i) value[4 * half + i] = sum[i];
    }
  }

  /// Another part of the propagators at x for each block.
  template <class Site>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Site x, int index) const {
    if (View::outers == 2 && x.outer % 2 != 0) return;  // lies beside the site before
    const int n_blocks = same ? 10 : 16;
    for (int column = 12 * index / n_blocks; column < 12 * (index + 1) / n_blocks; ++column) {
      s1.prefetch(x.outer, column);
      if (!same) s2.prefetch(x.outer, column);
    }
  }

 private:
  /// z in registers, where there are 32 of them: compilers would load it again for every product.
  template <class R>
  static KOKKOS_FORCEINLINE_FUNCTION Complex<R> loaded(Complex<R> z) {
#if defined(__AVX512F__) && !defined(KOKKOS_ENABLE_CUDA)
    z.re.stay();
    z.im.stay();
#endif
    return z;
  }
};

}  // namespace detail

namespace {

/// A term of a trace, a number of the tensor times a power of i: re times the real `to_re` of the tensor's 512, and i
/// im times the real `to_im`.
struct Term {
  int to_re, to_im;
  double re, im;
};
using Terms = std::array<Term, 16>;

/// Tr[g5 S2^+ g5 Gamma_sink S1 Gamma_source] = sum (g5 Gamma_sink)_ab (Gamma_source g5)_dc A_abcd.
detail::MesonTrace trace_of(const MesonChannel& channel) {
  const Gamma sink = Gamma::five() * Gamma::number(channel.sink),
              source = Gamma::number(channel.source) * Gamma::five();
  detail::MesonTrace trace;
  for (std::size_t spin = 0; spin < 4; ++spin) {
    const int fields[4] = {sink.column[spin], sink.phase[spin], source.column[spin], source.phase[spin]};
    for (int which = 0; which < 4; ++which) trace.bits |= std::uint32_t(fields[which]) << (8 * which + 2 * int(spin));
  }
  return trace;
}
Terms trace_terms(const MesonChannel& channel) {
  const detail::MesonTrace trace = trace_of(channel);
  constexpr double cosine[4] = {1, 0, -1, 0};
  Terms terms;
  for (int a = 0; a < 4; ++a)
    for (int d = 0; d < 4; ++d) {
      const int power = trace.power(a, d), real = 2 * trace.place(a, d), imaginary = real + 1;
      const double cos = cosine[power], sin = cosine[(power + 3) & 3];
      terms[std::size_t(4 * a + d)] =
          power % 2 == 0 ? Term{real, imaginary, cos, cos} : Term{imaginary, real, -sin, sin};
    }
  return terms;
}

/// Numbers of correlators, [channel][momentum][time] with real and imaginary part, times counted from the source; in
/// memory of their own, or in the lattice's scratch memory.
struct ChannelNumbers {
  std::vector<double> own;
  detail::SumScratchPool::Loan scratch = nullptr;
  std::span<const double> numbers = own;

  void sum_over_ranks(const Comm& comm) {
    if (comm.size() == 1) return;
    if (scratch != nullptr) own.assign(numbers.begin(), numbers.end());
    comm.sum(own);
    numbers = own;
  }
};

/// The traces of all channels.
ChannelNumbers channel_traces(const std::vector<MesonChannel>& channels, const SliceSums& tensor, int source_time) {
  // So many times side by side fill vector registers, and their tensors a first-level cache.
  constexpr int n_together = 8;
  std::vector<Terms> terms;
  terms.reserve(channels.size());
  for (const MesonChannel& channel : channels) terms.push_back(trace_terms(channel));
  const int n_times = tensor.n_slices, n_groups = (n_times + n_together - 1) / n_together;
  const std::size_t n_each = std::size_t(tensor.n_momenta) * std::size_t(n_times) * 2;
  std::vector<double> numbers(channels.size() * n_each);
  on_host_threads("channel traces", std::int64_t(tensor.n_momenta) * n_groups, [&](std::int64_t item, int) {
    const int k = int(item) / n_groups, first = int(item) % n_groups * n_together;
    const int n = std::min(n_together, n_times - first);
    std::array<double, std::size_t(512 * n_together)> reals{};
    for (int j = 0; j < n; ++j) {
      const std::complex<double>* const z = tensor.at(k, (first + j + source_time) % n_times);
      for (int v = 0; v < 256; ++v) {
        reals[std::size_t(2 * v * n_together + j)] = z[v].real();
        reals[std::size_t((2 * v + 1) * n_together + j)] = z[v].imag();
      }
    }
    double* to = numbers.data() + (std::size_t(k) * std::size_t(n_times) + std::size_t(first)) * 2;
    for (const Terms& of_channel : terms) {
      double re[n_together] = {}, im[n_together] = {};
      for (const Term& term : of_channel) {
        const double *const x = &reals[std::size_t(term.to_re * n_together)],
                            *const y = &reals[std::size_t(term.to_im * n_together)];
        for (int j = 0; j < n_together; ++j) {
          re[j] += term.re * x[j];
          im[j] += term.im * y[j];
        }
      }
      for (int j = 0; j < n; ++j) {
        to[2 * j] = re[j];
        to[2 * j + 1] = im[j];
      }
      to += n_each;
    }
  });
  return {std::move(numbers)};
}

/// The number of p in the list, or the list's size.
std::size_t place_in(const std::vector<Momentum>& list, const Momentum& p) {
  return std::size_t(std::find(list.begin(), list.end(), p) - list.begin());
}
/// The momenta, and after them what is missing of their opposites.
std::vector<Momentum> with_opposites(const std::vector<Momentum>& momenta) {
  std::vector<Momentum> list = momenta;
  for (const Momentum& p : momenta)
    if (place_in(list, opposite(p)) == list.size()) list.push_back(opposite(p));
  return list;
}

/// The tensor of equal propagators at all momenta, from its blocks with c <= d at p and -p.  As it is Hermitian at
/// every site, the number of (c, a) and (d, b) at p is the conjugate of that of (d, b) and (c, a) at -p.
SliceSums completed(const SliceSums& half, const std::vector<Momentum>& known, const std::vector<Momentum>& momenta) {
  constexpr int n_values = 256;
  SliceSums all{int(momenta.size()), half.n_slices, n_values, {}};
  all.z.reserve(momenta.size() * std::size_t(half.n_slices * n_values));
  for (const Momentum& p : momenta) {
    const std::size_t here = place_in(known, p), there = place_in(known, opposite(p));
    for (int t = 0; t < half.n_slices; ++t)
      for (int i = 0; i < n_values; ++i) {
        const int c = i / 64, d = i / 16 % 4, a = i / 4 % 4, b = i % 4;
        if (c <= d)
          all.z.push_back(half.at(int(here), t)[16 * detail::tensor_block(true, c, d) + 4 * a + b]);
        else
          all.z.push_back(std::conj(half.at(int(there), t)[16 * detail::tensor_block(true, d, c) + 4 * b + a]));
      }
  }
  return all;
}

template <class T>
SliceSums tensor_sums(const Propagator<T>& s1, const Propagator<T>& s2, const std::vector<Momentum>& momenta,
                      const Coord& source, const Exec& exec) {
  const bool same = s1.columns().data() == s2.columns().data();
  const std::vector<Momentum> opposites = with_opposites(momenta);
  // Where opposites are missing, half of the tensor is needed at more momenta, which GPUs sum one by one.
  const bool half = same && (has_packs || 10 * opposites.size() <= 16 * momenta.size());
  const detail::MesonTensorKernel<T> kernel{s1.columns().view(), s2.columns().view(), half};
  const std::vector<Momentum>& needed = half ? opposites : momenta;
  const SliceSums sums = slice_sums<T>("meson tensor", s1.lattice(), needed, source, kernel, kernel.blocks(),
                                       SliceTable::of(s1.lattice()), exec);
  return half ? completed(sums, needed, momenta) : sums;
}

#if defined(KOKKOS_ENABLE_CUDA)
/// The same numbers where there are tensor cores: the tensor stays on the device, which writes the traces into memory
/// of the host.  meanwhile: what the host does while kernels run.
template <class T>
ChannelNumbers traces_on_device(const std::vector<MesonChannel>& channels, const Propagator<T>& s1,
                                const Propagator<T>& s2, const std::vector<Momentum>& momenta, const Coord& source,
                                const Exec& exec, FunctionRef<void()> meanwhile) {
  const Lattice& lattice = s1.lattice();
  const detail::SlotSums sums = detail::meson_tensor_sums(s1, s2, momenta, source, exec);
  ChannelNumbers result{{}, lattice.sum_scratch().borrow(), {}};
  const detail::SumMemory tensor("meson tensor", *result.scratch, sums.size(), exec);
  sums.add_slots(tensor.data(), exec);
  const int n_momenta = int(momenta.size()), n_slices = lattice.extent()[3], n_each = n_momenta * n_slices;
  const std::size_t n = channels.size() * std::size_t(n_each) * 2;
  double* const to = result.scratch->results(n);
  constexpr std::size_t at_once = detail::MesonTracesKernel::most_channels;
  for (std::size_t first = 0; first < channels.size(); first += at_once) {
    const std::size_t count = std::min(channels.size() - first, at_once);
    detail::MesonTracesKernel kernel{tensor.data(), n_momenta, n_slices,
                                     source[3],     {},        to + first * std::size_t(n_each) * 2};
    for (std::size_t c = 0; c < count; ++c) kernel.traces[c] = trace_of(channels[first + c]);
    for_each_item("meson traces", int(count) * n_each, kernel, exec);
  }
  meanwhile();
  exec.fence("meson traces");
  result.numbers = {to, n};
  return result;
}
#endif

/// The numbers of all channels on this rank.  meanwhile: what the host does while a GPU computes them, or else before.
template <class T>
ChannelNumbers channel_numbers(const std::vector<MesonChannel>& channels, const Propagator<T>& s1,
                               const Propagator<T>& s2, const std::vector<Momentum>& momenta, const Coord& source,
                               const Exec& exec, FunctionRef<void()> meanwhile) {
#if defined(KOKKOS_ENABLE_CUDA)
  if (detail::has_tensor_cores()) return traces_on_device(channels, s1, s2, momenta, source, exec, meanwhile);
#endif
  meanwhile();
  return channel_traces(channels, tensor_sums(s1, s2, momenta, source, exec), source[3]);
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
  require(!momenta.empty(), "the list of momenta is empty, so there is nothing to compute; give at least 0 0 0");
  for (const MesonChannel& channel : channels)
    require(channel.sink >= 0 && channel.sink < 16 && channel.source >= 0 && channel.source < 16, "gamma numbers",
            channel.sink, "and", channel.source,
            "at sink and source: there are 16 matrices, so numbers go from 0 to 15");

  const std::size_t n_times = std::size_t(lattice.extent()[3]);
  std::vector<Correlator> result(channels.size() * momenta.size());
  // One thread, which other threads are too slow to join: 1792 take half as long as their sums on a GPU.
  const auto make_correlators = [&] {
    auto correlator = result.begin();
    for (const MesonChannel& channel : channels) {
      const std::string name = to_string(channel);
      for (const Momentum& p : momenta) {
        *correlator = {.kind = "meson", .channel = name, .momentum = p, .source = source, .labels = labels.others};
        (correlator++)->value.reserve(n_times);
      }
    }
  };
  ChannelNumbers all = channel_numbers(channels, s1, s2, momenta, source, exec, make_correlators);
  all.sum_over_ranks(lattice.comm());
  const auto* from = reinterpret_cast<const std::complex<double>*>(all.numbers.data());
  for (Correlator& correlator : result) {
    correlator.value.assign(from, from + n_times);
    from += n_times;
  }
  return result;
}

template std::vector<Correlator> mesons(const Propagator<float>&, const Propagator<float>&,
                                        const std::vector<MesonChannel>&, const std::vector<Momentum>&, const Exec&);
template std::vector<Correlator> mesons(const Propagator<double>&, const Propagator<double>&,
                                        const std::vector<MesonChannel>&, const std::vector<Momentum>&, const Exec&);

}  // namespace kov
