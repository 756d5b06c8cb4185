// SPDX-License-Identifier: MIT
//
// The only file that sees CLI11.
#include "apps/program/command_line.hpp"

#include "apps/settings/shown.hpp"
#include "apps/settings/suggest.hpp"
#include "kov/core/base/exit_code.hpp"
#include "kov/core/base/version.hpp"
#include "kov/core/io/text.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <iostream>
#include <sstream>

namespace kov::app {

void Session::say(const std::string& line) const {
  if (comm.rank() == 0) std::cout << line << std::endl;
}

void Session::warn(const std::string& line) const {
  if (comm.rank() == 0) std::cerr << "kovariant: warning: " << line << std::endl;
  log.warning(line);
}

void Session::require_used(const std::string& option, bool used, const std::string& where) const {
  require(used || given.count(option) == 0, option, "is only used",
          where + ": leave it out, because it changes nothing", "here");
}

std::string shell_word(const std::string& word) {
  const std::string plain = "%+,-./:=@_";
  const auto is_plain = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || plain.find(c) != plain.npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

namespace {

/// Refuses a value before CLI11 converts it: its conversions take -1 for a large number, and their messages are curt.
CLI::Validator wants(const std::string& what, bool (*good)(const std::string&)) {
  return CLI::Validator(
      [=](std::string& text) { return good(text) ? "" : "wants " + what + ", got '" + shown(text) + "'"; }, "");
}
/// Control characters would end or hide a part of a name in files and messages.
CLI::Validator wants_plain_text() {
  return CLI::Validator(
      [](std::string& text) {
        return has_control_character(text) ? "must have no control characters, but is '" + shown(text) + "'" : "";
      },
      "");
}
CLI::Validator wants_name() {
  return CLI::Validator(
      [](std::string& text) { return text.empty() ? "is '', which names no file: leave it out, or name one" : ""; },
      "");
}
CLI::Validator wants_integer() {
  return wants("an integer between -2^31 and 2^31", [](const std::string& text) {
    const auto value = parse_integer(text);
    return value && *value == int(*value);
  });
}
CLI::Validator wants_count() {
  return wants("an integer from 0 to 2^64 - 1", [](const std::string& text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    return parsed.ec == std::errc() && parsed.ptr == end;
  });
}
CLI::Validator wants_number() {
  return wants("a number", [](const std::string& text) { return parse_real(text).has_value(); });
}

CLI::Validator wants_one_of(const std::vector<std::string>& choices) {
  std::string listed;
  for (const std::string& choice : choices) listed += (listed.empty() ? "{" : ",") + choice;
  return CLI::Validator(
      [choices](std::string& text) {
        return std::count(choices.begin(), choices.end(), text) > 0 ? "" : not_a_choice(text, choices);
      },
      listed + "}");
}

/// CLI11 adds how often a value is wanted, "X Y Z T=8 8 8 16 x 4", which the name says, and a colon before choices.
class HelpText : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    for (const char* times : {" x 3", " x 4"})
      if (const std::size_t at = text.find(times); at != text.npos) text.erase(at, 4);
    if (const std::size_t at = text.find(" :{"); at != text.npos) text.erase(at + 1, 1);
    return text;
  }
};

}  // namespace

void Arguments::positional(const std::string& name, std::string& target, const std::string& text, bool required) {
  auto* option = app_.add_option(name, target, text)->check(wants_name())->check(wants_plain_text())->type_name("");
  if (required) option->required();
}
void Arguments::positional(const std::string& name, std::vector<std::string>& target, const std::string& text,
                           bool required) {
  auto* option = app_.add_option(name, target, text)->check(wants_name())->check(wants_plain_text())->type_name("");
  if (required) option->required();
}
void Arguments::flag(const std::string& name, bool& target, const std::string& text) {
  app_.add_flag(name, target, text);
}
void Arguments::option(const std::string& name, std::string& target, const std::string& text,
                       const std::vector<std::string>& choices) {
  auto* option = app_.add_option(name, target, text)->type_name("TEXT");
  if (!target.empty()) option->capture_default_str();
  if (choices.empty())
    option->check(wants_plain_text());
  else
    option->check(wants_one_of(choices))->type_name("");
}
void Arguments::option(const std::string& name, int& target, const std::string& text) {
  app_.add_option(name, target, text)->capture_default_str()->check(wants_integer())->type_name("INTEGER");
}
void Arguments::option(const std::string& name, std::uint64_t& target, const std::string& text) {
  app_.add_option(name, target, text)->capture_default_str()->check(wants_count())->type_name("INTEGER");
}
void Arguments::option(const std::string& name, double& target, const std::string& text) {
  app_.add_option(name, target, text)->capture_default_str()->check(wants_number())->type_name("NUMBER");
}
void Arguments::option(const std::string& name, Coord& target, const std::string& text) {
  auto set = [&target](const std::vector<int>& values) { std::copy(values.begin(), values.end(), target.begin()); };
  app_.add_option_function<std::vector<int>>(name, set, text)
      ->expected(4)
      ->check(wants_integer())
      ->type_name("X Y Z T")
      ->default_str(to_string(target));
}
void Arguments::option(const std::string& name, std::optional<Coord>& target, const std::string& text) {
  auto set = [&target](const std::vector<int>& values) {
    target.emplace();
    std::copy(values.begin(), values.end(), target->begin());
  };
  app_.add_option_function<std::vector<int>>(name, set, text)
      ->expected(4)
      ->check(wants_integer())
      ->type_name("X Y Z T");
}
void Arguments::option(const std::string& name, std::array<double, 3>& target, const std::string& text) {
  auto set = [&target](const std::vector<double>& values) { std::copy(values.begin(), values.end(), target.begin()); };
  app_.add_option_function<std::vector<double>>(name, set, text)
      ->expected(3)
      ->check(wants_number())
      ->type_name("X Y Z")
      ->default_str(sentence(target[0], target[1], target[2]));
}
void Arguments::option(const std::string& name, std::vector<std::string>& target, const std::string& text) {
  app_.add_option(name, target, text)->type_name("TEXT")->expected(1)->take_all();
}

namespace {

std::string version_text(const std::string& parts) {
  const std::string revision = git_revision();
  return sentence("kovariant", version()) + (revision.empty() ? "" : " (" + revision + ")") + "\n" +
         build_description() + (parts.empty() ? "" : "\n" + parts);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// "--beta: At Most 1 required but received 2" in our words.
std::string count_error(const std::string& text) {
  const auto parts = words(text);
  if (parts.size() < 4 || parts.front().back() != ':') return text;
  if (parts.back() == "missing")
    return parts.front().substr(0, parts.front().size() - 1) + " takes a value, and none is given";
  const std::string name = parts.front().substr(0, parts.front().size() - 1), wanted = parts[3], got = parts.back();
  return name + " takes " + wanted + (wanted == "1" ? " value" : " values") + ", and " + got +
         (got == "1" ? " is given" : " are given");
}

/// What is wrong with a command line, why, and what to do, in the grammar of our errors.
std::string usage_error(const CLI::App& top, const CLI::ParseError& error, const std::vector<std::string>& arguments,
                        const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name);
  const auto used = top.get_subcommands();
  const CLI::App* app = used.empty() ? &top : used.front();
  std::string problem = error.what();
  if (used.empty() && !arguments.empty() && arguments.front().rfind('-', 0) != 0) {
    problem = "there is no subcommand '" + shown(arguments.front()) + "'" + did_you_mean(arguments.front(), names);
  } else if (used.empty() && arguments.empty()) {
    problem = "a subcommand is missing";
  } else if (used.empty() && dynamic_cast<const CLI::RequiredError*>(&error)) {
    problem = "a subcommand is missing, and " + in_quotes(arguments.front()) + " is not known without one";
  } else if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const auto extras = top.remaining(true);
    const std::string extra = extras.empty() ? "" : extras.front().substr(0, extras.front().find('='));
    problem = "unknown argument '" + shown(extra) + "'" + did_you_mean(extra, option_names(*app));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) problem = count_error(problem);
  const std::string who = used.empty() ? "kovariant" : "kovariant " + app->get_name();
  return problem + "\n" + who + " --help shows what there is";
}

}  // namespace

Parsed parse_command_line(const std::vector<std::string>& arguments, const std::vector<Command>& commands,
                          const std::string& parts) {
  Parsed parsed;
  CLI::App top("Hadron correlators from lattice-QCD gauge configurations.", "kovariant");
  top.set_version_flag("--version", version_text(parts),
                       "print version, compiler, Kokkos and optional parts, and exit");
  top.require_subcommand(1);
  top.formatter(std::make_shared<HelpText>());
  top.footer("kovariant SUBCOMMAND --help shows a subcommand's options.\n\n" + exit_code_table());
  std::vector<std::pair<CLI::App*, Action>> actions;
  for (const Command& command : commands) {
    CLI::App* sub = top.add_subcommand(command.name, command.summary);
    Arguments declared(*sub);
    Action action = command.declare(declared);
    sub->add_flag("--quiet,-q", parsed.quiet, "no progress on standard error");
    sub->add_flag("--verbose,-v", parsed.verbose, "log what is done on standard error");
    sub->add_option("--log", parsed.log_file, "log what is done to the end of this file")
        ->check(wants_plain_text())
        ->type_name("FILE");
    sub->footer(command.closing);
    actions.emplace_back(sub, std::move(action));
  }
  std::vector<std::string> ours;
  for (const std::string& argument : arguments)
    if (argument.rfind("--kokkos-", 0) != 0) ours.push_back(argument);
  try {
    std::vector<std::string> reversed(ours.rbegin(), ours.rend());
    top.parse(reversed);
  } catch (const CLI::Success& success) {
    std::ostringstream out, err;
    top.exit(success, out, err);
    parsed.text = out.str();
    return parsed;
  } catch (const CLI::ParseError& error) {
    parsed.text = usage_error(top, error, ours, commands);
    parsed.code = int(ExitCode::usage);
    return parsed;
  }
  for (auto& [sub, action] : actions) {
    if (!sub->parsed()) continue;
    parsed.action = std::move(action);
    for (const CLI::Option* option : sub->get_options())
      if (option->count() > 0)
        for (const std::string& name : option->get_lnames()) parsed.given.insert("--" + name);
  }
  return parsed;
}

}  // namespace kov::app
