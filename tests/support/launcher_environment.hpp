// SPDX-License-Identifier: MIT
//
// An environment as launchers make it for their processes.
#pragma once

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <unistd.h>

namespace kov::test {

/// The environment without any launcher and without what tells OpenMP about threads; as it was at the end of the test.
class LauncherEnvironment : public ::testing::Test {
 protected:
  using Variables = std::map<std::string, std::string>;

  LauncherEnvironment() : before_(matching()) { clear(); }
  ~LauncherEnvironment() override {
    clear();
    set(before_);
  }

  static void clear() {
    for (const auto& [name, value] : matching()) unsetenv(name.c_str());
  }
  static void set(const Variables& variables) {
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  static Variables matching() {
    Variables found;
    for (char** entry = environ; *entry; ++entry) {
      const std::string text = *entry, name = text.substr(0, text.find('='));
      for (const char* prefix : {"OMPI_COMM_", "MV2_", "MVP_", "MPI_LOCAL", "PMI_", "PMIX_", "PALS_", "FLUX_", "SLURM_",
                                 "KOV_MPI", "OMP_", "GOMP_"})
        if (name.starts_with(prefix)) found[name] = text.substr(name.size() + 1);
    }
    return found;
  }

  Variables before_;
};

}  // namespace kov::test
