#include <fmt/format.h>

#include "lang/e/checker_state.h"

namespace raddle::e {
namespace {

constexpr std::int64_t kMaximumWords = std::int64_t{1} << 28;

SymbolKind kind_of_name(const std::string& name) {
  if (name.back() == '_') return SymbolKind::kShared;
  if (name.back() == '$') return SymbolKind::kFiber;
  return SymbolKind::kCommon;
}

}  // namespace

std::shared_ptr<Symbol> Checker::add_symbol(const std::string& name, Position position,
                                            SymbolKind kind) {
  if (const std::shared_ptr<Symbol> other = scopes_.find_here(name)) {
    error(
        position, in_quotes(name) + " is declared twice",
        fmt::format("the first is on {}", program_.map.line_text(other->position.line, position)));
  }
  auto symbol = std::make_shared<Symbol>();
  symbol->kind = kind;
  symbol->name = name;
  symbol->position = position;
  symbol->id = next_symbol_++;
  symbol->flow_depth = flow_depth_;
  symbol->mask_depth = masks_;
  symbol->thickness_region = regions_.empty() ? 0 : region().id;
  scopes_.add(symbol);
  return symbol;
}

void Checker::check_extents(Declaration& declaration, Symbol& symbol) {
  std::int64_t words = 1;
  for (ExprPtr& extent : declaration.extents) {
    const std::int64_t size = constant_of(extent, "the size of an array");
    check_integer(*extent, "the size of an array");
    if (size < 1 || size > kMaximumWords / words) {
      error(extent->position, fmt::format("an array cannot have {} elements", size),
            size < 1 ? "it has one or more"
                     : fmt::format("the elements of one array may be {}", kMaximumWords));
      symbol.extents.push_back(1);
      continue;
    }
    words *= size;
    symbol.extents.push_back(size);
  }
}

void Checker::check_declaration(Statement& statement) {
  for (Declaration& declaration : statement.declarations) {
    const SymbolKind kind = kind_of_name(declaration.name);
    // The initial value is read before the name exists: int x = x + 1 means an outer x.
    if (kind != SymbolKind::kShared && declaration.init == Declaration::Init::kValue) {
      if (kind == SymbolKind::kCommon) {
        check_common(declaration.values[0],
                     fmt::format("the value of {}", in_quotes(declaration.name)));
      } else {
        check_expression(declaration.values[0]);
      }
      coerce(declaration.values[0], declaration.type, in_quotes(declaration.name));
    }
    const std::shared_ptr<Symbol> symbol = add_symbol(declaration.name, declaration.position, kind);
    symbol->type = declaration.type;
    declaration.symbol = symbol;
    symbol->is_global = scopes_.depth() == 1;
    check_extents(declaration, *symbol);
    if (kind == SymbolKind::kShared) {
      declare_shared(declaration, symbol);
    } else {
      declare_local(declaration, symbol);
    }
  }
}

void Checker::declare_shared(Declaration& declaration, const std::shared_ptr<Symbol>& symbol) {
  if (!symbol->is_global || host_) {
    error(declaration.position, "shared variables are declared outside of functions and blocks",
          "move the declaration to the top level");
    return;
  }
  using Init = Declaration::Init;
  if (declaration.init == Init::kList) {
    if (static_cast<std::int64_t>(declaration.values.size()) > symbol->words()) {
      error(declaration.position,
            fmt::format("{} values do not fit into {} of {}", declaration.values.size(),
                        in_quotes(declaration.name), symbol->words()),
            fmt::format("give it {} elements or more", declaration.values.size()));
    }
    for (ExprPtr& value : declaration.values) {
      constant_of(value, "an initial value");
      coerce(value, declaration.type, "an element of " + in_quotes(declaration.name));
    }
  } else if (declaration.init == Init::kValue) {
    constant_of(declaration.values[0], "the initial value of a shared variable");
    coerce(declaration.values[0], declaration.type, in_quotes(declaration.name));
  } else if (declaration.init == Init::kEach) {
    initialiser_ = true;
    check_expression(declaration.values[0]);
    coerce(declaration.values[0], declaration.type, "an element of " + in_quotes(declaration.name));
    initialiser_ = false;
  }
  program_.shared.push_back(symbol);
  program_.shared_declarations.push_back(&declaration);
}

void Checker::declare_local(Declaration& declaration, const std::shared_ptr<Symbol>& symbol) {
  if (declaration.init != Declaration::Init::kNone &&
      (declaration.init != Declaration::Init::kValue || !symbol->extents.empty())) {
    error(declaration.position, "only shared arrays have initial values of many elements",
          fmt::format("the name of a shared array ends in '_': {}_", declaration.name));
  }
  if (symbol->kind == SymbolKind::kFiber) {
    if (host_) error(declaration.position, "fiber variables are not allowed in a check");
    if (!symbol->extents.empty()) {
      error(declaration.position, "a fiber cannot have an array of its own",
            "use a shared array with a place for every fiber");
    }
    if (in_function()) effects_[function_].uses_fibers = true;
  } else if (!symbol->extents.empty() && !symbol->is_global && !host_) {
    error(declaration.position,
          "arrays of the frontend are declared outside of functions and blocks",
          "move the declaration to the top level");
  }
}

}  // namespace raddle::e
