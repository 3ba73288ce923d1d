#include <fmt/format.h>

#include "lang/e/checker_state.h"
#include "lang/e/technique.h"

namespace raddle::e {

void Checker::check_shared_place(Expr& place, std::string_view role) {
  ExprPtr copy;
  if (place.kind == ExprKind::kName) {
    check_name(place);
  } else {
    for (ExprPtr& index : place.children) check_expression(index);
    check_element(place);
  }
  if (!place.symbol) return;
  const SymbolKind kind = place.symbol->kind;
  if (kind == SymbolKind::kShared || kind == SymbolKind::kArrayParameter) return;
  error(
      place.position, fmt::format("{} must be in shared memory", role),
      fmt::format("the name of a shared variable ends in '_', {} does not", in_quotes(place.name)));
}

void Checker::check_multi(Statement& statement) {
  if (in_function()) effects_[function_].uses_fibers = true;
  if (host_) error(statement.position, "fiber variables are not allowed in a check", "use a loop");
  check_shared_place(*statement.target, "the target of a multioperation");
  check_expression(statement.value);
  check_integer(*statement.target, "the target of a multioperation");
  check_integer(*statement.value, "what a multioperation combines");
  if (statement.technique.empty()) return;
  const Technique* technique = find_technique(statement.technique);
  if (technique == nullptr || technique->is_prefix) {
    error(statement.technique_position,
          in_quotes(statement.technique) + " is not a technique for multioperations",
          "the techniques are FS, S2, BF, O2 and ML");
  }
}

void Checker::check_prefix(Statement& statement) {
  if (in_function()) effects_[function_].uses_fibers = true;
  if (host_) error(statement.position, "fiber variables are not allowed in a check", "use a loop");
  Expr& result = *statement.operands[0];
  const std::shared_ptr<Symbol> symbol = scopes_.find(result.name);
  if (symbol && symbol->kind == SymbolKind::kFiber && result.kind == ExprKind::kName) {
    check_name(result);
    for (const Region& level : regions_) {
      if (level.kind == RegionKind::kSplit) level.statement->written.push_back(symbol);
    }
  } else {
    check_shared_place(result, "what takes the prefixes, unless it is a fiber variable,");
  }
  check_shared_place(*statement.target, "the target of a multiprefix");
  check_expression(statement.value);
  check_integer(result, "a prefix");
  check_integer(*statement.target, "the target of a multiprefix");
  check_integer(*statement.value, "what a multiprefix combines");
  if (statement.technique.empty()) return;
  const Technique* technique = find_technique(statement.technique);
  if (technique == nullptr || !technique->is_prefix) {
    error(statement.technique_position,
          in_quotes(statement.technique) + " is not a technique for multiprefixes",
          "the techniques are FMP, 3MP, O3M, MPL, MPS and MMP");
  }
}

// compact(D_, n_, condition, value) and partition(D_, n_, E_, m_, condition, value).
void Checker::check_compaction(Statement& statement) {
  if (in_function()) effects_[function_].uses_fibers = true;
  if (host_) error(statement.position, "fiber variables are not allowed in a check", "use a loop");
  if (!statement.technique.empty()) {
    error(statement.technique_position,
          "compaction has one technique, the conditional multiprefix");
  }
  for (std::size_t i = 0; i < statement.operands.size(); ++i) {
    Expr& place = *statement.operands[i];
    if (i % 2 == 1) {
      check_shared_place(place, "the counter of a compaction");
      if (place.rank == Rank::kFiber) {
        error(place.position, "all fibers of a compaction use one counter");
      }
      continue;
    }
    place.symbol = scopes_.find(place.name);
    const bool is_whole_array = place.symbol && is_array(*place.symbol) && place.children.empty() &&
                                place.symbol->extents.size() <= 1 && place.symbol->indices <= 1 &&
                                (place.symbol->kind == SymbolKind::kShared ||
                                 place.symbol->kind == SymbolKind::kArrayParameter);
    if (!is_whole_array) {
      error(place.position, "the destination of a compaction is a shared array with one index",
            "write its name without an index");
    }
  }
  check_expression(statement.target);
  make_condition(statement.target);
  check_expression(statement.value);
  for (std::size_t i = 0; i < statement.operands.size(); ++i) {
    const Expr& place = *statement.operands[i];
    if (!place.symbol) continue;
    if (i % 2 == 1) {
      check_integer(place, "the counter of a compaction");
    } else {
      coerce(statement.value, place.symbol->type, "an element of " + in_quotes(place.name));
    }
  }
}

}  // namespace raddle::e
