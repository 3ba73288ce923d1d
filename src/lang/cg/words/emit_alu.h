// One word of the arithmetic units for the two halves of a bundle.
#pragma once

#include "lang/cg/words/bundle.h"
#include "machine/overlay/instruction.h"

namespace raddle::cg {

machine::overlay::Instruction alu_word(const Bundle& bundle, const PlacementOf& placements);

}  // namespace raddle::cg
