#include "lang/ptx/variable_parser.h"

#include "lang/ptx/declaration.h"
#include "lang/ptx/initialiser.h"

namespace raddle::ptx {
namespace {

using kernel::Linkage;
using kernel::Operand;
using kernel::Space;
using kernel::SymbolKind;
using kernel::Variable;

// A declaration and a definition of the same name are one variable: what is defined wins.
std::uint32_t add_to_module(Context& context, std::string_view name, Variable variable) {
  std::vector<Variable>& variables = context.module.variables;
  if (const ModuleSymbol* known = context.find_symbol(name)) {
    if (known->kind != SymbolKind::kVariable) context.fail(quoted(name) + " is declared twice");
    Variable& earlier = variables[known->index];
    if (variable.linkage == Linkage::kExtern) return known->index;
    const bool may_replace = earlier.linkage == Linkage::kExtern ||
                             earlier.linkage == Linkage::kWeak ||
                             earlier.linkage == Linkage::kCommon;
    if (!may_replace) context.fail(quoted(name) + " is declared twice");
    earlier = std::move(variable);
    return known->index;
  }
  const auto index = static_cast<std::uint32_t>(variables.size());
  variables.push_back(std::move(variable));
  context.add_symbol(name, {SymbolKind::kVariable, index});
  return index;
}

void add_to_function(Context& context, FunctionBuilder& builder, std::string_view name,
                     Variable variable) {
  // Two functions may each have a shared variable `tile`; in the module the second needs a name of
  // its own.
  variable.name = context.unique_variable_name(variable.name, builder.function().name);
  const auto index = static_cast<std::uint32_t>(context.module.variables.size());
  context.module.variables.push_back(std::move(variable));
  builder.declare_symbol(name, Operand::symbol_address(SymbolKind::kVariable, index));
}

}  // namespace

std::optional<Space> variable_space(std::string_view directive) {
  if (directive == ".global") return Space::kGlobal;
  if (directive == ".shared" || directive == ".shared::cta") return Space::kShared;
  if (directive == ".const") return Space::kConst;
  if (directive == ".local") return Space::kLocal;
  return std::nullopt;
}

void parse_variables(Context& context, Space space, Linkage linkage, FunctionBuilder* builder) {
  Declaration declaration = parse_declaration(context);
  do {
    parse_declarator(context, declaration);
    Variable variable;
    variable.name = std::string(declaration.name);
    variable.space = space;
    variable.kind = declaration.kind;
    variable.linkage = linkage;
    variable.managed = declaration.managed;
    variable.alignment = declaration.alignment_or_natural();
    if (context.accept('=')) {
      if (space == Space::kShared || space == Space::kLocal) {
        context.fail("a variable in " + std::string(kernel::name_of(space)) +
                     " memory has no initial value");
      }
      parse_initialiser(context, declaration, variable);
    }
    variable.size = declaration.size;
    if (builder == nullptr) {
      if (space == Space::kLocal)
        context.fail("a .local variable outside a function is not supported");
      context.note_variable(variable.name);
      add_to_module(context, declaration.name, std::move(variable));
    } else if (space == Space::kLocal) {
      builder->declare_local(declaration.name, declaration.size, variable.alignment);
    } else {
      add_to_function(context, *builder, declaration.name, std::move(variable));
    }
  } while (context.accept(','));
  context.expect(';');
}

}  // namespace raddle::ptx
