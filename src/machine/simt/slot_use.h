// What the issue slots of a warp scheduler go for: a closed list. Every slot of every scheduler is
// counted under exactly one of these, so that they sum to all slots. Named as in Nsight Compute
// where it has the cause.
#pragma once

#include <cstdint>

#include "machine/run/cycle_account.h"

namespace raddle::machine::simt {

enum class SlotUse : std::uint8_t {
  kIssued,
  kDivergence,
  kMemory,
  kSharedMemory,
  kAlu,
  kSfu,
  kCollector,
  kUnit,
  kLoadStore,
  kFetch,
  kBarrier,
  kFence,
  kOrdered,
  kNoWarp,
};

inline constexpr CauseTable<SlotUse, 14> kSlotUses(
    SlotUse::kNoWarp,
    {{SlotUse::kIssued, "issued", CycleKind::kIssued, "a warp instruction was issued"},
     {SlotUse::kDivergence, "divergence", CycleKind::kOverhead,
      "issued for the smaller part of a warp whose threads have diverged"},
     {SlotUse::kMemory, "long scoreboard (memory)", CycleKind::kStall,
      "a result of global, local, constant or texture memory, or an MSHR, a line or queue space "
      "for a miss"},
     {SlotUse::kSharedMemory, "short scoreboard (shared)", CycleKind::kStall,
      "a result of shared memory"},
     {SlotUse::kAlu, "execution dependency (ALU)", CycleKind::kStall,
      "a result of an SP unit, which has a fixed latency; also __nanosleep"},
     {SlotUse::kSfu, "short scoreboard (SFU)", CycleKind::kStall,
      "a result of a special function unit: roots, divisions, doubles"},
     {SlotUse::kCollector, "dispatch (operand collectors)", CycleKind::kStall,
      "a warp was ready, but all operand collectors of its unit were gathering operands"},
     {SlotUse::kUnit, "math pipe throttle", CycleKind::kStall,
      "a warp was ready, but the execution units of its scheduler were busy"},
     {SlotUse::kLoadStore, "LG/MIO throttle (load/store unit)", CycleKind::kStall,
      "a warp was ready, but the load/store unit still had accesses to make"},
     {SlotUse::kFetch, "no instruction", CycleKind::kStall,
      "the next instruction had not been fetched yet"},
     {SlotUse::kBarrier, "barrier", CycleKind::kStall, "other warps of the block at a barrier"},
     {SlotUse::kFence, "membar", CycleKind::kStall,
      "a fence: earlier loads and stores of the warp must be visible everywhere"},
     {SlotUse::kOrdered, "ordered access", CycleKind::kStall,
      "an atomic or ordered access, which is executed at the end of the quantum"},
     {SlotUse::kNoWarp, "no resident warp", CycleKind::kIdle,
      "no warp is resident, or all have ended and drain their stores"}});

// Of warps, not of slots: what they do while SlotUse::kIssued holds and others are issued.
inline constexpr Cause kNotSelected{
    "not selected", CycleKind::kStall,
    "the warp was ready, but another one was issued or its unit was full"};

using SlotAccount = CycleAccount<kSlotUses>;

}  // namespace raddle::machine::simt
