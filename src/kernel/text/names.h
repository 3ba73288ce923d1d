// How the things of a module are called in its text form. A name that its neighbours share, that is
// empty or that would be read as something else carries the index of what it stands for after a
// '#', so that any module can be printed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/module.h"

namespace raddle::kernel {

// Special registers share the sigil of registers, and '_' stands for an absent operand.
bool is_reserved_register_name(std::string_view name);

// Names shared by a whole module.
class ModuleNames {
 public:
  explicit ModuleNames(const Module& module);

  // "@name"; `index` counts variables or functions.
  std::string variable(std::uint32_t index) const;
  std::string function(std::uint32_t index) const;
  std::string prototype(std::uint32_t index) const;
  std::string file(std::uint32_t index) const;
  // "file:line:column in …", or "#index" where that would be read as another entry of the table.
  std::string location(std::uint32_t index) const;
  // The same for an entry of the table itself: the place it was inlined at is always given by
  // index.
  std::string location_entry(std::uint32_t index) const;

 private:
  const Module& module_;
  std::vector<std::string> symbols_;  // variables, then functions
  std::vector<std::string> prototypes_;
  std::vector<std::string> files_;
  std::vector<bool> canonical_;  // by location: no earlier entry is equal
};

// Names within a function.
class FunctionNames {
 public:
  explicit FunctionNames(const Function& function);

  std::string reg(RegisterId id) const;           // with the %
  std::string register_key(RegisterId id) const;  // without it
  std::string block(BlockId id) const;
  std::string slot(SymbolKind kind, std::uint32_t index) const;

 private:
  const Function& function_;
  std::vector<std::string> registers_;
  std::vector<std::string> blocks_;
  std::vector<std::string> slots_;  // parameters, return values, call slots, locals
};

}  // namespace raddle::kernel
