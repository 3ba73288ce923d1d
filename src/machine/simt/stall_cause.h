// What the issue slots of a warp scheduler go for: a closed list. Every slot of every scheduler is
// counted under exactly one of these, so that they sum to all slots.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace raddle::machine::simt {

enum class SlotUse : std::uint8_t {
  kIssued,
  kDivergence,    // issued, but for the smaller part of a warp whose threads go different ways
  kMemory,        // global, local, constant or texture memory: a result, or an MSHR for one
  kSharedMemory,  // a result of shared memory
  kAlu,           // a result of an SP unit
  kSfu,           // a result of an SFU
  kCollector,     // a warp was ready, but all operand collectors of its unit were taken
  kUnit,          // a warp was ready, but its scheduler's units were taken in this cycle
  kLoadStore,     // a warp was ready, but the load/store unit had accesses to make
  kFetch,         // the next instruction
  kBarrier,       // other warps of the block
  kFence,         // earlier stores to be seen by others
  kOrdered,       // an atomic or ordered access that has its turn at the end of the quantum
  kNoWarp,        // no warp that could go on: none resident, or all have ended
};
inline constexpr std::size_t kSlotUses = static_cast<std::size_t>(SlotUse::kNoWarp) + 1;

struct SlotUseText {
  std::string_view name;  // as in LaunchResult::stalls
  std::string_view sentence;
};
inline constexpr std::array<SlotUseText, kSlotUses> kSlotUseTexts{{
    {"issued", "a warp instruction was issued"},
    {"wait: divergence", "issued for the smaller part of a warp whose threads go different ways"},
    {"wait: memory", "results of global, local, constant or texture memory, or MSHRs for them"},
    {"wait: shared memory", "results of shared memory"},
    {"wait: ALU results", "results of an SP unit"},
    {"wait: SFU results", "results of a special function unit"},
    {"wait: operand collectors", "all operand collectors of the unit were taken"},
    {"wait: execution units", "the units were taken"},
    {"wait: load/store unit", "the load/store unit was taken"},
    {"wait: instruction fetch", "the next instruction"},
    {"wait: barriers", "other warps of the block"},
    {"wait: fences", "earlier stores to be seen by others"},
    {"wait: ordered accesses",
     "atomics and ordered accesses that have their turn at a quantum's end"},
    {"wait: warps", "no warp was resident that had not ended"},
}};

using SlotUses = std::array<std::uint64_t, kSlotUses>;

}  // namespace raddle::machine::simt
