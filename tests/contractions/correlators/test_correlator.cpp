// SPDX-License-Identifier: MIT
//
// Averages over momenta, and files of correlators.
#include "kov/contractions/correlators/correlator.hpp"
#include "kov/contractions/correlators/correlator_read.hpp"
#include "kov/contractions/correlators/correlator_text.hpp"
#include "kov/contractions/correlators/correlator_write.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/comm/comm.hpp"
#include "kov/core/io/hdf5.hpp"
#include "tests/core/io/io_support.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace kov {
namespace {

namespace fs = std::filesystem;

Correlator make(const std::string& channel, const Momentum& p, double value, int n_times = 4) {
  Correlator c{
      .kind = "meson", .channel = channel, .momentum = p, .source = {1, 2, 3, 0}, .labels = {{"smearing", "point"}}};
  for (int t = 0; t < n_times; ++t) c.value.emplace_back(value / (t + 1), -value / 3);
  return c;
}

class CorrelatorFiles : public ::testing::Test {
 protected:
  fs::path path(const std::string& name) const { return folder_ / name; }

  test::Folder folder_{Comm::world()};
};

const CorrelatorProvenance kProvenance{.extent = {4, 4, 4, 4},
                                       .parameters = {{"parameters", "kappa = 0.11\ntolerance = 1e-12\n"}},
                                       .inputs = {{"", {{"checksum", "sha256 abc"}}}}};

/// Three configurations in non-alphabetical order, each with two sources of its own, and three momenta.
std::vector<Correlator> ensemble() {
  std::vector<Correlator> list;
  for (const int configuration : {10, 9, 100})
    for (const int source : {0, 1})
      for (const char* channel : {"pion-pion", "a0-a0"})
        for (const Momentum& p : {Momentum{0, 0, 0}, {0, 0, 1}, {0, -1, 0}}) {
          Correlator c = make(channel, p, configuration + 0.1 * source + 0.01 * p[2] + (*channel == 'a'));
          c.source = {source, 0, 0, configuration % 4};
          c.labels = {{"configuration", std::to_string(configuration)}, {"kappa", 0.1345}, {"n", std::int64_t(7)}};
          list.push_back(c);
        }
  return list;
}

bool same(const Correlator& c, const Correlator& d) {
  return c.kind == d.kind && c.channel == d.channel && c.momentum == d.momentum && c.source == d.source &&
         c.labels == d.labels && c.value == d.value;
}

/// Whether two lists have the same correlators, in any order.
void expect_same(const std::vector<Correlator>& found, const std::vector<Correlator>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (const Correlator& c : wanted)
    EXPECT_EQ(std::count_if(found.begin(), found.end(), [&](const Correlator& d) { return same(c, d); }), 1)
        << c.channel << " " << to_string(c.momentum);
}

TEST(Correlators, EquivalentMomentaAreAveraged) {
  std::vector<Correlator> list;
  for (const Momentum& p : momenta_up_to(2)) list.push_back(make("pion-pion", p, 1 + p[0] + 10 * p[1] * p[1]));
  list.push_back(make("rho_x-rho_x", {0, -1, 0}, 7));
  const auto averages = average_equivalent_momenta(list, {4, 4, 4, 8});
  ASSERT_EQ(averages.size(), 4u);
  EXPECT_EQ(averages[1].momentum, (Momentum{1, 0, 0}));
  EXPECT_NEAR(averages[1].value[0].real(), 1 + 20.0 / 6, 1e-14);
  EXPECT_EQ(averages[2].momentum, (Momentum{1, 1, 0}));
  EXPECT_NEAR(averages[2].value[0].real(), 1 + 80.0 / 12, 1e-14);
  EXPECT_EQ(averages[3].channel, "rho_x-rho_x");
  EXPECT_EQ(averages[3].momentum, (Momentum{1, 0, 0}));
  EXPECT_EQ(averages[3].value[0].real(), 7);
}

TEST(Correlators, SourcesAndLabelsAreNotAveraged) {
  std::vector<Correlator> list = with_label({make("pion-pion", {0, 0, 1}, 1)}, "hit", "0");
  list.push_back(with_label({make("pion-pion", {0, 1, 0}, 2)}, "hit", "1").front());
  list.push_back(list[0]);
  list[2].source = {0, 0, 0, 0};
  EXPECT_EQ(average_equivalent_momenta(list, {4, 4, 4, 8}).size(), 3u);
}

TEST(Correlators, DifferentLengthsHaveNoAverage) {
  EXPECT_THROW(average_equivalent_momenta({make("a", {0, 0, 1}, 1, 4), make("a", {0, 1, 0}, 1, 5)}, {4, 4, 4, 4}),
               InputError);
}

/// channel: of those that are counted, all where it is empty.
void expect_counts(const std::string& path, const std::string& channel, double correlators, double series,
                   double n_times) {
  const CorrelatorCount count =
      count_correlators(path, [&](const std::string& of) { return channel.empty() || of == channel; });
  EXPECT_EQ(count.correlators, correlators);
  EXPECT_EQ(count.series, series);
  EXPECT_EQ(count.numbers, correlators * n_times);
}

TEST_F(CorrelatorFiles, WhatIsWrittenIsRead) {
  if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  std::vector<Correlator> list;
  for (const Momentum& p : momenta_up_to(1)) list.push_back(make("pion-pion", p, 0.1 + p[2]));
  for (const Momentum& p : momenta_up_to(1)) list.push_back(make("a0-a0", p, 0.7 + p[1]));
  list.push_back(with_label({make("pion-pion", {0, 0, 0}, 3)}, "smearing", "gauss").front());
  write_correlators(path("c.h5"), list, kProvenance, Comm::world());
  if (Comm::world().rank() != 0) return;
  expect_same(read_correlators(path("c.h5")), list);
  expect_counts(path("c.h5"), "", 15, 15, 4);
  expect_counts(path("c.h5"), "a0-a0", 7, 7, 4);
  expect_counts(path("c.h5"), "rho-rho", 0, 0, 4);
  const Hdf5File file = Hdf5File::open(path("c.h5"));
  EXPECT_EQ(file.shape("/meson/a0-a0").extent, (std::vector<std::uint64_t>{1, 1, 7, 4}));
  EXPECT_EQ(file.shape("/meson/a0-a0").kind, Hdf5Kind::complex);
  // The labels that differ within a channel name its datasets.
  EXPECT_EQ(file.list("/meson/pion-pion"), (std::vector<std::string>{"gauss", "point"}));
  EXPECT_EQ(file.shape("/meson/pion-pion/gauss").extent, (std::vector<std::uint64_t>{1, 1, 1, 4}));
  EXPECT_EQ(file.list("/axes"), (std::vector<std::string>{"configuration", "momentum", "momentum_2", "source", "t"}));
  EXPECT_EQ(file.attribute("/parameters", "parameters"),
            Hdf5Attribute(std::get<std::string>(kProvenance.parameters.at("parameters"))));
  EXPECT_EQ(file.read_texts("/inputs/checksum"), (std::vector<std::string>{"sha256 abc"}));
  EXPECT_EQ(file.attribute("/", "conventions"), Hdf5Attribute(correlator_conventions()));
  EXPECT_EQ(file.attribute("/", "format_version"), Hdf5Attribute(std::int64_t(2)));
}

TEST_F(CorrelatorFiles, AChannelIsOneDatasetOfAllConfigurationsInTheOrderGiven) {
  if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  const std::vector<Correlator> list = ensemble();
  CorrelatorProvenance provenance{.extent = {4, 4, 4, 4}, .parameters = {{"action.kappa", 0.1345}}};
  for (const Correlator& c : list) {
    const std::string name = label_text(c.labels.at("configuration"));
    provenance.inputs[name] = {{"plaquette", std::stod(name) / 200}, {"links", "sum " + name}};
    if (name != "9") provenance.inputs[name]["link_trace"] = 0.5;
    provenance.solves[{name, c.source}] = {{"iterations", std::int64_t(std::stoi(name) + c.source[0])},
                                           {"worst_residual", 1e-9}};
  }
  write_correlators(path("c.h5"), list, provenance, Comm::world());
  if (Comm::world().rank() != 0) return;
  expect_same(read_correlators(path("c.h5")), list);
  const Hdf5File file = Hdf5File::open(path("c.h5"));
  EXPECT_EQ(file.list("/meson"), (std::vector<std::string>{"a0-a0", "pion-pion"}));
  const auto pion = file.read<std::complex<double>>("/meson/pion-pion");
  ASSERT_EQ(pion.extent, (std::vector<std::uint64_t>{3, 2, 3, 4}));
  EXPECT_EQ(pion.values[((1 * 2 + 1) * 3 + 1) * 4 + 2], list[12 + 6 + 1].value[2]) << "9, its second source, 0 0 1";
  EXPECT_EQ(file.read_texts("/axes/configuration"), (std::vector<std::string>{"10", "9", "100"}));
  EXPECT_EQ(file.read<std::int64_t>("/axes/momentum").values, (std::vector<std::int64_t>{0, 0, 0, 0, 0, 1, 0, -1, 0}));
  EXPECT_EQ(file.read<std::int64_t>("/axes/t").values, (std::vector<std::int64_t>{0, 1, 2, 3}));
  const auto origin = file.read<std::int64_t>("/inputs/origin");
  EXPECT_EQ(origin.extent, (std::vector<std::uint64_t>{3, 2, 4}));
  EXPECT_EQ(origin.values[8 + 3], 1) << "the time of 9's sources";
  // Numeric labels stay numbers.
  EXPECT_EQ(file.attribute("/meson/pion-pion", "kappa"), Hdf5Attribute(0.1345));
  EXPECT_EQ(file.attribute("/meson/pion-pion", "n"), Hdf5Attribute(std::int64_t(7)));
  EXPECT_EQ(file.attribute("/parameters", "action.kappa"), Hdf5Attribute(0.1345));
  EXPECT_EQ(file.read<double>("/inputs/plaquette").values, (std::vector<double>{0.05, 0.045, 0.5}));
  EXPECT_EQ(file.read_texts("/inputs/links"), (std::vector<std::string>{"sum 10", "sum 9", "sum 100"}));
  EXPECT_TRUE(std::isnan(file.read<double>("/inputs/link_trace").values.at(1))) << "there is none";
  EXPECT_EQ(file.shape("/solves/worst_residual").extent, (std::vector<std::uint64_t>{3, 2}));
  EXPECT_EQ(file.read<std::int64_t>("/solves/iterations").values, (std::vector<std::int64_t>{10, 11, 9, 10, 100, 101}));
  for (const char* dataset : {"/meson/pion-pion", "/meson/a0-a0"})
    EXPECT_EQ(file.attribute(dataset, "DIMENSION_LABELS"),
              Hdf5Attribute(std::vector<std::string>{"configuration", "source", "momentum", "t"}));
  for (const char* scale : {"configuration", "source", "momentum", "t"}) {
    const std::string name = std::string("/axes/") + scale;
    EXPECT_EQ(file.attribute(name, "CLASS"), Hdf5Attribute(std::string("DIMENSION_SCALE")));
    EXPECT_EQ(file.attribute(name, "NAME"), Hdf5Attribute(std::string(scale)));
  }
}

TEST_F(CorrelatorFiles, LabelsThatAreNotNumbersSeparateDatasets) {
  if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  std::vector<Correlator> list;
  for (const double mass : {0.1, std::nan(""), 0.2})
    for (const char* sink : {"point", "gauss"}) {
      list.push_back(make("pion-pion", {0, 0, 0}, double(list.size())));
      list.back().labels = {{"mass", mass}, {"sink", sink}};
    }
  write_correlators(path("c.h5"), list, kProvenance, Comm::world());
  if (Comm::world().rank() != 0) return;
  const Hdf5File file = Hdf5File::open(path("c.h5"));
  EXPECT_EQ(file.list("/meson/pion-pion"), (std::vector<std::string>{"0.1, gauss", "0.1, point", "0.2, gauss",
                                                                     "0.2, point", "nan, gauss", "nan, point"}));
  EXPECT_EQ(average_equivalent_momenta(list, {4, 4, 4, 4}).size(), list.size());
  list.push_back(list[2]);  // NaN compares equal to NaN here
  EXPECT_EQ(average_equivalent_momenta(list, {4, 4, 4, 4}).size(), list.size() - 1);
}

TEST_F(CorrelatorFiles, TextSaysWhatTheWorkWas) {
  CorrelatorProvenance provenance = kProvenance;
  provenance.solves[{"conf 7", {0, 0, 0, 4}}] = {{"iterations", std::int64_t(141)}, {"worst_residual", 1e-9}};
  const std::string text = to_text({make("pion-pion", {0, 0, 0}, 1)}, provenance);
  EXPECT_NE(text.find("\n# solve conf 7 0 0 0 4 iterations = 141\n"), text.npos) << text;
  EXPECT_NE(text.find("\n# solve conf 7 0 0 0 4 worst_residual = 1e-09\n"), text.npos) << text;
}

TEST_F(CorrelatorFiles, ConfigurationsMayHaveFewerSources) {
  if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  std::vector<Correlator> list = ensemble();
  std::erase_if(list, [](const Correlator& c) { return c.source == Coord{1, 0, 0, 9 % 4}; });
  write_correlators(path("c.h5"), list, kProvenance, Comm::world());
  if (Comm::world().rank() != 0) return;
  expect_same(read_correlators(path("c.h5")), list);
  const Hdf5File file = Hdf5File::open(path("c.h5"));
  EXPECT_EQ(file.read<std::int64_t>("/inputs/origin").values[3 * 4], -1);
  const auto pion = file.read<std::complex<double>>("/meson/pion-pion");
  EXPECT_TRUE(std::isnan(pion.values[3 * 3 * 4].real()));
  EXPECT_FALSE(std::isnan(pion.values[2 * 3 * 4].real()));
}

TEST_F(CorrelatorFiles, CorrelatorsWithoutSourceAreBesideOthersAndAlone) {
  if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  std::vector<Correlator> loops;
  for (const char* configuration : {"10", "9", "100"})
    for (const std::int64_t hit : {0, 1})
      for (const Momentum& p : {Momentum{0, 0, 0}, {0, 0, 1}}) {
        Correlator c = make("pion", p, double(hit) + p[2], 6);
        c.kind = "loop";
        c.source = no_source;
        c.labels = {{"configuration", configuration}, {"hit", hit}};
        loops.push_back(c);
      }
  for (const bool alone : {false, true}) {
    std::vector<Correlator> list = loops;
    if (!alone) {
      const auto others = ensemble();
      list.insert(list.begin(), others.begin(), others.end());
    }
    write_correlators(path("c.h5"), list, kProvenance, Comm::world());
    const auto read = read_correlators(path("c.h5"));
    EXPECT_EQ(read.size(), list.size());
    for (const Correlator& c : list) {
      const auto found = std::find_if(read.begin(), read.end(), [&](const Correlator& d) { return same(c, d); });
      ASSERT_NE(found, read.end()) << c.kind;
      EXPECT_EQ(found->value, c.value);
    }
    expect_counts(path("c.h5"), "pion", 12, 4, 6);
    Comm::world().barrier();  // before rank 0 replaces the file
  }
  std::vector<Correlator> mixed = loops;
  mixed.front().source = {0, 0, 0, 0};
  EXPECT_THROW(write_correlators(path("no.h5"), mixed, kProvenance, Comm::world()),
               Error);  // rank 0 has the InputError
  loops.pop_back();
  EXPECT_THROW(write_correlators(path("no.h5"), loops, kProvenance, Comm::world()), Error);
  EXPECT_EQ(to_text(loops, kProvenance).find("# source"), std::string::npos);
}

TEST_F(CorrelatorFiles, OfVersionOneAreRead) {
  if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  if (Comm::world().rank() != 0) return;
  std::vector<Correlator> wanted;
  {
    Hdf5File file = Hdf5File::create(path("one.h5"));
    file.set_attribute("/", "format", std::string("kovariant correlators"));
    file.set_attribute("/", "format_version", std::int64_t(1));
    file.create_group("/parameters");
    file.create_group("/inputs");
    for (const int k : {0, 1}) {
      const std::string name = std::string("/meson/pion-pion/").append(std::to_string(k));
      std::vector<std::complex<double>> values;
      for (const Momentum& p : {Momentum{0, 0, 0}, {0, 0, 1}}) {
        wanted.push_back(make("pion-pion", p, k + p[2]));
        wanted.back().labels = {{"kappa", "0.1345"}, {"configuration", std::to_string(k)}};
        values.insert(values.end(), wanted.back().value.begin(), wanted.back().value.end());
      }
      file.write<std::complex<double>>(name, values, {2, 4});
      file.set_attribute(name, "source", std::vector<std::int64_t>{1, 2, 3, 0});
      file.set_attribute(name, "momenta", std::vector<std::int64_t>{0, 0, 0, 0, 0, 1});
      file.set_attribute(name, "kappa", std::string("0.1345"));
      file.set_attribute(name, "configuration", std::to_string(k));
    }
    file.commit();
  }
  expect_same(read_correlators(path("one.h5")), wanted);
  expect_counts(path("one.h5"), "", 4, 2, 4);
}

TEST_F(CorrelatorFiles, WithoutValuesAreRefused) {
  if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  if (Comm::world().rank() != 0) return;
  // Files of a few hundred bytes that claim a thousand correlators, and of a few thousand that claim a million.
  constexpr std::uint64_t n = 10;
  Hdf5File file = Hdf5File::create(path("none.h5"));
  file.set_attribute("/", "format", std::string("kovariant correlators"));
  file.set_attribute("/", "format_version", std::int64_t(2));
  file.write_texts("/axes/configuration", std::vector<std::string>(n, "1000"));
  file.write<std::int64_t>("/inputs/origin", std::vector<std::int64_t>(n * n * 4), {n, n, 4});
  file.create_dataset("/meson/pion-pion", Hdf5Kind::complex, 64, {n, n, n, 0});
  file.set_attribute("/meson/pion-pion", "momenta", std::vector<std::int64_t>(3 * n));
  file.commit();
  EXPECT_THROW(read_correlators(path("none.h5")), FormatError);
  expect_counts(path("none.h5"), "", 0, 0, 4);
}

TEST_F(CorrelatorFiles, ThousandsOfConfigurationsTakeNoTime) {
  if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  std::vector<Correlator> list;
  CorrelatorProvenance provenance{.extent = {16, 16, 16, 32}};
  for (int k = 0; k < 2000; ++k)
    for (const int source : {0, 1}) {
      const std::string name = std::string("conf.").append(std::to_string(k));
      for (int channel = 0; channel < 17; ++channel) {
        list.push_back(make(std::string("c").append(std::to_string(channel)), {0, 0, 0}, k, 32));
        list.back().source = {0, 0, 0, source};
        list.back().labels["configuration"] = name;
      }
      for (const char* note : {"source", "format", "file_checksum", "links_checksum"})
        provenance.inputs[name][note] = name;
      for (const char* note : {"plaquette", "link_trace"}) provenance.inputs[name][note] = 0.5;
      provenance.solves[{name, {0, 0, 0, source}}]["iterations"] = std::int64_t(k);
    }
  const std::clock_t begin = std::clock();
  write_correlators(path("c.h5"), list, provenance, Comm::world());
  const double written = double(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_LT(written, 4) << "seconds of processors; an attribute for each note of a configuration took 15";
  RecordProperty("written", std::to_string(written));
  if (Comm::world().rank() == 0) {
    EXPECT_EQ(read_correlators(path("c.h5")).size(), list.size());
  }
}

TEST_F(CorrelatorFiles, RefusesWhatHasNoUniquePlaceInTheFile) {
  const Comm world = Comm::world();
  const auto write = [&](const std::vector<Correlator>& list) {
    write_correlators(path("no.h5"), list, kProvenance, world);
  };
  const Correlator c = make("pion-pion", {0, 0, 0}, 1);
  EXPECT_THROW(write({}), Error);
  EXPECT_THROW(write({c, c}), Error);
  EXPECT_THROW(write({c, make("pion-pion", {0, 0, 1}, 1, 5)}), Error);
  EXPECT_THROW(write({make("a/b", {0, 0, 0}, 1)}), Error);
  EXPECT_THROW(write({c, make("a0-a0", {0, 0, 0}, 1), make("a0-a0", {0, 0, 1}, 1),
                      with_label({c}, "configuration", "2").front()}),
               Error)
      << "a0-a0 is not there for the second configuration";
  Correlator elsewhere = make("pion-pion", {0, 0, 1}, 1);
  elsewhere.source = {0, 0, 0, 0};
  EXPECT_THROW(write({c, elsewhere}), Error) << "each source lacks a momentum";
  Correlator axes = c;
  axes.kind = "axes";
  EXPECT_THROW(write({axes}), Error);
  EXPECT_THROW(write(with_label({c}, "DIMENSION_LIST", "1")), Error);
  EXPECT_THROW(write({make("", {0, 0, 0}, 1)}), Error);
  EXPECT_THROW(write(with_label({c}, "momenta", "1")), Error);
  EXPECT_THROW(write_correlators(path("missing/no.h5"), {c}, kProvenance, world), Error);
  EXPECT_THROW(write_correlator_text(path("no.txt"), {}, kProvenance, world), Error);
  world.barrier();
  if (world.rank() == 0) {
    EXPECT_EQ(folder_.files(), 0u) << "nothing is left behind";
  }
}

TEST_F(CorrelatorFiles, OtherFilesAreRefused) {
  if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  if (Comm::world().rank() != 0) return;
  {
    Hdf5File file = Hdf5File::create(path("other.h5"));
    file.set_attribute("/", "format", std::string("something else"));
    file.commit();
  }
  EXPECT_THROW(read_correlators(path("other.h5")), FormatError);
  std::ofstream(path("text.h5")) << "no HDF5 at all\n";
  EXPECT_THROW(read_correlators(path("text.h5")), FormatError);
}

TEST_F(CorrelatorFiles, TextHoldsEveryDigit) {
  const std::vector<Correlator> list{make("pion-pion", {0, 0, 0}, 0.1), make("a0-a0", {1, 0, -1}, 1.0 / 3)};
  write_correlator_text(path("c.txt"), list, kProvenance, Comm::world());
  if (Comm::world().rank() != 0) return;
  std::ifstream file(path("c.txt"));
  std::vector<std::complex<double>> numbers;
  int labels = 0;
  for (std::string line; std::getline(file, line);) {
    if (line == "# momentum 1 0 -1" || line == "# smearing = point") ++labels;
    if (line.empty() || line[0] == '#') continue;
    std::istringstream columns(line);
    std::size_t t;
    double re, im;
    ASSERT_TRUE(columns >> t >> re >> im) << line;
    EXPECT_EQ(t, numbers.size() % 4);
    numbers.emplace_back(re, im);
  }
  ASSERT_EQ(numbers.size(), 8u);
  for (std::size_t t = 0; t < 4; ++t) {
    EXPECT_EQ(numbers[t], list[0].value[t]);
    EXPECT_EQ(numbers[4 + t], list[1].value[t]);
  }
  EXPECT_EQ(labels, 3) << "a momentum and two smearings";
}

}  // namespace
}  // namespace kov
