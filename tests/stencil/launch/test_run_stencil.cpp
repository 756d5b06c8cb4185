// SPDX-License-Identifier: MIT
//
// run_stencil and the tuner: everything that may change the choice is in the key, and the choice never changes bits.
#include "kov/core/base/device.hpp"
#include "kov/core/base/version.hpp"
#include "kov/core/field/link_codecs.hpp"
#include "kov/stencil/launch/run_stencil.hpp"
#include "kov/stencil/operators/laplacian.hpp"
#include "tests/core/io/io_support.hpp"
#include "tests/reference/gather.hpp"
#include "tests/support/tune_file.hpp"
#include "tests/support/tuned_calls.hpp"

#include <gtest/gtest.h>
#include <set>

namespace kov {
namespace {

using test::overlap_trials, test::shape_trials;

/// The lattices that some of these tests use: halos in all directions.
LatticeOptions options_with(const ExchangeOptions& exchange) { return {.force_exchange = true, .exchange = exchange}; }

template <class T>
GaugeLinks<T> links_on(const Lattice& lattice, LinkStorage storage = LinkStorage::once) {
  const GaugeField<double> gauge(lattice, "gauge", 4);
  load(gauge, reference::random_su3(lattice.extent(), 4, 1));
  return GaugeLinks<T>(gauge, {}, storage);
}

/// Applies an operator until the tuner has chosen.
template <template <class> class SiteT, class T>
void tune(const CovariantLaplacian<T>& laplacian, int n) {
  const Field<SiteT, T> in(laplacian.lattice(), "in", n), out(laplacian.lattice(), "out", n);
  for (int i = 0; i <= overlap_trials; ++i) laplacian.apply(in, out);
}

TEST(TunedStencils, HaveADifferentKeyForWhateverMayChangeTheChoice) {
  const Comm comm = Comm::world();
  const test::Folder folder(comm);
  const auto file = folder / "tune.txt";
  const test::TuneFile here(file);
  const Coord extent{4, 4, 4, 8};
  std::size_t n_keys = 0;
  {
    const Lattice lattice(comm, extent, options_with({}));
    const GaugeLinks<double> links = links_on<double>(lattice);
    tune<Spinor>(CovariantLaplacian<double>(links), 1);
    tune<Spinor>(CovariantLaplacian<double>(links), 12);
    tune<Spinor>(CovariantLaplacian<double>(links, Dimensions::space), 1);
    tune<ColorVector>(CovariantLaplacian<double>(links), 1);
    tune<ColorVector>(CovariantLaplacian<double>(links, Dimensions::space), 1);
    tune<Spinor>(CovariantLaplacian<float>(links_on<float>(lattice)), 1);
    tune<Spinor>(CovariantLaplacian<double>(links_on<double>(lattice, LinkStorage::twice)), 1);
    const Field<Spinor, double, ColumnLanes<4>> in(lattice, "in", 4), out(lattice, "out", 4);
    for (const Dimensions dimensions : {Dimensions::spacetime, Dimensions::space})
      for (int i = 0; i <= overlap_trials; ++i)
        CovariantLaplacian<double>(links, dimensions, {.columns = true}).apply(in, out);
    n_keys += 9;
  }
  using Wire = ExchangeOptions::Wire;
  using Transport = ExchangeOptions::Transport;
  const std::vector<ExchangeOptions> others{
      {.wire = Wire::single}, {.wire = Wire::fixed16}, {.checked_exchanges = -1}, {.transport = Transport::staged}};
  for (const ExchangeOptions& exchange : others) {
    const Lattice lattice(comm, extent, options_with(exchange));
    tune<Spinor>(CovariantLaplacian<double>(links_on<double>(lattice)), 1);
    // If `staged` is what `automatic` chooses, the key is the same.
    const bool same = exchange.transport == Lattice(comm, extent).exchange_options().transport;
    n_keys += !same;
  }
  {
    const Lattice lattice(comm, {4, 4, 8, 8}, options_with({}));
    tune<Spinor>(CovariantLaplacian<double>(links_on<double>(lattice)), 1);
    n_keys += 1;
  }
  comm.barrier();
  std::istringstream lines(test::bytes_of(file));
  std::set<std::string> keys;
  std::string line;
  std::getline(lines, line);  // what it is
  while (std::getline(lines, line)) {
    EXPECT_TRUE(keys.insert(line.substr(0, line.rfind('\t'))).second);
    EXPECT_TRUE(test::contains(line, "_laplacian choice=overlap extent=")) << line;
    EXPECT_TRUE(test::contains(line, " version=" + std::string(version()) + '\t')) << line;
    EXPECT_TRUE(test::contains(line, std::string(" device=") + Kokkos::DefaultExecutionSpace::name())) << line;
  }
  EXPECT_EQ(keys.size(), n_keys);
}

/// The transport of new halos, if only some ranks can make shared memory.
std::string transport_of_halos(bool has_memory) {
  const Lattice lattice(Comm::world(), {4, 4, 8, 8}, options_with({.transport = ExchangeOptions::Transport::shared}));
  std::optional<test::FileSizeLimit> limit;
  if (!has_memory) limit.emplace(0);
  return Halo<Spinor, double>(lattice, 1).transport_name();
}

TEST(TunedStencils, KnowWhetherFacesAreShared) {
  const Comm comm = Comm::world();
  if (Lattice(comm, {4, 4, 8, 8}).exchange_options().transport != ExchangeOptions::Transport::shared)
    GTEST_SKIP() << "does not apply: no halos are shared on this device";
  EXPECT_EQ(transport_of_halos(true), "shared");
  EXPECT_EQ(transport_of_halos(false), "staged");
  // Then rank 0 shares with nobody, the others with all but rank 0.
  const std::string mixed = transport_of_halos(comm.rank() > 0);
  const std::string begin = comm.size() == 1 ? "staged" : "shared ";
  EXPECT_EQ(mixed.substr(0, begin.size()), begin);
  EXPECT_EQ(comm.broadcast(mixed), mixed);
  // Only t is divided among ranks, and no leg goes along t.
  if (comm.size() == 1) return;
  const Lattice lattice(comm, {4, 4, 4, 16}, {.grid = Coord{1, 1, 1, comm.size()}});
  EXPECT_EQ((Halo<Spinor, double>(lattice, 1, {.legs = {0, 1, 2}}).transport_name()), "staged");
}

TEST(TunedStencils, GiveTheSameBitsInEveryCall) {
  const test::TuneFile none(std::nullopt);
  const auto results = [](ExchangeOptions::Overlap overlap, ExchangeOptions::Wire wire, int calls) {
    const Lattice lattice(Comm::world(), {4, 4, 8, 8}, options_with({.overlap = overlap, .wire = wire}));
    const CovariantLaplacian<double> laplacian(links_on<double>(lattice));
    const SpinorField<double> in(lattice, "in"), out(lattice, "out");
    load(in, reference::random_array(lattice.extent(), 12, 2));
    std::vector<std::vector<double>> all;
    for (int i = 0; i < calls; ++i) {
      laplacian.apply(in, out);
      all.push_back(export_sites(out));
    }
    return all;
  };
  using Overlap = ExchangeOptions::Overlap;
  for (const auto wire : {ExchangeOptions::Wire::full, ExchangeOptions::Wire::single, ExchangeOptions::Wire::fixed16}) {
    const std::vector<double> one = results(Overlap::blocking, wire, 1)[0];
    EXPECT_TRUE(results(Overlap::overlapped, wire, 1)[0] == one);
    const auto tuned = results(Overlap::tuned, wire, overlap_trials + 3);
    for (std::size_t i = 0; i < tuned.size(); ++i) EXPECT_TRUE(tuned[i] == one) << "call " << i;
  }
}

/// Whether all calls give the bits of the first, through all shapes of their launches.
template <template <class> class SiteT, class T>
bool same_bits_in_every_shape(const CovariantLaplacian<T>& laplacian, int n_components, int calls) {
  const Field<SiteT, T> in(laplacian.lattice(), "in", n_components), out(laplacian.lattice(), "out", n_components);
  load(in, reference::random_array(in.lattice().extent(), n_components * Field<SiteT, T>::n_complex, 2));
  return test::same_bits_in_every_call(out, calls, [&] { laplacian.apply(in, out); });
}

TEST(TunedStencils, LaunchInTheShapeThatIsFastest) {
  const Comm comm = Comm::world();
  const test::Folder folder(comm);
  const auto file = folder / "tune.txt";
  const auto shapes_of = [&](const LatticeOptions& options, int calls) {
    const Lattice lattice(comm, {4, 4, 8, 8}, options);
    EXPECT_TRUE(same_bits_in_every_shape<Spinor>(CovariantLaplacian<double>(links_on<double>(lattice)), 1, calls));
    EXPECT_TRUE(same_bits_in_every_shape<ColorVector>(CovariantLaplacian<float>(links_on<float>(lattice)), 4, calls));
    return lattice.tuner().report();
  };
  {
    const test::TuneFile none(std::nullopt);
    EXPECT_TRUE(shapes_of({}, 1 + shape_trials()).empty()) << "a launch is tuned without a file";
  }
  const test::TuneFile here(file);
  // Ranks may run what needs no halo by themselves: it keeps the default shape where there are several.
  const auto local = shapes_of({}, 1 + shape_trials());
  EXPECT_EQ(local.size(), comm.size() == 1 ? 2u : 0u);
  // A halo: first whether it overlaps, then the shape.
  const auto with_halo = shapes_of(options_with({}), 2 + overlap_trials + shape_trials());
  EXPECT_EQ(with_halo.size(), 2u);
  for (const std::string& line : with_halo) EXPECT_TRUE(test::contains(line, ": launch ")) << line;
  comm.barrier();
  EXPECT_EQ(shapes_of(options_with({}), 1), with_halo) << "the file was not read";
}

// So a launch with a halo compares a few numbers and texts, and makes no key.
TEST(TunedStencils, KeepTheChoicesOfAKernelBesideItsHalo) {
  const Comm comm = Comm::world();
  const test::Folder folder(comm);
  const Coord extent{4, 4, 8, 8};
  const HaloReader reader{"kernel", Subset::all, 1, "plain"};
  const auto check = [&](bool has_file) {
    const Lattice lattice(comm, extent, options_with({}));
    const Halo<Spinor, double> halo(lattice, 1);
    const HaloLaunches& launches = halo.launches(lattice.tuner(), reader);
    std::set<const HaloLaunches*> others;
    for (const HaloReader& other : {HaloReader{"other", Subset::all, 1, "plain"},
                                    {"kernel", Subset::even, 1, "plain"},
                                    {"kernel", Subset::all, 2, "plain"},
                                    {"kernel", Subset::all, 1, "links once"}})
      others.insert(&halo.launches(lattice.tuner(), other));
    EXPECT_EQ(others.size(), 4u);
    EXPECT_EQ(others.count(&launches), 0u);
    EXPECT_EQ(&halo.launches(lattice.tuner(), reader), &launches) << "made again";
    EXPECT_TRUE(launches.overlap != nullptr);
    EXPECT_EQ(launches.shape[0] != nullptr, has_file);
    EXPECT_EQ(launches.shape[1] != nullptr, has_file);
    EXPECT_EQ(launches.shape[0] != launches.shape[1], has_file);
  };
  {
    const test::TuneFile none(std::nullopt);
    check(false);
  }
  const test::TuneFile here(folder / "tune.txt");
  check(true);
}

TEST(OperatorBytes, CountLinksAsTheyAreStored) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 8});
  const SpinorField<float> in(lattice, "in", 2), out(lattice, "out", 2);
  const std::size_t fields = in.bytes() + out.bytes(), sites = std::size_t(lattice.geometry().local_volume());
  EXPECT_EQ(operator_bytes<float>(in, out, 6), fields + sites * 6 * 18 * 4);
  EXPECT_EQ(operator_bytes<Links12<float>>(in, out, 8), fields + sites * 8 * 12 * 4);
  EXPECT_EQ(operator_bytes<Links12<Fixed16>>(in, out, 8), fields + sites * 8 * 12 * 2);
  EXPECT_EQ(operator_bytes<Links8<Fixed16>>(in, out, 8), fields + sites * 8 * 8 * 2);
  EXPECT_EQ(operator_bytes<float>(in.even(), out.odd(), 8), fields / 2 + sites / 2 * 8 * 18 * 4);
}

TEST(TunedStencils, KnowTheirDevice) {
  EXPECT_EQ(device_name().find_first_of("\t\n"), std::string::npos);
  EXPECT_EQ(device_name().find(Kokkos::DefaultExecutionSpace::name()), 0u);
}

}  // namespace
}  // namespace kov
