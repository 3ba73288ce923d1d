// What the cycles of the ALU's issue slots went for: a closed list. In an idle slot every batch
// context has a cause of its own (Section 7, whose words are in parentheses), so cycles are counted
// for each context; those of all contexts sum to cycles times contexts.
#pragma once

#include <cstdint>

#include "machine/run/cycle_account.h"

namespace raddle::machine::overlay {

enum class SlotCause : std::uint8_t { kIssued, kSemwait, kInsideAlu, kNotAlu, kConfiguration };

inline constexpr CauseTable<SlotCause, 5> kSlotCauses(
    SlotCause::kNotAlu,
    {{SlotCause::kIssued, "issued", CycleKind::kIssued, "an ALU instruction was issued"},
     {SlotCause::kSemwait, "texture fetch (Semwait)", CycleKind::kStall,
      "the batch's next ALU instruction waits for texels"},
     {SlotCause::kInsideAlu, "ALU latency (Inside_ALU)", CycleKind::kStall,
      "an ALU instruction of the batch is still in the datapath"},
     {SlotCause::kNotAlu, "no ALU instruction (NotALU)", CycleKind::kIdle,
      "the batch's next instruction is not for the ALU, or the context has no batch"},
     {SlotCause::kConfiguration, "configuration", CycleKind::kOverhead,
      "the host writes instructions, constants and registers"}});

using SlotAccount = CycleAccount<kSlotCauses>;

}  // namespace raddle::machine::overlay
