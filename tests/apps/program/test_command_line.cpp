// SPDX-License-Identifier: MIT
#include "apps/program/command_line.hpp"
#include "apps/program/environment.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/base/exit_code.hpp"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>

namespace kov::app {

namespace {

struct Options {
  std::string file, format = "ildg";
  Coord extent{8, 8, 8, 16};
  int n = 3;
  double width = 0.5;
  std::uint64_t seed = 1;
  std::vector<std::string> set;
  bool dry = false;
};

std::vector<Command> commands(Options& o) {
  const auto declare = [&o](Arguments& arguments) -> Action {
    arguments.positional("FILE", o.file, "a file");
    arguments.option("--format", o.format, "the format", {"ildg", "nersc"});
    arguments.option("--extent", o.extent, "extents");
    arguments.option("--number", o.n, "how many");
    arguments.option("--width", o.width, "a width");
    arguments.option("--seed", o.seed, "a seed");
    arguments.option("--set", o.set, "KEY=VALUE");
    arguments.flag("--dry-run", o.dry, "do nothing");
    return [](const Session&) {};
  };
  return {{"info", "tells", "", declare},
          {"convert", "converts", "", [](Arguments&) -> Action { return [](const Session&) {}; }}};
}

}  // namespace

TEST(CommandLine, SetsEveryKindOfOption) {
  Options o;
  const Parsed p = parse_command_line(
      {"info",           "x.lime",   "--extent", "4",        "6",         "8",      "10",
       "--format=nersc", "--number", "-2",       "--width",  "1e-3",      "--seed", "18446744073709551615",
       "--set",          "a=1",      "--set",    "b=[1, 2]", "--dry-run", "-q",     "--kokkos-num-threads=1"},
      commands(o));
  ASSERT_TRUE(p.action) << p.text;
  EXPECT_TRUE(p.quiet);
  EXPECT_EQ(o.file, "x.lime");
  EXPECT_EQ(o.extent, (Coord{4, 6, 8, 10}));
  EXPECT_EQ(o.format, "nersc");
  EXPECT_EQ(o.n, -2);
  EXPECT_EQ(o.width, 1e-3);
  EXPECT_EQ(o.seed, ~std::uint64_t(0));
  EXPECT_EQ(o.set, (std::vector<std::string>{"a=1", "b=[1, 2]"}));
  EXPECT_TRUE(o.dry);
}

TEST(CommandLine, HelpAndVersionAreTextAndSuccess) {
  Options o;
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--help"}, {"--version"}, {"info", "--help"}, {"convert", "--help"}}) {
    const Parsed p = parse_command_line(arguments, commands(o));
    EXPECT_FALSE(p.action);
    EXPECT_EQ(p.code, 0);
    EXPECT_FALSE(p.text.empty());
  }
  // Releases of CLI11 write defaults as "=8 8 8 16" or as " [8 8 8 16]".
  const std::string text = parse_command_line({"info", "--help"}, commands(o)).text;
  const std::size_t extent = text.find("--extent X Y Z T");
  ASSERT_NE(extent, std::string::npos) << text;
  EXPECT_LT(text.find("8 8 8 16", extent), text.find('\n', extent)) << text;
  EXPECT_NE(parse_command_line({"--help"}, commands(o)).text.find("exit codes"), std::string::npos);
}

TEST(CommandLine, WrongUsageNamesTheNearestAndEndsWithOne) {
  Options o;
  const auto wrong = [&](const std::vector<std::string>& arguments, const std::string& part) {
    const Parsed p = parse_command_line(arguments, commands(o));
    EXPECT_FALSE(p.action);
    EXPECT_EQ(p.code, 1);
    EXPECT_NE(p.text.find(part), std::string::npos) << p.text;
    EXPECT_NE(p.text.find("--help"), std::string::npos) << p.text;
  };
  wrong({"convrt"}, "did you mean 'convert'?");
  wrong({}, "a subcommand is missing");
  wrong({"info"}, "FILE");
  wrong({"info", "x", "--fromat", "ildg"}, "did you mean '--format'?");
  wrong({"info", "x", "--format", "tiff"}, "--format: must be one of 'ildg', 'nersc', but is 'tiff'\n");
  wrong({"info", "x", "--format", "nresc"}, "but is 'nresc'; did you mean 'nersc'?");
  wrong({"info", "x", "--extent", "4", "4", "4"}, "--extent takes 4 values, and 3 are given");
  wrong({"info", "x", "--extent", "4", "4", "4", "4.5"}, "wants an integer between -2^31 and 2^31, got '4.5'");
  wrong({"info", "x", "--number", "three"}, "--number: wants an integer between -2^31 and 2^31, got 'three'");
  wrong({"info", "x", "--number", "1", "--number", "2"}, "--number takes 1 value, and 2 are given");
  wrong({"info", "x", "--seed", "-1"}, "--seed: wants an integer from 0 to 2^64 - 1, got '-1'");
  wrong({"info", "x", "--seed", "18446744073709551616"}, "--seed: wants an integer");
  wrong({"info", "x", "--number", "3000000000"}, "--number: wants an integer between");
  wrong({"info", "x", "--width", "wide"}, "--width: wants a number, got 'wide'");
}

TEST(CommandLine, NamesAreNeitherEmptyNorHaveControlCharacters) {
  Options o;
  const auto error = [&](const std::vector<std::string>& arguments) {
    const Parsed p = parse_command_line(arguments, commands(o));
    EXPECT_EQ(p.code, 1);
    return p.text;
  };
  EXPECT_NE(error({"info", ""}).find("FILE: is '', which names no file"), std::string::npos) << error({"info", ""});
  EXPECT_NE(error({"info", "a\nb"}).find("must have no control characters, but is 'a\\u000Ab'"), std::string::npos);
  EXPECT_NE(error({"info", "x", "--log", "a\x1b"}).find("is 'a\\u001B'"), std::string::npos);
  EXPECT_NE(error({"\x1b[2J"}).find("no subcommand '\\u001B[2J'"), std::string::npos);
  const std::string text = error({"info", "x", "--number", std::string(100000, '1')});
  EXPECT_LT(text.size(), 400u) << text;
}

TEST(CommandLine, OptionsThatChangeNothingAreRefused) {
  Options o;
  Parsed parsed = parse_command_line({"info", "a.lime", "--number", "3", "--dry-run"}, commands(o));
  EXPECT_EQ(parsed.given, (std::set<std::string>{"--dry-run", "--number"}));
  const Session session{.comm = Comm::self(), .log = {}, .log_file = {}, .command_line = {}, .given = parsed.given};
  EXPECT_NO_THROW(session.require_used("--number", true, "with --seed"));
  EXPECT_NO_THROW(session.require_used("--width", false, "with --seed"));
  try {
    session.require_used("--number", false, "with --seed");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "--number is only used with --seed: leave it out, because it changes nothing here");
  }
}

TEST(CommandLine, WordsReachAShellAsTheyAre) {
  EXPECT_EQ(shell_word("a.lime"), "a.lime");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  for (const std::string word : {"", "it's", "a \"b\" $c `d` \\ *", "line\nbreak", "~", "a;b", "caf\xe9"}) {
    FILE* pipe = popen(("printf %s " + shell_word(word)).c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    char text[64];
    const std::size_t n = std::fread(text, 1, sizeof text, pipe);
    EXPECT_EQ(pclose(pipe), 0);
    EXPECT_EQ(std::string(text, n), word);
  }
}

TEST(ExitCodes, EveryExceptionHasOne) {
  EXPECT_EQ(exit_code(InputError("x")), ExitCode::usage);
  EXPECT_EQ(exit_code(FormatError("x")), ExitCode::format);
  EXPECT_EQ(exit_code(ConvergenceError("x")), ExitCode::convergence);
  EXPECT_EQ(exit_code(CommError("x")), ExitCode::communication);
  EXPECT_EQ(exit_code(NotBuilt("x")), ExitCode::not_built);
  EXPECT_EQ(exit_code(std::bad_alloc()), ExitCode::internal);
}

TEST(Launch, WhatTheUserSetStays) {
  setenv("OMP_PROC_BIND", "close", 1);
  setenv("OMP_PLACES", "threads", 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  setenv("OMP_WAIT_POLICY", "active", 1);
  EXPECT_TRUE(missing_environment().empty());
  unsetenv("OMP_WAIT_POLICY");
  setenv("GOMP_SPINCOUNT", "5", 1);
  EXPECT_TRUE(missing_environment().empty());
}

TEST(Launch, SeveralProcessesOnANodeAreNotBound) {
  using Variables = std::vector<std::pair<std::string, std::string>>;
  // As under Open MPI's launcher, whether or not it started this process.
  std::vector<std::pair<const char*, std::optional<std::string>>> before;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"}) {
    const char* const value = std::getenv(name);
    before.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
    setenv(name, "1", 1);
  }
  unsetenv("OMP_PROC_BIND");
  unsetenv("OMP_PLACES");
  setenv("GOMP_SPINCOUNT", "5", 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  EXPECT_EQ(missing_environment(), (Variables{{"OMP_PROC_BIND", "true"}, {"OMP_PLACES", "cores"}}));
  setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "4", 1);
  EXPECT_EQ(missing_environment(), (Variables{{"OMP_PROC_BIND", "false"}}));
  for (const auto& [name, value] : before) value ? setenv(name, value->c_str(), 1) : unsetenv(name);
}

}  // namespace kov::app
