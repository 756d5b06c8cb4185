// SPDX-License-Identifier: MIT
//
// The subcommands, each in the .cpp of its name (bench_command() is in bench.hpp).
#pragma once

#include "apps/program/command_line.hpp"

namespace kov::app {

/// What a gauge configuration is: header, checksums, plaquette.
Command info_command();
/// A gauge configuration in another format or precision.
Command convert_command();
/// Quenched gauge configurations by heatbath and overrelaxation.
Command generate_command();
/// The shape of a smeared source.
Command smear_command();
/// Gradient flow: energies, charge, t0 and w0.
Command flow_command();
/// Links in Coulomb, Landau or temporal gauge.
Command gaugefix_command();
/// Wilson loops, the static potential and Polyakov loops.
Command loops_command();
/// Hadron correlators and effective masses.
Command spectrum_command();

}  // namespace kov::app
