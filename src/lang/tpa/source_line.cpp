#include "lang/tpa/source_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace raddle::tpa {

namespace {

bool is_word_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// How many characters of the text belong to the punctuation that it begins with; 0: to none.
std::size_t punctuation_length(std::string_view text) {
  if (text.starts_with("<<") || text.starts_with(">>")) return 2;
  return std::string_view("+-*/%&|^~(),:=.").find(text[0]) == std::string_view::npos ? 0 : 1;
}

// Where a number ends: 12, 0xff, and with a point 1.5, 1.5e-3, 1.5f.
std::size_t end_of_number(std::string_view line, std::size_t i) {
  const auto skip = [&] {
    while (i < line.size() && is_word_letter(line[i])) ++i;
  };
  skip();
  if (i + 1 >= line.size() || line[i] != '.' || !is_digit(line[i + 1])) return i;
  ++i;
  skip();
  const bool has_sign = i + 1 < line.size() && (line[i] == '-' || line[i] == '+');
  if (has_sign && (line[i - 1] == 'e' || line[i - 1] == 'E') && is_digit(line[i + 1])) {
    ++i;
    skip();
  }
  return i;
}

}  // namespace

std::vector<Token> tokens_of(std::string_view line) {
  std::vector<Token> tokens;
  std::size_t i = 0;
  const auto add = [&](TokenKind kind, std::size_t begin, std::size_t end) {
    tokens.push_back({kind, line.substr(begin, end - begin), begin + 1});
  };
  while (i < line.size()) {
    const std::size_t begin = i;
    if (is_blank(line[i])) {
      ++i;
    } else if (line.substr(i).starts_with("//")) {
      break;
    } else if (is_word_letter(line[i])) {
      if (is_digit(line[i])) {
        i = end_of_number(line, i);
      } else {
        while (i < line.size() && is_word_letter(line[i])) ++i;
      }
      add(is_digit(line[begin]) ? TokenKind::kNumber : TokenKind::kWord, begin, i);
    } else if (line[i] == '"') {
      const std::size_t end = line.find('"', i + 1);
      if (end == std::string_view::npos) throw LineFault{begin + 1, "unterminated string", "\""};
      tokens.push_back({TokenKind::kText, line.substr(begin + 1, end - begin - 1), begin + 1});
      i = end + 1;
    } else if (const std::size_t length = punctuation_length(line.substr(i)); length != 0) {
      i += length;
      add(TokenKind::kPunctuation, begin, i);
    } else {
      const auto letter = static_cast<unsigned char>(line[i]);
      throw LineFault{begin + 1,
                      letter >= 0x20 && letter < 0x7f
                          ? fmt::format("unexpected character '{}'", line[i])
                          : fmt::format("unexpected character with code {}", letter),
                      {}};
    }
  }
  tokens.push_back({TokenKind::kEnd, {}, line.size() + 1});
  return tokens;
}

const Token& TokenCursor::peek(std::size_t ahead) const {
  return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
}

const Token& TokenCursor::take() {
  const Token& token = peek();
  if (token.kind != TokenKind::kEnd) ++position_;
  return token;
}

bool TokenCursor::accept(std::string_view punctuation) {
  if (!peek().is(punctuation)) return false;
  take();
  return true;
}

void TokenCursor::expect(std::string_view punctuation) {
  if (!accept(punctuation))
    fail(peek(), fmt::format("expected '{}', found {}", punctuation, shown(peek())));
}

const Token& TokenCursor::expect_word(std::string_view what) {
  if (peek().kind != TokenKind::kWord)
    fail(peek(), fmt::format("expected {}, found {}", what, shown(peek())));
  return take();
}

void TokenCursor::fail(const Token& token, std::string message, std::string hint) {
  throw LineFault{token.column, std::move(message), std::move(hint)};
}

std::string shown(const Token& token) {
  return token.kind == TokenKind::kEnd ? "the end of the line" : fmt::format("'{}'", token.text);
}

std::string caret_text(std::string_view line, std::size_t column) {
  std::string below;
  for (std::size_t i = 0; i + 1 < column && i < line.size(); ++i)
    below += line[i] == '\t' ? '\t' : ' ';
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return fmt::format("  {}\n  {}^", line, below);
}

}  // namespace raddle::tpa
