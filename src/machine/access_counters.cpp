#include "machine/access_counters.h"

#include <bit>

#include "kernel/exec/address_loops.h"
#include "memory/coalescer.h"
#include "memory/scratchpad.h"

namespace raddle::machine {

using kernel::Opcode;
using kernel::Space;
using kernel::exec::DecodedInstruction;
using kernel::exec::kAllLanes;
using kernel::exec::kLanes;
using kernel::exec::MemoryAccess;

namespace {

constexpr ShortBytes kSegmentBytes{128};

int kind_of(const DecodedInstruction& instruction) {
  switch (instruction.ir->opcode) {
    case Opcode::kSt:
    case Opcode::kSust: return 1;
    case Opcode::kAtom: return 2;
    default: return 0;
  }
}

}  // namespace

// By the first byte of each lane: accesses that a card allows lie within a segment.
std::uint32_t count_segments(const MemoryAccess& access) {
  return memory::count_segments({access.address, access.mask, 1}, kSegmentBytes);
}

std::uint32_t count_bank_conflicts(const MemoryAccess& access) {
  return memory::count_passes({}, {access.address, access.mask, access.bytes}).conflicts();
}

template <class Compute>
std::uint32_t AccessCounters::remembered(std::uint32_t number, const MemoryAccess& access,
                                         Compute compute) {
  Memo& memo = memos_[number];
  const std::uint64_t first = access.address[0];
  const auto phase = static_cast<std::uint32_t>(first % kSegmentBytes.count());
  static const kernel::exec::AddressLoops& loops = kernel::exec::address_loops();
  if (memo.mask == access.mask && memo.phase == phase &&
      loops.same_pattern(access.address.data(), memo.delta.data())) {
    return memo.answer;
  }
  for (std::size_t i = 0; i < kLanes; ++i) memo.delta[i] = access.address[i] - first;
  memo.mask = access.mask;
  memo.phase = phase;
  memo.answer = compute(access);
  return memo.answer;
}

void AccessCounters::count(const DecodedInstruction& instruction, const MemoryAccess& access) {
  Level& level = levels_[static_cast<std::size_t>(access.space)];
  const int kind = kind_of(instruction);
  const auto lanes =
      static_cast<std::uint64_t>(access.mask == kAllLanes ? kLanes : std::popcount(access.mask));
  ++level.instructions[kind];
  level.accesses[kind] += lanes;
  if (kind != 1) level.bytes_read += lanes * access.bytes;
  if (kind != 0) level.bytes_written += lanes * access.bytes;
  switch (access.space) {
    case Space::kParam:
    case Space::kLocal: return;
    case Space::kShared:
      if (access.linear && access.bytes <= 4) return;
      level.bank_conflicts += remembered(instruction.number, access, count_bank_conflicts);
      return;
    default: break;
  }
  if (access.linear) {
    level.segments += units_touched(Address(access.address[0]),
                                    Bytes(std::uint64_t{kLanes} * access.bytes), kSegmentBytes);
    return;
  }
  level.segments += remembered(instruction.number, access, count_segments);
}

std::vector<MemoryTraffic> AccessCounters::result() const {
  static constexpr std::array<const char*, 7> kNames{"texture", "generic",  "global", "shared",
                                                     "local",   "constant", "param"};
  std::vector<MemoryTraffic> result;
  for (std::size_t i : {2u, 3u, 4u, 5u, 6u, 0u, 1u}) {
    const Level& level = levels_[i];
    if (level.instructions[0] + level.instructions[1] + level.instructions[2] == 0) continue;
    MemoryTraffic traffic;
    traffic.level = kNames[i];
    traffic.outermost = static_cast<Space>(i) == Space::kGlobal;
    traffic.banked = static_cast<Space>(i) == Space::kShared;
    traffic.load_instructions = level.instructions[0];
    traffic.store_instructions = level.instructions[1];
    traffic.atomic_instructions = level.instructions[2];
    traffic.load_accesses = level.accesses[0];
    traffic.store_accesses = level.accesses[1];
    traffic.atomic_accesses = level.accesses[2];
    traffic.bytes_read = level.bytes_read;
    traffic.bytes_written = level.bytes_written;
    traffic.segments = level.segments;
    traffic.bank_conflicts = level.bank_conflicts;
    result.push_back(std::move(traffic));
  }
  return result;
}

}  // namespace raddle::machine
