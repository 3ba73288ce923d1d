#include "cli/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace raddle::cli {

namespace {

// What an option or argument wants: one of some words, and perhaps a file or folder besides.
struct Wanted {
  enum class Path { kNone, kFile, kFolder };
  std::vector<std::string> words;
  Path path = Path::kNone;
};

Wanted wanted_by(const GrammarOption& option, const CompletionValues& values) {
  const std::string_view value = option.value;
  const auto begins = [&](std::string_view word) { return value.starts_with(word); };
  if (begins("MACHINE") || begins("A,B")) return {values.machines, Wanted::Path::kFile};
  if (begins("PROGRAM")) return {values.programs, Wanted::Path::kFile};
  if (begins("PAPER")) return {values.papers, Wanted::Path::kNone};
  if (begins("FOLDER")) return {{}, Wanted::Path::kFolder};
  if (begins("SHELL")) return {completion_shells(), Wanted::Path::kNone};
  const bool is_file =
      value.find("FILE") != std::string_view::npos || begins("SPEC") || begins("RESULT");
  return {{}, is_file ? Wanted::Path::kFile : Wanted::Path::kNone};
}

// Calls `visit` for the command and all below it, each with what the user types: "raddle machines".
void walk(const GrammarCommand& command, const std::string& path,
          const std::function<void(const GrammarCommand&, const std::string&)>& visit) {
  visit(command, path);
  for (const GrammarCommand& each : command.commands) walk(each, path + " " + each.name, visit);
}

std::vector<std::string> names_of(const std::vector<GrammarCommand>& commands) {
  std::vector<std::string> names;
  for (const GrammarCommand& command : commands) names.push_back(command.name);
  return names;
}

// Within single quotes, which bash, zsh and fish read alike.
std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

constexpr std::string_view kGenerated =
    "# Completions of raddle, written by `raddle completion {}`.\n";

std::string bash_reply(const Wanted& wanted) {
  std::string reply;
  if (!wanted.words.empty())
    reply += fmt::format(" -W {}", quoted(fmt::format("{}", fmt::join(wanted.words, " "))));
  if (wanted.path == Wanted::Path::kFile) reply += " -f";
  if (wanted.path == Wanted::Path::kFolder) reply += " -d";
  return reply;
}

std::string bash_script(const GrammarCommand& root, const CompletionValues& values) {
  std::string commands;  // every command below raddle, as a pattern of `case`
  std::string options;   // after which word which values
  std::string words;     // what else a command takes
  walk(root, root.name, [&](const GrammarCommand& command, const std::string& path) {
    if (&command != &root)
      commands += fmt::format("{}{}", commands.empty() ? "" : "|", quoted(path));
    std::vector<std::string> names;
    std::string arguments;
    for (const GrammarOption& option : command.options) {
      names.insert(names.end(), option.names.begin(), option.names.end());
      const std::string reply = bash_reply(wanted_by(option, values));
      if (option.names.empty()) arguments += reply;
      if (option.names.empty() || option.value.empty()) continue;
      for (const std::string& name : option.names)
        options += fmt::format("    {}) wanted={} ;;\n", quoted(fmt::format("{} {}", path, name)),
                               quoted(reply.empty() ? " " : reply));
    }
    if (!command.commands.empty())
      arguments += bash_reply({names_of(command.commands), Wanted::Path::kNone});
    words += fmt::format("    {}) options={} arguments={} ;;\n", quoted(path),
                         quoted(fmt::format("{}", fmt::join(names, " "))), quoted(arguments));
  });
  return fmt::format(kGenerated, "bash") + fmt::format(R"(_raddle() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  local path={0} each wanted= options= arguments=
  for each in "${{COMP_WORDS[@]:1:COMP_CWORD - 1}}"; do
    case "$path $each" in {1}) path="$path $each" ;; esac
  done
  case "$path $previous" in
{2}  esac
  case "$path" in
{3}  esac
  if [ -z "$wanted" ]; then
    case "$word" in -*) wanted=" -W '$options'" ;; *) wanted=$arguments ;; esac
  fi
  COMPREPLY=()
  [ -z "${{wanted// /}}" ] || mapfile -t COMPREPLY < <(eval "compgen $wanted -- \"\$word\"")
}}
complete -o filenames -F _raddle {0}
)",
                                                       root.name, commands, options, words);
}

// Within the brackets and colons of _arguments.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_values(const GrammarOption& option, const CompletionValues& values) {
  const Wanted wanted = wanted_by(option, values);
  if (wanted.path == Wanted::Path::kFolder) return "_files -/";
  const std::string words = fmt::format("{}", fmt::join(wanted.words, " "));
  if (wanted.path == Wanted::Path::kFile)
    return words.empty()
               ? "_files"
               : fmt::format("_alternative \"words:name:({})\" \"files:file:_files\"", words);
  return words.empty() ? " " : fmt::format("({})", words);
}

std::string zsh_specification(const GrammarOption& option, const CompletionValues& values) {
  const std::string value = option.value.empty() ? std::string()
                                                 : fmt::format(":{}:{}", zsh_text(option.value),
                                                               zsh_values(option, values));
  if (option.names.empty()) return quoted("*" + value);
  std::string text;
  for (const std::string& name : option.names)
    text += fmt::format("{}{}", text.empty() ? "" : " ",
                        quoted(fmt::format("*{}[{}]{}", name, zsh_text(option.sentence), value)));
  return text;
}

std::string zsh_function(std::string path) {
  for (char& c : path)
    if (c == ' ' || c == '+') c = '_';
  return "_" + path;
}

std::string zsh_script(const GrammarCommand& root, const CompletionValues& values) {
  std::string functions;
  walk(root, root.name, [&](const GrammarCommand& command, const std::string& path) {
    std::string specifications;
    for (const GrammarOption& option : command.options) {
      if (!command.commands.empty() && option.names.empty()) continue;
      specifications += " \\\n    " + zsh_specification(option, values);
    }
    if (command.commands.empty()) {
      functions +=
          fmt::format("{}() {{\n  _arguments{}\n}}\n\n", zsh_function(path), specifications);
      return;
    }
    std::string described, cases;
    for (const GrammarCommand& each : command.commands) {
      described += fmt::format(
          "\n      {}", quoted(fmt::format("{}:{}", zsh_text(each.name), zsh_text(each.sentence))));
      cases +=
          fmt::format("      {}) {} ;;\n", quoted(each.name), zsh_function(path + " " + each.name));
    }
    functions += fmt::format(R"({0}() {{
  local curcontext=$curcontext state line
  _arguments -C{1} \
    '1:command:->command' '*::argument:->argument'
  case $state in
  command)
    local -a commands=({2}
    )
    _describe command commands ;;
  argument)
    case $line[1] in
{3}    esac ;;
  esac
}}

)",
                             zsh_function(path), specifications, described, cases);
  });
  return fmt::format("#compdef {}\n", root.name) + fmt::format(kGenerated, "zsh") + "\n" +
         functions + fmt::format("{} \"$@\"\n", zsh_function(root.name));
}

std::string fish_option(const GrammarOption& option, const CompletionValues& values) {
  std::string text;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                   : fmt::format(" -s {}", name.substr(1));
  const Wanted wanted = wanted_by(option, values);
  if (!option.names.empty() && !option.value.empty())
    text += wanted.path == Wanted::Path::kNone ? " -x" : " -r";
  std::string words = fmt::format("{}", fmt::join(wanted.words, " "));
  if (wanted.path == Wanted::Path::kFolder) words = "(__fish_complete_directories)";
  if (!words.empty()) text += fmt::format(" -a {}", quoted(words));
  if (wanted.path == Wanted::Path::kFile) text += " -F";
  return text;
}

std::string fish_script(const GrammarCommand& root, const CompletionValues& values) {
  std::string text =
      fmt::format(kGenerated, "fish") + fmt::format("complete -c {} -f\n", root.name);
  walk(root, root.name, [&](const GrammarCommand& command, const std::string& path) {
    // The words after raddle; of the command itself only where none of its own has been chosen.
    const std::string below = &command == &root ? std::string() : path.substr(root.name.size() + 1);
    std::string where;
    for (std::size_t at = 0; at < below.size();) {
      const std::size_t end = std::min(below.find(' ', at), below.size());
      where += fmt::format("{}__fish_seen_subcommand_from {}", where.empty() ? "" : "; and ",
                           below.substr(at, end - at));
      at = end + 1;
    }
    if (!command.commands.empty()) {
      const std::string none = fmt::format("not __fish_seen_subcommand_from {}",
                                           fmt::join(names_of(command.commands), " "));
      where += where.empty() ? none : "; and " + none;
    }
    for (const GrammarOption& option : command.options)
      text += fmt::format("complete -c {} -n {}{} -d {}\n", root.name, quoted(where),
                          fish_option(option, values), quoted(option.sentence));
    for (const GrammarCommand& each : command.commands)
      text += fmt::format("complete -c {} -n {} -a {} -d {}\n", root.name, quoted(where), each.name,
                          quoted(each.sentence));
  });
  return text;
}

using Writer = std::string (*)(const GrammarCommand&, const CompletionValues&);
constexpr std::pair<const char*, Writer> kShells[] = {
    {"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

}  // namespace

std::vector<std::string> completion_shells() {
  std::vector<std::string> names;
  for (const auto& [name, writer] : kShells) names.emplace_back(name);
  return names;
}

std::string completion_script(const GrammarCommand& root, const CompletionValues& values,
                              const std::string& shell) {
  for (const auto& [name, writer] : kShells)
    if (shell == name) return writer(root, values);
  throw Error(fmt::format("no completions for '{}'", shell), {},
              fmt::format("shells: {}", fmt::join(completion_shells(), ", ")));
}

}  // namespace raddle::cli
