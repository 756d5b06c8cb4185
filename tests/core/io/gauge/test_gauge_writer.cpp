// SPDX-License-Identifier: MIT
//
// What is written is read back bit for bit, from any decomposition to any other; failures leave nothing.
#include "kov/core/io/gauge/gauge_file.hpp"
#include "kov/core/io/hdf5.hpp"
#include "tests/core/io/io_support.hpp"
#include "tests/reference/plaquette.hpp"

#include <limits>

namespace kov::test {
namespace {

const std::vector<GaugeFormat>& formats() {
  static const std::vector<GaugeFormat> all = [] {
    std::vector<GaugeFormat> list{GaugeFormat::nersc, GaugeFormat::nersc_two_rows, GaugeFormat::ildg};
    if (has_hdf5()) list.push_back(GaugeFormat::hdf5);
    return list;
  }();
  return all;
}

const char* name(GaugeFormat format) {
  switch (format) {
    case GaugeFormat::nersc:
      return "NERSC";
    case GaugeFormat::nersc_two_rows:
      return "NERSC 3x2";
    case GaugeFormat::ildg:
      return "ILDG";
    case GaugeFormat::hdf5:
      return "HDF5";
  }
  return "?";
}

/// The links that a reader will find: rounded to the precision, the third row completed if it is left out.
std::vector<double> stored(std::vector<double> links, GaugeFormat format, int bits) {
  if (bits == 32) {
    // Through memory: GCC 12.2 at -O2 has been seen to leave the rounding out of double(float(x)) on pairs.
    const std::vector<float> rounded(links.begin(), links.end());
    links.assign(rounded.begin(), rounded.end());
  }
  if (format != GaugeFormat::nersc_two_rows) return links;
  for (std::size_t i = 0; i < links.size(); i += 18) {
    using C = std::complex<double>;
    const auto at = [&](std::size_t k) { return C(links[i + 2 * k], links[i + 2 * k + 1]); };
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
      const C c = std::conj(at(a) * at(3 + b) - at(b) * at(3 + a));
      links[i + 12 + 2 * k] = c.real();
      links[i + 13 + 2 * k] = c.imag();
    }
  }
  return links;
}

TEST(GaugeWrite, RoundTripOfEveryFormatPrecisionAndDecomposition) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Coord extent{4, 4, 2, 8};
  const std::vector<double> links = random_links(extent);
  const reference::Plaquettes values = reference::plaquettes(links, extent);
  for (const GaugeFormat format : formats()) {
    for (const int bits : {32, 64}) {
      SCOPED_TRACE(sentence(name(format), bits));
      const std::vector<double> expected = stored(links, format, bits);
      for (const Coord& grid : grids(extent, comm.size())) {
        SCOPED_TRACE(to_string(grid));
        const Geometry geometry(extent, grid, comm.rank(), comm.size());
        const WriteOptions options{
            .format = format, .bits = bits, .plaquette = values.mean, .link_trace = values.link_trace};
        write_gauge_file(comm, folder / "cfg", geometry, box_of(links, geometry), options);
        const WholeFile file = read_whole(comm, folder / "cfg", geometry);
        if (format == GaugeFormat::nersc_two_rows) {
          // Test and reader compute the third row with different code.
          for (std::size_t i = 0; i < expected.size(); ++i)
            ASSERT_NEAR(file.links[i], expected[i], 4 * std::numeric_limits<double>::epsilon());
        } else {
          EXPECT_EQ(file.links, expected);
        }
        EXPECT_EQ(read_whole(Comm::self(), folder / "cfg").links, file.links);
        EXPECT_EQ(file.header.extent, extent);
        EXPECT_EQ(file.header.bits, bits);
        EXPECT_EQ(file.header.rows, format == GaugeFormat::nersc_two_rows ? 2 : 3);
        EXPECT_FALSE(file.header.checksums.empty());
        ASSERT_TRUE(file.header.plaquette && file.header.link_trace);
        EXPECT_NEAR(*file.header.plaquette, values.mean, 1e-14);
        EXPECT_NEAR(*file.header.link_trace, values.link_trace, 1e-14);
        const reference::Plaquettes found = reference::plaquettes(file.links, extent);
        EXPECT_NEAR(found.mean, values.mean, file.header.recorded_tolerance);
        EXPECT_EQ(folder.files(), 1u) << "a temporary file was left";
        comm.barrier();
      }
    }
  }
}

TEST(GaugeWrite, TheFileDoesNotDependOnTheDecomposition) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Coord extent{4, 4, 4, 8};
  const std::vector<double> links = random_links(extent);
  for (const GaugeFormat format : formats()) {
    const WriteOptions options{.format = format, .date = "today"};
    if (comm.rank() == 0)
      write_gauge_file(Comm::self(), folder / "alone", Geometry(extent, {1, 1, 1, 1}, 0, 1), links, options);
    comm.barrier();
    for (const Coord& grid : grids(extent, comm.size())) {
      const Geometry geometry(extent, grid, comm.rank(), comm.size());
      write_gauge_file(comm, folder / "together", geometry, box_of(links, geometry), options);
      EXPECT_TRUE(bytes_of(folder / "together") == bytes_of(folder / "alone"))
          << name(format) << " " << to_string(grid);
      comm.barrier();
    }
  }
}

TEST(GaugeWrite, IldgAndHdf5HaveTheSameChecksums) {
  if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Coord extent{4, 2, 2, 4};
  const Geometry geometry = geometry_on(comm, extent);
  const std::vector<double> links = box_of(random_links(extent), geometry);
  for (const int bits : {32, 64}) {
    write_gauge_file(comm, folder / "a", geometry, links, {.format = GaugeFormat::ildg, .bits = bits});
    write_gauge_file(comm, folder / "b", geometry, links, {.format = GaugeFormat::hdf5, .bits = bits});
    EXPECT_EQ(read_gauge_header(comm, folder / "a").checksums, read_gauge_header(comm, folder / "b").checksums);
  }
}

TEST(GaugeWrite, PublishedChecksumsComeOutAgain) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  struct Case {
    const char* file;
    GaugeFormat format;
    int bits;
  };
  for (const Case& c : {Case{"milc/lat.sample.l4444.ildg", GaugeFormat::ildg, 32},
                        Case{"chroma_weakfield/weak_field.lime", GaugeFormat::ildg, 64},
                        Case{"gattbx/nersc.l8t4b3360", GaugeFormat::nersc, 64},
                        Case{"qdpxx/t_nersc.cfg", GaugeFormat::nersc_two_rows, 32},
                        Case{"qlua/random-gauge.nersc", GaugeFormat::nersc_two_rows, 32}}) {
    KOV_SKIP_WITHOUT_DATA(c.file);
    SCOPED_TRACE(c.file);
    const WholeFile original = read_whole(comm, data_folder() / c.file);
    const Geometry geometry = geometry_on(comm, original.header.extent);
    write_gauge_file(comm, folder / "copy", geometry, box_of(original.links, geometry),
                     {.format = c.format, .bits = c.bits});
    const WholeFile copy = read_whole(comm, folder / "copy");
    EXPECT_EQ(copy.header.checksums, original.header.checksums);
    EXPECT_EQ(copy.links, original.links);
    comm.barrier();
  }
}

TEST(GaugeWrite, MetadataSurviveAndCannotForgeTheHeader) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Coord extent{2, 2, 2, 4};
  const Geometry geometry = geometry_on(comm, extent);
  const std::vector<double> links = box_of(random_links(extent), geometry);
  const std::vector<std::pair<std::string, std::string>> metadata{{"beta", "6.0"},
                                                                  {"ENSEMBLE_ID", "quenched"},
                                                                  {"note", "a < b & c\nEND_HEADER\nDIMENSION_1 = 9"},
                                                                  {"checksum", "12345678"},
                                                                  {"plaq", "<plaq>7</plaq>"}};
  for (const GaugeFormat format : formats()) {
    SCOPED_TRACE(name(format));
    write_gauge_file(comm, folder / "cfg", geometry, links,
                     {.format = format, .plaquette = 0.25, .metadata = metadata});
    const WholeFile file = read_whole(comm, folder / "cfg");
    EXPECT_EQ(file.header.extent, extent);
    EXPECT_EQ(file.header.plaquette, 0.25);
    std::string all;
    for (const auto& [key, value] : file.header.metadata) all += key + " = " + value + "\n";
    for (const char* text : {"6.0", "quenched", "a ", "12345678"})
      EXPECT_TRUE(contains(all, text)) << text << " is not in " << all;
    comm.barrier();
  }
  const std::string longest(2 << 20, 'x');
  for (const GaugeFormat format : {GaugeFormat::nersc, GaugeFormat::ildg}) {
    EXPECT_ANY_THROW(
        write_gauge_file(comm, folder / "long", geometry, links, {.format = format, .metadata = {{"note", longest}}}));
  }
  EXPECT_EQ(folder.files(), 1u);
}

TEST(GaugeWrite, LinksThatDoNotFitAreRefusedAndNothingRemains) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Coord extent{4, 2, 2, 4};
  const Geometry geometry = geometry_on(comm, extent);
  const std::vector<double> good = random_links(extent);
  const std::size_t at = std::size_t(lexicographic({3, 1, 0, 2}, extent)) * 72 + 18 + 14;
  const auto refused = [&](double value, const WriteOptions& options, const std::string& part) {
    std::vector<double> bad = good;
    bad[at] = value;
    const std::string message = message_of<InputError>(
        [&] { write_gauge_file(comm, folder / "cfg", geometry, box_of(bad, geometry), options); });
    EXPECT_TRUE(contains(message, "direction 1 at site 3 1 0 2 " + part)) << message;
    comm.barrier();
    EXPECT_EQ(folder.files(), 0u);
  };
  refused(std::nan(""), {}, "is not finite");
  refused(std::numeric_limits<double>::infinity(), {}, "is not finite");
  refused(1e39, {.bits = 32}, "does not fit 32-bit");
  refused(0.5, {.format = GaugeFormat::nersc_two_rows}, "is not in SU(3)");
  const std::vector<double> box = box_of(good, geometry);
  EXPECT_THROW(write_gauge_file(comm, folder / "cfg", geometry, box, {.bits = 16}), InputError);
  EXPECT_THROW(write_gauge_file(comm, folder / "cfg", geometry, box, {.plaquette = std::nan("")}), InputError);
  EXPECT_THROW(write_gauge_file(comm, folder / "cfg", geometry, std::span(box).first(72), {}), InputError);
  comm.barrier();
  EXPECT_EQ(folder.files(), 0u);
}

TEST(GaugeWrite, TargetsThatCannotBeFilesAreRefusedOnEveryRank) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Coord extent{2, 2, 2, 4};
  const Geometry geometry = geometry_on(comm, extent);
  const std::vector<double> links = box_of(random_links(extent), geometry);
  for (const GaugeFormat format : formats()) {
    for (const std::filesystem::path& target :
         {folder.path(), folder / "missing/cfg", std::filesystem::path("/dev/null"), std::filesystem::path()}) {
      // Rank 0 throws InputError, the others quote it.
      std::string message;
      try {
        write_gauge_file(comm, target, geometry, links, {.format = format});
      } catch (const InputError& e) {
        message = e.what();
      } catch (const CommError& e) {
        EXPECT_NE(comm.rank(), 0);
        message = e.what();
      }
      EXPECT_TRUE(contains(message, "cannot write")) << target << message;
    }
  }
  EXPECT_EQ(folder.files(), 0u);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(GaugeWrite, AFullDiskLeavesNothing) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Coord extent{4, 4, 4, 4};
  const Geometry geometry = geometry_on(comm, extent);
  const std::vector<double> links = box_of(random_links(extent), geometry);
  for (const GaugeFormat format : formats()) {
    SCOPED_TRACE(name(format));
    for (const rlim_t bytes : {rlim_t(100), rlim_t(4096), rlim_t(80000)}) {
      {
        const FileSizeLimit limit(bytes);
        EXPECT_ANY_THROW(write_gauge_file(comm, folder / "cfg", geometry, links, {.format = format}));
      }
      comm.barrier();
      EXPECT_EQ(folder.files(), 0u);
      comm.barrier();
    }
    // Once there is room again, writing works.
    write_gauge_file(comm, folder / "cfg", geometry, links, {.format = format});
    EXPECT_EQ(read_whole(comm, folder / "cfg").header.extent, extent);
    comm.barrier();
    if (comm.rank() == 0) std::filesystem::remove(folder / "cfg");
  }
}

TEST(GaugeWrite, AFailureLeavesTheOldFileAsItWas) {
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Coord extent{4, 2, 2, 4};
  const Geometry geometry = geometry_on(comm, extent);
  std::vector<double> links = box_of(random_links(extent), geometry);
  write_gauge_file(comm, folder / "cfg", geometry, links, {});
  const std::string before = bytes_of(folder / "cfg");
  links[5] = std::nan("");
  EXPECT_ANY_THROW(write_gauge_file(comm, folder / "cfg", geometry, links, {}));
  EXPECT_EQ(bytes_of(folder / "cfg"), before);
  comm.barrier();
  EXPECT_EQ(folder.files(), 1u);
}

TEST(GaugeWrite, FormatsHaveNames) {
  EXPECT_EQ(gauge_format("nersc"), GaugeFormat::nersc);
  EXPECT_EQ(gauge_format("nersc-3x2"), GaugeFormat::nersc_two_rows);
  EXPECT_EQ(gauge_format("ildg"), GaugeFormat::ildg);
  EXPECT_EQ(gauge_format("hdf5"), GaugeFormat::hdf5);
  EXPECT_THROW(gauge_format("NetCDF"), InputError);
}

}  // namespace
}  // namespace kov::test
