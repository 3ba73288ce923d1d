// Types, global variables and functions.
#include <fmt/format.h>

#include <algorithm>

#include "lang/cg/syntax/constant_value.h"
#include "lang/cg/syntax/parser.h"

namespace raddle::cg {
namespace {

constexpr std::uint32_t kLargestArray = 1024;

// Words of Cg that start no expression and name no type here.
constexpr std::string_view kUnsupportedTypes[] = {"string", "interface"};

// Words before a type that change nothing here: matrices are given row by row.
constexpr std::string_view kIgnoredQualifiers[] = {"inline", "extern",    "volatile",
                                                   "packed", "row_major", "column_major"};

// No way through it comes out at its end.
bool never_passes(const Stmt& statement) {
  switch (statement.kind) {
    case StmtKind::kReturn:
    case StmtKind::kDiscard: return true;
    case StmtKind::kBlock:
      return std::ranges::any_of(statement.body,
                                 [](const StmtPtr& inner) { return never_passes(*inner); });
    case StmtKind::kIf:
      return statement.body.size() == 2 && never_passes(*statement.body[0]) &&
             never_passes(*statement.body[1]);
    case StmtKind::kDoWhile: return never_passes(*statement.loop_body);
    default: return false;
  }
}

}  // namespace

Parser::Qualifiers Parser::qualifiers() {
  Qualifiers found;
  for (;;) {
    if (accept_name("uniform")) {
      found.is_uniform = true;
    } else if (accept_name("const")) {
      found.is_const = true;
    } else if (accept_name("static")) {
      found.is_static = true;
    } else if (accept_name("varying")) {
      found.is_varying = true;
    } else if (std::ranges::any_of(kIgnoredQualifiers,
                                   [&](std::string_view word) { return accept_name(word); })) {
      continue;
    } else if (accept_name("in")) {
      found.direction = found.has_direction && found.direction == Direction::kOut
                            ? Direction::kInOut
                            : Direction::kIn;
      found.has_direction = true;
    } else if (accept_name("out")) {
      found.direction = found.has_direction ? Direction::kInOut : Direction::kOut;
      found.has_direction = true;
    } else if (accept_name("inout")) {
      found.direction = Direction::kInOut;
      found.has_direction = true;
    } else {
      return found;
    }
  }
}

bool Parser::starts_type() const {
  const Token& first = token();
  if (first.kind != TokenKind::kName) return false;
  constexpr std::string_view kWords[] = {"const", "static", "uniform", "struct", "unsigned"};
  if (std::ranges::find(kWords, first.text) != std::end(kWords)) return true;
  const bool names_type =
      !builtin_type(first.text).is_error() || type_names_.contains(first.text) ||
      std::ranges::find(kUnsupportedTypes, first.text) != std::end(kUnsupportedTypes);
  return names_type && token(1).kind == TokenKind::kName;
}

Type Parser::type() {
  if (token().is_name("struct")) {
    advance();
    const bool has_body = token().is("{") || token(1).is("{") || token(1).is(":");
    if (has_body) return structure();
  }
  if (accept_name("unsigned") && builtin_type(token().text).is_error())
    return scalar_type(BaseType::kInt);
  const Token name = expect_name("a type");
  if (const auto known = type_names_.find(name.text); known != type_names_.end()) {
    if (known->second.is_error()) throw Failure{};  // has been told
    return known->second;
  }
  const Type found = builtin_type(name.text);
  if (!found.is_error()) return found;
  if (std::ranges::find(kUnsupportedTypes, name.text) != std::end(kUnsupportedTypes))
    fail(name.place, fmt::format("the type '{}' is not supported", name.text));
  fail(name.place, fmt::format("unknown type '{}'", name.text));
}

void Parser::declaration() {
  if (accept(";")) return;
  if (token().is_name("typedef")) return alias();
  if (token().is_name("technique")) return skip_declaration();  // of effect files
  const Qualifiers with = qualifiers();
  const Type base = type();
  if (base.base == BaseType::kStruct && accept(";")) return;
  const Token name = expect_name("a name");
  if (token().is("(")) return function(base, name);
  global(with, base, name);
}

void Parser::alias() {
  advance();
  qualifiers();
  const Type base = type();
  do {
    const Token name = expect_name("a name for the type");
    type_names_[std::string(name.text)] = array_suffix(base);
  } while (accept(","));
  expect(";");
}

// : SEMANTIC or : register(c0); the last one counts.
std::string Parser::semantic() {
  std::string found;
  while (accept(":")) {
    found = expect_name("a semantic").text;
    if (found != "register" || !accept("(")) continue;
    found = expect_name("a register").text;
    expect(")");
  }
  return found;
}

// < string name = "…"; >: what effect files tell their tools.
void Parser::skip_annotation() {
  if (!token().is("<")) return;
  while (!token().is(">") && token().kind != TokenKind::kEnd) advance();
  expect(">");
}

// sampler_state { … }: how an effect file has a texture read, which the host decides here.
bool Parser::skip_sampler_state() {
  if (!accept_name("sampler_state")) return false;
  expect("{");
  while (!token().is("}") && token().kind != TokenKind::kEnd) advance();
  expect("}");
  return true;
}

std::uint32_t Parser::array_size(const Expr& size) {
  const auto value = constant_integer(size, program_);
  if (!value) fail(size.place, "the size of an array must be a constant integer");
  if (*value < 1 || *value > kLargestArray)
    fail(size.place, fmt::format("an array has 1 to {} elements, not {}", kLargestArray, *value));
  return static_cast<std::uint32_t>(*value);
}

Type Parser::array_suffix(Type base) {
  if (!accept("[")) return base;
  const Place place = token().place;
  const auto next_size = [&] {
    const ExprPtr size = expression();
    if (size->type.is_error()) throw Failure{};
    expect("]");
    return array_size(*size);
  };
  if (base.inner > 0) fail(place, "an array has two dimensions at most");
  base.inner = base.array;  // of a type that is an array itself
  if (accept("]")) {
    base.array = Type::kUnsized;
  } else {
    base.array = next_size();
  }
  if (accept("[")) {
    if (base.inner > 0) fail(place, "an array has two dimensions at most");
    base.inner = next_size();
  }
  if (token().is("[")) fail(token().place, "an array has two dimensions at most");
  if (base.array == Type::kUnsized) return base;
  if (number_count(base, program_.structures) > kMaxNumbers)
    fail(place, "the array is larger than all constant registers together");
  return base;
}

void Parser::expect_size(const Token& name, const Type& type) {
  if (type.array == Type::kUnsized)
    fail(name.place, fmt::format("the array '{}' needs its size", name.text));
}

std::uint32_t Parser::declare(const Token& name, Variable variable) {
  variable.name = std::string(name.text);
  variable.place = name.place;
  const auto index = static_cast<std::uint32_t>(program_.variables.size());
  program_.variables.push_back(std::move(variable));
  const auto [place, is_new] = scopes_.back().try_emplace(std::string(name.text), index);
  if (!is_new && place->second == kWrongVariable) {
    place->second = index;
  } else if (!is_new) {
    const Place before = program_.variables[place->second].place;
    diagnostics_.error(name.place, fmt::format("'{}' is declared twice", name.text),
                       fmt::format("it is already declared on line {}",
                                   diagnostics_.sources().shown_line(before)));
    place->second = index;
  }
  return index;
}

void Parser::global(const Qualifiers& with, const Type& base, Token name) {
  for (;;) {
    Variable variable;
    variable.type = array_suffix(base);
    variable.semantic = semantic();
    // As in Cg: what is not static or const comes from outside.
    const bool is_constant = with.is_const || with.is_static;
    variable.storage = is_constant ? Storage::kConstant : Storage::kUniform;
    variable.is_const = with.is_const;
    if (base.base == BaseType::kVoid) fail(name.place, "a variable cannot be void");
    skip_annotation();
    if (accept("=") && !(base.is_sampler() && skip_sampler_state())) {
      ExprPtr value = initial_value(name, variable.type);
      variable.type = value->type;
      variable.initial = std::move(value);
    } else if (with.is_const && !with.is_uniform) {
      diagnostics_.error(name.place, fmt::format("'{}' is const and needs a value", name.text));
    }
    expect_size(name, variable.type);
    if (with.is_uniform) variable.storage = Storage::kUniform;
    program_.globals.push_back(declare(name, std::move(variable)));
    if (!accept(",")) break;
    name = expect_name("the name of a variable");
  }
  expect(";");
}

std::uint32_t Parser::parameter() {
  const Qualifiers with = qualifiers();
  Variable variable;
  const Type base = type();
  const Token name = expect_name("the name of a parameter");
  variable.type = array_suffix(base);
  variable.semantic = semantic();
  variable.storage = with.is_uniform || base.is_sampler() ? Storage::kUniform : Storage::kParameter;
  variable.direction = with.direction;
  variable.is_const = with.is_const;
  expect_size(name, variable.type);
  if (base.base == BaseType::kVoid) fail(name.place, "a parameter cannot be void");
  if (variable.storage == Storage::kUniform && with.direction != Direction::kIn)
    fail(name.place, "a uniform cannot be written");
  if (accept("=")) {
    variable.initial = initial_value(name, variable.type);
  }
  return declare(name, std::move(variable));
}

// After the '}' that closes the body that comes next; none where there is no body.
std::optional<std::size_t> Parser::end_of_function() const {
  int depth = 0;
  for (std::size_t at = position_; at < tokens_.size(); ++at) {
    if (tokens_[at].is(";") && depth == 0) return std::nullopt;
    if (tokens_[at].is("{")) ++depth;
    if (tokens_[at].is("}") && --depth <= 0)
      return depth == 0 ? std::optional(at + 1) : std::nullopt;
  }
  return std::nullopt;
}

// What is wrong in a function stays with it: a program may hold functions that it does not use.
void Parser::function(const Type& result, const Token& name) {
  Function made;
  made.name = std::string(name.text);
  made.result = result;
  made.place = name.place;
  made.is_library = is_library_;
  if (result.is_sampler()) fail(name.place, "a function cannot return a sampler");
  const std::size_t first = diagnostics_.all().size();
  const auto end = end_of_function();
  const std::size_t scopes = scopes_.size();
  try {
    function_body(made);
    if (!made.body) {
      diagnostics_.take(first);
      return add_function(std::move(made));
    }
  } catch (const Failure&) {
    if (!end) throw;
    position_ = *end;
    scopes_.resize(scopes);
    depth_ = 0;
    loops_ = 0;
    if (!made.body) made.body = std::make_unique<Stmt>();
  }
  made.calls = checker_.calls();
  checker_.enter_function({});
  current_ = nullptr;
  made.diagnostics = diagnostics_.take(first);
  add_function(std::move(made));
}

// One that was declared before gets its body.
void Parser::add_function(Function made) {
  const auto same_parameters = [&](const Function& other) {
    return std::ranges::equal(made.parameters, other.parameters,
                              [&](std::uint32_t a, std::uint32_t b) {
                                return program_.variables[a].type == program_.variables[b].type;
                              });
  };
  for (Function& other : program_.functions) {
    if (other.name != made.name || other.is_library || !same_parameters(other)) continue;
    if (!made.body) return;
    if (other.body) continue;
    other = std::move(made);
    return;
  }
  program_.functions.push_back(std::move(made));
}

void Parser::function_body(Function& made) {
  // Its name is not known inside: functions do not call themselves.
  checker_.enter_function(made.name);
  expect("(");
  scopes_.emplace_back();
  if (owner_) made.parameters.push_back(declare_this());
  if (token().is_name("void") && token(1).is(")")) advance();
  if (!accept(")")) {
    do made.parameters.push_back(parameter());
    while (accept(","));
    expect(")");
  }
  made.semantic = semantic();
  if (accept(";")) {  // a declaration
    scopes_.pop_back();
    return;
  }
  current_ = &made;
  const std::size_t errors = diagnostics_.error_count();
  made.body = block();
  scopes_.pop_back();
  if (owner_ && checker_.was_assigned(made.parameters[0]))
    program_.variables[made.parameters[0]].direction = Direction::kInOut;
  // A return that is wrong has been told of.
  const bool is_sound = diagnostics_.error_count() == errors;
  if (made.result.base != BaseType::kVoid && is_sound && !never_passes(*made.body)) {
    diagnostics_.warning(
        made.place, fmt::format("'{}' can end without returning a {}; it returns 0 in that case",
                                made.name, checker_.name_of(made.result)));
  }
}

}  // namespace raddle::cg
