// The PTX reader: text of a .ptx file in, a module of the kernel IR out. It reads what clang writes
// for sm_35 to sm_90 and what nvcc and Triton commonly write. Malformed text and constructs that
// are not supported raise raddle::Error, with the line of the PTX in where() and, where a .loc is
// in force, the user's source line in the message; the word that is not known is always named.
//
//   text ─ Lexer ─▶ ModuleParser ─▶ FunctionParser ─▶ InstructionParser (with its tables)
//                        │               └─▶ FunctionBuilder: names, labels, blocks
//                        └─▶ debug_sections, inlining: which call was inlined
#pragma once

#include <string>
#include <string_view>

#include "kernel/module.h"

namespace raddle::ptx {

// `file_name` is the name in messages and becomes the module's name.
kernel::Module read_ptx(std::string_view text, std::string file_name);

}  // namespace raddle::ptx
