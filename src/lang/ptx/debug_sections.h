// Debug information inside PTX: .section blocks of data that spell out DWARF, with labels of the
// code where addresses would stand. Of it the reader wants one thing: which instructions were
// inlined, and from which call. Debug information is advice: what cannot be made sense of is left
// aside without an error.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lang/ptx/context.h"

namespace raddle::ptx {

struct DebugSection {
  struct Fixup {
    std::uint32_t offset = 0;
    std::string_view label;
  };
  std::vector<std::uint8_t> bytes;
  std::vector<Fixup> fixups;  // by rising offset
};

struct DebugSections {
  DebugSection abbreviations;  // .debug_abbrev
  DebugSection information;    // .debug_info
};

// A function's code or an inlined copy of a function: the instructions from one label to another.
struct InlineScope {
  std::uint32_t parent = kernel::kNoId;  // of the list; none for a function's own code
  std::uint64_t origin = 0;  // which function of the source this is: equal for all its copies
  std::string_view low;
  std::string_view high;
  std::uint32_t call_file = 0;  // by the number of .file
  std::uint32_t call_line = 0;
  std::uint32_t call_column = 0;
};

// From after the word .section to the closing brace.
void parse_section(Context& context, DebugSections& sections);

// Parents come before their children.
std::vector<InlineScope> read_inline_scopes(const DebugSections& sections);

}  // namespace raddle::ptx
