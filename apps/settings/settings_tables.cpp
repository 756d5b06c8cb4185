// SPDX-License-Identifier: MIT
//
// Lists of tables in settings.
#include "apps/settings/settings.hpp"
#include "apps/settings/suggest.hpp"
#include "kov/core/base/error.hpp"

#include <algorithm>

namespace kov::app {

void Settings::add_tables(const std::string& name, std::function<void(Settings&, const std::string&)> add) {
  tables_.push_back({name, std::move(add)});
}

std::string Settings::add_table(const std::string& name) {
  Tables* const tables = find_tables(name);
  require(tables, "there is no list of tables", name);
  const std::string section = name + "." + std::to_string(tables->n++);
  tables->add(*this, section);
  return section;
}

int Settings::n_tables(const std::string& name) const {
  for (const Tables& tables : tables_)
    if (tables.name == name) return tables.n;
  return 0;
}

Settings::Tables* Settings::find_tables(const std::string& name) {
  for (Tables& tables : tables_)
    if (tables.name == name) return &tables;
  return nullptr;
}

void Settings::add_table_of(const std::string& key) {
  for (const Tables& tables : tables_)
    if (key.starts_with(tables.name + "." + std::to_string(tables.n) + ".") && std::size_t(tables.n) < most_tables) {
      const std::string name = tables.name;
      add_table(name);
      return;
    }
}

std::vector<std::string> Settings::keys_in_table(const std::string& list) {
  if (n_tables(list) == 0) add_table(list);  // whose keys are known then
  const std::string section = list + ".0.";
  std::vector<std::string> known;
  for (const std::string& key : keys())
    if (key.starts_with(section)) known.push_back(key.substr(section.size()));
  return known;
}

namespace {

/// The key of a table that is meant by this one, which may have another word before it; empty where none is near.
std::string meant_in_table(const std::string& key, const std::vector<std::string>& known) {
  const std::string near = nearest(key, known);
  return near.empty() ? nearest(key.substr(key.rfind('.') + 1), known) : near;
}

}  // namespace

std::string Settings::missing_table(const std::string& key) {
  for (const Tables& tables : tables_) {
    if (!key.starts_with(tables.name + ".")) continue;
    const std::string rest = key.substr(tables.name.size() + 1), number = rest.substr(0, rest.find('.'));
    const std::string list = "the list [[" + tables.name + "]]", zeroth = tables.name + ".0.";
    const bool is_number = !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number) {
      const std::vector<std::string> known = keys_in_table(tables.name);
      const std::string meant = meant_in_table(rest, known);
      return sentence("is of", list + ",", "whose tables have numbers from 0 on") +
             (meant.empty()   ? ": its keys are like " + zeroth + known.front()
              : meant == rest ? ": write " + zeroth + meant
                              : "; did you mean '" + zeroth + meant + "'?");
    }
    if (number.size() > 9 || std::stoul(number) >= most_tables)
      return sentence("is of a table beyond", most_tables, "of", list + ":", "a job takes no more");
    if (const int n = tables.n; std::stoi(number) > n) {
      const std::vector<std::string> known = keys_in_table(tables.name);
      const std::string first = tables.name + "." + std::to_string(n);
      const std::string meant = meant_in_table(rest.substr(std::min(number.size() + 1, rest.size())), known);
      return sentence("is of table", number, "of", list + ",", "which has no table", std::to_string(n) + ":",
                      "give a key of", first, "before it, such as",
                      first + "." + (meant.empty() ? known.front() : meant));
    }
  }
  return "";
}

}  // namespace kov::app
