// How a unit of a fabric spends its cycles: a closed list.
#pragma once

#include <cstdint>

#include "machine/run/cycle_account.h"

namespace raddle::machine::cgra {

enum class UnitUse : std::uint8_t {
  kFired,
  kOperandMissing,
  kConsumerFull,
  kLinkBusy,
  kMemory,
  kNoThread,
  kReconfiguring,
  kNotMapped,
};

inline constexpr CauseTable<UnitUse, 8> kUnitUses(
    UnitUse::kNoThread,
    {{UnitUse::kFired, "fired", CycleKind::kIssued, "the unit fired, or is still executing"},
     {UnitUse::kOperandMissing, "operand wait", CycleKind::kStall,
      "threads remain, but none has all its operands"},
     {UnitUse::kConsumerFull, "backpressure", CycleKind::kStall,
      "a thread is ready, but the token buffer of a consumer is full"},
     {UnitUse::kLinkBusy, "link contention", CycleKind::kStall,
      "a result waits while another one leaves the unit"},
     {UnitUse::kMemory, "memory", CycleKind::kStall,
      "a load/store unit waits for a bank, a cache or an answer"},
     {UnitUse::kNoThread, "no thread", CycleKind::kIdle,
      "the unit has finished all injected threads"},
     {UnitUse::kReconfiguring, "reconfiguration", CycleKind::kOverhead,
      "the grid is being configured"},
     {UnitUse::kNotMapped, "unmapped", CycleKind::kIdle,
      "the configuration does not use the unit"}});

using UnitAccount = CycleAccount<kUnitUses>;

}  // namespace raddle::machine::cgra
