// SPDX-License-Identifier: MIT
#include "apps/bench.hpp"

#include "apps/bench_cases.hpp"
#include "apps/bench_halo.hpp"
#include "apps/format.hpp"
#include "apps/roof.hpp"
#include "kov/core/runtime.hpp"
#include "kov/core/version.hpp"

#include <cstdlib>
#include <filesystem>

namespace kov::app {

namespace {

struct BenchOptions {
  Coord small{8, 8, 8, 8};
  Coord large = has_packs ? Coord{16, 16, 16, 32} : Coord{32, 32, 32, 32};
  std::string only;
  double seconds = 0.3;
  bool one_thread = true;
};

/// Everything on one lattice; each kernel is timed in turns with a triad of the same footprint.
template <class T>
void bench_lattice(const Session& session, const BenchOptions& options, const Lattice& lattice, double fma_peak) {
  for (const BenchCase& c : bench_cases<T>(lattice)) {
    if (!options.only.empty() && c.kernel.find(options.only) == std::string::npos) continue;
    const double bytes = c.sites * c.bytes;
    const Triad triad(std::size_t(bytes / c.steps), false);
    const Pair s = median_seconds_in_turns(
        c.run, [&] { triad.run(); }, options.seconds);
    const double rate = bytes / s.first * 1e-9, roof = triad.bytes() / s.second * 1e-9,
                 flops = c.sites * c.flops / s.first * 1e-9;
    session.say(format("%-12s %-38s %-6s %9.0f %9.0f %10.3f %8.1f %8.1f %9.1f %7.0f %7.0f",
                       to_string(lattice.extent()).c_str(), c.kernel.c_str(), c.precision.c_str(), c.bytes, c.flops,
                       s.first * 1e3, rate, flops, roof, 100 * rate / roof, 100 * flops / fma_peak));
  }
}

void bench(const Session& session, const BenchOptions& options) {
  if (options.only.empty() || std::string("halo").find(options.only) != std::string::npos)
    bench_halo(session, options.large, options.seconds);
  // Ranks would not agree on the number of calls.
  if (session.comm.size() > 1 || options.only == "halo") return;
  const double peak[2] = {measure_fma_peak(false), measure_fma_peak(true)};
  const Triad plain(std::size_t(1) << (has_packs ? 28 : 31), false),
      streaming(std::size_t(1) << (has_packs ? 28 : 31), true);
  const Pair roofs = median_seconds_in_turns([&] { plain.run(); }, [&] { streaming.run(); }, 0.5);
  session.say(std::string("Kovariant ") + version() + ", " + Runtime::description());
  session.say(
      format("roofs out of cache: triad %.1f GB/s (with streaming stores %.1f), copy %.1f GB/s; FMA %.1f Gflop/s "
             "double, %.1f float",
             plain.bytes() / roofs.first * 1e-9, streaming.bytes() / roofs.second * 1e-9, measure_copy_bandwidth(),
             peak[0], peak[1]));
  session.say(
      "Bytes and flops are a site's, neighbours from cache; the triad beside each kernel has its footprint and takes "
      "turns with it.");
  session.say(format("%-12s %-38s %-6s %9s %9s %10s %8s %8s %9s %7s %7s", "lattice", "kernel", "real", "bytes", "flops",
                     "ms", "GB/s", "Gflop/s", "triad", "%triad", "%FMA"));
  for (const Coord& extent : {options.small, options.large}) {
    const Lattice lattice(session.comm, extent);
    bench_lattice<double>(session, options, lattice, peak[0]);
    bench_lattice<float>(session, options, lattice, peak[1]);
  }
}

/// The same again in a process with one thread: a running OpenMP cannot change its mind.
void bench_with_one_thread(const Session& session, const BenchOptions& options) {
  const auto own = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto extents = [](const Coord& x) { return to_string(x); };
  const std::string command = "OMP_NUM_THREADS=1 '" + own + "' bench --no-one-thread --small " +
                              extents(options.small) + " --large " + extents(options.large) + " --seconds " +
                              std::to_string(options.seconds) +
                              (options.only.empty() ? "" : " --only '" + options.only + "'");
  session.say();
  std::fflush(stdout);
  require(std::system(command.c_str()) == 0,
          "the run with one thread failed: run OMP_NUM_THREADS=1 kovariant bench by hand to see why");
}

}  // namespace

Command bench_command() {
  return {"bench", "how close every kernel runs to this machine's measured roof",
          "Each kernel is timed in turns with a triad (a = b + s c) that moves as many bytes; %triad is the ratio of "
          "the two rates.",
          [](Arguments& arguments) -> Action {
            auto options = std::make_shared<BenchOptions>();
            auto no_one_thread = std::make_shared<bool>(false);
            arguments.option("--small", options->small, "a lattice that fits into the caches");
            arguments.option("--large", options->large, "a lattice that does not");
            arguments.option("--only", options->only, "kernels whose name contains this text");
            arguments.option("--seconds", options->seconds, "time for each measurement");
            arguments.flag("--no-one-thread", *no_one_thread, "do not run everything again with one thread");
            return [options, no_one_thread](const Session& session) {
              bench(session, *options);
              if (!*no_one_thread && has_packs && session.comm.size() == 1 && Runtime::threads() > 1)
                bench_with_one_thread(session, *options);
            };
          }};
}

}  // namespace kov::app
