// Gives registers their numbers and channels: as few numbers as can be found, since the register
// file is as large as the program asks for (paper, section 7.1).
#pragma once

#include <string>
#include <vector>

#include "lang/cg/words/schedule.h"

namespace raddle::cg {

struct Allocation {
  PlacementOf placements;         // of every register
  std::uint16_t temporaries = 1;  // numbers that are used
};

// Throws an Error where more than 128 are needed.
Allocation allocate(const LirProgram& program, const std::vector<Step>& steps,
                    const std::string& file_name);

}  // namespace raddle::cg
