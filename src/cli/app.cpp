#include "cli/app.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <span>

#include "base/console.h"
#include "base/error.h"
#include "base/exit_status.h"
#include "base/nearest_name.h"
#include "base/usage_error.h"
#include "base/version.h"
#include "cli/command_options.h"
#include "cli/commands.h"
#include "cli/help_texts.h"
#include "driver/driver.h"

namespace raddle::cli {

namespace {

// `--json` may stand alone or before a file; CLI11 would take the program for the file.
std::vector<std::string> settle_json(std::vector<std::string> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] != "--json") continue;
    const bool takes_next = i + 1 < arguments.size() && !arguments[i + 1].empty() &&
                            arguments[i + 1][0] != '-' &&
                            driver::driver_of(arguments[i + 1]) == nullptr;
    if (takes_next) {
      arguments[i] += "=" + arguments[i + 1];
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    } else {
      arguments[i] += "=-";
    }
  }
  return arguments;
}

// `raddle help X` is `raddle X --help`, `raddle version` is `raddle --version`.
void replace_words(std::vector<std::string>& arguments) {
  if (arguments.empty()) return;
  if (arguments[0] == "version") arguments[0] = "--version";
  if (arguments[0] != "help") return;
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
}

// What no option took: a misspelt option, or a word too many.
void refuse_extras(const CLI::App& command) {
  const std::vector<std::string> extras = command.remaining();
  if (extras.empty()) return;
  const std::string& word = extras.front();
  const std::string command_name =
      command.get_name() == "raddle" ? "raddle" : "raddle " + command.get_name();
  if (word.size() > 1 && word[0] == '-') {
    std::vector<std::string> known;
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      for (const std::string& name : option->get_snames()) known.push_back("-" + name);
    }
    std::string hint = suggestion(word.substr(0, word.find('=')), known);
    if (hint.empty()) hint = fmt::format("{} --help lists the options", command_name);
    throw UsageError(fmt::format("unknown option '{}'", word), {}, hint);
  }
  std::vector<std::string> subcommands;
  for (const CLI::App* known : command.get_subcommands([](const CLI::App*) { return true; }))
    subcommands.push_back(known->get_name());
  if (const std::string hint = suggestion(word, subcommands); !hint.empty())
    throw UsageError(fmt::format("unknown command '{} {}'", command_name, word), {}, hint);
  throw UsageError(
      fmt::format("unexpected argument '{}'", word), {},
      fmt::format("{} --help lists the arguments; arguments of the program itself come after --",
                  command_name));
}

class CommandLine {
 public:
  CommandLine() : app_(kPurpose, "raddle"), commands_(declare_commands(app_, program_arguments_)) {
    app_.footer(kFooter);
    app_.set_version_flag("-V,--version", fmt::format("raddle {}", kVersion));
    app_.set_help_flag("-h,--help", "print this help");
    app_.require_subcommand(0, 1);
    app_.allow_extras();
  }

  int run(std::vector<std::string> arguments);

 private:
  void refuse_unknown_command(const std::string& word);
  std::string help_of_chosen();

  std::vector<std::string> program_arguments_;
  CLI::App app_;
  std::vector<Command> commands_;
};

void CommandLine::refuse_unknown_command(const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app_.get_subcommands([](CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return;
  std::string hint = suggestion(word, names);
  if (hint.empty()) hint = "raddle --help lists the commands";
  throw UsageError(fmt::format("unknown command '{}'", word), {}, hint);
}

std::string CommandLine::help_of_chosen() {
  std::string words = "raddle";
  CLI::App* chosen = &app_;
  for (auto parsed = app_.get_subcommands(); !parsed.empty(); parsed = chosen->get_subcommands()) {
    if (chosen != &app_) words += " " + chosen->get_name();
    chosen = parsed.front();
  }
  return chosen == &app_ ? app_.help() : chosen->help(words);
}

int CommandLine::run(std::vector<std::string> arguments) {
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  if (separator != arguments.end()) {
    program_arguments_.assign(separator + 1, arguments.end());
    arguments.erase(separator, arguments.end());
  }
  if (arguments.empty()) {
    print_error(app_.help() + "\n");
    return kUsageFault;
  }
  if (arguments[0][0] != '-') {
    refuse_unknown_command(arguments[0]);
    if (arguments[0] == "run") arguments = settle_json(std::move(arguments));
  }
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app_.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    print(help_of_chosen() + "\n");
    return 0;
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
    return 0;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  refuse_extras(app_);
  for (const Command& command : commands_) {
    if (!command.parser->parsed()) continue;
    refuse_extras(*command.parser);
    return command.run();
  }
  return 0;
}

}  // namespace

int run_app(const std::vector<std::string>& arguments) {
  try {
    const std::string called =
        arguments.empty() ? std::string() : std::filesystem::path(arguments[0]).filename().string();
    std::vector<std::string> words(arguments.begin() + (arguments.empty() ? 0 : 1),
                                   arguments.end());
    // Tools have grammars of their own.
    for (const driver::Driver* driver : driver::drivers())
      for (const driver::Tool& tool : driver->tools())
        if (!tool.alias.empty() && called == tool.alias) return tool.run(words);
    replace_words(words);
    for (const driver::Driver* driver : driver::drivers())
      for (const driver::Tool& tool : driver->tools())
        if (!words.empty() && words[0] == tool.name) return tool.run(std::span(words).subspan(1));
    return CommandLine().run(std::move(words));
  } catch (const UsageError& error) {
    print_error("raddle: " + error.full_text() + "\n");
    return kUsageFault;
  } catch (const Error& error) {
    print_error("raddle: " + error.full_text() + "\n");
    return kUserFault;
  } catch (const std::exception& error) {
    print_error(
        fmt::format("raddle: internal fault: {}\n"
                    "hint: this is a bug in Raddle {}; please report it with the command line "
                    "and the program\n",
                    error.what(), kVersion));
    return kInternalFault;
  }
}

}  // namespace raddle::cli
