// Makes one function ready to execute: its instructions with the loops over lanes that carry them
// out and the places of their operands in the frame. decode.cpp joins functions to a kernel.
#pragma once

#include <cstdint>
#include <memory>

#include "kernel/exec/decoded.h"
#include "kernel/exec/frame_layout.h"
#include "kernel/exec/shared_layout.h"

namespace raddle::kernel::exec {

Handler handler_of(const Instruction& instruction);

// `body`: what the function does, which may be another form of what the program holds. Memory
// instructions are numbered from `memory_instructions` on.
std::unique_ptr<DecodedFunction> decode_function(const Program& program, FunctionRef ref,
                                                 const Function& body, const SharedLayout& shared,
                                                 FrameLayout layout,
                                                 std::uint32_t& memory_instructions);

}  // namespace raddle::kernel::exec
