// A place in the tokens of the text form, with the small readers that all parts of its parser
// share. Every reader raises an Error with file, line and column when the text is not what it must
// be.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kernel/text/lexer.h"

namespace raddle::kernel {

// A name with the number after its '#', as names.h writes it.
struct NameKey {
  std::string name;
  std::uint64_t number = kNoNumber;
  static constexpr std::uint64_t kNoNumber = ~std::uint64_t{0};
  bool operator<(const NameKey& other) const {
    return std::tie(name, number) < std::tie(other.name, other.number);
  }
  std::string text() const;
};

class TextCursor {
 public:
  TextCursor(const std::vector<Token>& tokens, const std::string& file_name)
      : tokens_(tokens), file_name_(file_name) {}

  std::size_t position() const { return position_; }
  void go_to(std::size_t position) { position_ = position; }
  const Token& peek(std::size_t ahead = 0) const;
  const Token& take();

  bool at(char punctuation, std::size_t ahead = 0) const;
  bool at_word(std::string_view word, std::size_t ahead = 0) const;
  bool at_line_end() const;
  // Takes it if it is there.
  bool accept(char punctuation);
  bool accept_word(std::string_view word);
  void skip_newlines();

  void expect(char punctuation);
  void expect_word(std::string_view word);
  void expect_line_end();
  std::string expect_word_text(std::string_view what);
  std::string expect_string(std::string_view what);
  std::uint64_t expect_integer(std::string_view what, std::uint64_t largest = ~std::uint64_t{0});
  std::uint32_t expect_u32(std::string_view what);
  // A number that may carry a minus sign and lies within the given bounds.
  std::int64_t expect_signed(std::string_view what, std::int64_t least, std::int64_t largest);
  // "+4", "-8", or nothing for 0.
  std::int64_t read_offset();
  bool at_key(std::size_t ahead = 0) const;
  NameKey expect_key(std::string_view what);

  [[noreturn]] void fail(std::string what) const { fail_at(peek(), std::move(what)); }
  [[noreturn]] void fail_at(const Token& token, std::string what) const;
  [[noreturn]] void fail_expected(std::string_view what) const;

 private:
  const std::vector<Token>& tokens_;
  const std::string& file_name_;
  std::size_t position_ = 0;
};

}  // namespace raddle::kernel
