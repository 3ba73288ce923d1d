#include "lang/ptx/declaration.h"

#include <algorithm>
#include <bit>

#include "lang/ptx/modifiers.h"

namespace raddle::ptx {
namespace {

using kernel::Type;
using kernel::VariableKind;

constexpr std::uint64_t kLargestVariable = std::uint64_t{1} << 40;
constexpr std::uint32_t kLargestAlignment = 1u << 16;
constexpr std::uint64_t kLargestSlot = std::uint64_t{1} << 20;
constexpr std::uint32_t kHandleBytes = 8;
constexpr std::size_t kMaxBounds = 16;

std::uint32_t parse_alignment(Context& context) {
  const std::uint64_t alignment = context.token().bits;
  if (context.token().kind == TokenKind::kInteger &&
      (!std::has_single_bit(alignment) || alignment > kLargestAlignment)) {
    context.fail("the alignment " + std::to_string(alignment) + " is not a power of two up to " +
                 std::to_string(kLargestAlignment));
  }
  return static_cast<std::uint32_t>(context.expect_integer("an alignment"));
}

bool parse_opaque_type(Context& context, Declaration& declaration) {
  if (context.accept_dot_word(".texref")) {
    declaration.kind = VariableKind::kTexture;
  } else if (context.accept_dot_word(".samplerref")) {
    declaration.kind = VariableKind::kSampler;
  } else if (context.accept_dot_word(".surfref")) {
    declaration.kind = VariableKind::kSurface;
  } else {
    return false;
  }
  declaration.type = Type::kB64;
  return true;
}

// .attribute(.managed)
void parse_attributes(Context& context, Declaration& declaration) {
  context.expect('(');
  do {
    if (!context.accept_dot_word(".managed")) {
      context.fail("the attribute " + describe(context.token()) + " is not supported");
    }
    declaration.managed = true;
  } while (context.accept(','));
  context.expect(')');
}

// What a pointer parameter points at (.ptr .global .align 16) says nothing about the parameter
// itself.
void skip_pointer_attributes(Context& context) {
  if (!context.accept_dot_word(".ptr")) return;
  for (const std::string_view space : {".global", ".shared", ".local", ".const"}) {
    if (context.accept_dot_word(space)) break;
  }
  if (context.accept_dot_word(".align")) parse_alignment(context);
}

}  // namespace

std::uint32_t Declaration::element_bytes() const {
  return kind == VariableKind::kData ? static_cast<std::uint32_t>(kernel::size_of(type)) * vector
                                     : kHandleBytes;
}

std::uint32_t Declaration::alignment_or_natural() const {
  return alignment != 0 ? alignment : element_bytes();
}

Type parse_type(Context& context) {
  const Token& token = context.token();
  if (!token.is_dot_word()) context.fail_expected("a type");
  const std::string_view word = token.text.substr(1);
  const auto type = find_type(word);
  if (!type) {
    if (is_unsupported_type(word))
      context.fail("the type " + quoted(token.text) + " is not supported");
    context.fail("unknown type " + quoted(token.text));
  }
  context.advance();
  return *type;
}

Declaration parse_declaration(Context& context) {
  Declaration declaration;
  for (;;) {
    if (context.accept_dot_word(".align")) {
      declaration.alignment = parse_alignment(context);
    } else if (context.accept_dot_word(".attribute")) {
      parse_attributes(context, declaration);
    } else if (context.accept_dot_word(".v2")) {
      declaration.vector = 2;
    } else if (context.accept_dot_word(".v4")) {
      declaration.vector = 4;
    } else {
      break;
    }
  }
  if (!parse_opaque_type(context, declaration)) declaration.type = parse_type(context);
  if (declaration.type == Type::kPred) context.fail("a variable cannot be of type '.pred'");
  skip_pointer_attributes(context);
  if (context.accept_dot_word(".align")) declaration.alignment = parse_alignment(context);
  return declaration;
}

void parse_declarator(Context& context, Declaration& declaration) {
  declaration.name = context.expect_word("a name");
  declaration.bounds.clear();
  std::uint64_t size = declaration.element_bytes();
  while (context.accept('[')) {
    if (declaration.bounds.size() == kMaxBounds) context.fail("too many array dimensions");
    std::uint64_t bound = 0;
    if (!context.token().is(']')) bound = context.expect_integer("the size of an array");
    context.expect(']');
    if (bound == 0 && !declaration.bounds.empty())
      context.fail("only the first bound of an array may be left out");
    if (bound != 0 && size > kLargestVariable / bound) {
      context.fail(quoted(declaration.name) + " is too large");
    }
    size *= bound;
    declaration.bounds.push_back(bound);
  }
  declaration.size = size;
}

kernel::Slot slot_of(Context& context, const Declaration& declaration) {
  if (declaration.size > kLargestSlot)
    context.fail(quoted(declaration.name) + " is too large for a parameter");
  return {std::string(declaration.name), static_cast<std::uint32_t>(declaration.size),
          declaration.alignment_or_natural(), 0};
}

kernel::Slot parse_slot(Context& context, std::string_view& name) {
  Declaration declaration = parse_declaration(context);
  parse_declarator(context, declaration);
  name = declaration.name;
  return slot_of(context, declaration);
}

}  // namespace raddle::ptx
