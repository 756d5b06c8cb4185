// SPDX-License-Identifier: MIT
#include "kov/core/io/hdf5.hpp"
#include "kov/stencil/gauge/gauge_fixing.hpp"
#include "kov/stencil/io/gauge_io.hpp"
#include "kov/stencil/io/transformation_io.hpp"
#include "tests/core/io/io_support.hpp"
#include "tests/reference/gather.hpp"
#include "tests/support/lattices.hpp"

#include <gtest/gtest.h>

namespace kov::test {
namespace {

using reference::GlobalArray;

Field<ColorMatrix, double> transformation_on(const Lattice& lattice, const GlobalArray& g) {
  const Field<ColorMatrix, double> field(lattice, "g");
  load(field, g);
  return field;
}

TEST(TransformationFile, KeepsEveryBitAndIsReadOnAnyDecomposition) {
  if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Coord extent{4, 4, 4, 8};
  const GlobalArray g = reference::random_su3(extent, 1, 3);
  for (const Coord& grid : grids(extent, comm.size())) {
    const Lattice lattice(comm, extent, {.grid = grid});
    write_transformation(transformation_on(lattice, g), folder / "g.h5", {{"GAUGE", "landau"}});
    EXPECT_EQ(folder.files(), 1u);
    const Lattice other(comm, extent, {.grid = grids(extent, comm.size()).front()});
    EXPECT_EQ(max_difference(read_transformation(other, folder / "g.h5"), g), 0) << to_string(grid);
    EXPECT_EQ(std::get<std::string>(Hdf5File::open(folder / "g.h5").attribute("/transformation", "GAUGE")), "landau");
    comm.barrier();
  }
}

TEST(TransformationFile, GivesTheFixedLinksAgain) {
  if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Lattice lattice(comm, {4, 4, 4, 8});
  const auto gauge = gauge_field(lattice, reference::random_su3(lattice.extent(), 4, 1));
  const auto g = temporal_gauge(gauge);
  write_transformation(g, folder / "g.h5");
  const GlobalArray fixed = reference::gather(gauge_transform(gauge, g));
  EXPECT_EQ(max_difference(gauge_transform(gauge, read_transformation(lattice, folder / "g.h5")), fixed), 0);
}

/// The message of the error that reading the file throws.
std::string refusal(const Lattice& lattice, const std::filesystem::path& path) {
  try {
    read_transformation(lattice, path);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(TransformationFile, DamagedAndForeignOnesAreRefused) {
  if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  const Comm comm = Comm::world();
  const Folder folder(comm);
  const Coord extent{4, 4, 4, 8};
  const Lattice lattice(comm, extent);
  const GlobalArray g = reference::random_su3(extent, 1, 3);
  const auto good = folder / "good.h5", bad = folder / "bad.h5";
  write_transformation(transformation_on(lattice, g), good);
  const std::string bytes = bytes_of(good);
  comm.barrier();
  const auto damaged = [&](const std::string& content) {
    write_bytes(comm, bad, content);
    EXPECT_THROW(read_transformation(lattice, bad), Error);
    return refusal(lattice, bad);
  };
  std::string flipped = bytes;
  // One bit of a number in the middle of the matrices.
  const double value = g.at({1, 2, 3, 5})[4].real();
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(&value), 8));
  ASSERT_NE(at, std::string::npos);
  flipped[at + 2] = char(flipped[at + 2] ^ 4);
  if (comm.size() == 1) {
    EXPECT_NE(damaged(flipped).find("it is damaged"), std::string::npos) << damaged(flipped);
    damaged(bytes.substr(0, bytes.size() / 2));
    damaged("no HDF5 at all");
    EXPECT_NE(refusal(lattice, folder / "absent.h5").find("absent.h5"), std::string::npos);
  } else {
    damaged(flipped);
    damaged(bytes.substr(0, bytes.size() / 2));
  }
  EXPECT_NE(refusal(Lattice(comm, {4, 4, 4, 4}), good).find("4 4 4 8"), std::string::npos);
  write_gauge(gauge_field(lattice, reference::random_su3(extent, 4, 1)), folder / "links.h5",
              {.format = GaugeFormat::hdf5});
  EXPECT_NE(refusal(lattice, folder / "links.h5").find("no gauge transformation"), std::string::npos);

  GlobalArray scaled = g;
  scaled.at({3, 0, 2, 6})[0] += 0.01;
  EXPECT_THROW(write_transformation(transformation_on(lattice, scaled), folder / "scaled.h5"), FormatError);
  EXPECT_FALSE(std::filesystem::exists(folder / "scaled.h5"));
  EXPECT_THROW(write_transformation(GaugeField<double>(lattice, "links", 4), bad), InputError);
  EXPECT_THROW(write_transformation(transformation_on(lattice, g), folder / "absent" / "g.h5"), Error);
}

}  // namespace
}  // namespace kov::test
