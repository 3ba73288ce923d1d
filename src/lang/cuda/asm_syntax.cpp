#include "lang/cuda/asm_syntax.h"

#include <cctype>

#include "lang/cuda/source_scanner.h"

namespace raddle::cuda {

namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// From inside the parentheses of an asm statement to the colon that ends its text. Without a colon
// there are no operands, and clang takes percent signs as they are: npos.
std::size_t end_of_text(std::string_view source, std::size_t place) {
  SourceScanner scanner(source);
  scanner.move_to(place);
  int depth = 0;
  while (scanner.find_code()) {
    const char c = scanner.current();
    if (c == '(') ++depth;
    if (c == ')' && --depth < 0) return std::string_view::npos;
    if (c == ':' && depth == 0) return scanner.place();
    if (c == ';' || c == '{') return std::string_view::npos;
    scanner.step();
  }
  return std::string_view::npos;
}

// %laneid, but not %0, %%laneid, %[name] and %c0. Outside of literals there is nothing like it.
std::string with_doubled_percents(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 1 < text.size() && text[i + 1] == '%') {
      result += "%%";
      ++i;
      continue;
    }
    const bool names_register =
        text[i] == '%' && i + 2 < text.size() && is_letter(text[i + 1]) && is_letter(text[i + 2]);
    if (names_register) {
      if (!result.empty() && result.back() == ' ') result.pop_back();
      result += '%';
    }
    result += text[i];
  }
  return result;
}

bool opens_assembly(std::string_view token) {
  return token == "asm" || token == "__asm__" || token == "__asm";
}

bool qualifies_assembly(std::string_view token) {
  return token == "volatile" || token == "__volatile__" || token == "__volatile" ||
         token == "__inline__" || token == "inline";
}

}  // namespace

std::optional<std::string> double_register_percents(std::string_view source) {
  if (source.find("asm") == std::string_view::npos) return std::nullopt;
  std::string result;
  std::size_t copied = 0;
  bool changed = false;
  bool in_statement = false;  // after asm and its qualifiers
  SourceScanner scanner(source);
  while (scanner.find_code()) {
    const std::size_t place = scanner.place();
    scanner.step();
    const std::string_view token = scanner.last_token();
    if (!in_statement || token != "(") {
      in_statement = opens_assembly(token) || (in_statement && qualifies_assembly(token));
      continue;
    }
    in_statement = false;
    const std::size_t end = end_of_text(source, place + 1);
    if (end == std::string_view::npos) continue;
    const std::string_view text = source.substr(place + 1, end - place - 1);
    const std::string doubled = with_doubled_percents(text);
    changed = changed || doubled != text;
    result += source.substr(copied, place + 1 - copied);
    result += doubled;
    copied = end;
    scanner.move_to(end);
  }
  if (!changed) return std::nullopt;
  result += source.substr(copied);
  return result;
}

}  // namespace raddle::cuda
