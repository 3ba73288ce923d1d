// The grammar of Cg: turns tokens into a checked program. After a fault it goes on at the next
// statement or declaration, so that one run shows several.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/cg/syntax/ast.h"
#include "lang/cg/syntax/checker.h"
#include "lang/cg/syntax/lexer.h"

namespace raddle::cg {

// Of an array or a struct.
inline constexpr std::uint32_t kMaxNumbers = 4096;

class Parser {
 public:
  // The tokens end with one of kind kEnd. What is read is added to the program.
  Parser(std::span<const Token> tokens, Program& program, Diagnostics& diagnostics,
         bool is_library);

  void parse();

 private:
  struct Failure {};  // thrown to the nearest place where it can go on
  struct Qualifiers {
    bool is_uniform = false;
    bool is_const = false;
    bool is_static = false;
    bool is_varying = false;
    Direction direction = Direction::kIn;
    bool has_direction = false;
  };
  struct Method {
    Token name;
    Type result;
    std::size_t position = 0;  // of its parameters
  };
  using Scope = std::map<std::string, std::uint32_t, std::less<>>;
  // A name whose declaration is wrong.
  static constexpr std::uint32_t kWrongVariable = ~std::uint32_t{0};

  const Token& token(std::size_t ahead = 0) const;
  Token advance();
  bool accept(std::string_view punctuation);
  bool accept_name(std::string_view name);
  Token expect(std::string_view punctuation);
  Token expect_name(std::string_view what);
  [[noreturn]] void fail(Place place, std::string message, std::string hint = {});
  void skip_statement();
  void skip_declaration();
  void enter();  // one level deeper; fails where it is too deep
  void leave() { --depth_; }

  // parser_declarations.cpp
  void declaration();
  Qualifiers qualifiers();
  Type type();
  bool starts_type() const;
  Type structure();
  Type structure_text();
  void skip_method();
  void skip_annotation();
  bool skip_sampler_state();
  void alias();
  std::string semantic();
  std::uint32_t array_size(const Expr& size);
  Type array_suffix(Type base);  // its size may be missing
  void expect_size(const Token& name, const Type& type);
  void function(const Type& result, const Token& name);
  void function_body(Function& made);
  std::optional<std::size_t> end_of_function() const;
  void add_function(Function made);
  std::uint32_t declare_this();
  std::uint32_t parameter();
  void global(const Qualifiers& with, const Type& base, Token name);
  std::uint32_t declare(const Token& name, Variable variable);

  // parser_statements.cpp
  StmtPtr statement();
  StmtPtr statement_inside();
  StmtPtr block();
  StmtPtr local_declaration();
  void declare_locals(std::vector<StmtPtr>& into);
  ExprPtr initial_value(const Token& name, const Type& wanted);
  ExprPtr first_value(const Type& type);
  StmtPtr if_statement();
  StmtPtr for_statement();
  StmtPtr while_statement();
  StmtPtr do_statement();
  StmtPtr return_statement();
  StmtPtr loop_jump();
  StmtPtr discard_statement();
  StmtPtr expression_statement();

  // parser_expressions.cpp
  ExprPtr expression();  // with commas
  ExprPtr assignment();
  ExprPtr conditional();
  ExprPtr binary(int least);
  ExprPtr unary();
  ExprPtr unary_inside();
  ExprPtr postfix();
  ExprPtr primary();
  ExprPtr name_expression();
  std::vector<ExprPtr> arguments();
  ExprPtr brace_list(const Type& type);

  void define_method(const Type& owner, const Method& method);
  std::string method_name(const Type& owner, std::string_view name) const;
  bool has_method(const Type& owner, std::string_view name) const;
  ExprPtr this_object(Place place);  // within a function of a struct
  bool is_own_field(std::string_view name) const;

  std::optional<std::uint32_t> find_variable(std::string_view name) const;

  std::span<const Token> tokens_;
  std::size_t position_ = 0;
  Program& program_;
  Diagnostics& diagnostics_;
  Checker checker_;
  bool is_library_;
  std::vector<Scope> scopes_{1};
  std::map<std::string, Type, std::less<>> type_names_;
  std::optional<Type> owner_;  // the struct of the function that is being read
  const Function* current_ = nullptr;
  int loops_ = 0;
  int depth_ = 0;
};

}  // namespace raddle::cg
