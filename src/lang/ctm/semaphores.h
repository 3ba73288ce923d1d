// Puts the bits of the texture semaphore where a program needs them, by data flow over its
// branches: the last TEX of a block acquires; whatever first reads or writes a register that a TEX
// may still be loading waits; so does the last instruction (r5xx fragment processors have no other
// interlock).
#pragma once

#include "machine/overlay/shader.h"

namespace raddle::ctm {

// Bits that are set already stay.
void insert_semaphores(machine::overlay::Shader& shader);

}  // namespace raddle::ctm
