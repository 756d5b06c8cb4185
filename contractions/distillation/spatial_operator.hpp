// SPDX-License-Identifier: MIT
//
// SpatialOperator: products of covariant shifts and derivatives in space, which displace the quark of an elemental.
#pragma once

#include "kov/stencil/links/gauge_links.hpp"

#include <string>
#include <vector>

namespace kov {

/// One factor of a SpatialOperator.
struct SpatialStep {
  /// See SpatialOperator.
  enum class Kind { forward, backward, derivative };
  Kind kind = Kind::forward;
  /// 0, 1, 2: x, y, z.
  int direction = 0;
  bool operator==(const SpatialStep&) const = default;
};

/// D = steps[0] steps[1] ..., so that the last step acts first; without steps, 1.  Links are those that it is applied
/// with, smeared as a rule:
///   forward     (D v)(x) = U_i(x) v(x + i)
///   backward    (D v)(x) = U_i(x - i)^+ v(x - i)
///   derivative  (D v)(x) = [U_i(x) v(x + i) - U_i(x - i)^+ v(x - i)] / 2
struct SpatialOperator {
  std::vector<SpatialStep> steps = {};
  bool operator==(const SpatialOperator&) const = default;
};

/// "1", or the steps as "+x", "-x", "dx" with blanks between them: "dx dy", "+x +x -z".
std::string to_string(const SpatialOperator& D);
/// The inverse.  Throws InputError, which says what is understood.
SpatialOperator spatial_operator(const std::string& text);

/// out = D in for every component; in and out are different fields of colour vectors of one shape.  One sweep for each
/// step, and another field of that shape for two or more.  Collective.  Ordered on exec.
template <class T>
void apply_spatial_operator(const GaugeLinks<T>& links, const SpatialOperator& D, const Field<ColorVector, T>& in,
                            const Field<ColorVector, T>& out, const Exec& exec = {});

}  // namespace kov
