// Puts lowered items onto VLIW lines, in order: frontend operations chain into one line while
// units, operand slots and writes last (L0, then memory, then L1 and L2), share the line with a
// backend part, and a branch ends it. The result is assembly text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lang/e/code.h"
#include "lang/e/source_text.h"

namespace raddle::e {

struct PackInput {
  const std::vector<Item>* items = nullptr;
  const SourceMap* map = nullptr;                  // for .loc
  std::map<std::uint32_t, std::uint32_t> layouts;  // registers of each group of lines
};

// Lines of assembly text, labels and .loc directives among them.
std::string pack(const PackInput& input);

}  // namespace raddle::e
