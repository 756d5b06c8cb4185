// SPDX-License-Identifier: MIT
//
// JobOptions: the command line of a job, and how its parameters are read.
#pragma once

#include "apps/files/file_patterns.hpp"
#include "apps/program/command_line.hpp"
#include "apps/settings/settings.hpp"

#include <string>
#include <vector>

namespace kov::app {

/// The command line of jobs that take a file of settings: FILE, --set, --dry-run and --print.
struct JobOptions {
  std::string file;
  std::vector<std::string> set;
  bool dry_run = false, print = false;

  void declare(Arguments& arguments);

  /// The settings of these parameters, which are set and complete: from the file, then from --set, with warnings.
  /// Throws InputError.  Collective.
  template <class Parameters>
  Settings read(const Session& session, Parameters& parameters) const {
    Settings settings = parameters.settings();
    read_into(session, settings);
    parameters.gauge.files = matched_files(session.comm, parameters.gauge.files, settings.origin("gauge.files"));
    parameters.complete(settings);
    return settings;
  }

 private:
  void read_into(const Session& session, Settings& settings) const;
};

}  // namespace kov::app
