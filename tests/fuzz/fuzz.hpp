// SPDX-License-Identifier: MIT
//
// What a fuzz target is: valid inputs, and a reader that returns or throws a kov::Error whatever it is given.
// driver.cpp changes the inputs and calls the reader; each fuzz_*.cpp defines the two functions for one format.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kov::fuzz {

/// Inputs that read() takes without an error.
std::vector<std::string> seeds();

/// Reads an input.  Must not do anything but return or throw a kov::Error.
void read(const std::string& input);

/// A file, in memory where there is a folder for that, that has these bytes until the next call.
std::filesystem::path in_memory(const std::string& bytes);

}  // namespace kov::fuzz
