// SPDX-License-Identifier: MIT
//
// A map: one coloured square for each site of a plane, with a colour bar.
#pragma once

#include "apps/plot/drawing.hpp"

#include <string>
#include <vector>

namespace kov::app {

/// Texts are markup of typeset().
struct PlotMap {
  std::string title, x_label, y_label, value_label;
  /// value[x + nx * y], drawn with y upwards.  The scale runs from 0 to the largest.
  int nx = 0, ny = 0;
  std::vector<double> value;
  /// A small line below the map: where it comes from.
  std::string caption = {};

  /// Throws InputError unless there are nx ny finite values, none negative.
  Drawing drawing() const;
};

}  // namespace kov::app
