// SPDX-License-Identifier: MIT
//
// Remembered: tables of objects that are made at their first use, of any types.
#pragma once

#include <map>
#include <memory>
#include <typeindex>

namespace kov {

/// Objects found by keys that are values, not texts.  For one host thread.
class Remembered {
 public:
  /// The Object of this key: what make() returned when the key was first asked for.  Keys need operator<; each pair
  /// (Object, Key) has a table of its own.  Valid as long as this; nothing is kept where make() throws.
  template <class Object, class Key, class Make>
  const Object& find(const Key& key, const Make& make) {
    using Table = std::map<Key, Object>;
    std::shared_ptr<void>& memory = tables_[typeid(Table)];
    if (!memory) memory = std::make_shared<Table>();
    Table& table = *static_cast<Table*>(memory.get());
    const auto found = table.find(key);
    return found != table.end() ? found->second : table.emplace(key, make()).first->second;
  }

 private:
  std::map<std::type_index, std::shared_ptr<void>> tables_;
};

}  // namespace kov
