// What the parsers of e share: the tokens, the place in them, and how a syntax error is raised and
// recovered from. A failed construct is reported once and throws SyntaxFailure, which the statement
// and item loops catch to go on after the construct.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/e/diagnostics.h"
#include "lang/e/lexer.h"

namespace raddle::e {

// Already reported; caught inside the parser alone.
struct SyntaxFailure {};

// The type that a word names: int, float, double; none for other words.
std::optional<Type> type_of(const Token& word);

class TokenCursor {
 public:
  TokenCursor(std::vector<Token> tokens, Diagnostics& diagnostics)
      : tokens_(std::move(tokens)), diagnostics_(diagnostics) {}

  const Token& current() const { return tokens_[index_]; }
  const Token& peek(std::size_t distance = 1) const;
  bool at_end() const { return current().kind == TokenKind::kEnd; }
  Token advance();
  bool accept(std::string_view symbol);
  bool accept_word(std::string_view word);
  // The symbol, or an error that shows what stands there instead; a missing ';' is placed after
  // the token before it.
  void expect(std::string_view symbol);
  Token expect_name(std::string_view what);
  std::string expect_string(std::string_view what);

  [[noreturn]] void fail(Position position, std::string message, std::string hint = {});
  [[noreturn]] void fail_expected(std::string_view what, std::string hint = {});

  // Skips to after the next ';' or to before a '}' or a word that begins a statement.
  void recover();

  Diagnostics& diagnostics() { return diagnostics_; }

  // Nesting of expressions and statements, which the parsers' own recursion follows.
  class Nesting {
   public:
    explicit Nesting(TokenCursor& cursor);
    ~Nesting() { --cursor_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    TokenCursor& cursor_;
  };
  static constexpr int kMaximumDepth = 200;

 private:
  std::vector<Token> tokens_;
  std::size_t index_ = 0;
  std::size_t last_recovery_ = static_cast<std::size_t>(-1);
  int depth_ = 0;
  Diagnostics& diagnostics_;
};

}  // namespace raddle::e
