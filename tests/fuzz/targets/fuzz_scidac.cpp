// SPDX-License-Identifier: MIT
//
// SciDAC files: the data record has another name and ildg-format is not there; one file has no extents either.
#include "tests/fuzz/gauge.hpp"

namespace kov::fuzz {

namespace {
std::string renamed(std::string bytes, const std::string& from, const std::string& to) {
  std::string field(128, '\0');
  to.copy(field.data(), to.size());
  return bytes.replace(bytes.find(from), 128, field);
}
}  // namespace

std::vector<std::string> seeds() {
  const auto scidac = [](int bits) {
    return renamed(renamed(written_gauge({.bits = bits}), "ildg-binary-data", "scidac-binary-data"), "ildg-format",
                   "something-else");
  };
  return {scidac(64), scidac(32), renamed(scidac(64), "scidac-private-file-xml", "no-file-xml")};
}

void read(const std::string& input) { read_gauge_input(input); }

}  // namespace kov::fuzz
