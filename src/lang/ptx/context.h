// What every part of the PTX reader shares while it reads one file: the tokens, the module that
// grows, its names, and how errors are raised: with the line of the PTX and, where a .loc is in
// force, the user's own source line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernel/module.h"
#include "lang/ptx/lexer.h"
#include "lang/ptx/location_table.h"

namespace raddle::ptx {

struct ModuleSymbol {
  kernel::SymbolKind kind = kernel::SymbolKind::kVariable;
  std::uint32_t index = 0;
};

// A .loc directive as it is written; the file by its number.
struct UserLine {
  std::uint32_t file = 0;
  std::uint32_t line = 0;  // 0: none in force
};

// What a reader that is stopped says it was doing.
inline constexpr const char* kReadingPtx = "reading PTX";

class Context {
 public:
  Context(std::string_view text, std::string file_name);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Token& token() const { return lexer_.current(); }
  Token advance();
  Token peek();
  bool accept(char punctuation);
  bool accept_dot_word(std::string_view with_dot);
  void expect(char punctuation);
  // A word; `what` says what it would have been ("a label") when it is missing.
  std::string_view expect_word(std::string_view what);
  std::uint64_t expect_integer(std::string_view what);
  std::uint32_t expect_u32(std::string_view what);
  // Everything up to and including the next semicolon.
  void skip_statement();
  // "','" was expected where something else stands.
  [[noreturn]] void fail_expected(std::string_view what);

  [[noreturn]] void fail(const std::string& message, const std::string& hint = {});
  [[noreturn]] void fail_at(std::uint32_t line, const std::string& message,
                            const std::string& hint = {});
  // For what is found after the function was read: the user's line comes from a location.
  [[noreturn]] void fail_at_location(std::uint32_t line, std::uint32_t location,
                                     const std::string& message);

  // Names are views into the text and live as long as it.
  const ModuleSymbol* find_symbol(std::string_view name) const;
  void add_symbol(std::string_view name, ModuleSymbol symbol) { symbols_[name] = symbol; }

  // Names of the module's variables, also of those that only one function sees.
  void note_variable(const std::string& name) { variable_names_.try_emplace(name, 0); }
  // `name` if it is free, else one made from it and the function's; noted as taken.
  std::string unique_variable_name(const std::string& name, const std::string& function);
  // A symbol that may be declared later: check_symbols() fails if it never was.
  void use_symbol(std::string_view name) { used_symbols_.push_back({name, token().line}); }
  void check_symbols();

  const std::string& file_name() const { return file_name_; }

  kernel::Module module;
  LocationTable locations{module};
  UserLine user_line;

 private:
  struct SymbolUse {
    std::string_view name;
    std::uint32_t line = 0;
  };

  std::string where(std::uint32_t line) const { return file_name_ + ":" + std::to_string(line); }

  std::string_view text_;
  std::string file_name_;
  Lexer lexer_;
  std::unordered_map<std::string_view, ModuleSymbol> symbols_;
  std::unordered_map<std::string, std::uint32_t>
      variable_names_;  // and how many others were made from each
  std::vector<SymbolUse> used_symbols_;
};

std::string quoted(std::string_view name);

}  // namespace raddle::ptx
