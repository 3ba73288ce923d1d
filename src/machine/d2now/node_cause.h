// Where a node's time went: every tick from the start of the program to its end, by cause.
#pragma once

#include <cstdint>

#include "machine/d2now/ticks.h"
#include "machine/run/cycle_account.h"

namespace raddle::machine::d2now {

enum class NodeCause : std::uint8_t { kExecution, kCache, kOverhead, kTsu, kNetwork, kWork };

inline constexpr CauseTable<NodeCause, 6> kNodeCauses(
    NodeCause::kWork,
    {{NodeCause::kExecution, "issued", CycleKind::kIssued, "threads' own instructions"},
     {NodeCause::kCache, "cache miss", CycleKind::kStall, "an access to the L2 or to memory"},
     {NodeCause::kOverhead, "thread sequencing", CycleKind::kOverhead,
      "reading the firing queue, writing the acknowledgement queue, handing over values"},
     {NodeCause::kTsu, "TSU", CycleKind::kStall,
      "the TSU had not yet issued a thread that was enabled"},
     {NodeCause::kNetwork, "network", CycleKind::kStall, "data of the next thread was in flight"},
     {NodeCause::kWork, "no ready thread", CycleKind::kIdle,
      "an input of the next thread had not been computed, or no work was left"}});

using NodeAccount = CycleAccount<kNodeCauses, Ticks>;

}  // namespace raddle::machine::d2now
