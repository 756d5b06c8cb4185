// SPDX-License-Identifier: MIT
#include "apps/files/chain_files.hpp"
#include "apps/files/text_file.hpp"
#include "tests/core/io/io_support.hpp"

#include <gtest/gtest.h>

namespace kov::app {

namespace {

TEST(ChainHistory, KeepsValidUpdatesAndDropsOtherLines) {
  const Comm comm = Comm::world();
  const test::Folder folder(comm);
  const std::string prefix = (folder / "c").string(), chain = "--beta 6",
                    first = "# kovariant generate " + chain + "\n# update, plaquette\n";
  const auto kept = [&](const std::string& lines) {
    write_text_file(comm, prefix + ".history.txt", first + lines);
    ChainHistory history(comm, prefix, chain);
    history.read();
    history.write();
    return read_text_file(comm, prefix + ".history.txt").substr(first.size());
  };
  EXPECT_EQ(kept("1 0.5\n2 0.25\n"), "1 0.500000000000\n2 0.250000000000\n");
  // Numbers of updates are positive and fit 32 bits: 2^32 + 1 must not be taken for 1.
  EXPECT_EQ(kept("4294967297 0.5\n-3 0.25\n0 0.5\n2 0.25\n"), "2 0.250000000000\n");
  EXPECT_EQ(kept("1 0.5 7\n2 x\n3 0.25\n"), "3 0.250000000000\n");
}

}  // namespace

}  // namespace kov::app
