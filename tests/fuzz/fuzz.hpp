// SPDX-License-Identifier: MIT
//
// What a fuzz target is: valid inputs, and a reader that returns or throws a kov::Error whatever it is given.
// changes.cpp changes the inputs, driver.cpp calls the reader; each targets/fuzz_*.cpp defines the two functions for one
// format.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kov::fuzz {

/// Inputs that read() takes without an error.
std::vector<std::string> seeds();

/// Reads an input.  Must not do anything but return or throw a kov::Error.
void read(const std::string& input);

/// Says whether the input that is being read must be refused: then read() has to throw, and HDF5 may not crash.
void must_be_refused(bool yes);

/// A file, in memory where there is a folder for that, that has these bytes until the next call.  ending: of its name,
/// which may have folders in it; files of several endings are there at the same time.
std::filesystem::path in_memory(const std::string& bytes, const std::string& ending = {});

/// The bytes of a file that `write` made under the name it was given; for seeds().
std::string written(const std::function<void(const std::filesystem::path&)>& write);

}  // namespace kov::fuzz
