// SPDX-License-Identifier: MIT
//
// A propagator that another program wrote in HDF5, with elements that are arrays; and one that is compressed.
#pragma once

#include "tests/reference/global_array.hpp"

#include <filesystem>
#if defined(KOV_WITH_HDF5)
#include <hdf5.h>
#endif
#include <vector>

namespace kov::test {

/// All numbers of a dataset whose elements are arrays of complex numbers in double; none where it cannot be read.
inline std::vector<reference::Number> read_arrays(const std::filesystem::path& path, const std::string& dataset,
                                                  std::size_t n) {
  std::vector<reference::Number> values;
#if defined(KOV_WITH_HDF5)
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
              set = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
  const hid_t space = H5Dget_space(set), stored = H5Dget_type(set), type = H5Tget_native_type(stored, H5T_DIR_ASCEND);
  const auto elements = H5Sget_simple_extent_npoints(space);
  if (elements > 0 && std::size_t(elements) * H5Tget_size(type) == n * sizeof(reference::Number)) {
    values.resize(n);
    if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) values.clear();
  }
  for (const hid_t t : {type, stored}) H5Tclose(t);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
#else
  static_cast<void>(path), static_cast<void>(dataset), static_cast<void>(n);
#endif
  return values;
}

/// A dataset of complex numbers with a filter, of which a file holds fewer bytes than its extents promise.
inline void write_compressed(const std::filesystem::path& path, const std::string& dataset,
                             const std::vector<unsigned long long>& extents) {
#if defined(KOV_WITH_HDF5)
  const std::vector<hsize_t> sizes(extents.begin(), extents.end());
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
              links = H5Pcreate(H5P_LINK_CREATE), properties = H5Pcreate(H5P_DATASET_CREATE),
              type = H5Tcreate(H5T_COMPOUND, 16), space = H5Screate_simple(int(sizes.size()), sizes.data(), nullptr);
  H5Tinsert(type, "r", 0, H5T_IEEE_F64LE);
  H5Tinsert(type, "i", 8, H5T_IEEE_F64LE);
  H5Pset_create_intermediate_group(links, 1);
  H5Pset_chunk(properties, int(sizes.size()), sizes.data());
  H5Pset_shuffle(properties);
  H5Dclose(H5Dcreate2(file, dataset.c_str(), type, space, links, properties, H5P_DEFAULT));
  H5Sclose(space);
  H5Tclose(type);
  for (const hid_t p : {links, properties}) H5Pclose(p);
  H5Fclose(file);
#else
  static_cast<void>(path), static_cast<void>(dataset), static_cast<void>(extents);
#endif
}

/// [t][z][y][x][sink spin][source spin][sink colour][source colour] of a file as columns [3 * source spin +
/// colour][spinor].
inline reference::GlobalArray published_propagator(const std::filesystem::path& file, const std::string& dataset,
                                                   const Coord& extent) {
  reference::GlobalArray s(extent, 144);
  const std::vector<reference::Number> values = read_arrays(file, dataset, s.data.size());
  require(values.size() == s.data.size(), "the published propagator could not be read from", file.string());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t site = i / 144, sink_spin = i / 36 % 4, source_spin = i / 9 % 4, sink_color = i / 3 % 3,
                      source_color = i % 3;
    s.data[144 * site + 12 * (3 * source_spin + source_color) + 3 * sink_spin + sink_color] = values[i];
  }
  return s;
}

}  // namespace kov::test
