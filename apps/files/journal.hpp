// SPDX-License-Identifier: MIT
//
// Journal: what is finished of a long job, so that a killed run goes on where it was.  One file for each configuration
// and origin, complete or absent.
#pragma once

#include "kov/contractions/correlators/correlator.hpp"
#include "kov/core/comm/comm.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kov::app {

/// The result of one configuration and origin.
struct JournalEntry {
  std::vector<Correlator> correlators;
  /// What else outputs tell: plaquette, checksums, iterations.
  std::map<std::string, std::string> notes;

  /// Exact: numbers are written as their bits, the end has a checksum.
  std::string text() const;
  /// Throws FormatError when it is not what text() wrote.
  static JournalEntry parse(const std::string& text);
};

class Journal {
 public:
  /// identity: every parameter that results depend on.  The folder is made on the first add().
  Journal(const Comm& comm, std::filesystem::path folder, std::string identity);

  /// The entry under this key; nothing where there is none, or a damaged one, which rejected_entries() then has.
  /// Collective.
  std::optional<JournalEntry> find(const std::string& key) const;
  /// Replaces the entry of this key.  Collective; throws InputError, on all ranks, when it cannot be written.
  void add(const std::string& key, const JournalEntry& entry) const;

  /// The entries that find() could not use, each with its reason; on rank 0.
  const std::vector<std::string>& rejected_entries() const { return rejected_entries_; }

  /// Where the entry of a key is: letters and digits of the key and a checksum of key and identity, so that jobs with
  /// other parameters leave it alone.
  std::filesystem::path file(const std::string& key) const;

 private:
  Comm comm_;
  std::filesystem::path folder_;
  std::string identity_;
  mutable std::vector<std::string> rejected_entries_;
};

}  // namespace kov::app
