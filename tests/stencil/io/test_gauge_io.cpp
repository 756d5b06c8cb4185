// SPDX-License-Identifier: MIT
//
// Gauge fields from published files and back into files: observables as published, records verified, reports complete.
#include "kov/core/field/site_map.hpp"
#include "kov/core/io/hdf5.hpp"
#include "kov/stencil/io/gauge_io.hpp"
#include "tests/core/io/io_support.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/support/oracles.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace kov::test {
namespace {

using reference::GlobalArray;

TEST(GaugeIo, PublishedConfigurationsHaveTheirObservables) {
  KOV_SKIP_WITHOUT_DATA();
  const auto entries = oracle("plaquettes.json")["values"];
  KOV_SKIP_WITHOUT_DATA(files_of(entries));
  ASSERT_EQ(entries.size(), 13u);
  for (const auto& entry : entries) {
    const std::string name = entry["file"];
    SCOPED_TRACE(name);
    const Lattice lattice(Comm::world(), entry["dims_xyzt"].get<Coord>());
    GaugeReport report;
    const auto gauge = read_gauge<double>(lattice, data_folder() / name, {}, &report);
    const auto& computed = entry["computed"];
    const Plaquettes& p = report.plaquettes;
    EXPECT_NEAR(p.mean(), computed["w_plaq"].get<double>(), 1e-12);
    EXPECT_NEAR(p.spatial(), computed["s_plaq"].get<double>(), 1e-12);
    EXPECT_NEAR(p.temporal(), computed["t_plaq"].get<double>(), 1e-12);
    for (const auto& [plane, value] : computed["planes"].items())
      EXPECT_NEAR(p.plane(plane[0] - '0', plane[1] - '0'), value.get<double>(), 1e-12) << plane;
    EXPECT_NEAR(report.link_trace, computed["link_trace_over_3"].get<double>(), 1e-12);
    const auto line = polyakov_loop(gauge);
    EXPECT_NEAR(line.real(), computed["polyakov"][0].get<double>(), 1e-12);
    EXPECT_NEAR(line.imag(), computed["polyakov"][1].get<double>(), 1e-12);
    // unit_dev and det_dev are maxima over elements and over links, here together.
    EXPECT_LT(report.unitarity_deviation, 5e-6);
    EXPECT_TRUE(report.overridden.empty());
    EXPECT_EQ(report.source, (data_folder() / name).string());
    // The numbers that other codes printed for 32-bit links.
    const auto& recorded = entry["recorded"];
    if (recorded.is_null()) continue;
    const auto expect = [&](const char* key, double value) {
      if (recorded.contains(key)) {
        EXPECT_NEAR(value, recorded[key].get<double>(), 1e-6) << key;
      }
    };
    expect("PLAQUETTE", p.mean());
    expect("LINK_TRACE", report.link_trace);
    expect("linktr", report.link_trace);
    if (recorded.contains("milc_ssplaq_stplaq")) {
      EXPECT_NEAR(3 * p.spatial(), recorded["milc_ssplaq_stplaq"][0].get<double>(), 1e-6);
      EXPECT_NEAR(3 * p.temporal(), recorded["milc_ssplaq_stplaq"][1].get<double>(), 1e-6);
    }
  }
}

std::string hex(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

// All ranks together get the same bits as one process alone in either memory order.
TEST(PublishedGaugeIo, SameFileHasTheSameBitsOnAnyDecomposition) {
  KOV_SKIP_WITHOUT_DATA("milc/lat.sample.l4448");
  const auto path = data_folder() / "milc" / "lat.sample.l4448";
  const auto bits = [&](const Comm& comm, const LatticeOptions& options) {
    GaugeReport r;
    read_gauge<double>(Lattice(comm, {4, 4, 4, 8}, options), path, {}, &r);
    return hex(r.plaquettes.mean()) + " " + hex(r.plaquettes.spatial()) + " " + hex(r.link_trace) + " " +
           r.links_checksum + " " + hex(r.unitarity_deviation);
  };
  const std::string alone = bits(Comm::self(), {});
  EXPECT_EQ(bits(Comm::self(), {.order = Order::even_odd}), alone);
  EXPECT_EQ(bits(Comm::world(), {}), alone);
  EXPECT_EQ(bits(Comm::world(), {.order = Order::even_odd}), alone);
  EXPECT_EQ(bits(Comm::world(), {.force_exchange = true}), alone);
}

TEST(PublishedGaugeIo, SameLinksInDifferentFormatsHaveTheSameChecksum) {
  const std::vector<std::string> names{"milc/lat.sample.l4444", "milc/lat.sample.l4444.ildg",
                                       "milc/lat.sample.l4444.scidac", "derived/openqcd_from_milc_l4444.oqcd",
                                       "milc/lat.sample.inst"};
  KOV_SKIP_WITHOUT_DATA(names);
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  std::vector<std::string> sums;
  for (const std::string& name : names) {
    GaugeReport report;
    read_gauge<double>(lattice, data_folder() / name, {}, &report);
    sums.push_back(report.links_checksum);
  }
  for (int i : {1, 2, 3}) EXPECT_EQ(sums[std::size_t(i)], sums[0]);
  EXPECT_NE(sums[4], sums[0]) << "another configuration";
}

struct Written {
  std::string name;
  WriteGaugeOptions options;
};
class GaugeIoFormats : public ::testing::TestWithParam<Written> {
 protected:
  void SetUp() override {
    if (GetParam().options.format == GaugeFormat::hdf5 && !has_hdf5())
      GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  }
};

TEST_P(GaugeIoFormats, WrittenLinksComeBack) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Lattice lattice(comm, {4, 6, 4, 8});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 31);
  const GaugeField<double> gauge(lattice, "gauge", 4);
  load(gauge, u);
  const WriteGaugeOptions& options = GetParam().options;
  const GaugeReport written = write_gauge(gauge, folder / "config", options);
  GaugeReport read;
  const auto back = read_gauge<double>(lattice, folder / "config", {}, &read);
  const bool exact = options.bits == 64 && options.format != GaugeFormat::nersc_two_rows;
  EXPECT_LE(max_difference(back, u), exact ? 0 : options.bits == 64 ? 1e-14 : 1e-6);
  EXPECT_EQ(read.links_checksum, written.links_checksum);
  // Reading measures in one sweep what three functions measure.
  EXPECT_EQ(read.plaquettes.planes, plaquettes(back, SumMode::exact).planes);
  EXPECT_EQ(read.link_trace, link_trace(back, SumMode::exact));
  EXPECT_EQ(read.unitarity_deviation, unitarity_deviation(back));
  EXPECT_EQ(written.plaquettes.planes, read.plaquettes.planes);
  ASSERT_TRUE(read.header.plaquette && read.header.link_trace);
  // A file records the plaquette of the links it holds, also if they were rounded.
  EXPECT_NEAR(*read.header.plaquette, read.plaquettes.mean(), 1e-14);
  EXPECT_NEAR(*read.header.link_trace, read.link_trace, 1e-14);
  EXPECT_NEAR(*read.header.plaquette, plaquettes(gauge).mean(), 1e-9);
  EXPECT_NEAR(*read.header.link_trace, link_trace(gauge), 1e-9);
  if (exact) {
    EXPECT_EQ(read.links_checksum, describe_gauge(gauge, "memory").links_checksum);
  }
  // Read in single precision, the links are those of the file, rounded.
  EXPECT_LT(max_difference(read_gauge<float>(lattice, folder / "config"), u), 2e-6);
  EXPECT_EQ(folder.files(), 1u);
}

TEST_P(GaugeIoFormats, SinglePrecisionFieldsAreWritten) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Lattice lattice(comm, {4, 4, 4, 4});
  const GlobalArray u = reference::random_su3(lattice.extent(), 4, 32);
  const GaugeField<float> gauge(lattice, "gauge", 4);
  load(gauge, u);
  write_gauge(gauge, folder / "config", GetParam().options);
  EXPECT_LT(max_difference(read_gauge<float>(lattice, folder / "config"), u), 2e-6);
}

INSTANTIATE_TEST_SUITE_P(All, GaugeIoFormats,
                         ::testing::Values(Written{"nersc", {.format = GaugeFormat::nersc}},
                                           Written{"nersc32", {.format = GaugeFormat::nersc, .bits = 32}},
                                           Written{"nersc3x2", {.format = GaugeFormat::nersc_two_rows}},
                                           Written{"nersc3x2_32", {.format = GaugeFormat::nersc_two_rows, .bits = 32}},
                                           Written{"ildg", {.format = GaugeFormat::ildg}},
                                           Written{"ildg32", {.format = GaugeFormat::ildg, .bits = 32}},
                                           Written{"hdf5", {.format = GaugeFormat::hdf5}},
                                           Written{"hdf5_32", {.format = GaugeFormat::hdf5, .bits = 32}}),
                         [](const auto& info) { return info.param.name; });

/// A file with given records, right or wrong for its links.
class GaugeIoRecords : public ::testing::Test {
 protected:
  GaugeIoRecords() : comm_(Comm::world()), folder_(comm_), lattice_(comm_, {4, 4, 4, 4}), gauge_(lattice_, "gauge", 4) {
    load(gauge_, reference::random_su3(lattice_.extent(), 4, 33));
  }
  std::filesystem::path file(double plaquette_error, double trace_error) const {
    const auto path = folder_ / "config";
    write_gauge_file(comm_, path, lattice_.geometry(), export_sites(gauge_),
                     {.format = GaugeFormat::nersc,
                      .plaquette = plaquettes(gauge_).mean() + plaquette_error,
                      .link_trace = link_trace(gauge_) + trace_error});
    return path;
  }
  std::string refusal(const std::filesystem::path& path, const ReadGaugeOptions& options = {}) const {
    return message_of<FormatError>([&] { read_gauge<double>(lattice_, path, options); });
  }
  Comm comm_;
  Folder folder_;
  Lattice lattice_;
  GaugeField<double> gauge_;
};

TEST_F(GaugeIoRecords, PlaquetteMismatchNamesBothValues) {
  const auto path = file(0.125, 0);
  const std::string text = refusal(path);
  const double computed = plaquettes(gauge_, SumMode::exact).mean();
  EXPECT_TRUE(contains(text, "plaquette")) << text;
  EXPECT_TRUE(contains(text, std::to_string(computed).substr(0, 6))) << text;
  EXPECT_TRUE(contains(text, std::to_string(computed + 0.125).substr(0, 6))) << text;
  EXPECT_FALSE(refusal(path, {.ignore_checksums = true, .ignore_link_trace = true, .ignore_unitarity = true}).empty());
  GaugeReport report;
  const auto gauge = read_gauge<double>(lattice_, path, {.ignore_plaquette = true}, &report);
  EXPECT_EQ(report.plaquettes.mean(), computed);
  ASSERT_EQ(report.overridden.size(), 1u);
  EXPECT_TRUE(contains(report.overridden[0], "plaquette"));
  const auto attributes = report.attributes();
  EXPECT_EQ(std::count(attributes.begin(), attributes.end(),
                       std::pair<std::string, std::string>("checks_overridden", report.overridden[0])),
            1);
}

TEST_F(GaugeIoRecords, LinkTraceMismatchNamesBothValues) {
  const auto path = file(0, 0.25);
  const std::string text = refusal(path);
  EXPECT_TRUE(contains(text, "link trace")) << text;
  EXPECT_TRUE(contains(text, std::to_string(link_trace(gauge_) + 0.25).substr(0, 6))) << text;
  GaugeReport report;
  read_gauge<double>(lattice_, path, {.ignore_link_trace = true}, &report);
  ASSERT_EQ(report.overridden.size(), 1u);
  EXPECT_TRUE(contains(report.overridden[0], "link trace"));
}

TEST_F(GaugeIoRecords, AllFailedChecksComeTogether) {
  const auto path = file(0.125, 0.25);
  std::string bytes = bytes_of(path);
  bytes[bytes.size() - 8 * 18 * 100 - 1] ^= 1;
  write_bytes(comm_, path, bytes);
  const std::string text = refusal(path);
  for (const char* part : {"fails 3 checks", "(1) It records CHECKSUM", "(2) It records the plaquette",
                           "(3) It records the link trace", "config"})
    EXPECT_TRUE(contains(text, part)) << part << " is not in: " << text;
  EXPECT_TRUE(contains(refusal(path, {.ignore_checksums = true}), "fails 2 checks"));
  GaugeReport report;
  read_gauge<double>(lattice_, path, {.ignore_checksums = true, .ignore_plaquette = true, .ignore_link_trace = true},
                     &report);
  EXPECT_EQ(report.overridden.size(), 3u);
}

TEST_F(GaugeIoRecords, RecordsWithinTheirPrintedDigitsPass) {
  EXPECT_EQ(refusal(file(0, 0)), "");
  EXPECT_NE(refusal(file(1e-6, 0)), "") << "64-bit links, fifteen digits";
}

TEST_F(GaugeIoRecords, ChecksumMismatchIsRecordedWhenIgnored) {
  const auto path = file(0, 0);
  std::string bytes = bytes_of(path);
  bytes[bytes.size() - 8 * 18 * 100 - 1] ^= 1;  // the last bit of a number: too small for the plaquette
  write_bytes(comm_, path, bytes);
  EXPECT_TRUE(contains(refusal(path), "CHECKSUM")) << refusal(path);
  GaugeReport report;
  read_gauge<double>(lattice_, path, {.ignore_checksums = true}, &report);
  ASSERT_EQ(report.overridden.size(), 1u);
  EXPECT_TRUE(contains(report.overridden[0], "CHECKSUM"));
}

TEST_F(GaugeIoRecords, LinksThatAreNotUnitaryAreRefusedBothWays) {
  GlobalArray u = reference::random_su3(lattice_.extent(), 4, 34);
  for (int k = 0; k < 9; ++k) u.at({1, 2, 3, 0})[9 + k] *= 1.01;
  load(gauge_, u);
  EXPECT_TRUE(contains(refusal(file(0, 0)), "SU(3)"));
  GaugeReport report;
  read_gauge<double>(lattice_, folder_ / "config", {.ignore_unitarity = true}, &report);
  EXPECT_NEAR(report.unitarity_deviation, 1.01 * 1.01 * 1.01 - 1, 1e-12);
  EXPECT_EQ(report.overridden.size(), 1u);
  const std::string before = bytes_of(folder_ / "config");
  EXPECT_TRUE(contains(message_of<InputError>([&] { write_gauge(gauge_, folder_ / "config"); }), "SU(3)"));
  EXPECT_EQ(bytes_of(folder_ / "config"), before) << "the file was touched";
  // A third row that is not determined by the other two.
  u = reference::random_su3(lattice_.extent(), 4, 34);
  for (int k = 6; k < 9; ++k) u.at({1, 2, 3, 0})[9 + k] *= -1;
  load(gauge_, u);
  for (const int bits : {32, 64}) {
    const WriteGaugeOptions options{.format = GaugeFormat::nersc_two_rows, .bits = bits};
    const std::string message = message_of<InputError>([&] { write_gauge(gauge_, folder_ / "config", options); });
    EXPECT_TRUE(contains(message, "two rows do not determine it")) << message;
  }
  EXPECT_EQ(bytes_of(folder_ / "config"), before) << "the file was touched";
}

TEST_F(GaugeIoRecords, FilesOfOtherExtentsAreRefused) {
  const auto path = file(0, 0);
  const Lattice other(comm_, {4, 4, 4, 8});
  EXPECT_THROW(read_gauge<double>(other, path), InputError);
  EXPECT_THROW(write_gauge(GaugeField<double>(lattice_, "one link", 1), path), InputError);
}

TEST(GaugeIo, DamagedPublishedFilesAreRefused) {
  KOV_SKIP_WITHOUT_DATA("derived/bad_checksum.lime", "derived/bad_checksum.milc", "derived/truncated.nersc");
  const auto text = [&](const char* name, const Coord& extent) {
    return message_of<FormatError>(
        [&] { read_gauge<double>(Lattice(Comm::world(), extent), data_folder() / "derived" / name); });
  };
  EXPECT_TRUE(contains(text("bad_checksum.lime", {4, 4, 4, 8}), "suma"));
  EXPECT_TRUE(contains(text("bad_checksum.milc", {4, 4, 4, 8}), "sum29"));
  EXPECT_TRUE(contains(text("truncated.nersc", {4, 4, 4, 4}), "truncated"));
}

TEST(GaugeIo, ReportOfLinksInMemorySaysWhatMadeThem) {
  const Lattice lattice(Comm::world(), {4, 4, 4, 4});
  const GaugeField<float> gauge(lattice, "gauge", 4);
  load(gauge, reference::random_su3(lattice.extent(), 4, 35));
  const GaugeReport report = describe_gauge(gauge, "random numbers");
  EXPECT_EQ(report.attributes().front(), (std::pair<std::string, std::string>("source", "random numbers")));
  EXPECT_EQ(report.attributes().back(), (std::pair<std::string, std::string>("checks_overridden", "none")));
  EXPECT_NEAR(report.link_trace, link_trace(gauge), 1e-6);
}

}  // namespace
}  // namespace kov::test
