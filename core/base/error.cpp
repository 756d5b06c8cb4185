// SPDX-License-Identifier: MIT
#include "kov/core/base/error.hpp"

#include <sstream>

namespace kov::detail {

std::string join_parts(std::initializer_list<SentencePart> parts) {
  using Kind = SentencePart::Kind;
  std::ostringstream text;
  for (const SentencePart& part : parts) {
    const bool continues = part.kind_ == Kind::literal && !part.text_.empty() &&
                           std::string_view(",;:").find(part.text_.front()) != std::string_view::npos;
    if (&part != parts.begin() && !continues) text << ' ';
    switch (part.kind_) {
      case Kind::literal:
      case Kind::text:
        text << part.text_;
        break;
      case Kind::character:
        text << part.character_;
        break;
      case Kind::integer:
        text << part.integer_;
        break;
      case Kind::natural:
        text << part.natural_;
        break;
      case Kind::real:
        text << part.real_;
        break;
    }
  }
  return text.str();
}

template void fail<InputError>(std::initializer_list<SentencePart>, const std::source_location&);
template void fail<FormatError>(std::initializer_list<SentencePart>, const std::source_location&);

}  // namespace kov::detail
