// SPDX-License-Identifier: MIT
//
// Fuzz targets of HDF5 files: damaged files of ours whose user block is right all the same, so that what reads behind
// it is reached, and files without one, as other programs write them.
#pragma once

#include "tests/fuzz/fuzz.hpp"

namespace kov::fuzz {

/// The bytes of one of our files that follow its user block: a file as others write it.
std::string without_user_block(const std::string& bytes);

/// A file of the input.  One that has no user block gets a right one put in front every second time.
std::filesystem::path hdf5_in_memory(const std::string& input);

}  // namespace kov::fuzz
