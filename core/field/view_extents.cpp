// SPDX-License-Identifier: MIT
#include "kov/core/field/view_extents.hpp"

#include "kov/core/base/error.hpp"

namespace kov::detail {

void ViewExtents<true>::refuse(int outer, int component, int lane) const {
  const std::string sites =
      n_outer_ ? sentence("outer sites", first_, "to", first_ + n_outer_ - 1, "with") : std::string("no sites,");
  throw InputError(sentence("outer site", outer, "component", component, "lane", lane, "of", name_,
                            "was asked for, which does not exist: it has", sites, n_components_, "components and",
                            n_lanes_, "lanes"));
}

}  // namespace kov::detail
