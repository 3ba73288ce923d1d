// What .param, .global, .shared, .const and .local declarations have in common: alignment, type,
// name, array bounds.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernel/module.h"
#include "lang/ptx/context.h"

namespace raddle::ptx {

struct Declaration {
  std::string_view name;
  kernel::Type type = kernel::Type::kNone;
  kernel::VariableKind kind = kernel::VariableKind::kData;
  std::uint32_t vector = 1;
  std::uint32_t alignment = 0;  // 0: not written
  bool managed = false;
  std::vector<std::uint64_t> bounds;  // of arrays; 0: not written ("name[]")
  std::uint64_t size = 0;

  std::uint32_t element_bytes() const;
  // As written, or the natural one.
  std::uint32_t alignment_or_natural() const;
};

// ".align 8 .b8": everything between the state space and the name.
Declaration parse_declaration(Context& context);
// "name[4][2]"; fills in name, bounds and size.
void parse_declarator(Context& context, Declaration& declaration);

// The slot that a declared parameter needs.
kernel::Slot slot_of(Context& context, const Declaration& declaration);
// One parameter of a function, return value or prototype, from after the word .param.
kernel::Slot parse_slot(Context& context, std::string_view& name);

// A type with its dot, such as ".u32".
kernel::Type parse_type(Context& context);

}  // namespace raddle::ptx
