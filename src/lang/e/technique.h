// The techniques of the paper's Figure 10 by name: what sequence of instructions each one is, and
// what it needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace raddle::e {

struct Technique {
  std::string_view name;
  bool is_prefix = false;
  bool loads = false;   // the first phase loads the operands from memory
  bool stores = false;  // the last phase stores the prefixes to memory
  std::string_view sequence;
  std::string_view time;  // as in Figure 10
};

// Null where no technique has this name.
const Technique* find_technique(std::string_view name);
const std::vector<Technique>& techniques();

}  // namespace raddle::e
