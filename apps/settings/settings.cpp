// SPDX-License-Identifier: MIT
//
// The only file that includes toml++.
#include "apps/settings/settings.hpp"

#include "apps/settings/shown.hpp"
#include "apps/settings/suggest.hpp"
#include "apps/settings/toml_text.hpp"
#include "apps/settings/utf8.hpp"
#include "kov/core/base/error.hpp"
#include "kov/core/io/text.hpp"

#define TOML_HEADER_ONLY 1
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <toml++/toml.h>

namespace kov::app {

namespace {

/// The shortest text that reads back as the same number, with a point or exponent as TOML wants for reals.
std::string real_text(double value) {
  const std::string text = exact_text(value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string text_of(bool v) { return v ? "true" : "false"; }
std::string text_of(int v) { return std::to_string(v); }
std::string text_of(std::uint64_t v) { return std::to_string(v); }
std::string text_of(double v) { return real_text(v); }
std::string text_of(const std::string& v) { return toml_quoted(v); }
template <class T, std::size_t n>
std::string text_of(const std::array<T, n>& v);
template <class T>
std::string text_of(const std::vector<T>& v);

template <class List>
std::string array_text(const List& v) {
  std::string text = "[";
  for (const auto& item : v) text += (text.size() > 1 ? ", " : "") + text_of(item);
  return text + "]";
}
template <class T, std::size_t n>
std::string text_of(const std::array<T, n>& v) {
  return array_text(v);
}
template <class T>
std::string text_of(const std::vector<T>& v) {
  return array_text(v);
}

/// did_you_mean() for keys, where the section may have been left out.
std::string key_meant(const std::string& key, const std::vector<std::string>& known) {
  const std::string ending = "." + key;
  for (const std::string& k : known)
    if (k.size() > ending.size() && k.compare(k.size() - ending.size(), ending.size(), ending) == 0)
      return did_you_mean(k, {k});
  return did_you_mean(key, known);
}

/// The type of value that a target takes, for messages.
struct Kind {
  std::string operator()(const bool*) const { return "true or false"; }
  std::string operator()(const int*) const { return "an integer between -2^31 and 2^31"; }
  std::string operator()(const std::uint64_t*) const { return "an integer of 0 or more"; }
  std::string operator()(const double*) const { return "a finite number"; }
  std::string operator()(const std::string*) const { return "a string"; }
  std::string operator()(const Coord*) const { return "a list of four integers between -2^31 and 2^31"; }
  std::string operator()(const std::vector<int>*) const { return "a list of integers between -2^31 and 2^31"; }
  std::string operator()(const std::array<int, 3>*) const { return "a list of three integers between -2^31 and 2^31"; }
  std::string operator()(const std::array<double, 3>*) const { return "a list of three finite numbers"; }
  std::string operator()(const std::vector<std::string>*) const { return "a list of strings"; }
  std::string operator()(const std::vector<std::array<int, 3>>*) const {
    return "a list of lists of three integers between -2^31 and 2^31";
  }
  std::string operator()(const std::vector<Coord>*) const {
    return "a list of lists of four integers between -2^31 and 2^31";
  }
};

/// Each parse() returns whether the node holds a value of the type.
bool parse(const toml::node& node, bool& v) {
  if (!node.is_boolean()) return false;
  v = node.as_boolean()->get();
  return true;
}
bool parse(const toml::node& node, int& v) {
  if (!node.is_integer()) return false;
  const std::int64_t wide = node.as_integer()->get();
  v = int(wide);
  return v == wide;
}
bool parse(const toml::node& node, std::uint64_t& v) {
  if (!node.is_integer() || node.as_integer()->get() < 0) return false;
  v = std::uint64_t(node.as_integer()->get());
  return true;
}
bool parse(const toml::node& node, double& v) {
  if (node.is_integer())
    v = double(node.as_integer()->get());
  else if (node.is_floating_point())
    v = node.as_floating_point()->get();
  else
    return false;
  return std::isfinite(v);
}
bool parse(const toml::node& node, std::string& v) {
  if (!node.is_string()) return false;
  v = node.as_string()->get();
  return true;
}
template <class T, std::size_t n>
bool parse(const toml::node& node, std::array<T, n>& v) {
  const toml::array* list = node.as_array();
  if (!list || list->size() != n) return false;
  for (std::size_t i = 0; i < n; ++i)
    if (!parse((*list)[i], v[i])) return false;
  return true;
}
template <class T>
bool parse(const toml::node& node, std::vector<T>& v) {
  const toml::array* list = node.as_array();
  if (!list) return false;
  v.assign(list->size(), T{});
  for (std::size_t i = 0; i < list->size(); ++i)
    if (!parse((*list)[i], v[i])) return false;
  return true;
}

std::string kind_of(const toml::node& node) {
  std::ostringstream text;
  text << node.type();
  return text.str() == "floating-point" ? "a number" : "a TOML " + text.str();
}

}  // namespace

/// Walks a parsed table.
class Settings::Reader {
 public:
  Reader(Settings& settings, std::string place) : settings_(settings), place_(std::move(place)) {}

  void table(const toml::table& table, const std::string& prefix) {
    for (const auto& [name, node] : table)
      entry(prefix.empty() ? std::string(name.str()) : prefix + "." + std::string(name.str()), node);
  }

  void value(Setting& setting, const toml::node& node) {
    const std::string origin = where(node, setting.key);
    const auto [other, is_new] = seen_.emplace(setting.key, node.source().begin.line);
    require(is_new, origin, "is given twice, also in line",
            std::to_string(other->second) + ": leave one of the two out");
    require_no_control_characters(origin, node);
    const auto take = [&](auto* target) {
      std::remove_pointer_t<decltype(target)> value{};
      require(parse(node, value), origin, "must be", std::visit(Kind{}, setting.target) + ", but is", described(node));
      if constexpr (std::is_same_v<decltype(value), std::string>)
        require(setting.choices.empty() || std::count(setting.choices.begin(), setting.choices.end(), value) > 0,
                origin, not_a_choice(value, setting.choices));
      *target = std::move(value);
    };
    std::visit(take, setting.target);
    setting.origin = origin;
  }

 private:
  void entry(const std::string& key, const toml::node& node) {
    if (Setting* setting = settings_.find(key)) return value(*setting, node);
    if (settings_.find_tables(key)) return tables(key, node);
    const std::vector<std::string> known = settings_.keys();
    const auto inside = [&key](const std::string& other) { return other.rfind(key + ".", 0) == 0; };
    const bool section = std::any_of(known.begin(), known.end(), inside);
    if (section && node.is_table()) return table(*node.as_table(), key);
    require(!section, where(node, key), "is a section, not a value: write [" + key + "] and its keys below");
    if (node.is_table()) {
      // A misspelt section: name the nearest key that one of its keys would be.
      const auto* const keys_of = node.as_table();
      const std::string first = keys_of->empty() ? "" : std::string(keys_of->begin()->first.str());
      const std::string meant = did_you_mean(key + "." + first, known);
      throw InputError(where(node, key) + " is not a known section" +
                       (meant.empty() ? did_you_mean(key, settings_.sections()) : meant));
    }
    throw InputError(where(node, key) + " is not a known key" + key_meant(key, known));
  }

  void tables(const std::string& key, const toml::node& node) {
    require(node.is_array_of_tables() || (node.is_array() && node.as_array()->empty()), where(node, key),
            "is a list of tables: write [[" + key + "]] and its keys below, once for each");
    require(node.as_array()->size() <= most_tables, where(node, key), "has", node.as_array()->size(),
            "tables, but a job takes at most", most_tables);
    for (const toml::node& item : *node.as_array()) table(*item.as_table(), settings_.add_table(key));
  }

  std::string where(const toml::node& node, const std::string& key) const {
    const auto line = node.source().begin.line;
    return place_ + (place_ == "--set" || line == 0 ? " " : ", line " + std::to_string(line) + ": ") + shown(key);
  }
  static void require_no_control_characters(const std::string& origin, const toml::node& node) {
    if (const auto* text = node.as_string()) require_no_control_character(origin, text->get());
    if (const auto* list = node.as_array())
      for (const toml::node& item : *list) require_no_control_characters(origin, item);
  }
  static std::string described(const toml::node& node) {
    std::ostringstream text;
    if (const auto* v = node.as_string())
      text << "the string " << toml_quoted(v->get());
    else if (const auto* i = node.as_integer())
      text << "the integer " << i->get();
    else if (const auto* f = node.as_floating_point())
      text << "the number " << f->get();
    else if (const auto* b = node.as_boolean())
      text << (b->get() ? "true" : "false");
    else if (const auto* a = node.as_array())
      text << "the list " << *a;
    else
      text << kind_of(node);
    return shown(text.str());
  }

  Settings& settings_;
  std::string place_;
  /// The keys that were read so far, and their lines: for TOML, "a.b" in quotes is not the key b of the section a.
  std::map<std::string, unsigned> seen_;
};

void Settings::add(const std::string& key, SettingTarget target, const std::string& text,
                   std::vector<std::string> choices) {
  settings_.push_back({.key = key, .text = text, .target = target, .choices = std::move(choices), .origin = ""});
}

void Settings::read(const std::string& text, const std::string& file) {
  const int line = line_beyond_ascii(text);
  require(line == 0, file + ", line",
          std::to_string(line) + ": a character beyond ASCII stands where TOML allows none:",
          "names have letters a to z, digits, - and _, texts are in quotes");
  toml::table table;
  try {
    table = toml::parse(std::string_view(text), std::string_view(file));
  } catch (const toml::parse_error& error) {
    throw InputError(
        sentence(file + ", line", std::to_string(error.source().begin.line) + ", column",
                 std::to_string(error.source().begin.column) + ": not valid TOML:", shown(error.description(), 200)));
  }
  Reader(*this, file).table(table, "");
}

void Settings::assign(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  require(equals != std::string::npos && equals > 0, "--set wants KEY=VALUE, got '" + shown(assignment) + "'");
  const std::string key = trim(assignment.substr(0, equals)), value = trim(assignment.substr(equals + 1));
  if (!find(key)) add_table_of(key);
  Setting* setting = find(key);
  const std::string missing = setting ? "" : missing_table(key);
  require(missing.empty(), "--set", shown(key), missing);
  require(setting, "--set", shown(key), "is not a known key" + key_meant(key, keys()));
  const bool text = std::holds_alternative<std::string*>(setting->target);
  const bool texts = std::holds_alternative<std::vector<std::string>*>(setting->target);
  require(is_utf8(value), "--set", key, "is", "'" + shown(value) + "',",
          "which is not UTF-8, in which settings are printed and recorded: rename the file, or name a link to it");
  toml::table table;
  std::string refused = "a character beyond ASCII stands outside quotes";
  try {
    if (line_beyond_ascii(value) == 0) table = toml::parse("value = " + value);
  } catch (const toml::parse_error& error) {
    refused = shown(error.description(), 200);
  }
  const toml::node* node = table.get("value");
  const bool begun = value.starts_with('"') || value.starts_with('\'') || (texts && value.starts_with('['));
  require(!((text || texts) && begun && !node), "--set", key, "is not valid TOML:", refused + ":", shown(value),
          "- close what was opened, or put a name that begins so in quotes");
  const bool plain = text && !(node && node->is_string());
  require(plain || table.size() < 2, "--set", key, "has more than one value: it is", "'" + shown(value) + "'");
  if (plain) table.insert_or_assign("value", value);
  if (texts && !(node && node->is_array()))
    table.insert_or_assign("value", toml::array{node && node->is_string() ? node->as_string()->get() : value});
  node = table.get("value");
  require(node, "--set", key, "must be", std::visit(Kind{}, setting->target) + ", but is '" + shown(value) + "'");
  const std::string before = value_of(*setting);
  const bool again = setting->origin.starts_with("--set");
  Reader(*this, "--set").value(*setting, *node);
  if (const std::string now = value_of(*setting); again && now != before)
    warnings_.push_back(sentence("--set", key, "is given twice, as", shown(before), "and as", shown(now) + ":",
                                 "the last one is taken; leave the other out"));
}

void Settings::follows(const std::string& key) {
  if (Setting* setting = find(key)) setting->follows = true;
}

bool Settings::given(const std::string& key) const { return !at(key).origin.empty(); }

std::string Settings::origin(const std::string& key) const { return given(key) ? at(key).origin : key; }

std::vector<std::pair<std::string, std::string>> Settings::values() const {
  std::vector<std::pair<std::string, std::string>> values;
  for (const Setting& setting : settings_) values.emplace_back(setting.key, value_of(setting));
  return values;
}

std::vector<std::pair<std::string, std::variant<std::string, std::int64_t, double>>> Settings::typed_values() const {
  using Value = std::variant<std::string, std::int64_t, double>;
  const auto typed = [](auto* target) -> Value {
    using T = std::remove_pointer_t<decltype(target)>;
    if constexpr (std::is_same_v<T, int>) return std::int64_t(*target);
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::string>) return *target;
    if constexpr (std::is_same_v<T, std::uint64_t>)
      if (*target <= std::uint64_t(INT64_MAX)) return std::int64_t(*target);
    return text_of(*target);
  };
  std::vector<std::pair<std::string, Value>> values;
  for (const Setting& setting : settings_) values.emplace_back(setting.key, std::visit(typed, setting.target));
  return values;
}

std::string Settings::toml() const {
  std::string text, section;
  std::size_t k = 0;
  for (const auto& [key, value] : values()) {
    const Setting& setting = settings_[k++];
    const std::size_t dot = key.rfind('.');
    const std::string in = dot == std::string::npos ? "" : key.substr(0, dot);
    const auto table =
        std::find_if(tables_.begin(), tables_.end(), [&in](const Tables& t) { return in.starts_with(t.name + "."); });
    const std::string heading = table == tables_.end() ? "[" + in + "]" : "[[" + table->name + "]]";
    if (in != section) text += (text.empty() ? "" : "\n") + heading + "\n";
    section = in;
    text += "# " + setting.text;
    if (!setting.choices.empty()) text += ": " + quoted_list(setting.choices);
    text += std::string("\n") + (setting.follows ? "# " : "") + (dot == std::string::npos ? key : key.substr(dot + 1)) +
            " = " + value + "\n";
  }
  return text;
}

std::string Settings::value_of(const Setting& setting) {
  return std::visit([](auto* target) { return text_of(*target); }, setting.target);
}

Settings::Setting* Settings::find(const std::string& key) {
  for (Setting& setting : settings_)
    if (setting.key == key) return &setting;
  return nullptr;
}

const Settings::Setting& Settings::at(const std::string& key) const {
  for (const Setting& setting : settings_)
    if (setting.key == key) return setting;
  throw InputError("there is no setting " + key);
}

std::vector<std::string> Settings::keys() const {
  std::vector<std::string> keys;
  for (const Setting& setting : settings_) keys.push_back(setting.key);
  return keys;
}

std::vector<std::string> Settings::sections() const {
  std::vector<std::string> sections;
  for (const Setting& setting : settings_) {
    const std::string section = setting.key.substr(0, std::min(setting.key.find('.'), setting.key.size()));
    if (std::count(sections.begin(), sections.end(), section) == 0) sections.push_back(section);
  }
  return sections;
}

}  // namespace kov::app
