// Structs and the functions that belong to them.
#include <fmt/format.h>

#include <algorithm>

#include "lang/cg/syntax/parser.h"

namespace raddle::cg {

// After the word struct, to its closing brace. One that is wrong has a name all the same: that it
// is not known need not be told as well.
Type Parser::structure() {
  const Token name = token();
  const bool stays = name.kind == TokenKind::kName && scopes_.size() == 1;
  try {
    return structure_text();
  } catch (const Failure&) {
    if (stays) type_names_.try_emplace(std::string(name.text), Type{});
    throw;
  }
}

Type Parser::structure_text() {
  const Place place = token().place;
  Structure made;
  if (token().kind == TokenKind::kName) made.name = std::string(advance().text);
  if (accept(":"))
    fail(token().place, "interfaces are not supported", "call the functions of the struct itself");
  expect("{");
  std::vector<Method> methods;
  while (!token().is("}")) {
    const Qualifiers with = qualifiers();
    const Type base = type();
    if (token(1).is("(")) {
      methods.push_back({advance(), base, position_});
      skip_method();
      continue;
    }
    do {
      const Token field = expect_name("the name of a field");
      if (std::ranges::any_of(made.fields, [&](const Field& f) { return f.name == field.text; }))
        fail(field.place, fmt::format("the struct has two fields '{}'", field.text));
      if (base.base == BaseType::kVoid) fail(field.place, "a field cannot be a void");
      const Type whole = array_suffix(base);
      expect_size(field, whole);
      made.fields.push_back(
          {std::string(field.text), whole, semantic(), with.is_uniform, with.is_varying});
    } while (accept(","));
    expect(";");
  }
  expect("}");
  if (made.fields.empty()) fail(place, "a struct needs at least one field");
  Type result = scalar_type(BaseType::kStruct);
  result.structure = static_cast<std::uint16_t>(program_.structures.size());
  const std::string name = made.name;
  program_.structures.push_back(std::move(made));
  if (number_count(result, program_.structures) > kMaxNumbers)
    fail(place, "the struct is larger than all constant registers together");
  if (!name.empty()) type_names_[name] = result;
  for (const Method& method : methods) define_method(result, method);
  return result;
}

void Parser::skip_method() {
  const auto end = end_of_function();
  if (!end) fail(token().place, "a function of a struct needs its body");
  position_ = *end;
  accept(";");
}

// A function whose first parameter is the struct; its text is read when all fields are known.
void Parser::define_method(const Type& owner, const Method& method) {
  const std::size_t end = position_;
  const std::vector<Scope> scopes(scopes_.begin() + 1, scopes_.end());
  scopes_.resize(1);
  const Function* const current = current_;
  position_ = method.position;
  owner_ = owner;
  Token name = method.name;
  name.text = diagnostics_.sources().keep(method_name(owner, method.name.text));
  function(method.result, name);
  owner_.reset();
  position_ = end;
  current_ = current;
  scopes_.insert(scopes_.end(), scopes.begin(), scopes.end());
}

// What no name of the program's text can be.
std::string Parser::method_name(const Type& owner, std::string_view name) const {
  return fmt::format("{}#{}::{}", program_.structures[owner.structure].name, owner.structure, name);
}

bool Parser::has_method(const Type& owner, std::string_view name) const {
  if (owner.base != BaseType::kStruct || owner.array > 0) return false;
  const std::string whole = method_name(owner, name);
  return std::ranges::any_of(program_.functions,
                             [&](const Function& function) { return function.name == whole; });
}

// The struct of a function that belongs to it.
std::uint32_t Parser::declare_this() {
  Token name = token();
  name.text = "this";
  Variable variable;
  variable.type = *owner_;
  variable.storage = Storage::kParameter;
  return declare(name, std::move(variable));
}

}  // namespace raddle::cg
