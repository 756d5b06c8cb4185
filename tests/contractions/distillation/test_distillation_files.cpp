// SPDX-License-Identifier: MIT
//
// Eigenvectors and matrices of time slices in files: what was written comes back in 64, 32 and 16 bits, on any ranks.
#include "docs_distillation_example.hpp"
#include "kov/contractions/distillation/eigenvector_file.hpp"
#include "kov/contractions/distillation/slice_matrix_file.hpp"
#include "kov/core/field/convert.hpp"
#include "kov/core/io/hdf5.hpp"
#include "tests/core/io/io_support.hpp"
#include "tests/reference/gather.hpp"
#include "tests/reference/near_unit_links.hpp"

#include <gtest/gtest.h>

namespace kov {
namespace test_distillation_files {

using reference::gather;
using reference::GlobalArray;

class DistillationFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED files of distillation: this build has no HDF5";
  }
  Comm comm_ = Comm::world();
  test::Folder folder_{comm_};
  Lattice lattice_{comm_, {4, 4, 6, 4}};
};

template <class T>
SliceEigenvectors<T> made_up_eigenvectors(const Lattice& lattice) {
  SliceEigenvectors<T> made{.vectors = reference::random_field<ColorVector, T>(lattice, 3, 5),
                            .values = std::vector<double>(12),
                            .residuals = std::vector<double>(12, 1e-11),
                            .report = {}};
  for (std::size_t i = 0; i < 12; ++i) made.values[i] = std::sqrt(double(i));
  return made;
}

TEST_F(DistillationFiles, GiveEigenvectorsBack) {
  const auto made = made_up_eigenvectors<double>(lattice_);
  const GlobalArray wanted = gather(made.vectors);
  for (const int bits : {64, 32, 16}) {
    const auto path = folder_ / ("vectors" + std::to_string(bits) + ".h5");
    write_eigenvectors(path, made, bits, {{"configuration", "1000"}, {"rho", 0.1}, {"steps", std::int64_t(2)}});
    const EigenvectorHeader header = read_eigenvector_header(comm_, path);
    EXPECT_EQ(header.extent, lattice_.extent());
    EXPECT_EQ(header.n, 3);
    EXPECT_EQ(header.bits, bits);
    EXPECT_EQ(header.labels.at("configuration"), LabelValue("1000"));
    EXPECT_EQ(header.labels.at("rho"), LabelValue(0.1));
    EXPECT_EQ(header.labels.at("steps"), LabelValue(std::int64_t(2)));
    const auto read = read_eigenvectors<double>(lattice_, path);
    EXPECT_EQ(read.values, made.values);
    EXPECT_EQ(read.residuals, made.residuals);
    const GlobalArray found = gather(read.vectors);
    double worst_of_site = 0;
    reference::for_each_coordinate(wanted.extent, [&](const Coord& x) {
      for (int vector = 0; vector < 3; ++vector) {
        double largest = 0, difference = 0;
        for (int a = 0; a < 3; ++a) {
          const auto z = wanted.at(x)[3 * vector + a], w = found.at(x)[3 * vector + a];
          largest = std::max({largest, std::abs(z.real()), std::abs(z.imag())});
          difference = std::max({difference, std::abs(z.real() - w.real()), std::abs(z.imag() - w.imag())});
        }
        worst_of_site = max_or_nan(worst_of_site, difference / largest);
      }
    });
    EXPECT_LE(worst_of_site, bits == 64 ? 0 : bits == 32 ? 0x1p-24 : 0x1.01p-16) << bits;
    EXPECT_EQ(worst_of_site > 0, bits < 64) << bits;
  }
  const auto in_float = made_up_eigenvectors<float>(lattice_);
  write_eigenvectors(folder_ / "float.h5", in_float, 32);
  EXPECT_EQ(gather(read_eigenvectors<float>(lattice_, folder_ / "float.h5").vectors).data,
            gather(in_float.vectors).data);
}

TEST_F(DistillationFiles, GiveEigenvectorsInGroups) {
  const auto made = made_up_eigenvectors<double>(lattice_);
  write_eigenvectors(folder_ / "vectors.h5", made);
  const auto groups = eigenvector_groups<double>(lattice_, folder_ / "vectors.h5", 2);
  ASSERT_EQ(groups.n_groups(), 2);
  for (const int group : {1, 0, 0}) {
    const Field<ColorVector, double> found(lattice_, "found", group == 0 ? 2 : 1), expected = found.like("expected");
    ASSERT_EQ(groups(group).n_components(), found.n_components());
    copy_components(groups(group), 0, found, 0, found.n_components());
    copy_components(made.vectors, groups.first(group), expected, 0, found.n_components());
    EXPECT_EQ(gather(found).data, gather(expected).data);
  }
}

TEST_F(DistillationFiles, HaveWhatIsFoundInGroupsOfSlices) {
  const auto gauge = reference::gauge_field(lattice_, reference::random_su3(lattice_.extent(), 4, 3));
  const LaplacianEigenParameters parameters{.n = 3};
  const auto expected = laplacian_eigenvectors_in_groups(gauge, parameters, 2);
  EigenvectorWriter writer(folder_ / "vectors.h5", lattice_, 3);
  const auto found = laplacian_eigenvectors_in_groups(
      gauge, parameters, 2,
      TakeSlices<double>([&](const LaplacianEigenvectors<double>& some, const std::vector<int>& times) {
        writer.write(some.vectors, times);
      }));
  writer.finish(found.values, found.residuals, {{"configuration", "1000"}});
  const auto read = read_eigenvectors<double>(lattice_, folder_ / "vectors.h5");
  EXPECT_EQ(gather(read.vectors).data, gather(expected.vectors).data);
  EXPECT_EQ(read.values, expected.values);
  EXPECT_EQ(read.residuals, expected.residuals);
  EXPECT_EQ(read_eigenvector_header(comm_, folder_ / "vectors.h5").labels.at("configuration"), LabelValue("1000"));
  EXPECT_THROW(EigenvectorWriter(folder_ / "other.h5", lattice_, 2).write(expected.vectors, {0, 1, 2, 3}), InputError);
  EXPECT_THROW(EigenvectorWriter(folder_ / "other.h5", lattice_, 3).write(expected.vectors, {0, 1}), InputError);
}

SliceMatrices made_up_matrices(const Lattice& lattice, int per_slice, int rows, int columns) {
  SliceMatrices made(lattice, per_slice, rows, columns);
  for (int t = 0; t < made.n_slices; ++t)
    for (std::size_t i = 0; i < made.size_of_slice(); ++i)
      made.at(t)[i] = {std::sin(1.0 + double(i)), std::cos(double(i) * (made.first + t))};
  return made;
}

TEST_F(DistillationFiles, GiveMatricesBackSliceBySlice) {
  const SliceMatrices made = made_up_matrices(lattice_, 2, 5, 7);
  for (const int bits : {64, 32, 16}) {
    const auto path = folder_ / ("matrices" + std::to_string(bits) + ".h5");
    write_slice_matrices(
        path, lattice_, made,
        {.kind = "perambulators", .names = {"a", "b"}, .labels = {{"source_time", std::int64_t(3)}}, .bits = bits});
    const SliceMatrixFile file(path);
    EXPECT_EQ(file.header().kind, "perambulators");
    EXPECT_EQ(file.header().names, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(file.header().labels.at("source_time"), LabelValue(std::int64_t(3)));
    EXPECT_EQ(file.header().bits, bits);
    EXPECT_EQ(file.header().rows, 5);
    EXPECT_EQ(file.header().columns, 7);
    const double error = bits == 64 ? 0 : bits == 32 ? 0x1p-24 : 0x1.01p-16;
    for (int t = 0; t < 4; ++t) {
      const auto wanted = slice_on_all_ranks(lattice_, made, t);
      const auto slice = file.read(t), second = file.read(t, 1);
      ASSERT_EQ(slice.size(), wanted.size());
      for (std::size_t i = 0; i < slice.size(); ++i) EXPECT_LE(std::abs(slice[i] - wanted[i]), 1.5 * error);
      EXPECT_TRUE(std::equal(second.begin(), second.end(), slice.begin() + 35));
    }
    SliceMatrixHeader header;
    const SliceMatrices here = read_slice_matrices(lattice_, path, &header);
    EXPECT_EQ(here.first, made.first);
    EXPECT_EQ(header.n_slices, 4);
    for (std::size_t i = 0; i < here.values.size(); ++i)
      EXPECT_LE(std::abs(here.values[i] - made.values[i]), 1.5 * error);
    EXPECT_THROW(file.read(4), InputError);
    EXPECT_THROW(file.read(0, 2), InputError);
  }
  const Elementals elementals{{{spatial_operator("dx"), {1, 0, 0}}}, made_up_matrices(lattice_, 1, 3, 3)};
  write_elementals(folder_ / "elementals.h5", lattice_, elementals, 32, {{"configuration", "7"}});
  const SliceMatrixFile file(folder_ / "elementals.h5");
  EXPECT_EQ(file.header().kind, "elementals");
  EXPECT_EQ(elemental_label(file.header().names.at(0)), elementals.labels[0]);
}

TEST_F(DistillationFiles, AreCompleteOrAbsentAndSayWhatIsWrong) {
  const auto made = made_up_eigenvectors<double>(lattice_);
  const SliceMatrices matrices = made_up_matrices(lattice_, 1, 3, 3);
  EXPECT_THROW(write_eigenvectors(folder_ / "bits.h5", made, 8), Error);
  EXPECT_THROW(write_slice_matrices(folder_ / "bits.h5", lattice_, matrices, {.kind = "x", .bits = 24}), Error);
  EXPECT_THROW(write_slice_matrices(folder_ / "names.h5", lattice_, matrices, {.kind = "x", .names = {"a", "b"}}),
               InputError);
  comm_.barrier();
  EXPECT_EQ(folder_.files(), 0u);
  comm_.barrier();
  write_eigenvectors(folder_ / "vectors.h5", made);
  write_slice_matrices(folder_ / "matrices.h5", lattice_, matrices, {.kind = "x"});
  const Lattice other(comm_, {4, 4, 4, 8});
  EXPECT_THROW(read_eigenvectors<double>(other, folder_ / "vectors.h5"), Error);
  EXPECT_THROW(read_slice_matrices(other, folder_ / "matrices.h5"), Error);
  EXPECT_THROW(read_eigenvectors<double>(lattice_, folder_ / "matrices.h5"), Error);
  EXPECT_THROW(SliceMatrixFile(folder_ / "vectors.h5"), FormatError);
  comm_.barrier();
  if (comm_.rank() == 0) {
    std::fstream file(folder_ / "matrices.h5", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-5, std::ios::end);
    file.put('x');
  }
  comm_.barrier();
  EXPECT_THROW(SliceMatrixFile(folder_ / "matrices.h5"), FormatError);
}

TEST_F(DistillationFiles, AreMadeByTheExampleOfTheGuide) {
  const Lattice lattice(comm_, {4, 4, 4, 4});
  distil(reference::gauge_field(lattice, reference::near_unit_links(lattice.extent(), 3)), (folder_ / "run").string());
  comm_.barrier();
  EXPECT_EQ(read_eigenvector_header(comm_, folder_ / "run.vectors.h5").n, 8);
  EXPECT_EQ(SliceMatrixFile(folder_ / "run.elementals.h5").header().names.size(), 21u);
  const SliceMatrixFile file(folder_ / "run.t000.h5");
  EXPECT_EQ(file.header().rows, 32);
  EXPECT_EQ(file.header().columns, 32);
  double size = 0;
  for (const auto& z : file.read(0)) size += std::norm(z);
  EXPECT_GT(size, 0.1);
}

}  // namespace test_distillation_files
}  // namespace kov
