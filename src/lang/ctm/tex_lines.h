// Lines of TEX instructions: TEX r1.rgb r0.rg s1.bgra, TEXKILL r0, TXD r1 r0.rg s0 r2.rg r3.rg.
#pragma once

#include <string_view>

#include "lang/ctm/attributes.h"

namespace raddle::ctm {

struct TexLine {
  overlay::Instruction word;
  Attributes attributes;
};

bool is_tex_operation(std::string_view name);
TexLine read_tex_line(LineCursor& cursor, std::string_view name, Guard guard);

}  // namespace raddle::ctm
