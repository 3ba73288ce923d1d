// What the cycles of the ALU's issue slots went for: a closed list. In an idle slot every batch
// context has a cause of its own (Section 7, whose words are in parentheses), so cycles are counted
// for each context; those of all contexts sum to cycles times contexts.
#pragma once

#include "machine/run/cycle_account.h"

namespace raddle::machine::overlay {

#define RADDLE_SLOT_CAUSES(CAUSE)                                                       \
  CAUSE(kIssued, "issued", kIssued, "an ALU instruction was issued")                    \
  CAUSE(kSemwait, "texture fetch (Semwait)", kStall,                                    \
        "the batch's next ALU instruction waits for texels")                            \
  CAUSE(kInsideAlu, "ALU latency (Inside_ALU)", kStall,                                 \
        "an ALU instruction of the batch is still in the datapath")                     \
  CAUSE(kNotAlu, "no ALU instruction (NotALU)", kIdle,                                  \
        "the batch's next instruction is not for the ALU, or the context has no batch") \
  CAUSE(kConfiguration, "configuration", kOverhead,                                     \
        "the host writes instructions, constants and registers")
RADDLE_CAUSES(SlotCause, kSlotCauses, kNotAlu, RADDLE_SLOT_CAUSES);

using SlotAccount = CycleAccount<kSlotCauses>;

}  // namespace raddle::machine::overlay
