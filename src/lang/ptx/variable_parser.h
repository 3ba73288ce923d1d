// Variables: .global, .const and .shared ones of the module, those that a function declares in its
// body (clang and nvcc move a kernel's own shared variables there), and the local variables of a
// function.
#pragma once

#include <optional>

#include "lang/ptx/context.h"
#include "lang/ptx/function_builder.h"

namespace raddle::ptx {

// The space that a directive such as ".global" declares variables in; nothing if it is not such a
// directive.
std::optional<kernel::Space> variable_space(std::string_view directive);

// From after the directive to the semicolon. With a builder, the names are the function's: shared
// variables become the module's (under a name that says whose they are if theirs is taken), local
// ones the function's.
void parse_variables(Context& context, kernel::Space space, kernel::Linkage linkage,
                     FunctionBuilder* builder);

}  // namespace raddle::ptx
