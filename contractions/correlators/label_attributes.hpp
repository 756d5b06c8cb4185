// SPDX-License-Identifier: MIT
//
// Private to the files of contractions: labels as attributes of an object in HDF5.
#pragma once

#include "kov/contractions/correlators/correlator.hpp"
#include "kov/core/io/hdf5.hpp"

#include <map>
#include <span>
#include <string>

namespace kov::detail {

/// The texts and numbers among the attributes of a group or dataset, but those named in `others`.
std::map<std::string, LabelValue> read_label_attributes(const Hdf5File& file, const std::string& object,
                                                        std::span<const char* const> others = {});

/// Labels as attributes of a group or dataset that exists.
void write_label_attributes(Hdf5File& file, const std::string& object, const std::map<std::string, LabelValue>& labels);

}  // namespace kov::detail
