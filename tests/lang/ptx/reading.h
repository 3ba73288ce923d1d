// Short ways to say what PTX is read and what must come of it.
#pragma once

#include <string>
#include <string_view>

#include "kernel/module.h"

namespace raddle::ptx::testing {

// `text` after .version, .target and .address_size: its first line is line 4 of "test.ptx".
kernel::Module read(std::string_view text);

// `body` in a kernel @k with parameters `pointer` (8 bytes) and `number` (4), with registers %p,
// %rs, %r, %rd, %f and %fd to use, and module variables `data` (global), `table` (const), `tile`
// (shared), `image`, `filter` and `canvas`. The body begins at line kBodyLine.
inline constexpr int kBodyLine = 13;
std::string kernel_with(std::string_view body);
kernel::Module read_kernel(std::string_view body);

// The instructions of @k in the kernel IR's text form, one a line, without the `ret` at the end.
std::string instructions_of(std::string_view body);
// The instructions of a function, all of them; each block's label on a line of its own.
std::string code_of(const kernel::Module& module, std::string_view function);

// What reading it says: "where: what", with "hint: …" on a second line; empty if nothing is wrong.
std::string error_of(std::string_view text);
std::string kernel_error_of(std::string_view body);

// The contents of tests/lang/ptx/samples/NAME.ptx.
std::string sample(const std::string& name);

}  // namespace raddle::ptx::testing
