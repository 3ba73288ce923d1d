// Names in nested scopes, and the thick regions that surround a statement. A region is a piece of
// program in which the fibers stay the same: the body of "#e:", of a split, of a flow, of a
// function.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/e/ast.h"

namespace raddle::e {

class Scopes {
 public:
  void push() { levels_.emplace_back(); }
  void pop() { levels_.pop_back(); }
  std::size_t depth() const { return levels_.size(); }

  // The innermost symbol of this name, or null.
  std::shared_ptr<Symbol> find(const std::string& name) const;
  // The symbol of this name in the innermost scope alone, or null.
  std::shared_ptr<Symbol> find_here(const std::string& name) const;
  void add(const std::shared_ptr<Symbol>& symbol) { levels_.back()[symbol->name] = symbol; }
  // "did you mean …?" with a known name near this one; empty if none is near.
  std::string suggestion_for(const std::string& name) const;
  // Whether a fiber variable of the region is in scope, for # assignments; its name or empty.
  std::string fiber_variable_of(std::uint32_t region) const;

 private:
  std::vector<std::unordered_map<std::string, std::shared_ptr<Symbol>>> levels_;
};

enum class RegionKind : std::uint8_t { kProgram, kFunction, kThick, kSplit, kFlow };

struct Region {
  std::uint32_t id = 0;
  RegionKind kind = RegionKind::kProgram;
  Statement* statement = nullptr;  // the thick, split or par statement; null for program, function
};

}  // namespace raddle::e
