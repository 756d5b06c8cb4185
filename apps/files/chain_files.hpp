// SPDX-License-Identifier: MIT
//
// The files of a Markov chain of gauge configurations; an interrupted chain continues from them.
#pragma once

#include "kov/core/comm/comm.hpp"
#include "kov/core/field/field.hpp"
#include "kov/core/io/gauge/gauge_file.hpp"

#include <map>
#include <string>
#include <vector>

namespace kov::app {

/// The most configurations of one job.
inline constexpr int max_configurations = 1000000;

/// PREFIX.0001.lime, PREFIX.0002.lime, ..., each of which records the chain that it belongs to.
class ChainFiles {
 public:
  /// chain: every option that links depend on, as on a command line: "--beta 6 --seed 1".
  ChainFiles(const Comm& comm, std::string prefix, GaugeFormat format, std::string chain);

  std::string file(int k) const;
  /// "CHAIN" and its text, for WriteGaugeOptions::metadata.
  std::pair<std::string, std::string> record() const { return {"CHAIN", chain_}; }

  /// Entry k - 1: whether configuration k is on disk, for k = 1 to n.  Throws InputError when one of these files
  /// belongs to another chain or to none, FormatError when one is no gauge configuration.  Collective.
  std::vector<bool> on_disk(int n) const;

  /// Configuration k.  Collective; throws FormatError when it is damaged; the message says how to continue the chain.
  GaugeField<double> read(const Lattice& lattice, int k) const;

 private:
  Comm comm_;
  std::string prefix_, ending_, chain_;
};

/// The plaquette after each update, in PREFIX.history.txt and drawn in PREFIX.history.svg and .pdf.
class ChainHistory {
 public:
  ChainHistory(const Comm& comm, std::string prefix, std::string chain);

  /// Reads the plaquettes from the file if it belongs to this chain.  Collective.
  void read();
  /// Rounded to twelve digits, so that the file is the same whether or not the chain was interrupted.
  void add(int update, double plaquette);
  /// Returns why there is no PDF of it in a build that writes PDF; empty otherwise.  Collective.
  std::string write() const;

 private:
  Comm comm_;
  std::string prefix_, chain_;
  std::map<int, std::string> plaquettes_;
};

}  // namespace kov::app
