// SPDX-License-Identifier: MIT
//
// Averages over momenta, and files of correlators.
#include "kov/contractions/correlator.hpp"
#include "kov/core/comm.hpp"
#include "kov/core/error.hpp"
#include "kov/core/io/hdf5.hpp"
#include "tests/core/io/io_support.hpp"

#include <algorithm>
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
                                       .inputs = {{"configuration", "sha256 abc"}}};

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

TEST_F(CorrelatorFiles, WhatIsWrittenIsRead) {
  if (!has_hdf5()) GTEST_SKIP() << "this build has no HDF5";
  std::vector<Correlator> list;
  for (const Momentum& p : momenta_up_to(1)) list.push_back(make("pion-pion", p, 0.1 + p[2]));
  for (const Momentum& p : momenta_up_to(1)) list.push_back(make("a0-a0", p, 0.7 + p[1]));
  list.push_back(with_label({make("pion-pion", {0, 0, 0}, 3)}, "smearing", "gauss").front());
  write_correlators(path("c.h5"), list, kProvenance, Comm::world());
  if (Comm::world().rank() != 0) return;
  const auto read = read_correlators(path("c.h5"));
  ASSERT_EQ(read.size(), list.size());
  for (const Correlator& c : list) {
    const auto same = [&](const Correlator& d) {
      return c.kind == d.kind && c.channel == d.channel && c.momentum == d.momentum && c.source == d.source &&
             c.labels == d.labels && c.value == d.value;
    };
    EXPECT_EQ(std::count_if(read.begin(), read.end(), same), 1) << c.channel << " " << to_string(c.momentum);
  }
  const Hdf5File file = Hdf5File::open(path("c.h5"));
  EXPECT_EQ(file.shape("/meson/pion-pion/0").extent, (std::vector<std::uint64_t>{7, 4}));
  EXPECT_EQ(file.shape("/meson/pion-pion/0").kind, Hdf5Kind::complex);
  EXPECT_EQ(file.attribute("/parameters", "parameters"), Hdf5Attribute(kProvenance.parameters.at("parameters")));
  EXPECT_EQ(file.attribute("/inputs", "configuration"), Hdf5Attribute(std::string("sha256 abc")));
  EXPECT_EQ(file.attribute("/", "conventions"), Hdf5Attribute(correlator_conventions()));
}

TEST_F(CorrelatorFiles, RefusesWhatCannotBeToldApart) {
  const Comm world = Comm::world();
  const auto write = [&](const std::vector<Correlator>& list) {
    write_correlators(path("no.h5"), list, kProvenance, world);
  };
  const Correlator c = make("pion-pion", {0, 0, 0}, 1);
  EXPECT_THROW(write({}), Error);
  EXPECT_THROW(write({c, c}), Error);
  EXPECT_THROW(write({c, make("pion-pion", {0, 0, 1}, 1, 5)}), Error);
  EXPECT_THROW(write({make("a/b", {0, 0, 0}, 1)}), Error);
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
  if (!has_hdf5()) GTEST_SKIP() << "this build has no HDF5";
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
