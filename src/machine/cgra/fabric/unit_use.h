// How a unit of a fabric spends its cycles: a closed list.
#pragma once

#include "machine/run/cycle_account.h"

namespace raddle::machine::cgra {

#define RADDLE_UNIT_USES(CAUSE)                                                                   \
  CAUSE(kFired, "fired", kIssued, "the unit fired, or is still executing")                        \
  CAUSE(kOperandMissing, "operand wait", kStall, "threads remain, but none has all its operands") \
  CAUSE(kConsumerFull, "backpressure", kStall,                                                    \
        "a thread is ready, but the token buffer of a consumer is full")                          \
  CAUSE(kLinkBusy, "link contention", kStall, "a result waits while another one leaves the unit") \
  CAUSE(kMemory, "memory", kStall, "a load/store unit waits for a bank, a cache or an answer")    \
  CAUSE(kNoThread, "no thread", kIdle, "the unit has finished all injected threads")              \
  CAUSE(kReconfiguring, "reconfiguration", kOverhead, "the grid is being configured")             \
  CAUSE(kNotMapped, "unmapped", kIdle, "the configuration does not use the unit")
RADDLE_CAUSES(UnitUse, kUnitUses, kNoThread, RADDLE_UNIT_USES);

using UnitAccount = CycleAccount<kUnitUses>;

}  // namespace raddle::machine::cgra
