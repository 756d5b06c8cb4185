// SPDX-License-Identifier: MIT
#include "kov/core/io/xml.hpp"

#include "kov/core/io/text.hpp"

#include <pugixml.hpp>

namespace kov {

struct XmlRecord::Document {
  pugi::xml_document tree;
};

XmlRecord::XmlRecord(std::string text) : text_(std::move(text)), document_(std::make_unique<Document>()) {
  const pugi::xml_parse_result result = document_->tree.load_buffer(text_.data(), text_.size());
  if (!result) problem_ = std::string(result.description()) + " at byte " + std::to_string(result.offset);
}

XmlRecord::~XmlRecord() = default;
XmlRecord::XmlRecord(XmlRecord&&) noexcept = default;
XmlRecord& XmlRecord::operator=(XmlRecord&&) noexcept = default;

std::optional<std::string> XmlRecord::element(std::string_view name) const {
  if (problem_.empty()) {
    const pugi::xml_node found = document_->tree.find_node([&](const pugi::xml_node& node) {
      const std::string_view qualified = node.name();
      return node.type() == pugi::node_element && qualified.substr(qualified.find(':') + 1) == name;
    });
    if (!found) return std::nullopt;
    return trim(found.child_value());
  }
  const std::string open = "<" + std::string(name) + ">", close = "</" + std::string(name) + ">";
  const std::size_t at = text_.find(open);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + open.size(), end = text_.find(close, begin);
  if (end == std::string::npos) return std::nullopt;
  return trim(std::string_view(text_).substr(begin, end - begin));
}

std::string xml_escape(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace kov
