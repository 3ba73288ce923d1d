#include "machine/parameter_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace raddle::machine {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::pair<std::string_view, std::string_view> section_and_name(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  if (dot == std::string_view::npos) return {"", key};
  return {key.substr(0, dot), key.substr(dot + 1)};
}

// `unit: meaning; source`, as far as they are known.
std::string comment_for(const Parameter& parameter) {
  std::string comment = parameter.unit;
  if (!parameter.sentence.empty()) comment += fmt::format(": {}", parameter.sentence);
  if (!comment.empty()) comment += "; ";
  return comment + parameter.source;
}

}  // namespace

bool is_bare_key(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string_view comment_of(std::string_view line) {
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '"' && c == '\\') {
      ++i;
    } else if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      return trimmed(line.substr(i + 1));
    }
  }
  return {};
}

std::string to_string(const ParameterValue& value) {
  if (const bool* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  if (const std::int64_t* integer = std::get_if<std::int64_t>(&value))
    return fmt::format("{}", *integer);
  if (const std::string* text = std::get_if<std::string>(&value)) return *text;
  // The shortest digits that give the same number back; a TOML number without point or exponent
  // would be an integer.
  std::string digits = fmt::format("{}", std::get<double>(value));
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits;
}

std::string toml_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string_view> sections{""};
  std::vector<std::pair<const Parameter*, std::string>>
      lines;  // "key = value", without the comment
  std::size_t width = 0;
  for (const Parameter& parameter : parameters) {
    const auto [section, name] = section_and_name(parameter.key);
    if (std::ranges::find(sections, section) == sections.end()) sections.push_back(section);
    const bool is_text = std::holds_alternative<std::string>(parameter.value);
    const std::string value =
        is_text ? quoted(std::get<std::string>(parameter.value)) : to_string(parameter.value);
    lines.emplace_back(&parameter, fmt::format("{} = {}", name, value));
    if (!parameter.source.empty()) width = std::max(width, lines.back().second.size());
  }

  std::string result;
  for (const std::string_view wanted : sections) {
    if (!wanted.empty()) result += fmt::format("\n[{}]\n", wanted);
    for (const auto& [parameter, line] : lines) {
      if (section_and_name(parameter->key).first != wanted) continue;
      const std::string comment = comment_for(*parameter);
      result +=
          comment.empty() ? line + "\n" : fmt::format("{:<{}}   # {}\n", line, width, comment);
    }
  }
  return result;
}

}  // namespace raddle::machine
