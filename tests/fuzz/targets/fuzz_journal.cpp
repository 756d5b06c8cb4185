// SPDX-License-Identifier: MIT
//
// The journal of `kovariant spectrum`: files, and entries, half of them with a checksum that is right again after the
// change.
#include "apps/files/journal.hpp"
#include "kov/core/io/checksum.hpp"
#include "kov/core/io/text.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace kov::fuzz {

namespace {

const std::string key = "conf.1000 0 0 0 0";

app::JournalEntry full_entry() {
  app::JournalEntry entry;
  entry.notes = {{"plaquette", "0.594"}, {"empty", ""}, {"lines", "a\nb 3\n"}};
  Correlator c{.kind = "meson", .channel = "pion-pion", .momentum = {0, -1, 2}, .source = {1, 2, 3, 4}};
  c.labels = {{"sink_smearing", "none"}, {"kappa", 0.15}, {"n", std::int64_t(-3)}};
  c.value = {{0.1, -0.0}, {1, 1e-300}};
  entry.correlators = {c, c};
  return entry;
}

const std::string folder = ".journal/";

const app::Journal& journal() {
  static const app::Journal result(Comm::self(), in_memory("", folder + "place").parent_path(), "kappa = 0.15");
  return result;
}

}  // namespace

std::vector<std::string> seeds() {
  const app::JournalEntry entry = full_entry();
  journal().add(key, entry);
  const std::string file =
      written([&](const std::filesystem::path& path) { std::filesystem::rename(journal().file(key), path); });
  return {entry.text(), app::JournalEntry{}.text(), file};
}

void read(const std::string& input) {
  in_memory(input, folder + journal().file(key).filename().string());
  app::Journal(journal()).find(key);
  const std::size_t end = input.rfind("\ncrc32 ");
  if (end != std::string::npos && input.size() % 2) {
    const std::string body = input.substr(0, end + 1);
    const std::string sum = to_hex(crc32(std::as_bytes(std::span(body.data(), body.size()))));
    app::JournalEntry::parse(body + "crc32 8\n" + sum + "\n");
  }
  if (input.rfind("kovariant journal", 0) != 0) app::JournalEntry::parse(input);
}

}  // namespace kov::fuzz
