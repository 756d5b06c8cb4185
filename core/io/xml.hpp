// SPDX-License-Identifier: MIT
//
// XML records of files, parsed by pugixml.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kov {

/// One parsed record.
class XmlRecord {
 public:
  explicit XmlRecord(std::string text);
  ~XmlRecord();
  XmlRecord(XmlRecord&&) noexcept;
  XmlRecord& operator=(XmlRecord&&) noexcept;

  /// The text of the first element of this name at any depth, whatever its namespace prefix: trimmed, entities
  /// resolved, empty where it has none.  Nothing when there is no such element.
  std::optional<std::string> element(std::string_view name) const;

  /// Why the text is no XML, with the byte; empty when it is.  Then element() looks for <name>text</name> letter by
  /// letter, as QIO does, and knows no attributes, comments or entities: files of other codes with a quotation mark too
  /// few are read that way.
  const std::string& problem() const { return problem_; }

 private:
  struct Document;
  std::string text_, problem_;
  std::unique_ptr<Document> document_;
};

/// The text with & < > as entities.
std::string xml_escape(std::string_view text);

}  // namespace kov
