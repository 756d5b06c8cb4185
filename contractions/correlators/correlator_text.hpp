// SPDX-License-Identifier: MIT
//
// Correlators as columns of text.
#pragma once

#include "kov/contractions/correlators/correlator.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace kov {

/// Correlators as columns of text "t real imag", one block for each correlator with its labels in comment lines before
/// it, two blank lines between blocks, as gnuplot's index expects.  17 digits.
std::string to_text(const std::vector<Correlator>& correlators, const CorrelatorProvenance& provenance);

/// Writes to_text(); complete or absent.  Collective, as write_correlators.
void write_correlator_text(const std::filesystem::path& path, const std::vector<Correlator>& correlators,
                           const CorrelatorProvenance& provenance, const Comm& comm);

}  // namespace kov
