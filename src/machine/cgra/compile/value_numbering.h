// What has been computed in a piece already, so that nothing is computed twice: instructions that
// do the same with the same values, whatever the registers are called, and comparisons that are
// each other's opposite.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "kernel/instruction.h"

namespace raddle::machine::cgra {

class ValueNumbering {
 public:
  // The node that gives the results of the instruction, or their opposites, if there is one.
  std::optional<std::uint32_t> find(const kernel::Instruction& instruction) const;
  void add(const kernel::Instruction& instruction, std::uint32_t node);
  // Results of what needs no unit (is_wire).
  void add_wire(const kernel::Instruction& wire);
  // The register is written anew: what was computed from its old value is not what it seems.
  void forget(kernel::RegisterId value);

 private:
  struct Known {
    kernel::Instruction instruction;  // what makes it different from others
    std::size_t results = 0;
    std::uint32_t node = 0;
  };
  struct Widened {
    kernel::RegisterId from = 0;
    int bytes = 0;  // before
  };

  kernel::RegisterId first_name(kernel::RegisterId value) const;
  kernel::Instruction key_of(const kernel::Instruction& instruction) const;

  std::vector<Known> known_;
  std::unordered_map<kernel::RegisterId, kernel::RegisterId> same_;  // as an earlier register
  std::unordered_map<kernel::RegisterId, Widened> widened_;
};

}  // namespace raddle::machine::cgra
