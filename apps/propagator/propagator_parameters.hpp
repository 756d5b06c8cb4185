// SPDX-License-Identifier: MIT
//
// The parameters of `kovariant propagator`.
#pragma once

#include "apps/files/memory_plan.hpp"
#include "apps/quarks/gauge_choice.hpp"
#include "apps/quarks/link_choice.hpp"
#include "apps/quarks/named_quarks.hpp"
#include "apps/quarks/solver_choice.hpp"
#include "apps/quarks/source_choice.hpp"
#include "kov/contractions/io/propagator_io.hpp"

namespace kov::app {

/// One member for each section of the TOML file; docs/program.md explains the keys.
struct PropagatorParameters {
  GaugeChoice gauge = {.configurations = 1};
  LinkChoice links;
  SourceChoice source;
  SolverChoice solver;
  NamedQuarks quarks;
  MemoryChoice memory;
  /// The section of this name, as the members above are others.
  struct Output {
    std::string prefix = "propagator", format = "hdf5", journal;
    int precision = 64;
    bool residuals = false;
  } output;

  /// The settings, bound to this object's members.
  Settings settings();
  /// Fills in what follows from other keys and checks what types cannot.  Throws InputError that names the key.
  void complete(Settings& settings);
  /// Warnings about settings without effect and smearings.
  std::vector<std::string> warnings(const Settings& settings) const;

  PropagatorFormat format() const { return propagator_format(output.format); }
  /// Whether the files have the sources as well.
  bool writes_sources() const { return output.format.starts_with("usqcd"); }
  /// Of the files: ".h5" or ".lime".
  std::string ending() const { return output.format == "hdf5" ? ".h5" : ".lime"; }
  /// Of the files with residuals of a propagator, behind its name without an ending; none where they are not wanted.
  std::vector<std::string> residual_endings() const;
  /// Everything that the propagator of a quark depends on beside the configuration and the origin: equal texts, equal
  /// results.
  std::string identity(const NamedQuark& quark) const;
};

}  // namespace kov::app
