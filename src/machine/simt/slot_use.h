// What the issue slots of a warp scheduler go for: a closed list. Every slot of every scheduler is
// counted under exactly one of these, so that they sum to all slots. Named as in Nsight Compute
// where it has the cause.
#pragma once

#include "machine/run/cycle_account.h"

namespace raddle::machine::simt {

#define RADDLE_SLOT_USES(CAUSE)                                                               \
  CAUSE(kIssued, "issued", kIssued, "a warp instruction was issued")                          \
  CAUSE(kDivergence, "divergence", kOverhead,                                                 \
        "issued for the smaller part of a warp whose threads have diverged")                  \
  CAUSE(kMemory, "long scoreboard (memory)", kStall,                                          \
        "a result of global, local, constant or texture memory, or an MSHR, a line or queue " \
        "space for a miss")                                                                   \
  CAUSE(kSharedMemory, "short scoreboard (shared)", kStall, "a result of shared memory")      \
  CAUSE(kAlu, "execution dependency (ALU)", kStall,                                           \
        "a result of an SP unit, which has a fixed latency; also __nanosleep")                \
  CAUSE(kSfu, "short scoreboard (SFU)", kStall,                                               \
        "a result of a special function unit: roots, divisions, doubles")                     \
  CAUSE(kCollector, "dispatch (operand collectors)", kStall,                                  \
        "a warp was ready, but all operand collectors of its unit were gathering operands")   \
  CAUSE(kUnit, "math pipe throttle", kStall,                                                  \
        "a warp was ready, but the execution units of its scheduler were busy")               \
  CAUSE(kLoadStore, "LG/MIO throttle (load/store unit)", kStall,                              \
        "a warp was ready, but the load/store unit still had accesses to make")               \
  CAUSE(kFetch, "no instruction", kStall, "the next instruction had not been fetched yet")    \
  CAUSE(kBarrier, "barrier", kStall, "other warps of the block at a barrier")                 \
  CAUSE(kFence, "membar", kStall,                                                             \
        "a fence: earlier loads and stores of the warp must be visible everywhere")           \
  CAUSE(kOrdered, "ordered access", kStall,                                                   \
        "an atomic or ordered access, which is executed at the end of the quantum")           \
  CAUSE(kNoWarp, "no resident warp", kIdle,                                                   \
        "no warp is resident, or all have ended and drain their stores")
RADDLE_CAUSES(SlotUse, kSlotUses, kNoWarp, RADDLE_SLOT_USES);

// A state of warps, not of slots: what they do while SlotUse::kIssued holds and others are issued.
inline constexpr Cause kNotSelected{
    "not selected", CycleKind::kStall,
    "the warp was ready, but another one was issued or its unit was full"};

using SlotAccount = CycleAccount<kSlotUses>;

}  // namespace raddle::machine::simt
