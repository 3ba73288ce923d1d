// Lines that begin with a point: constants and names for the host, and how the text is taken.
#pragma once

#include <string>

#include "lang/ctm/line_cursor.h"
#include "machine/overlay/shader.h"

namespace raddle::ctm {

// A label that a directive names, and where.
struct LabelUse {
  std::string label;
  std::size_t start = 0;
  std::uint32_t line = 0;
};

struct AssemblyOptions {
  bool automatic_semaphores = true;
  LabelUse entry, end;            // first and last instruction, where they are given
  std::uint16_t temporaries = 0;  // at least so many
};

// After the point. Directives that are instructions (.word) are not taken: false.
bool read_directive(LineCursor& cursor, std::size_t start, std::string_view name,
                    machine::overlay::Shader& shader, AssemblyOptions& options);

}  // namespace raddle::ctm
