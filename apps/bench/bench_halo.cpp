// SPDX-License-Identifier: MIT
#include "apps/bench/bench_halo.hpp"

#include "apps/settings/format.hpp"
#include "kov/core/runtime/runtime.hpp"
#include "kov/core/vectors/field_ops.hpp"
#include "kov/stencil/gauge/heatbath.hpp"
#include "kov/stencil/launch/run_stencil.hpp"
#include "kov/stencil/operators/laplacian.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace kov::app {

namespace {

using Overlap = ExchangeOptions::Overlap;
using Launches = std::function<void()>;

/// Seconds a call, of the slowest rank.
double seconds_of(const Comm& comm, const Launches& work, int calls) {
  Kokkos::fence();
  comm.barrier();
  const Kokkos::Timer timer;
  for (int i = 0; i < calls; ++i) work();
  Kokkos::fence();
  std::vector<double> seconds{timer.seconds() / calls};
  comm.max(seconds);
  return seconds[0];
}

/// The median seconds of one call of each, in turns.  Every rank makes the same calls.
std::vector<double> medians_in_turns(const Comm& comm, const std::vector<Launches>& works, double min_seconds) {
  constexpr int turns = 21;
  std::vector<int> calls;
  for (const Launches& work : works) {
    seconds_of(comm, work, 40);  // checked exchanges and the tuner's trials are over then
    calls.push_back(std::max(1, int(min_seconds / turns / seconds_of(comm, work, 3))));
  }
  std::vector<std::vector<double>> seconds(works.size());
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t k = 0; k < works.size(); ++k) seconds[k].push_back(seconds_of(comm, works[k], calls[k]));
  std::vector<double> medians;
  for (auto& s : seconds) {
    std::sort(s.begin(), s.end());
    medians.push_back(s[s.size() / 2]);
  }
  return medians;
}

/// There and back between ranks 2 k and 2 k + 1; a rank that has no partner sends to itself.
class PingPong {
 public:
  PingPong(const Comm& comm, std::size_t bytes) : comm_(comm), out_(bytes), in_(bytes) {}
  void operator()() {
    const int rank = comm_.rank(), other = (rank ^ 1) < comm_.size() ? rank ^ 1 : rank;
    if (rank < other) message(other, true, false);
    if (rank == other) message(other, true, true);
    if (rank != other) message(other, false, true);
    if (rank > other) message(other, true, false);
  }

 private:
  void message(int other, bool send, bool receive) {
    Comm::Exchange exchange(comm_);
    if (receive) exchange.receive(in_, other, 0);
    if (send) exchange.send(out_, other, 0);
    exchange.wait();
  }
  Comm comm_;
  std::vector<std::byte> out_, in_;
};

LatticeOptions options_of(const Comm& comm, Overlap overlap) {
  return {.force_exchange = comm.size() == 1, .exchange = {.overlap = overlap}};
}

template <class T, class Compressor = WholeSites>
void bench_exchange(const Session& session, const Coord& extent, int columns, double seconds) {
  const Comm& comm = session.comm;
  const Lattice lattice(comm, extent, options_of(comm, Overlap::blocking));
  const SpinorField<T> field(lattice, "field", columns);
  const Halo<Spinor, T, SiteLanes, Compressor> halo(lattice, columns);
  const auto messages = halo.message_bytes();
  double total = 0;
  for (const std::size_t bytes : messages) total += double(bytes);
  const std::size_t bytes = std::size_t(total / double(messages.size()));
  PingPong ping_pong(comm, bytes);
  const auto s = medians_in_turns(comm, {[&] { halo.exchange(field); }, [&] { ping_pong(); }}, seconds);
  const double rate = 2 * total / s[0] * 1e-9, roof = 2 * double(bytes) / s[1] * 1e-9;
  session.say(format("%-12s %-6s, %2d columns %-6s %9zu %11.0f %10.3f %8.2f %10.2f %9.0f", to_string(extent).c_str(),
                     Compressor::is_whole ? "spinor" : "halves", columns, sizeof(T) == 8 ? "double" : "float",
                     messages.size(), double(bytes) / 1024, s[0] * 1e3, rate, roof, 100 * rate / roof));
}

template <class T>
void bench_overlap(const Session& session, const Coord& extent, double seconds) {
  const Comm& comm = session.comm;
  // Where fields lie in memory can make 5 %, so that each form has its turn to be made first, second and third.
  constexpr std::array forms{Overlap::blocking, Overlap::overlapped, Overlap::tuned};
  std::array<std::vector<double>, 3> samples;
  for (std::size_t turn = 0; turn < 3; ++turn) {
    std::vector<Launches> works;
    for (std::size_t k = 0; k < 3; ++k) {
      const Lattice lattice(comm, extent, options_of(comm, forms[(turn + k) % 3]));
      const GaugeField<T> gauge(lattice, "gauge", 4);
      hot_start(gauge, 1);
      const CovariantLaplacian<T> laplacian{GaugeLinks<T>(gauge)};
      const SpinorField<T> in(lattice, "in"), out(lattice, "out");
      works.push_back([=] { laplacian.apply(in, out); });
    }
    const auto s = medians_in_turns(comm, works, seconds / 3);
    for (std::size_t k = 0; k < 3; ++k) samples[(turn + k) % 3].push_back(s[k]);
  }
  std::array<double, 3> s;
  for (std::size_t k = 0; k < 3; ++k) s[k] = (samples[k][0] + samples[k][1] + samples[k][2]) / 3;
  session.say(format("%-12s Laplacian, spinor  %-6s %10.3f %11.3f %10.3f %+9.1f %%", to_string(extent).c_str(),
                     sizeof(T) == 8 ? "double" : "float", s[0] * 1e3, s[1] * 1e3, s[2] * 1e3, 100 * (s[2] / s[0] - 1)));
}

/// out(x) = sum over the legs of in(x + leg): what an operator reads besides links.
template <class T>
struct NeighbourSum {
  Stencil::View stencil;
  NeighbourView<Spinor, T> in;
  FieldView<Spinor, T> out;

  template <class Site>
  KOKKOS_FUNCTION void operator()(Site x, int c) const {
    const auto near = stencil.at(x);
    auto sum = in(x, near(0), c);
    using R = typename decltype(sum)::Real;
    for (int leg = 1; leg < stencil.n_legs; ++leg) multiply_add(sum, R(1), in(x, near(leg), c));
    out.set(x, sum, c);
  }
};

/// An exchange, kernels on the interior that take about as long, but no longer than `seconds`, and both at once.
template <class T>
void bench_beside(const Session& session, const Coord& extent, ExchangeOptions::Transport transport, double seconds) {
  const Comm& comm = session.comm;
  LatticeOptions options = options_of(comm, Overlap::overlapped);
  options.exchange.transport = transport;
  const Lattice lattice(comm, extent, options);
  const Stencil& stencil = Stencil::of(lattice);
  const SpinorField<T> in(lattice, "in"), out(lattice, "out");
  const Halo<Spinor, T> halo(lattice, stencil, 1);
  const auto neighbours = halo.exchange(in);
  const auto interior = [&](const NeighbourView<Spinor, T>& near, int times) {
    for (int k = 0; k < times; ++k)
      for_each_site("neighbour_sum", stencil.interior(Subset::all), 1,
                    NeighbourSum<T>{stencil.view(), near, out.view()});
  };
  const auto exchange = [&] { halo.exchange(in); };
  const auto alone = medians_in_turns(comm, {[&] { interior(neighbours, 1); }, exchange}, seconds / 4);
  const int times = std::clamp(int(std::min(alone[1], seconds) / alone[0] + 0.5), 1, 100);
  const auto both = [&] {
    const auto near = halo.begin(in);
    interior(near, times);
    halo.finish();
  };
  const auto s = medians_in_turns(comm, {[&] { interior(neighbours, times); }, exchange, both}, seconds);
  session.say(format("%-12s spinor, %-9s %-6s %10.3f %11.3f %10.3f %9.0f", to_string(extent).c_str(),
                     to_string(lattice.exchange_options().transport).c_str(), sizeof(T) == 8 ? "double" : "float",
                     s[0] * 1e3, s[1] * 1e3, s[2] * 1e3, 100 * s[2] / (s[0] + s[1])));
}

}  // namespace

void bench_halo(const Session& session, const Coord& extent, double seconds) {
  const Lattice lattice(session.comm, extent);
  const std::string where = session.comm.size() == 1 ? "one rank, halos forced in all directions, messages to itself"
                                                     : std::to_string(session.comm.size()) + " ranks, grid " +
                                                           to_string(lattice.geometry().grid());
  session.say("Halos: " + where +
              ". GB/s are bytes sent and received by a rank; the ping-pong has messages as long.  Halves: "
              "the two spins that Wilson's hop needs.");
  session.say(format("%-12s %-26s %9s %11s %10s %8s %10s %9s", "lattice", "halo", "messages", "KiB a piece", "ms",
                     "GB/s", "ping-pong", "%ping"));
  for (const int columns : {1, 12}) {
    bench_exchange<double>(session, extent, columns, seconds);
    bench_exchange<float>(session, extent, columns, seconds);
    bench_exchange<double, SpinProjection>(session, extent, columns, seconds);
    bench_exchange<float, SpinProjection>(session, extent, columns, seconds);
  }
  session.say(format("%-12s %-25s %10s %11s %10s %11s", "lattice", "ms a call", "blocking", "overlapped", "tuned",
                     "tuned/block"));
  bench_overlap<double>(session, extent, seconds);
  bench_overlap<float>(session, extent, seconds);
  session.say(format("%-12s %-25s %10s %11s %10s %9s", "lattice", "ms a call", "interior", "exchange", "both", "%sum"));
  using Transport = ExchangeOptions::Transport;
  for (const Transport transport : {Transport::automatic, Transport::staged}) {
    bench_beside<double>(session, extent, transport, seconds);
    bench_beside<float>(session, extent, transport, seconds);
  }
  session.say();
}

void run_halo_kernels(const Comm& comm, const Coord& extent) {
  const Lattice lattice(comm, extent, options_of(comm, Overlap::overlapped));
  const GaugeField<double> gauge(lattice, "gauge", 4);
  cold_start(gauge);
  const SpinorField<double> in(lattice, "in"), out(lattice, "out");
  CovariantLaplacian<double>(GaugeLinks<double>(gauge)).apply(in, out);
}

}  // namespace kov::app
