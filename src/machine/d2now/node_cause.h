// Where a node's time went: every tick from the start of the program to its end, by cause.
#pragma once

#include "machine/d2now/ticks.h"
#include "machine/run/cycle_account.h"

namespace raddle::machine::d2now {

#define RADDLE_NODE_CAUSES(CAUSE)                                                           \
  CAUSE(kExecution, "issued", kIssued, "threads' own instructions")                         \
  CAUSE(kCache, "cache miss", kStall, "an access to the L2 or to memory")                   \
  CAUSE(kOverhead, "thread sequencing", kOverhead,                                          \
        "reading the firing queue, writing the acknowledgement queue, handing over values") \
  CAUSE(kTsu, "TSU", kStall, "the TSU had not yet issued a thread that was enabled")        \
  CAUSE(kNetwork, "network", kStall, "data of the next thread was in flight")               \
  CAUSE(kWork, "no ready thread", kIdle,                                                    \
        "an input of the next thread had not been computed, or no work was left")
RADDLE_CAUSES(NodeCause, kNodeCauses, kWork, RADDLE_NODE_CAUSES);

using NodeAccount = CycleAccount<kNodeCauses, Ticks>;

}  // namespace raddle::machine::d2now
