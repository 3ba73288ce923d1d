#include "lang/e/scope.h"

#include <algorithm>
#include <ranges>

#include "base/nearest_name.h"

namespace raddle::e {

std::shared_ptr<Symbol> Scopes::find(const std::string& name) const {
  for (const auto& level : std::ranges::reverse_view(levels_)) {
    const auto found = level.find(name);
    if (found != level.end()) return found->second;
  }
  return nullptr;
}

std::shared_ptr<Symbol> Scopes::find_here(const std::string& name) const {
  const auto found = levels_.back().find(name);
  return found == levels_.back().end() ? nullptr : found->second;
}

std::string Scopes::suggestion_for(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& level : levels_) {
    for (const auto& [known, symbol] : level) names.push_back(known);
  }
  std::sort(names.begin(), names.end());
  return suggestion(name, names);
}

std::string Scopes::fiber_variable_of(std::uint32_t region) const {
  std::string first;
  for (const auto& level : levels_) {
    for (const auto& [name, symbol] : level) {
      const bool belongs = symbol->kind == SymbolKind::kFiber && symbol->thickness_region == region;
      if (belongs && (first.empty() || name < first)) first = name;
    }
  }
  return first;
}

}  // namespace raddle::e
