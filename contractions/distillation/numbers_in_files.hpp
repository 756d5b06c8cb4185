// SPDX-License-Identifier: MIT
//
// Private to files of distillation: complex numbers in datasets of 64, 32 or 16 bits for each real number.
#pragma once

#include "kov/core/io/hdf5.hpp"

#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kov::detail {

/// A dataset of complex numbers in rows along the last extent.  With 64 and 32 bits it is a plain one.  With 16 it has
/// integers [...][re, im], and NAME_scale has a real number of 32 bits for each row: a number is its integer times the
/// scale / 32767, so that it is off by at most 2^-16 of the largest of its row, as in Fixed16.
struct NumbersInFile {
  std::string name;
  int bits = 64;
  std::vector<std::uint64_t> extent;

  /// Throws InputError for other bits.
  void create(Hdf5File& file) const;
  /// What the file has under this name.  Throws FormatError where it is nothing of this kind.
  static NumbersInFile of(const Hdf5File& file, const std::string& name);
  /// The block of `count` numbers in each direction from offset on; whole rows.
  void write(Hdf5File& file, const std::vector<std::uint64_t>& offset, const std::vector<std::uint64_t>& count,
             std::span<const std::complex<double>> values) const;
  void read(const Hdf5File& file, const std::vector<std::uint64_t>& offset, const std::vector<std::uint64_t>& count,
            std::span<std::complex<double>> values) const;
};

}  // namespace kov::detail
