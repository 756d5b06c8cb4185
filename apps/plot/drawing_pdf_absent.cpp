// SPDX-License-Identifier: MIT
#include "apps/plot/drawing.hpp"
#include "kov/core/base/error.hpp"

namespace kov::app {

bool has_pdf() { return false; }

std::string Drawing::pdf() const {
  throw NotBuilt("this build has no cairo, which writes PDF: install libcairo2-dev and configure with KOV_PDF=ON");
}

}  // namespace kov::app
