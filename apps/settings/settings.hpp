// SPDX-License-Identifier: MIT
//
// Settings: named, typed, documented parameters that a TOML file and --set KEY=VALUE change.  Behind it is toml++,
// which only settings.cpp sees.
#pragma once

#include "kov/core/lattice/geometry.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kov::app {

/// The variable behind a setting.
using SettingTarget = std::variant<bool*, int*, std::uint64_t*, double*, std::string*, Coord*, std::vector<int>*,
                                   std::array<int, 3>*, std::array<double, 3>*, std::vector<std::string>*,
                                   std::vector<std::array<int, 3>>*, std::vector<Coord>*>;

/// Every error is an InputError that names the key, the place ("run.toml, line 7" or "--set") and what would be right.
class Settings {
 public:
  /// key: "section.name" (section may be empty or have dots); the target's present value is the default; text: what the
  /// setting is, a line; choices: of a string, what it may be.
  void add(const std::string& key, SettingTarget target, const std::string& text,
           std::vector<std::string> choices = {});

  /// A list of tables, [[name]] in TOML, whose sections are name.0, name.1, ...  add(section): adds the keys of one
  /// more table by the function above; their targets must stay where they are when there are more.  --set
  /// name.1.key=value makes a table 1 if the list ends before it.
  void add_tables(const std::string& name, std::function<void(Settings&, const std::string& section)> add);
  /// One more table of such a list; returns its section.
  std::string add_table(const std::string& name);
  /// How many tables of a list there are.
  int n_tables(const std::string& name) const;

  /// Changes what the TOML text says.  Unknown keys are errors that name the nearest known one; so are keys that are
  /// given twice, and texts with control characters.
  void read(const std::string& toml, const std::string& file);
  /// "key=value" with the value as in TOML; quotes around a string, and brackets around a list of one, may be left out.
  /// A key that had another value from an earlier assignment gives a warning.
  void assign(const std::string& assignment);

  /// The value of this key was computed from others, or is one that nobody asked for: toml() shows it in a comment.
  void follows(const std::string& key);

  /// `given` if the key was given; else `other`, which it follows.
  template <class T>
  T given_or(const std::string& key, const T& given, const T& other) {
    if (this->given(key)) return given;
    follows(key);
    return other;
  }

  /// What assign() warned about.
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// Whether a file or --set gave this key.
  bool given(const std::string& key) const;
  /// Where a key's value comes from: "run.toml, line 7: key", "--set key", or "key" for a default.  For error messages.
  std::string origin(const std::string& key) const;
  /// The whole configuration as it is in force, as TOML with the texts as comments.
  std::string toml() const;
  /// Keys and values (as in TOML), in the order of add().
  std::vector<std::pair<std::string, std::string>> values() const;
  /// The same with numbers as numbers, and texts without quotation marks; lists and truth values are as in TOML.
  std::vector<std::pair<std::string, std::variant<std::string, std::int64_t, double>>> typed_values() const;

 private:
  struct Setting {
    std::string key, text;
    SettingTarget target;
    std::vector<std::string> choices;
    std::string origin;
    bool follows = false;
  };
  static constexpr std::size_t most_tables = 100;
  struct Tables {
    std::string name;
    std::function<void(Settings&, const std::string&)> add;
    int n = 0;
  };
  class Reader;
  static std::string value_of(const Setting& setting);
  Setting* find(const std::string& key);
  Tables* find_tables(const std::string& name);
  /// Makes the next table of a list if the key is of it.
  void add_table_of(const std::string& key);
  /// The keys that each table of a list has.  Makes the first table where there is none, as that knows them.
  std::vector<std::string> keys_in_table(const std::string& list);
  /// What a key of a list of tables lacks; empty where it is of none, or its table is there.
  std::string missing_table(const std::string& key);
  const Setting& at(const std::string& key) const;
  std::vector<std::string> keys() const;
  std::vector<std::string> sections() const;

  std::vector<Setting> settings_;
  std::vector<Tables> tables_;
  std::vector<std::string> warnings_;
};

}  // namespace kov::app
