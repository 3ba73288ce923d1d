// Fills SourceLocation::inlined_at from debug information, so that a message can say "helper.h:3,
// inlined at kernel.cu:10".
#pragma once

#include <span>
#include <vector>

#include "lang/ptx/context.h"
#include "lang/ptx/debug_sections.h"
#include "lang/ptx/function_builder.h"

namespace raddle::ptx {

// `labels` by function of the module.
void apply_inlining(Context& context, std::span<const InlineScope> scopes,
                    const std::vector<std::vector<Label>>& labels);

}  // namespace raddle::ptx
