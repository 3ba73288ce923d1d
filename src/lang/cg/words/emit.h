// Words of the processor for scheduled operations whose registers have numbers.
#pragma once

#include <string>
#include <vector>

#include "lang/cg/words/allocate.h"
#include "lang/cg/words/schedule.h"
#include "machine/overlay/shader.h"

namespace raddle::cg {

// Adds code, loops and lines to the shader; throws an Error where branches or loops are nested
// deeper than the processor counts.
void emit(const std::vector<Step>& steps, const Allocation& allocation, const SourceFiles& sources,
          machine::overlay::Shader& shader);

}  // namespace raddle::cg
