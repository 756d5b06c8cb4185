// SPDX-License-Identifier: MIT
//
// Markup of texts in pictures, into which names of files go.
#include "apps/plot/typeset.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace kov::fuzz {

std::vector<std::string> seeds() {
  return {"flow time $t / a^2$", "$sigma_{xy}^{-1} log_10 -2.5×10^{-7}$", "50 \\$ \\\\ of $Re tr P / 3$",
          "αβγ $θ^2_eff$"};
}

void read(const std::string& input) {
  const app::TextLine line = app::typeset(input);
  for (const double width : {0.0, 1.0, 40.0}) app::broken_lines(line, width, 3);
  app::text_width(app::typeset(app::plain(input)));
}

}  // namespace kov::fuzz
