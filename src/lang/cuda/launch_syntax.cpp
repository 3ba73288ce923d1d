#include "lang/cuda/launch_syntax.h"

#include "lang/cuda/source_scanner.h"

namespace raddle::cuda {

namespace {

constexpr std::string_view kSpaces = " \t\r\n\f\v";

// If `pair` (<< or >>) stands at `place` and its third character follows after white space or at
// once: the place of the third, else npos.
std::size_t third_bracket(std::string_view source, std::size_t place, char bracket) {
  if (source.substr(place, 2) != std::string(2, bracket)) return std::string_view::npos;
  const std::size_t third = source.find_first_not_of(kSpaces, place + 2);
  if (third == std::string_view::npos || source[third] != bracket) return std::string_view::npos;
  return third;
}

// Moves the white space between the brackets after them. The text keeps its length and, as the
// erased place is used again, its storage: a scanner of it goes on undisturbed.
void join(std::string& text, std::size_t place, std::size_t third) {
  const char bracket = text[place];
  text.erase(third, 1);
  text.insert(place + 2, 1, bracket);
}

// From inside `<<<` to the place of the `>>` that closes it, or npos. A launch is closed where no
// parenthesis is open and its arguments follow.
std::size_t find_closing(std::string_view source, std::size_t place) {
  SourceScanner scanner(source);
  scanner.move_to(place);
  int depth = 0;
  while (scanner.find_code()) {
    const char c = scanner.current();
    if (c == ';') return std::string_view::npos;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth < 0) return std::string_view::npos;
    if (depth == 0 && c == '>') {
      const std::size_t third = third_bracket(source, scanner.place(), '>');
      if (third != std::string_view::npos) {
        const std::size_t next = source.find_first_not_of(kSpaces, third + 1);
        if (next != std::string_view::npos && source[next] == '(') return scanner.place();
      }
    }
    scanner.step();
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<std::string> join_launch_brackets(std::string_view source) {
  std::string text(source);
  bool changed = false;
  SourceScanner scanner(text);
  while (scanner.find_code()) {
    const std::size_t place = scanner.place();
    const bool names_operator =
        scanner.last_token() == "operator";  // operator<< <T>(…) is not a launch
    const std::size_t third =
        names_operator ? std::string_view::npos : third_bracket(text, place, '<');
    if (third == std::string_view::npos) {
      scanner.step();
      continue;
    }
    scanner.move_to(third + 1);
    const std::size_t closing = find_closing(text, third + 1);
    if (closing == std::string_view::npos) continue;
    const std::size_t closing_third = third_bracket(text, closing, '>');
    changed = changed || third != place + 2 || closing_third != closing + 2;
    join(text, closing, closing_third);
    join(text, place, third);
  }
  if (!changed) return std::nullopt;
  return text;
}

}  // namespace raddle::cuda
