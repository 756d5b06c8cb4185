// SPDX-License-Identifier: MIT
//
// Lists of texts, and dimensions with labels and scales.
#include "kov/core/io/hdf5.hpp"
#include "tests/core/io/io_support.hpp"

namespace kov::test {
namespace {

class Hdf5Scales : public testing::Test {
 protected:
  Hdf5Scales() : folder(Comm::self()), path(folder / "file.h5") {}
  void SetUp() override {
    if (!has_hdf5()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  }
  Folder folder;
  std::filesystem::path path;
};

TEST_F(Hdf5Scales, ListsOfTextsComeBack) {
  const std::vector<std::string> texts{"conf.1000", "", "Umlaut \xc3\xa4", std::string(100000, 'x')};
  Hdf5File file = Hdf5File::create(path);
  file.write_texts("/axes/name", texts);
  file.write_texts("/axes/none", {});
  file.write<std::int64_t>("/numbers", std::vector<std::int64_t>{1, 2}, {2});
  EXPECT_THROW(file.write_texts("/axes/name", texts), InputError) << "there is one of that name";
  file.commit();
  const Hdf5File again = Hdf5File::open(path);
  EXPECT_EQ(again.read_texts("/axes/name"), texts);
  EXPECT_TRUE(again.read_texts("/axes/none").empty());
  EXPECT_THROW(again.read_texts("/numbers"), FormatError);
  EXPECT_THROW(again.read_texts("/absent"), FormatError);
}

TEST_F(Hdf5Scales, DimensionsHaveLabelsAndMayHaveScales) {
  Hdf5File file = Hdf5File::create(path);
  file.write<double>("/table", std::vector<double>(6), {2, 3});
  file.write<double>("/line", std::vector<double>(3), {3});
  file.write<std::int64_t>("/axes/t", std::vector<std::int64_t>{0, 1, 2}, {3});
  EXPECT_THROW(file.set_dimensions({{"/table", {"row"}, {""}}}), InputError);
  EXPECT_THROW(file.set_dimensions({{"/table", {"row", "t"}, {""}}}), InputError);
  file.set_dimensions({{"/table", {"row", "t"}, {"", "/axes/t"}}, {"/line", {"t"}, {"/axes/t"}}});
  file.commit();
  const Hdf5File again = Hdf5File::open(path);
  EXPECT_EQ(again.attribute("/table", "DIMENSION_LABELS"), Hdf5Attribute(std::vector<std::string>{"row", "t"}));
  EXPECT_TRUE(again.has_attribute("/table", "DIMENSION_LIST"));
  EXPECT_EQ(again.attribute("/axes/t", "CLASS"), Hdf5Attribute(std::string("DIMENSION_SCALE")));
  EXPECT_EQ(again.attribute("/axes/t", "NAME"), Hdf5Attribute(std::string("t")));
  EXPECT_TRUE(again.has_attribute("/axes/t", "REFERENCE_LIST"));
  EXPECT_FALSE(again.has_attribute("/line", "CLASS"));
}

TEST_F(Hdf5Scales, AScaleThatIsNotThereFails) {
  Hdf5File file = Hdf5File::create(path);
  file.write<double>("/line", std::vector<double>(3), {3});
  EXPECT_THROW(file.set_dimensions({{"/line", {"t"}, {"/axes/t"}}}), InputError);
}

}  // namespace
}  // namespace kov::test
