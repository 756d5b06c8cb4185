// SPDX-License-Identifier: MIT
//
// "Did you mean ...": the nearest of a few known names.
#pragma once

#include <string>
#include <vector>

namespace kov::app {

/// Insertions, deletions, substitutions and exchanges of neighbouring letters that lead from a to b.
int edit_distance(const std::string& a, const std::string& b);

/// The known name with the smallest distance to name, the first of equals; empty when none is close (further than a
/// third of its letters and than two, or than half of them).  Capital letters are as good as small ones.
std::string nearest(const std::string& name, const std::vector<std::string>& known);

/// "; did you mean 'x'?" or nothing.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& known);

/// "a, b and c"
std::string list_text(const std::vector<std::string>& words);

/// "'a', 'b', 'c'"
std::string quoted_list(const std::vector<std::string>& words);

/// "must be one of 'a', 'b', but is 'x'; did you mean 'a'?": what is said about a value that is not among its choices.
std::string not_a_choice(const std::string& value, const std::vector<std::string>& choices);

}  // namespace kov::app
