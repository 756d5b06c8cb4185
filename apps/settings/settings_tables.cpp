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

}  // namespace kov::app
