// SPDX-License-Identifier: MIT
//
// The command line: words are the lines of the input.
#include "apps/program/command_line.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <sstream>

namespace kov::fuzz {

namespace {

struct Options {
  std::string file, format = "ildg";
  Coord extent{};
  int n = 0;
  double width = 0;
  std::uint64_t seed = 0;
  std::vector<std::string> set;
  std::array<double, 3> momentum{};
  bool dry = false;
};

}  // namespace

std::vector<std::string> seeds() {
  return {"info\nx.lime\n--extent\n4\n6\n8\n10\n--format=nersc\n--number\n-2\n--width\n1e-3\n--seed\n1\n--set\na=1\n-q",
          "info\nx\n--momentum\n1\n0\n-0.5\n--log\nfile\n--dry-run", "--help", "info\n--help", "--version"};
}

void read(const std::string& input) {
  std::vector<std::string> arguments;
  std::istringstream lines(input);
  for (std::string line; std::getline(lines, line);) arguments.push_back(line);
  Options o;
  app::parse_command_line(arguments, {{"info", "tells", "", [&o](app::Arguments& a) -> app::Action {
                                         a.positional("FILE", o.file, "a file");
                                         a.option("--format", o.format, "the format", {"ildg", "nersc"});
                                         a.option("--extent", o.extent, "extents");
                                         a.option("--number", o.n, "how many");
                                         a.option("--width", o.width, "a width");
                                         a.option("--seed", o.seed, "a seed");
                                         a.option("--set", o.set, "KEY=VALUE");
                                         a.option("--momentum", o.momentum, "three numbers");
                                         a.flag("--dry-run", o.dry, "do nothing");
                                         return [](const app::Session&) {};
                                       }}});
}

}  // namespace kov::fuzz
