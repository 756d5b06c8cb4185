// SPDX-License-Identifier: MIT
//
// Entries of the journal of `kovariant spectrum`, half of them with a checksum that is right again after the change.
#include "apps/journal.hpp"
#include "kov/core/io/checksum.hpp"
#include "kov/core/io/text.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace kov::fuzz {

std::vector<std::string> seeds() {
  app::JournalEntry entry;
  entry.notes = {{"plaquette", "0.594"}, {"empty", ""}, {"lines", "a\nb 3\n"}};
  Correlator c{.kind = "meson", .channel = "pion-pion", .momentum = {0, -1, 2}, .source = {1, 2, 3, 4}};
  c.labels = {{"sink_smearing", "none"}};
  c.value = {{0.1, -0.0}, {1, 1e-300}};
  entry.correlators = {c, c};
  return {entry.text(), app::JournalEntry{}.text()};
}

void read(const std::string& input) {
  const std::size_t end = input.rfind("\ncrc32 ");
  if (end != std::string::npos && input.size() % 2) {
    const std::string body = input.substr(0, end + 1);
    const std::string sum = to_hex(crc32(std::as_bytes(std::span(body.data(), body.size()))));
    app::JournalEntry::parse(body + "crc32 8\n" + sum + "\n");
  }
  app::JournalEntry::parse(input);
}

}  // namespace kov::fuzz
