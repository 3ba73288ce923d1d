#include "cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/version.h"

namespace raddle::cli {

namespace {

// Text that troff takes as it is: no backslash, no hyphen that becomes a dash, no line that begins
// like a request.
std::string escaped(std::string_view text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    line_begins = c == '\n';
  }
  return result;
}

std::string dashed(std::string path) {
  std::ranges::replace(path, ' ', '-');
  return path;
}

std::string heading(const GrammarOption& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", escaped(name));
  if (option.value.empty()) return names;
  return fmt::format("{}{}\\fI{}\\fR", names, names.empty() ? "" : " ", escaped(option.value));
}

std::string synopsis(const GrammarCommand& command, const std::string& path) {
  std::string text = fmt::format("\\fB{}\\fR", escaped(path));
  const bool any_named = std::ranges::any_of(
      command.options, [](const GrammarOption& option) { return !option.names.empty(); });
  if (any_named) text += " [\\fIoptions\\fR]";
  if (!command.commands.empty()) text += " [\\fIcommand\\fR]";
  for (const GrammarOption& option : command.options)
    if (option.names.empty()) text += fmt::format(" [\\fI{}\\fR]", escaped(option.value));
  return text;
}

std::string options_of(const GrammarCommand& command) {
  std::vector<std::string> groups;
  for (const GrammarOption& option : command.options)
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  std::string text;
  for (const std::string& group : groups) {
    text += fmt::format(".SS {}\n", escaped(group));
    for (const GrammarOption& option : command.options)
      if (option.group == group)
        text += fmt::format(".TP\n{}\n{}\n", heading(option), escaped(option.sentence));
  }
  return text;
}

}  // namespace

std::string man_page(const GrammarCommand& command, const std::string& path) {
  std::string page;
  const auto out = std::back_inserter(page);
  fmt::format_to(out, ".TH \"{}\" \"1\" \"\" \"Raddle {}\" \"Raddle\"\n", dashed(path), kVersion);
  fmt::format_to(out, ".SH NAME\n{} \\- {}\n", escaped(dashed(path)), escaped(command.sentence));
  fmt::format_to(out, ".SH SYNOPSIS\n{}\n", synopsis(command, path));
  if (!command.options.empty()) fmt::format_to(out, ".SH OPTIONS\n{}", options_of(command));
  if (!command.commands.empty()) {
    page += ".SH COMMANDS\n";
    for (const GrammarCommand& each : command.commands)
      fmt::format_to(out, ".TP\n\\fB{}\\fR\n{}\n", escaped(path + " " + each.name),
                     escaped(each.sentence));
  }
  // Its columns mean something: as they are, not filled.
  if (!command.footer.empty())
    fmt::format_to(out, ".SH NOTES\n.nf\n{}\n.fi\n", escaped(command.footer));
  return page;
}

}  // namespace raddle::cli
