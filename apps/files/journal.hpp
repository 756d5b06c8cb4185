// SPDX-License-Identifier: MIT
//
// Journal: the finished parts of a long job, so that a killed run can be continued.  One file for each configuration
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
  /// More entries for the outputs: plaquette, checksums, iterations.
  std::map<std::string, std::string> notes;

  /// Exact: numbers are written as their bits, with a checksum at the end.
  std::string text() const;
  /// Throws FormatError when it is not what text() wrote.
  static JournalEntry parse(const std::string& text);
};

/// What interrupted runs leave for the next one: a folder with a file for each finished entry.
class Journal {
 public:
  /// identity: all parameters that results depend on.  open() or the first add() makes the folder.
  Journal(const Comm& comm, std::filesystem::path folder, std::string identity);

  /// The entry under this key; nothing when there is none, or when it is damaged: rejected_entries() then lists it.
  /// Collective.
  std::optional<JournalEntry> find(const std::string& key) const;
  /// Throws InputError, on all ranks, where something that is no file stands in the place of one of these entries.
  /// Collective.
  void require_free(const std::vector<std::string>& keys) const;
  /// Makes the folder, and throws InputError, on all ranks, unless files can be written there.  Call it before anything
  /// is computed.  Collective.
  void open() const;
  /// Replaces the entry of this key.  Collective; throws InputError, on all ranks, when it cannot be written.
  void add(const std::string& key, const JournalEntry& entry) const;

  /// The entries that find() could not use, each with its reason; on rank 0.
  const std::vector<std::string>& rejected_entries() const { return rejected_entries_; }

  /// Where the entry of a key is: letters and digits of the key and a checksum of key and identity, so that jobs with
  /// other parameters leave it alone.
  std::filesystem::path file(const std::string& key) const;

 private:
  void make_folder() const;

  Comm comm_;
  std::filesystem::path folder_;
  std::string identity_;
  mutable std::vector<std::string> rejected_entries_;
};

}  // namespace kov::app
