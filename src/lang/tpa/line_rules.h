// What the subinstructions of one line may do together: each unit has one command, the chain is
// read forwards only, registers are read before they are used.
#pragma once

#include <vector>

#include "lang/tpa/subinstruction_parser.h"

namespace raddle::tpa {

// Sorts them into the order of the chain. Throws LineFault.
void check_line(std::vector<PlacedSubinstruction>& parts);

// For a line that was not written by hand, such as one read from a binary.
void check_line(const machine::tpa::Line& line);

}  // namespace raddle::tpa
