// SPDX-License-Identifier: MIT
//
// Mappings of HDF5 files that other codes could have written.
#include "apps/analyze/correlator_mapping.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/io/hdf5.hpp"

#include <filesystem>
#include <gtest/gtest.h>

namespace kov::app {

namespace {

namespace fs = std::filesystem;

class ForeignFile : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
    path_ = fs::temp_directory_path() / ("kovariant-mapping-" + std::to_string(::getpid()) + ".h5");
    Hdf5File file = Hdf5File::create(path_);
    std::vector<double> numbers;
    for (int i = 0; i < 2 * 3 * 4; ++i) numbers.push_back(i);
    // [configuration][t], real and imaginary parts apart.
    for (const std::string p : {"px0_py0_pz0", "px-1_py0_pz2"}) {
      file.write<double>("/pt2/pion/" + p + "/real", std::span(numbers).first(12), {3, 4});
      file.write<double>("/pt2/pion/" + p + "/imag", std::span(numbers).last(12), {3, 4});
    }
    // [t][part][source]
    file.write<double>("/ens/cfg_100/C2_proton", numbers, {4, 2, 3});
    file.write<double>("/ens/cfg_200/C2_proton", numbers, {4, 2, 3});
    std::vector<std::complex<double>> z;
    for (const double v : numbers) z.emplace_back(v, -v);
    // [momentum][smearing][t]
    file.write<std::complex<double>>("/rho", z, {2, 3, 4});
    file.write_texts("/names", {"a", "b"});
    file.commit();
  }
  void TearDown() override { fs::remove(path_); }

  std::vector<CorrelatorArray> read(const std::string& toml) const {
    std::vector<CorrelatorArray> all;
    CorrelatorMapping(toml, "map.toml").visit(path_.string(), [&](CorrelatorArray array, std::size_t, std::size_t) {
      all.push_back(std::move(array));
    });
    return all;
  }

  fs::path path_;
};

TEST_F(ForeignFile, NamesInPathsAreMomentaAndChannels) {
  const auto all = read(R"([[correlator]]
dataset = "/pt2/{channel}/px{px}_py{py}_pz{pz}/real"
imaginary = "/pt2/{channel}/px{px}_py{py}_pz{pz}/imag"
kind = "meson"
factor = -2.0
)");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].head.channel, "pion");
  EXPECT_EQ(all[0].head.kind, "meson");
  EXPECT_EQ(all[0].momenta, (std::vector<Momentum>{{-1, 0, 2}}));
  EXPECT_EQ(all[1].momenta, (std::vector<Momentum>{{0, 0, 0}}));
  EXPECT_EQ(all[0].configurations, (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(all[0].n_times, 4u);
  EXPECT_EQ(all[0].values[1 * 4 + 3], std::complex<double>(-2 * 7, -2 * 19));
}

TEST_F(ForeignFile, IndicesAreInAnyOrder) {
  const auto all = read(R"([[correlator]]
dataset = "ens/cfg_{configuration}/C2_{channel}"
axes = ["t", "part", "source"]
kind = "baryon"
momentum = [1, 1, 0]
)");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].configurations, (std::vector<std::string>{"200", "200", "200"}));
  EXPECT_EQ(all[1].sources[2], (Coord{0, 0, 0, 2}));
  EXPECT_EQ(all[1].head.channel, "proton");
  EXPECT_EQ(all[1].momenta[0], (Momentum{1, 1, 0}));
  // t = 1, source 2: number (1 * 2 + part) * 3 + 2.
  EXPECT_EQ(all[1].values[2 * 4 + 1], std::complex<double>(8, 11));
}

TEST_F(ForeignFile, OtherIndicesAreLabelsAndTheFileIsAConfiguration) {
  const auto all = read(R"([[correlator]]
dataset = "rho"
axes = ["momentum", "smearing", "t"]
momenta = [[0, 0, 0], [0, 0, 1]]
)");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[2].head.labels.at("smearing"), LabelValue(std::int64_t(2)));
  EXPECT_EQ(all[2].head.channel, "rho");
  EXPECT_EQ(all[2].configurations, (std::vector<std::string>{path_.filename().string()}));
  // momentum 1, smearing 2, t = 3
  EXPECT_EQ(all[2].values[1 * 4 + 3], std::complex<double>((1 * 3 + 2) * 4 + 3, -((1 * 3 + 2) * 4 + 3)));
}

TEST_F(ForeignFile, WhatDoesNotFitIsRefused) {
  EXPECT_THROW(read("[[correlator]]\ndataset = 'nothing/{channel}'\n"), InputError);
  EXPECT_THROW(read("[[correlator]]\ndataset = 'rho'\n"), FormatError) << "three indices, not two";
  EXPECT_THROW(read("[[correlator]]\ndataset = 'names'\naxes = ['t']\n"), FormatError) << "texts";
  EXPECT_THROW(read("[[correlator]]\ndataset = 'rho'\naxes = ['part', 'x', 't']\nmomenta = []\n"), FormatError)
      << "complex parts are not real";
  EXPECT_THROW(read("[[correlator]]\ndataset = 'rho'\naxes = ['momentum', 'x', 't']\n"), FormatError) << "no momenta";
  EXPECT_THROW(read("[[correlator]]\ndataset = 'pt2/pion/{px}/real'\n"), InputError) << "no number";
}

TEST(CorrelatorMapping, MistakesAreNamed) {
  const auto message = [](const std::string& toml) -> std::string {
    try {
      CorrelatorMapping(toml, "map.toml");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("").find("no [[correlator]]"), std::string::npos);
  EXPECT_NE(message("[[correlator]]\nkind = 'x'\n").find("dataset"), std::string::npos);
  EXPECT_NE(message("[[correlator]]\ndataset = 'a{b'\n").find("{"), std::string::npos);
  EXPECT_NE(message("[[correlator]]\ndataset = 'a'\naxes = ['t', 't']\n").find("two axes"), std::string::npos);
  EXPECT_NE(message("[[correlator]]\ndataset = 'a'\naxes = ['x']\n").find("no axis \"t\""), std::string::npos);
  EXPECT_NE(message("[[correlator]]\ndatset = 'a'\n").find("dataset"), std::string::npos) << "the nearest key";
}

}  // namespace

}  // namespace kov::app
