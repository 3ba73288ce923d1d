// Names inside a function body. PTX has nested scopes ({ … } of inline assembly and of call
// sequences) in which registers, parameters of calls and labels may be declared anew and hide the
// outer ones.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernel/instruction.h"

namespace raddle::ptx {

// `.reg .b32 %r<10>` declares %r0 to %r9; a register comes to exist when it is first used.
struct RegisterRange {
  std::string_view prefix;
  std::uint32_t count = 0;
  kernel::Type type = kernel::Type::kB32;
};

using LabelId = std::uint32_t;
using LabelUseId = std::uint32_t;

struct Scope {
  std::unordered_map<std::string_view, kernel::Operand> names;  // registers and symbols
  std::vector<RegisterRange> ranges;
  std::unordered_map<std::string_view, LabelId> labels;
  std::vector<LabelUseId> open_uses;      // of labels that may come later, here or further out
  std::vector<std::uint32_t> call_slots;  // declared here
};

// Splits "%r12" into "%r" and 12. False if the name does not end in a number as a range would write
// it.
bool split_numbered_name(std::string_view name, std::string_view& prefix, std::uint32_t& number);

}  // namespace raddle::ptx
