// SPDX-License-Identifier: MIT
#include "apps/files/file_patterns.hpp"
#include "tests/core/io/io_support.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace kov::app {

TEST(FilePatterns, NaturalOrderCountsNumbers) {
  std::vector<std::string> names{"conf.10", "conf.9", "conf.010", "conf.9a", "b2/1", "b10/0", "conf.", "conf.1000"};
  std::sort(names.begin(), names.end(), natural_less);
  EXPECT_EQ(names, (std::vector<std::string>{"b2/1", "b10/0", "conf.", "conf.9", "conf.9a", "conf.010", "conf.10",
                                             "conf.1000"}));
  EXPECT_FALSE(natural_less("a1", "a1"));
  EXPECT_NE(natural_less("a01", "a1"), natural_less("a1", "a01"));
}

TEST(FilePatterns, BecomeTheFilesThatAreThere) {
  const Comm comm = Comm::world();
  const test::Folder folder(comm);
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  if (comm.rank() == 0) {
    for (const char* name : {"conf.10", "conf.9", "conf.1000", "other", "a[1]", "caf\xe9.lime", "conf.1010.lock"})
      std::ofstream(path(name)) << "x";
    std::filesystem::create_directory(path("conf.journal"));
  }
  comm.barrier();
  using Names = std::vector<std::string>;
  EXPECT_EQ(matched_files(comm, {path("other"), path("conf.*"), path("absent")}, "gauge.files"),
            (Names{path("other"), path("conf.9"), path("conf.10"), path("conf.1000"), path("absent")}));
  EXPECT_EQ(matched_files(comm, {path("a[1]")}, "gauge.files"), (Names{path("a[1]")}));
  EXPECT_EQ(matched_files(comm, {path("conf.[19]?")}, "gauge.files"), (Names{path("conf.10")}));
  EXPECT_EQ(matched_files(comm, {}, "gauge.files"), Names{});
  try {
    matched_files(comm, {path("absent/*")}, "gauge.files");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("matches no file: a folder of it cannot be read: No such file"),
              std::string::npos)
        << error.what();
  }
  for (const char* pattern : {"no*", "conf.j*", "caf*"}) {
    try {
      matched_files(comm, {path("other"), path(pattern)}, "gauge.files");
      ADD_FAILURE() << pattern;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(pattern == std::string("caf*") ? "UTF-8" : "matches no file"),
                std::string::npos)
          << error.what();
    }
  }
}

}  // namespace kov::app
