// SPDX-License-Identifier: MIT
//
// Subcommands and their options.  A subcommand is a value: a name, help texts and a function that declares its options
// and returns what to run.  Behind it is CLI11, which only command_line.cpp sees.
//
//   Command info_command() {
//     return {"info", "what a gauge configuration is", "", [](Arguments& arguments) -> Action {
//       auto file = std::make_shared<std::string>();
//       arguments.positional("FILE", *file, "the configuration");
//       return [file](const Session& session) { session.say(*file); };
//     }};
//   }
#pragma once

#include "kov/core/comm/comm.hpp"
#include "kov/core/lattice/geometry.hpp"
#include "kov/core/runtime/log.hpp"

#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kov::app {

/// What every subcommand is given: the processes, and where to say things.
struct Session {
  /// All processes of the run, and where messages of the log go.
  Comm comm;
  Log log;
  /// Where the log goes; empty when to no file.
  std::string log_file;
  /// No progress on standard error.
  bool quiet = false;
  /// The command as it was given, for the provenance of outputs.
  std::string command_line;
  /// The options that it has, by name: "--steps".
  std::set<std::string> given = {};

  /// Throws InputError when an option was given that changes nothing, so that nobody takes the result for another one.
  /// used: whether it changes something; where: when it would: "with --smearing ape".
  void require_used(const std::string& option, bool used, const std::string& where) const;

  /// To be called when everything that was asked for has been found to be possible, before the first number is computed
  /// or file written: opens the log.  A run that is refused before leaves no new file.  Collective.
  void begin() const { log.open(comm); }

  /// A line on standard output of rank 0.
  void say(const std::string& line = "") const;
  /// A line on standard error of rank 0, and in the log.
  void warn(const std::string& line) const;
};

/// Runs a subcommand; throws.
using Action = std::function<void(const Session&)>;

/// How a subcommand declares its options.  Targets keep their present values as the defaults and must outlive parsing.
class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(app) {}

  void positional(const std::string& name, std::string& target, const std::string& text, bool required = true);
  /// Any number of them; one or more where required.
  void positional(const std::string& name, std::vector<std::string>& target, const std::string& text,
                  bool required = true);
  void flag(const std::string& name, bool& target, const std::string& text);
  void option(const std::string& name, std::string& target, const std::string& text,
              const std::vector<std::string>& choices = {});
  void option(const std::string& name, int& target, const std::string& text);
  void option(const std::string& name, std::uint64_t& target, const std::string& text);
  void option(const std::string& name, double& target, const std::string& text);
  /// Four integers: --extent 8 8 8 16.
  void option(const std::string& name, Coord& target, const std::string& text);
  /// The same; without it the target stays empty.
  void option(const std::string& name, std::optional<Coord>& target, const std::string& text);
  /// Three numbers: --momentum 1 0 -0.5.
  void option(const std::string& name, std::array<double, 3>& target, const std::string& text);
  /// May be given several times, one text each.
  void option(const std::string& name, std::vector<std::string>& target, const std::string& text);

 private:
  CLI::App& app_;
};

/// A subcommand: its name, what --help says of it, and how it declares its options.
struct Command {
  std::string name;
  std::string summary;
  /// What --help says below the options: examples, outputs.
  std::string closing;
  std::function<Action(Arguments&)> declare;
};

/// What a command line comes to.
struct Parsed {
  /// Empty when there is nothing to run.
  Action action;
  bool quiet = false, verbose = false;
  std::string log_file;
  /// Session::given
  std::set<std::string> given;
  /// When there is nothing to run: for standard output (code 0: --help, --version) or standard error.
  std::string text;
  int code = 0;
};

/// Parses all arguments but the program's name.  Those that begin with --kokkos- are skipped: Kokkos takes them.
/// parts: a line for --version, which optional parts the program has.
Parsed parse_command_line(const std::vector<std::string>& arguments, const std::vector<Command>& commands,
                          const std::string& parts = "");

/// A word as a shell takes it: in quotes where it has to be.
std::string shell_word(const std::string& word);

}  // namespace kov::app
