// .file and .loc directives.
#pragma once

#include "lang/ptx/context.h"

namespace raddle::ptx {

struct LocationDirective {
  std::uint32_t file_number = 0;
  kernel::SourceLocation location;
};

// From after the word: a number and a path, and perhaps a time and a size.
void parse_file(Context& context);
// From after the word: file, line, column, and perhaps "function_name label, inlined_at file line
// column".
LocationDirective parse_loc(Context& context);

}  // namespace raddle::ptx
