#include "lang/ptx/context.h"

#include <utility>

#include "base/error.h"

namespace raddle::ptx {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

Context::Context(std::string_view text, std::string file_name)
    : text_(text), file_name_(std::move(file_name)), lexer_(text) {
  module.name = file_name_;
  advance();
}

Token Context::advance() {
  try {
    return lexer_.advance();
  } catch (const LexicalError& error) {
    fail_at(error.line, error.message);
  }
}

Token Context::peek() {
  try {
    return lexer_.peek();
  } catch (const LexicalError& error) {
    fail_at(error.line, error.message);
  }
}

bool Context::accept(char punctuation) {
  if (!token().is(punctuation)) return false;
  advance();
  return true;
}

bool Context::accept_dot_word(std::string_view with_dot) {
  if (!token().is_dot_word(with_dot)) return false;
  advance();
  return true;
}

void Context::expect(char punctuation) {
  if (!accept(punctuation)) fail_expected(std::string("'") + punctuation + "'");
}

std::string_view Context::expect_word(std::string_view what) {
  if (!token().is_word()) fail_expected(what);
  return advance().text;
}

std::uint64_t Context::expect_integer(std::string_view what) {
  if (token().kind != TokenKind::kInteger) fail_expected(what);
  return advance().bits;
}

std::uint32_t Context::expect_u32(std::string_view what) {
  if (token().kind == TokenKind::kInteger && token().bits > 0xffffffffu) {
    fail(describe(token()) + " is too large for " + std::string(what));
  }
  return static_cast<std::uint32_t>(expect_integer(what));
}

void Context::skip_statement() {
  while (!token().is(';')) {
    if (token().kind == TokenKind::kEnd) fail_expected("';'");
    advance();
  }
  advance();
}

void Context::fail_expected(std::string_view what) {
  fail("expected " + std::string(what) + ", found " + describe(token()));
}

void Context::fail(const std::string& message, const std::string& hint) {
  fail_at(token().line, message, hint);
}

void Context::fail_at(std::uint32_t line, const std::string& message, const std::string& hint) {
  if (user_line.line == 0) throw Error(message, where(line), hint);
  std::string name = find_file_name(text_, user_line.file);
  if (name.empty()) name = "file " + std::to_string(user_line.file);
  throw Error(message + " (from " + name + ":" + std::to_string(user_line.line) + ")", where(line),
              hint);
}

void Context::fail_at_location(std::uint32_t line, std::uint32_t location,
                               const std::string& message) {
  user_line = {};
  const kernel::SourceLocation& source = module.locations[location];
  if (source.line == 0) fail_at(line, message);
  std::string name = module.files[source.file];
  if (name.empty()) name = find_file_name(text_, locations.file_number(source.file));
  throw Error(message + " (from " + name + ":" + std::to_string(source.line) + ")", where(line));
}

std::string Context::unique_variable_name(const std::string& name, const std::string& function) {
  if (variable_names_.try_emplace(name, 0).second) return name;
  std::string base = function + "$" + name;
  if (variable_names_.try_emplace(base, 0).second) return base;
  for (;;) {
    const std::uint32_t number = ++variable_names_[base];
    std::string numbered = base + "$" + std::to_string(number);
    if (variable_names_.try_emplace(numbered, 0).second) return numbered;
  }
}

void Context::check_symbols() {
  for (const SymbolUse& use : used_symbols_) {
    if (find_symbol(use.name) == nullptr) fail_at(use.line, "unknown name " + quoted(use.name));
  }
}

const ModuleSymbol* Context::find_symbol(std::string_view name) const {
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : &found->second;
}

}  // namespace raddle::ptx
