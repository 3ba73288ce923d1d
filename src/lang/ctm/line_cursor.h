// A place within one line of CTM assembly. Its small readers skip blanks first; whatever is wrong
// is raised as an Error with file, line and column, the line itself and a caret under the place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace raddle::ctm {

class LineCursor {
 public:
  // The text must outlive the cursor. Comments are cut off.
  LineCursor(std::string_view file, std::uint32_t line, std::string_view text);

  std::uint32_t line() const { return line_; }
  std::size_t position() const { return position_; }
  void go_to(std::size_t position) { position_ = position; }
  bool at_end();
  // The next character after blanks, or 0.
  char peek();
  // The next character, blanks counting; or 0.
  char peek_here() const { return position_ < end_ ? text_[position_] : '\0'; }
  bool accept(char wanted);
  bool accept_here(char wanted);
  void expect(char wanted, std::string_view where);
  // Letters, digits and underscores; empty if there are none.
  std::string_view word();
  // As a word, but fields and elements count too: "light.size", "a[1]".
  std::string_view name();
  std::string_view word_here();
  // Whether the word lies next; takes it if so.
  bool accept_word(std::string_view wanted);
  // A whole number, decimal or 0x…, at most `largest`.
  std::uint32_t number(std::string_view what, std::uint32_t largest);
  // Everything up to the next blank; commas belong to it.
  std::string_view argument();
  // Whether a number with point or exponent may begin here.
  bool at_number();
  float real(std::string_view what);

  // Points from `start` to where the cursor is.
  [[noreturn]] void fail(std::size_t start, std::string what, std::string hint = {}) const;
  [[noreturn]] void fail_here(std::string what, std::string hint = {});

 private:
  void skip_blanks();

  std::string_view file_;
  std::uint32_t line_;
  std::string_view text_;
  std::size_t end_;
  std::size_t position_ = 0;
};

}  // namespace raddle::ctm
