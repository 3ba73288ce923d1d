// The statements of a function's body.
#include "base/stop_token.h"
#include "lang/ptx/declaration.h"
#include "lang/ptx/function_parser.h"
#include "lang/ptx/location_parser.h"
#include "lang/ptx/variable_parser.h"

namespace raddle::ptx {
namespace {

using kernel::Linkage;
using kernel::Slot;
using kernel::SymbolKind;
using kernel::Type;

std::vector<Slot> parse_prototype_slots(Context& context) {
  std::vector<Slot> slots;
  context.expect('(');
  if (context.accept(')')) return slots;
  do {
    std::string_view name;
    if (!context.accept_dot_word(".param")) context.fail_expected("'.param'");
    slots.push_back(parse_slot(context, name));
  } while (context.accept(','));
  context.expect(')');
  return slots;
}

}  // namespace

void FunctionParser::parse_body(FunctionBuilder& builder) {
  context_.expect('{');
  std::size_t depth = 1;
  while (depth > 0) {
    if (context_.accept('{')) {
      builder.open_scope();
      ++depth;
    } else if (context_.token().is('}')) {
      if (--depth > 0) builder.close_scope();
      context_.advance();
    } else if (context_.token().kind == TokenKind::kEnd) {
      context_.fail("the body of " + quoted(builder.function().name) + " has no end");
    } else {
      parse_statement(builder);
    }
  }
}

void FunctionParser::parse_statement(FunctionBuilder& builder) {
  throw_if_stopped(kReadingPtx);
  if (context_.accept(';')) return;
  if (context_.token().is_dot_word()) return parse_directive(builder);
  kernel::Guard guard;
  const bool guarded = context_.accept('@');
  if (guarded) guard = parse_guard(builder);
  if (!context_.token().is_word()) context_.fail_expected("an instruction");
  const Token word = context_.advance();
  if (!guarded && context_.accept(':')) return parse_label(builder, word.text);
  instructions_.parse(builder, word, guard);
}

kernel::Guard FunctionParser::parse_guard(FunctionBuilder& builder) {
  kernel::Guard guard;
  guard.negated = context_.accept('!');
  if (!context_.token().is_word()) context_.fail_expected("a predicate");
  const Token name = context_.token();
  const auto found = builder.find(name.text);
  if (!found) context_.fail("unknown register " + quoted(name.text));
  if (!found->is_register() || builder.type_of(found->index) != Type::kPred) {
    context_.fail(quoted(name.text) + " is not a predicate");
  }
  context_.advance();
  guard.predicate = found->index;
  return guard;
}

void FunctionParser::parse_directive(FunctionBuilder& builder) {
  const Token directive = context_.advance();
  if (directive.text == ".loc") return parse_location(builder);
  if (directive.text == ".reg") return parse_registers(builder);
  if (directive.text == ".param") return parse_call_slots(builder);
  if (directive.text == ".pragma") return context_.skip_statement();
  if (directive.text == ".file") return parse_file(context_);
  if (const auto space = variable_space(directive.text)) {
    return parse_variables(context_, *space, Linkage::kInternal, &builder);
  }
  if (directive.text == ".extern" || directive.text == ".weak" || directive.text == ".visible") {
    const auto space = variable_space(context_.token().text);
    if (!space) context_.fail_expected("the space of a variable");
    context_.advance();
    const Linkage linkage = directive.text == ".extern" ? Linkage::kExtern : Linkage::kInternal;
    return parse_variables(context_, *space, linkage, &builder);
  }
  context_.fail_at(directive.line, "unknown directive " + quoted(directive.text));
}

// .reg .b32 %r<10>, %x, %y;
void FunctionParser::parse_registers(FunctionBuilder& builder) {
  if (context_.token().is_dot_word(".v2") || context_.token().is_dot_word(".v4")) {
    context_.fail("vector registers are not supported");
  }
  const Type type = parse_type(context_);
  do {
    const std::string_view name = context_.expect_word("a register");
    if (!context_.accept('<')) {
      builder.declare_register(name, type);
      continue;
    }
    const std::uint32_t count = context_.expect_u32("a number of registers");
    context_.expect('>');
    builder.declare_registers({name, count, type});
  } while (context_.accept(','));
  context_.expect(';');
}

// .param .b64 param0;
void FunctionParser::parse_call_slots(FunctionBuilder& builder) {
  Declaration declaration = parse_declaration(context_);
  do {
    parse_declarator(context_, declaration);
    const Slot slot = slot_of(context_, declaration);
    builder.declare_call_slot(declaration.name, slot.size, slot.alignment);
  } while (context_.accept(','));
  context_.expect(';');
}

void FunctionParser::parse_label(FunctionBuilder& builder, std::string_view name) {
  if (context_.accept_dot_word(".branchtargets")) return parse_branch_targets(builder, name);
  if (context_.accept_dot_word(".calltargets")) return parse_call_targets(builder, name);
  if (context_.accept_dot_word(".callprototype")) return parse_call_prototype(builder, name);
  builder.define_label(name);
}

void FunctionParser::parse_branch_targets(FunctionBuilder& builder, std::string_view name) {
  std::vector<LabelUseId> uses;
  do {
    const std::uint32_t line = context_.token().line;
    uses.push_back(builder.use_label(context_.expect_word("a label"), line));
  } while (context_.accept(','));
  context_.expect(';');
  builder.add_branch_table(name, std::move(uses));
}

void FunctionParser::parse_call_targets(FunctionBuilder& builder, std::string_view name) {
  kernel::Prototype prototype;
  bool is_first = true;
  do {
    const Token target = context_.token();
    context_.expect_word("a function");
    const ModuleSymbol* symbol = context_.find_symbol(target.text);
    if (symbol == nullptr || symbol->kind != SymbolKind::kFunction) {
      context_.fail_at(target.line, "unknown function " + quoted(target.text));
    }
    const kernel::Function& function = context_.module.functions[symbol->index];
    if (is_first) prototype = {std::string(name), function.parameters, function.return_values};
    is_first = false;
  } while (context_.accept(','));
  context_.expect(';');
  add_prototype(builder, std::move(prototype), name);
}

// prototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _);
void FunctionParser::parse_call_prototype(FunctionBuilder& builder, std::string_view name) {
  kernel::Prototype prototype;
  prototype.name = std::string(name);
  if (context_.token().is('(')) prototype.return_values = parse_prototype_slots(context_);
  context_.expect_word("'_'");
  if (context_.token().is('(')) prototype.parameters = parse_prototype_slots(context_);
  while (context_.token().is_dot_word()) {
    const Token directive = context_.advance();
    if (directive.text == ".noreturn") continue;
    if (directive.text != ".abi_preserve" && directive.text != ".abi_preserve_control") {
      context_.fail_at(directive.line, "unknown directive " + quoted(directive.text));
    }
    context_.expect_u32("a number");
  }
  context_.expect(';');
  add_prototype(builder, std::move(prototype), name);
}

void FunctionParser::add_prototype(FunctionBuilder& builder, kernel::Prototype prototype,
                                   std::string_view name) {
  // Offsets are laid out as a function's are.
  kernel::Function layout;
  layout.parameters = std::move(prototype.parameters);
  layout.return_values = std::move(prototype.return_values);
  kernel::assign_offsets(layout);
  prototype.parameters = std::move(layout.parameters);
  prototype.return_values = std::move(layout.return_values);
  builder.add_prototype(name, static_cast<std::uint32_t>(context_.module.prototypes.size()));
  context_.module.prototypes.push_back(std::move(prototype));
}

void FunctionParser::parse_location(FunctionBuilder& builder) {
  const LocationDirective directive = parse_loc(context_);
  if (directive.location.line != 0)
    context_.user_line = {directive.file_number, directive.location.line};
  const std::uint32_t index =
      directive.location.line == 0 ? 0 : context_.locations.intern(directive.location);
  builder.set_location(index, directive.location.line);
}

}  // namespace raddle::ptx
