// SPDX-License-Identifier: MIT
//
// Lists of tables in settings.
#include "apps/settings/settings.hpp"
#include "kov/core/base/error.hpp"

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

std::string Settings::missing_table(const std::string& key) const {
  for (const Tables& tables : tables_) {
    if (!key.starts_with(tables.name + ".")) continue;
    const std::string rest = key.substr(tables.name.size() + 1), number = rest.substr(0, rest.find('.'));
    const std::string list = "the list [[" + tables.name + "]]", first = tables.name + "." + std::to_string(tables.n);
    const bool is_number = !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number)
      return sentence("is of", list + ",", "whose tables have numbers from 0 on: write", tables.name + ".0." + rest);
    if (number.size() > 9 || std::stoul(number) >= most_tables)
      return sentence("is of a table beyond", most_tables, "of", list + ":", "a job takes no more");
    if (std::stoi(number) > tables.n)
      return sentence("is of table", number, "of", list + ",", "which has no table", std::to_string(tables.n) + ":",
                      "give a key of", first, "before it, such as", first + rest.substr(number.size()));
  }
  return "";
}

}  // namespace kov::app
