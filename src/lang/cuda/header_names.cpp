#include "lang/cuda/header_names.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

namespace raddle::cuda {

namespace {

constexpr char kMacroMark = 'm';
constexpr char kIncludeMark = 'i';

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// A line with those that a backslash carries on; moves `text` after it.
std::string_view next_line(std::string_view& text) {
  std::size_t end = 0;
  do {
    end = std::min(text.find('\n', end == 0 ? 0 : end + 1), text.size());
  } while (end != text.size() && end > 0 && text[end - 1] == '\\');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

void add_words(std::string_view text, std::set<std::string, std::less<>>& words) {
  while (!text.empty()) {
    const auto begin = std::ranges::find_if(text, is_word);
    text.remove_prefix(static_cast<std::size_t>(begin - text.begin()));
    const auto end = std::ranges::find_if_not(text, is_word);
    const auto length = static_cast<std::size_t>(end - text.begin());
    if (length != 0 && std::isdigit(static_cast<unsigned char>(text[0])) == 0)
      words.emplace(text.substr(0, length));
    text.remove_prefix(length);
  }
}

}  // namespace

void add_header_names(std::string_view header, HeaderNames& names) {
  while (!header.empty()) {
    std::string_view line = next_line(header);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with('#')) continue;
    line.remove_prefix(1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const std::size_t open = line.find_first_of("<\"");
    if (line.starts_with("include") && open != std::string_view::npos) {
      const std::string_view name = line.substr(open + 1);
      names.included.emplace(name.substr(0, name.find_first_of(">\"")));
    } else {
      add_words(line, names.macros);
    }
  }
}

std::string to_text(const HeaderNames& names) {
  std::string text;
  for (const std::string& name : names.macros) text += kMacroMark + name + '\n';
  for (const std::string& name : names.included) text += kIncludeMark + name + '\n';
  return text;
}

HeaderNames header_names_of(std::string_view text) {
  HeaderNames names;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty()) continue;
    (line[0] == kMacroMark ? names.macros : names.included).emplace(line.substr(1));
  }
  return names;
}

bool leave_unchanged(const std::vector<std::string>& flags, const HeaderNames& names) {
  for (std::size_t i = 0; i + 1 < flags.size(); i += 2) {
    const std::string& value = flags[i + 1];
    if (flags[i] == "-D") {
      if (names.macros.contains(value.substr(0, value.find_first_of("=(")))) return false;
    } else if (flags[i] == "-I" || flags[i] == "-isystem") {
      const std::filesystem::path folder(value);
      std::error_code ignored;
      const bool hides = std::ranges::any_of(names.included, [&](const std::string& name) {
        return std::filesystem::exists(folder / name, ignored);
      });
      if (hides) return false;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace raddle::cuda
