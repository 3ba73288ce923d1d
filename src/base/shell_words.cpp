#include "base/shell_words.h"

namespace raddle {

std::string shell_quoted(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    const bool plain =
        !word.empty() && word.find_first_of(" \t\n\"'\\$&|;<>()*?[]#~`!{}") == std::string::npos;
    if (plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::vector<std::string> shell_words(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  const auto append = [&](char c) {
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c != '\0') words.back() += c;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      append(text[++i]);
    } else if (quote != '\0') {
      append(c);
    } else if (c == '"' || c == '\'') {
      quote = c;
      append('\0');  // '' is an empty word
    } else if (c == ' ' || c == '\t' || c == '\n') {
      in_word = false;
    } else {
      append(c);
    }
  }
  return words;
}

}  // namespace raddle
