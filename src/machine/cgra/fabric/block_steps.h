// The steps in which a piece is carried out for a whole block: everything is computed before it is
// needed, by this thread or by another.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/cgra/compile/fabric_kernel.h"

namespace raddle::machine::cgra {

struct BlockStep {
  enum class Kind : std::uint8_t {
    kCode,         // each warp by itself
    kReceive,      // of what an earlier step or piece tagged
    kReceiveLoad,  // threads that load first, then those that take over
    kRecurrence,   // threads one by one
  } kind = Kind::kCode;
  std::vector<std::uint32_t> code;  // places in the piece's code
};

std::vector<BlockStep> plan_block_steps(const Piece& piece,
                                        const std::vector<kernel::Instruction>& code);

}  // namespace raddle::machine::cgra
