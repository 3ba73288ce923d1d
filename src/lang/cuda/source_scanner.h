// Steps over C++ source one piece at a time: comments, literals and white space are skipped as a
// compiler would skip them, so that what looks like code inside a string is not taken for code.
#pragma once

#include <cstddef>
#include <string_view>

namespace raddle::cuda {

class SourceScanner {
 public:
  explicit SourceScanner(std::string_view source) : source_(source) {}

  // Moves to the next character of code at or after the present place; false at the end.
  bool find_code();
  // Steps over one identifier, number or single character of code.
  void step();

  std::size_t place() const { return place_; }
  void move_to(std::size_t place) { place_ = place; }
  char current() const { return source_[place_]; }
  // Whether `text` stands at the present place.
  bool at(std::string_view text) const { return source_.substr(place_).starts_with(text); }
  // The identifier or number stepped over last, or its one character.
  std::string_view last_token() const { return last_token_; }

 private:
  void skip_line_comment();
  void skip_quoted(char quote);
  void skip_raw_string();
  bool at_raw_string() const;

  std::string_view source_;
  std::string_view last_token_;
  std::size_t place_ = 0;
};

}  // namespace raddle::cuda
