// SPDX-License-Identifier: MIT
//
// A journal file is a list of records "name length\nbytes\n": identity, key, entry; the entry's text is again such a
// list and ends with the crc32 of what precedes it.
#include "apps/files/journal.hpp"

#include "apps/files/text_file.hpp"
#include "kov/core/io/atomic_file.hpp"
#include "kov/core/io/checksum.hpp"
#include "kov/core/io/text.hpp"

#include <bit>
#include <cctype>
#include <charconv>

namespace kov::app {

namespace {

/// The 2 is the format: since 2 labels may be numbers.
constexpr const char* first_line = "kovariant journal 2\n";

void put(std::string& text, const std::string& name, const std::string& bytes) {
  text += name + " " + std::to_string(bytes.size()) + "\n" + bytes + "\n";
}

/// Takes records off the front of a text.
class Records {
 public:
  explicit Records(std::string_view text) : rest_(text) {}
  bool more() const { return !rest_.empty(); }
  std::size_t left() const { return rest_.size(); }

  std::pair<std::string, std::string> next() {
    const std::size_t blank = rest_.find(' '), end = rest_.find('\n');
    require<FormatError>(blank < end && end != rest_.npos, "a journal entry is damaged: a record has no length");
    std::size_t length = 0;
    const auto parsed = std::from_chars(rest_.data() + blank + 1, rest_.data() + end, length);
    require<FormatError>(
        parsed.ec == std::errc() && parsed.ptr == rest_.data() + end && length < rest_.size() - end - 1,
        "a journal entry is damaged: a record is cut off");
    std::pair<std::string, std::string> record{rest_.substr(0, blank), rest_.substr(end + 1, length)};
    rest_.remove_prefix(end + 1 + length + 1);
    return record;
  }
  std::string next(const std::string& name) {
    auto [found, bytes] = next();
    require<FormatError>(found == name, "a journal entry is damaged: it has", found, "where", name, "should be");
    return bytes;
  }

 private:
  std::string_view rest_;
};

std::string hex_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return to_hex(std::uint32_t(bits >> 32)) + to_hex(std::uint32_t(bits));
}
double from_hex_bits(std::string_view text) {
  std::uint64_t bits = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  require<FormatError>(text.size() == 16 && parsed.ptr == text.data() + 16,
                       "a journal entry is damaged: a number is not 16 digits");
  return std::bit_cast<double>(bits);
}

template <std::size_t n>
std::string numbers(const std::array<int, n>& values) {
  std::string text;
  for (const int v : values) text += (text.empty() ? "" : " ") + std::to_string(v);
  return text;
}
template <std::size_t n>
std::array<int, n> parse_numbers(const std::string& text) {
  const std::vector<std::string> parts = words(text);
  require<FormatError>(parts.size() == n, "a journal entry is damaged: a coordinate has", parts.size(), "numbers");
  std::array<int, n> values{};
  for (std::size_t i = 0; i < n; ++i) values[i] = int(parse_integer(parts[i]).value_or(0));
  return values;
}

std::string checksum(std::string_view text) {
  return to_hex(crc32(std::as_bytes(std::span(text.data(), text.size()))));
}

std::string correlator_text(const Correlator& c) {
  std::string text, values;
  put(text, "kind", c.kind);
  put(text, "channel", c.channel);
  put(text, "momentum", numbers(c.momentum));
  put(text, "source", numbers(c.source));
  for (const auto& z : c.value) values += hex_bits(z.real()) + hex_bits(z.imag());
  put(text, "value", values);
  for (const auto& [name, label] : c.labels) {
    put(text, "label", name);
    if (const auto* real = std::get_if<double>(&label))
      put(text, "real", hex_bits(*real));
    else
      put(text, std::holds_alternative<std::string>(label) ? "text" : "integer", label_text(label));
  }
  return text;
}

std::int64_t parse_label_integer(const std::string& sort, const std::string& text) {
  const auto value = parse_integer(text);
  require<FormatError>(sort == "integer" && value, "a journal entry is damaged: a label is a", sort);
  return *value;
}

Correlator parse_correlator(const std::string& text) {
  Records records(text);
  Correlator c;
  c.kind = records.next("kind");
  c.channel = records.next("channel");
  c.momentum = parse_numbers<3>(records.next("momentum"));
  c.source = parse_numbers<4>(records.next("source"));
  const std::string values = records.next("value");
  require<FormatError>(values.size() % 32 == 0, "a journal entry is damaged: half a number");
  for (std::size_t at = 0; at < values.size(); at += 32)
    c.value.emplace_back(from_hex_bits(std::string_view(values).substr(at, 16)),
                         from_hex_bits(std::string_view(values).substr(at + 16, 16)));
  while (records.more()) {
    const std::string name = records.next("label");
    const auto [sort, value] = records.next();
    if (sort == "text")
      c.labels[name] = value;
    else if (sort == "real")
      c.labels[name] = from_hex_bits(value);
    else
      c.labels[name] = parse_label_integer(sort, value);
  }
  return c;
}

}  // namespace

std::string JournalEntry::text() const {
  std::string text;
  for (const auto& [name, value] : notes) {
    put(text, "note", name);
    put(text, "text", value);
  }
  for (const Correlator& c : correlators) put(text, "correlator", correlator_text(c));
  put(text, "crc32", checksum(text));
  return text;
}

JournalEntry JournalEntry::parse(const std::string& text) {
  JournalEntry entry;
  Records records(text);
  while (true) {
    require<FormatError>(records.more(), "a journal entry is damaged: its end is missing");
    const std::size_t before = text.size() - records.left();
    const auto [name, bytes] = records.next();
    if (name == "note") {
      entry.notes[bytes] = records.next("text");
    } else if (name == "correlator") {
      entry.correlators.push_back(parse_correlator(bytes));
    } else {
      require<FormatError>(name == "crc32" && !records.more(), "a journal entry is damaged: it has a record", name);
      const std::string found = checksum(std::string_view(text).substr(0, before));
      require<FormatError>(bytes == found, "a journal entry is damaged: its checksum is", found, "and should be",
                           bytes);
      return entry;
    }
  }
}

Journal::Journal(const Comm& comm, std::filesystem::path folder, std::string identity)
    : comm_(comm), folder_(std::move(folder)), identity_(std::move(identity)) {}

std::filesystem::path Journal::file(const std::string& key) const {
  std::string name;
  for (const char c : std::filesystem::path(key).filename().string())
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' ? c : '_';
  return folder_ / (name.substr(0, 80) + "." + checksum(key + identity_) + ".journal");
}

std::optional<JournalEntry> Journal::find(const std::string& key) const {
  std::string text;
  comm_.agree([&] {
    std::error_code none;
    if (comm_.rank() == 0 && !std::filesystem::is_regular_file(file(key), none)) return;
    if (comm_.rank() != 0) return;
    try {
      const std::string whole = read_text_file(Comm::self(), file(key), std::uint64_t(1) << 40);
      require<FormatError>(whole.rfind(first_line, 0) == 0,
                           "it does not begin as a journal entry of this version of the program");
      Records records(std::string_view(whole).substr(std::string_view(first_line).size()));
      require<FormatError>(records.next("identity") == identity_ && records.next("key") == key,
                           "it was made with other parameters or another version");
      const std::string entry = records.next("entry");
      require<FormatError>(!records.more(), "a journal entry is damaged: something follows its end");
      JournalEntry::parse(entry);
      text = entry;
    } catch (const Error& error) {
      rejected_entries_.push_back(sentence(file(key).string(), "is not used:", error.what()));
    }
  });
  text = comm_.broadcast(text);
  if (text.empty()) return std::nullopt;
  return JournalEntry::parse(text);
}

void Journal::make_folder() const {
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  require(!failed, "the folder", folder_.string(), "for finished parts cannot be made:", failed.message(),
          "- set output.journal to another");
}

void Journal::require_free(const std::vector<std::string>& keys) const {
  comm_.agree([&] {
    if (comm_.rank() != 0) return;
    std::error_code none;
    for (const std::string& key : keys) {
      const std::filesystem::path entry = file(key);
      const std::filesystem::file_status there = std::filesystem::status(entry, none);
      require(!std::filesystem::exists(there) || std::filesystem::is_regular_file(there), "the journal has",
              entry.string() + ",", std::filesystem::is_directory(there) ? "a folder," : "a device or pipe,",
              "where it keeps a result in a file: move it away, or set output.journal to another folder");
    }
  });
}

void Journal::open() const {
  comm_.agree([&] {
    if (comm_.rank() != 0) return;
    make_folder();
    try {
      const OutputFile removed_again(folder_ / "probe");
    } catch (const InputError& error) {
      throw InputError(
          sentence("finished parts cannot be kept:", error.what(), "- set output.journal to another folder"));
    }
  });
}

void Journal::add(const std::string& key, const JournalEntry& entry) const {
  comm_.agree([&] {
    if (comm_.rank() != 0) return;
    make_folder();
    std::string text = first_line;
    put(text, "identity", identity_);
    put(text, "key", key);
    put(text, "entry", entry.text());
    write_text_file(Comm::self(), file(key), text);
  });
}

}  // namespace kov::app
