// SPDX-License-Identifier: MIT
//
// What a spectrum job writes and prints when all its parts are there.
#pragma once

#include "apps/program/command_line.hpp"
#include "apps/spectrum/spectrum_plan.hpp"

namespace kov::app {

/// Correlators in HDF5 and as text, warnings about them, tables of effective masses and their picture.  Collective.
void write_results(const Session& session, const SpectrumParameters& parameters, const Settings& settings,
                   const SpectrumPlan& plan);

}  // namespace kov::app
