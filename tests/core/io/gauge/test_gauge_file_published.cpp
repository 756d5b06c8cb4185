// SPDX-License-Identifier: MIT
//
// Published configurations of other codes have the plaquettes, link traces and checksums that those codes computed.
#include "kov/core/io/gauge/gauge_file.hpp"
#include "tests/core/io/io_support.hpp"
#include "tests/reference/plaquette.hpp"
#include "tests/support/oracles.hpp"

#include <map>
#include <nlohmann/json.hpp>

namespace kov::test {
namespace {

TEST(GaugeFiles, EveryPublishedFileHasItsPlaquettesAndLinkTrace) {
  KOV_SKIP_WITHOUT_DATA();
  const auto entries = oracle("plaquettes.json")["values"];
  KOV_SKIP_WITHOUT_DATA(files_of(entries));
  const Comm comm = Comm::world();
  ASSERT_EQ(entries.size(), 13u);
  for (const auto& entry : entries) {
    const std::string name = entry["file"];
    SCOPED_TRACE(name);
    const WholeFile file = read_whole(comm, data_folder() / name);
    EXPECT_EQ(file.header.extent, entry["dims_xyzt"].get<Coord>());
    const reference::Plaquettes found = reference::plaquettes(file.links, file.header.extent);
    const auto& computed = entry["computed"];
    const auto expect = [&](double value, const char* key) {
      const double wanted = computed[key];
      EXPECT_NEAR(value, wanted, 1e-12 * std::abs(wanted)) << key;
    };
    expect(found.mean, "w_plaq");
    expect(found.spatial, "s_plaq");
    expect(found.temporal, "t_plaq");
    expect(found.link_trace, "link_trace_over_3");
    // What the file itself records.
    if (file.header.plaquette) {
      EXPECT_NEAR(*file.header.plaquette, found.mean, file.header.recorded_tolerance);
    }
    if (file.header.link_trace) {
      EXPECT_NEAR(*file.header.link_trace, found.link_trace, file.header.recorded_tolerance);
    }
  }
}

TEST(PublishedGaugeFiles, HeadersSayWhatTheFilesAre) {
  const Comm comm = Comm::world();
  struct Expected {
    std::string format;
    int bits, rows;
    bool big_endian;
    std::size_t checksums;
    std::optional<double> plaquette;
  };
  const std::map<std::string, Expected> files{
      {"milc/lat.sample.l4444", {"MILC v5", 32, 3, false, 2, {}}},
      {"milc/lat.sample.l4448", {"MILC v5", 32, 3, true, 2, {}}},
      {"milc/lat.sample.inst", {"MILC", 32, 3, false, 0, {}}},
      {"milc/lat.sample.l4444.ildg", {"ILDG", 32, 3, true, 2, {}}},
      {"milc/lat.sample.l4444.scidac", {"SciDAC", 32, 3, true, 2, {}}},
      {"gattbx/nersc.l8t4b3360", {"NERSC", 64, 3, true, 1, 0.5038664469}},
      {"qdpxx/t_nersc.cfg", {"NERSC", 32, 2, true, 1, 0.0382422893}},
      {"qlua/random-gauge.nersc", {"NERSC", 32, 2, true, 1, 0.994765}},
      {"slaph/conf.1000", {"ILDG", 64, 3, true, 2, 0.604379109408}},
      {"lyncs/unity.lime", {"ILDG", 64, 3, true, 2, 1.0}},
      {"qdpxx/t_dprec_ildg.lime", {"ILDG", 64, 3, true, 2, {}}},
      {"chroma_weakfield/weak_field.lime", {"ILDG", 64, 3, true, 2, {}}},
      // Records 3 times the plaquette.
      {"derived/openqcd_from_milc_l4444.oqcd", {"openQCD", 64, 3, false, 0, 0.594850158947151}}};
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(file.first);
  KOV_SKIP_WITHOUT_DATA(names);
  for (const auto& [name, expected] : files) {
    SCOPED_TRACE(name);
    const GaugeHeader header = read_gauge_header(comm, data_folder() / name);
    EXPECT_EQ(header.format, expected.format);
    EXPECT_EQ(header.bits, expected.bits);
    EXPECT_EQ(header.rows, expected.rows);
    EXPECT_EQ(header.big_endian, expected.big_endian);
    EXPECT_EQ(header.checksums.size(), expected.checksums);
    EXPECT_FALSE(header.metadata.empty());
    ASSERT_EQ(header.plaquette.has_value(), expected.plaquette.has_value());
    if (header.plaquette) {
      EXPECT_NEAR(*header.plaquette, *expected.plaquette, 1e-15);
    }
  }
}

TEST(PublishedGaugeFiles, TheSameFieldInFourFormatsHasBitwiseTheSameLinks) {
  const std::vector<std::string> others{"milc/lat.sample.l4444.ildg", "milc/lat.sample.l4444.scidac",
                                        "derived/openqcd_from_milc_l4444.oqcd"};
  KOV_SKIP_WITHOUT_DATA("milc/lat.sample.l4444");
  KOV_SKIP_WITHOUT_DATA(others);
  const Comm comm = Comm::world();
  const std::vector<double> milc = read_whole(comm, data_folder() / "milc/lat.sample.l4444").links;
  for (const std::string& other : others) {
    EXPECT_EQ(read_whole(comm, data_folder() / other).links, milc) << other;
  }
}

TEST(PublishedGaugeFiles, EveryDecompositionReadsTheSameLinks) {
  const std::vector<std::string> names{"milc/lat.sample.l4448", "gattbx/nersc.l8t4b3360", "qlua/random-gauge.nersc",
                                       "chroma_weakfield/weak_field.lime", "derived/openqcd_from_milc_l4444.oqcd"};
  KOV_SKIP_WITHOUT_DATA(names);
  const Comm comm = Comm::world();
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const std::vector<double> alone = read_whole(Comm::self(), data_folder() / name).links;
    const Coord extent = read_gauge_header(comm, data_folder() / name).extent;
    for (const Coord& grid : grids(extent, comm.size())) {
      EXPECT_EQ(read_whole(comm, data_folder() / name, Geometry(extent, grid, comm.rank(), comm.size())).links, alone)
          << to_string(grid);
    }
  }
}

// One quotation mark too few, as another code wrote it: QIO reads such files.
TEST(GaugeFiles, AnUnterminatedAttributeIsReadWithAWarning) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Coord extent{4, 4, 2, 4};
  const Geometry geometry = geometry_on(comm, extent);
  const std::vector<double> links = random_links(extent);
  write_gauge_file(comm, folder / "good", geometry, box_of(links, geometry), {});
  EXPECT_TRUE(read_gauge_header(comm, folder / "good").warnings.empty());
  std::string bytes = bytes_of(folder / "good");
  const std::string name = "http://www.lqcd.org/ildg\"";
  const std::size_t at = bytes.find(name);
  ASSERT_NE(at, std::string::npos);
  bytes[at + name.size() - 1] = ' ';
  write_bytes(comm, folder / "unterminated", bytes);
  const WholeFile read = read_whole(comm, folder / "unterminated");
  EXPECT_EQ(read.links, links);
  ASSERT_EQ(read.header.warnings.size(), 1u);
  EXPECT_TRUE(contains(read.header.warnings[0], "ildg-format is not XML")) << read.header.warnings[0];
}

// Such extents must not reach a division.
TEST(GaugeFiles, ExtentsThatNoLatticeHasAreRefused) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Geometry geometry = geometry_on(comm, {2, 2, 2, 4});
  write_gauge_file(comm, folder / "good", geometry, box_of(random_links({2, 2, 2, 4}), geometry), {});
  std::string bytes = bytes_of(folder / "good");
  for (const char* record : {"scidac-private-file-xml", "ildg-format"}) {
    const std::size_t at = bytes.find(record);
    ASSERT_NE(at, std::string::npos);
    bytes[at] = 'X';
  }
  write_bytes(comm, folder / "bare", bytes);
  EXPECT_EQ(read_gauge_header(comm, folder / "bare", {.extent = Coord{2, 2, 2, 4}}).extent, (Coord{2, 2, 2, 4}));
  for (const Coord& extent : {Coord{0, 4, 4, 4}, Coord{4, 4, 4, -8}, Coord{4, 70000, 4, 4}}) {
    const std::string message =
        message_of<InputError>([&] { read_gauge_header(comm, folder / "bare", {.extent = extent}); });
    EXPECT_TRUE(contains(message, "must be 1 to 65535")) << message;
  }
}

TEST(PublishedGaugeFiles, ScidacFileWithoutExtentsNeedsThemFromTheCaller) {
  KOV_SKIP_WITHOUT_DATA("milc/lat.sample.l4444", "milc/lat.sample.l4444.scidac");
  const Comm comm = Comm::world();
  const Folder folder(comm);
  // The same file with its only record of the extents renamed.
  std::string bytes = bytes_of(data_folder() / "milc/lat.sample.l4444.scidac");
  const std::size_t at = bytes.find("scidac-private-file-xml");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 6, "hidden");
  write_bytes(comm, folder / "bare", bytes);
  const std::string message = message_of<InputError>([&] { read_gauge_header(comm, folder / "bare"); });
  EXPECT_TRUE(contains(message, "give the extents")) << message;
  const ReadOptions options{.extent = Coord{4, 4, 4, 4}};
  EXPECT_EQ(read_whole(comm, folder / "bare", options).links,
            read_whole(comm, data_folder() / "milc/lat.sample.l4444").links);
  const ReadOptions wrong{.extent = Coord{4, 4, 4, 8}};
  EXPECT_THROW(read_gauge_header(comm, folder / "bare", wrong), FormatError);
}

TEST(PublishedGaugeFiles, ExtentsThatContradictTheFileAreRefused) {
  KOV_SKIP_WITHOUT_DATA("milc/lat.sample.l4444.ildg");
  const Comm comm = Comm::world();
  const auto path = data_folder() / "milc/lat.sample.l4444.ildg";
  EXPECT_THROW(read_gauge_header(comm, path, {.extent = Coord{4, 4, 4, 8}}), InputError);
  const Geometry other = geometry_on(comm, {4, 4, 4, 8});
  std::vector<double> links(std::size_t(other.local_volume()) * reals_per_site);
  EXPECT_THROW(read_gauge_file(comm, path, other, links), InputError);
  const Geometry right = geometry_on(comm, {4, 4, 4, 4});
  EXPECT_THROW(read_gauge_file(comm, path, right, std::span(links).first(72)), InputError);
}

}  // namespace
}  // namespace kov::test
