// SPDX-License-Identifier: MIT
//
// Functions of one variable that a user writes as a formula.
#pragma once

#include <functional>
#include <string>

namespace kov::app {

/// The function that text says: numbers, pi, the variable, + - * / ^ and brackets, and exp, log, sqrt, sin, cos, tanh,
/// erf, erfc and abs of something in brackets; ^ binds before a sign, from the right: -2^2^3 is -256.  what: what the
/// user calls the text, for messages.  Throws InputError that says where the text goes wrong.
std::function<double(double)> parse_formula(const std::string& text, const std::string& variable,
                                            const std::string& what);

}  // namespace kov::app
