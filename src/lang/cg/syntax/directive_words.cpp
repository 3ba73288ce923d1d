#include "lang/cg/syntax/directive_words.h"

#include <algorithm>
#include <charconv>

namespace raddle::cg {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

std::vector<std::string> directive_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    if (is_blank(text.front())) {
      text.remove_prefix(1);
      continue;
    }
    if (text.starts_with("//")) break;
    std::size_t length = 0;
    const bool is_quoted = text.front() == '"';
    if (is_quoted) {
      text.remove_prefix(1);
      length = std::min(text.find('"'), text.size());
    } else {
      while (length < text.size() && !is_blank(text[length])) ++length;
    }
    words.emplace_back(text.substr(0, length));
    text.remove_prefix(std::min(length + (is_quoted ? 1 : 0), text.size()));
  }
  return words;
}

std::optional<ParameterPragma> parameter_of(const std::vector<std::string>& words) {
  if (words.size() < 4 || words[0] != "parameter") return std::nullopt;
  ParameterPragma found{words[1], 0};
  const std::string& text = words[3];
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), found.value);
  if (status != std::errc{} || end == text.data()) return std::nullopt;
  return found;
}

std::optional<QuotedName> quoted_name(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return std::nullopt;
  const bool in_angles = text[start] == '<';
  if (!in_angles && text[start] != '"') return std::nullopt;
  const std::size_t end = text.find(in_angles ? '>' : '"', start + 1);
  if (end == std::string_view::npos || end == start + 1) return std::nullopt;
  return QuotedName{std::string(text.substr(start + 1, end - start - 1)), in_angles};
}

}  // namespace raddle::cg
