#include "kernel/check/race_detector.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernel/address_map.h"

namespace raddle::kernel::check {

using exec::DecodedInstruction;
using exec::kLanes;
using exec::LaneMask;
using exec::MemoryAccess;
using exec::WarpState;

namespace {

// Different instructions kept apart by their two sites; a program with more is past reading.
constexpr std::size_t kMaxRaces = 4096;

bool has_order(const Instruction& i) {
  return i.opcode == Opcode::kAtom || i.order != MemoryOrder::kWeak;
}

// Orders what came before it, as a fence before it would.
bool releases(const Instruction& i) {
  return i.order == MemoryOrder::kRelease || i.order == MemoryOrder::kAcquireRelease ||
         i.order == MemoryOrder::kSequential || i.atomic == AtomicOp::kArrive ||
         i.atomic == AtomicOp::kArriveDrop || i.atomic == AtomicOp::kExpect;
}

std::uint32_t load_value(const std::byte* place, std::uint32_t bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, place, bytes);
  return value;
}

// How much two readers have not in common: lane, warp, block.
int distance(const Record& a, const Record& b) {
  if (a.block != b.block) return 3;
  return a.thread() / kLanes != b.thread() / kLanes ? 2 : a.thread() != b.thread() ? 1 : 0;
}

// Memory that a kernel's free() gave back and malloc() may have handed to another thread since.
bool was_freed(const exec::GridState& grid, std::uint64_t offset) {
  const Allocation* released = grid.device.memory->find_released(kGlobalBase + offset);
  return released != nullptr && released->kind == AllocationKind::kHeap;
}

}  // namespace

void RaceDetector::Step::look_at(const exec::GridState& grid, bool in_shared) {
  shared = in_shared;
  memory = shared ? warp.lanes.shared.data() : grid.device.memory->view(kGlobalBase);
  bytes_of_memory = shared ? warp.lanes.shared.size() : grid.device.memory->arena_bytes();
}

RaceDetector::RaceDetector(exec::GridState& grid)
    : grid_(grid),
      global_(grid.program.memory().arena_bytes()),
      sites_(std::min<std::size_t>(grid.kernel.memory_instructions + std::size_t{1},
                                   Record::kMaxSites)) {}

bool RaceDetector::counts_as_race(const Step& step, const Record& earlier,
                                  const Record& later) const {
  if (!earlier.strong() || !later.strong()) return true;
  // Volatile accesses do not race, but their order within a warp is nobody's promise, either.
  const auto is_volatile = [&](const Record& record) {
    const Instruction& i = *sites_[record.site()].instruction->ir;
    return i.opcode != Opcode::kAtom && i.order == MemoryOrder::kVolatile;
  };
  return step.shared && distance(earlier, later) == 1 && is_volatile(earlier) && is_volatile(later);
}

void RaceDetector::note_read(const Step& step, Cell& cell, const Record& mine) const {
  const BlockOrder& order = step.block.order;
  Record& first = cell.reads[0];
  if (first.empty() || first.same_thread(mine) ||
      order.ordered_by_barriers(first, mine, step.shared)) {
    first = mine;
    return;
  }
  Record& second = cell.reads[1];
  // The latest of those that have least in common with the first.
  if (second.empty() || distance(first, mine) >= distance(first, second) ||
      order.ordered_by_barriers(second, mine, step.shared))
    second = mine;
}

// Whether the access races with the word's last write, or else with one of its readers, and is
// worth more than what was found in another word of it.
[[gnu::noinline, gnu::cold]] bool RaceDetector::note_race(const Step& step, const Cell& cell,
                                                          const RaceSide& later,
                                                          Race& found) const {
  const auto conflicts = [&](const Record& earlier) {
    return !earlier.empty() && !step.block.order.ordered(earlier, later.record, step.shared) &&
           counts_as_race(step, earlier, later.record);
  };
  Race race;
  race.later = later;
  if (conflicts(cell.write)) {
    race.earlier = {cell.write, true, cell.value};
  } else if (later.writes && conflicts(cell.reads[0])) {
    race.earlier = {cell.reads[0], false, cell.value};
  } else if (later.writes && conflicts(cell.reads[1])) {
    race.earlier = {cell.reads[1], false, cell.value};
  } else {
    return false;
  }
  const bool same = race.earlier.writes && later.writes && cell.value == later.value;
  race.kind = same                                               ? RaceKind::kSameValue
              : distance(race.earlier.record, later.record) == 1 ? RaceKind::kWithinWarp
                                                                 : RaceKind::kRace;
  // Among the words of one access, one that differs says more than one that is the same.
  if (found.count != 0 && (found.kind != RaceKind::kSameValue || race.kind == RaceKind::kSameValue))
    return false;
  race.count = 1;
  found = race;
  return true;
}

// True: the access may race with one before it, which note_race() then decides.
template <bool kWrites>
bool RaceDetector::touch(const Step& step, Cell& cell, const Record& mine) const {
  const BlockOrder& order = step.block.order;
  const auto unordered = [&](const Record& earlier) {
    if (earlier.empty() || (earlier.strong() && mine.strong() && !step.shared)) return false;
    return !order.ordered(earlier, mine, step.shared);
  };
  bool races = unordered(cell.write);
  if constexpr (kWrites) races = races || unordered(cell.reads[0]) || unordered(cell.reads[1]);
  return races;
}

template <bool kWrites>
void RaceDetector::remember(const Step& step, Cell& cell, const Record& mine,
                            std::uint32_t value) const {
  if constexpr (kWrites) {
    cell.write = mine;
    cell.reads = {};
  } else {
    note_read(step, cell, mine);
  }
  cell.value = value;
}

// True: it raced.
template <bool kWrites>
bool RaceDetector::lane(const Step& step, const Record& mine, std::uint64_t offset,
                        std::uint32_t bytes) {
  ShadowMemory& shadow = step.shared ? step.block.shared : global_;
  const std::byte* memory = step.memory + offset;
  bool races = false;
  shadow.visit(offset, bytes, [&](Cell& cell, std::uint32_t at, std::uint32_t unit) {
    if (!races && touch<kWrites>(step, cell, mine))
      races = report_lane<kWrites>(step, shadow, mine, offset, bytes);
    remember<kWrites>(step, cell, mine,
                      unit == 4 ? load_value(memory + at, 4) : load_value(memory + at, 1));
  });
  return races;
}

// One report for one access, however many of its words race.
template <bool kWrites>
[[gnu::noinline, gnu::cold]] bool RaceDetector::report_lane(const Step& step, ShadowMemory& shadow,
                                                            const Record& mine,
                                                            std::uint64_t offset,
                                                            std::uint32_t bytes) {
  if (!step.shared && was_freed(grid_, offset)) return false;
  const std::byte* memory = step.memory + offset;
  Race race;
  shadow.visit(offset, bytes, [&](const Cell& cell, std::uint32_t at, std::uint32_t unit) {
    if (!note_race(step, cell, {mine, kWrites, load_value(memory + at, unit)}, race)) return;
    race.address = offset + at;
    race.bytes = unit;
  });
  if (race.count == 0) return false;
  race.shared = step.shared;
  if (!step.shared) race.address += kGlobalBase;
  add(race);
  return true;
}

// Two of the neighbouring lanes that read the same place are enough, unless the first races.
template <bool kWrites>
void RaceDetector::lanes(const Step& step, const MemoryAccess& access, LaneMask mask,
                         std::uint64_t base) {
  Record mine = step.block.order.record(step.warp.lanes.warp_index * kLanes, step.strong,
                                        step.instruction.number);
  const std::uint32_t first_of_warp = mine.who;
  const std::uint64_t size = step.bytes_of_memory;
  const std::uint32_t bytes = access.bytes;
  bool raced = true;
  std::uint64_t previous = 0;
  for (LaneMask left = mask; left != 0;) {
    const auto i = static_cast<std::uint32_t>(std::countr_zero(left));
    left &= left - 1;
    const std::uint64_t offset = access.address[i] - base;
    if (offset >= size || bytes > size - offset || (offset & (bytes - 1)) != 0) continue;
    if (!kWrites && !raced && offset == previous && left != 0 &&
        access.address[static_cast<std::size_t>(std::countr_zero(left))] - base == offset)
      continue;
    mine.who = first_of_warp + i;
    raced = lane<kWrites>(step, mine, offset, bytes);
    previous = offset;
  }
}

// Lanes of one store that write the same place: which of them wins is not defined. Only the first
// of them is left for comparison with what came before.
LaneMask RaceDetector::without_repeated_stores(const Step& step, const MemoryAccess& access,
                                               LaneMask mask, std::uint64_t base) {
  if (access.linear || (mask & (mask - 1)) == 0) return mask;
  constexpr std::size_t kPlaces = 64;
  std::array<std::uint8_t, kPlaces> holder{};  // lane plus one
  const std::uint32_t shift = static_cast<std::uint32_t>(std::countr_zero(access.bytes));
  LaneMask first = mask;
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    std::size_t place = (access.address[i] >> shift) % kPlaces;
    while (holder[place] != 0 && access.address[holder[place] - 1u] != access.address[i])
      place = (place + 1) % kPlaces;
    if (holder[place] == 0) {
      holder[place] = static_cast<std::uint8_t>(i + 1);
      continue;
    }
    first &= ~(LaneMask{1} << i);
    if (access.address[i] - base >= step.bytes_of_memory) continue;
    const std::size_t other = holder[place] - 1u;
    const DecodedInstruction& d = step.instruction;
    Race race;
    race.kind = RaceKind::kSameValue;
    race.shared = step.shared;
    race.address = access.address[i];
    race.bytes = std::min<std::uint32_t>(d.element_bytes, 4);
    for (std::uint32_t element = 0; element + 1u < d.source_count; ++element) {
      const std::byte* row = step.warp.lanes.frame + d.source[element + 1];
      const std::byte* mine = row + i * d.register_bytes;
      const std::byte* its = row + other * d.register_bytes;
      if (std::memcmp(mine, its, d.element_bytes) != 0) race.kind = RaceKind::kRace;
      if (element != 0 && race.kind == RaceKind::kSameValue) continue;
      race.earlier.value = load_value(its, race.bytes);
      race.later.value = load_value(mine, race.bytes);
      race.address = access.address[i] + element * d.element_bytes;
      if (race.kind == RaceKind::kRace) break;
    }
    const std::uint32_t warp_begin = step.warp.lanes.warp_index * kLanes;
    const auto side = [&](RaceSide& of, std::size_t lane) {
      of.record =
          step.block.order.record(warp_begin + static_cast<std::uint32_t>(lane), false, d.number);
      of.writes = true;
    };
    side(race.earlier, other);
    side(race.later, i);
    add(race);
  }
  return first;
}

void RaceDetector::release(const Step& step, std::uint32_t thread, std::uint64_t address) {
  BlockOrder& order = step.block.order;
  BlockOrder::Fence* fence = order.fence_of(thread);
  if (fence == nullptr) return;
  const std::uint32_t floor = order.fenced_floor();
  if (fence->block.own == 0 && floor == 0) return;
  if (fence->released == address && fence->released_floor == floor) return;
  fence->released = address;
  fence->released_floor = floor;
  Coverage device = fence->device;
  device.block = std::max(device.block, floor);
  const Record now = order.record(thread, true, step.instruction.number);
  Acquired known = order.acquired_by_block();
  join(known, order.acquired(thread / kLanes));
  if (device.own != 0 || device.block != 0) log_.release(address, now, device, false, known);
  if (fence->device.own != fence->block.own) log_.release(address, now, fence->block, true, known);
}

// Atomics and accesses with an order: acquire what their location holds, then release.
void RaceDetector::order_by_location(const Step& step, const MemoryAccess& access, LaneMask mask,
                                     std::uint64_t base) {
  const Instruction& i = *step.instruction.ir;
  const std::uint32_t warp = step.warp.lanes.warp_index;
  BlockOrder& order = step.block.order;
  if (releases(i)) order.fence(warp, mask, i.scope == Scope::kBlock);
  // Shared memory of each block has addresses of its own.
  const std::uint64_t space = step.shared ? std::uint64_t{order.block()} << 32 : kGlobalBase;
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint64_t address = access.address[lane] - base + space;
    if (step.reads && !log_.empty()) order.acquire(warp, address);
    if (step.writes) release(step, warp * kLanes + lane, address);
  }
}

void RaceDetector::each_space(Step& step, const MemoryAccess& access) {
  LaneMask shared = 0, global = 0;
  std::uint64_t base = 0;  // of shared addresses
  switch (access.space) {
    case Space::kShared: shared = access.mask; break;
    case Space::kGlobal: global = access.mask; break;
    case Space::kGeneric:
      base = kSharedWindow;
      for (LaneMask left = access.mask; left != 0; left &= left - 1) {
        const LaneMask lane = left & (~left + 1);
        const std::uint64_t address =
            access.address[static_cast<std::size_t>(std::countr_zero(left))];
        if (in_window(address, kSharedWindow)) shared |= lane;
        if (address >= kGlobalBase) global |= lane;
      }
      break;
    default: return;
  }
  for (const bool is_shared : {true, false}) {
    LaneMask mask = is_shared ? shared : global;
    if (mask == 0) continue;
    step.look_at(grid_, is_shared);
    const std::uint64_t origin = is_shared ? base : kGlobalBase;
    if (step.strong) order_by_location(step, access, mask, origin);
    if (step.writes && !step.strong) mask = without_repeated_stores(step, access, mask, origin);
    if (step.writes) {
      lanes<true>(step, access, mask, origin);
    } else {
      lanes<false>(step, access, mask, origin);
    }
  }
}

// Reads global memory as the access says, and writes shared memory.
void RaceDetector::copy_async(Step& step, const MemoryAccess& access) {
  const DecodedInstruction& d = step.instruction;
  step.reads = true;
  step.look_at(grid_, false);
  lanes<false>(step, access, access.mask, kGlobalBase);
  step.writes = true;
  step.look_at(grid_, true);
  for (LaneMask left = access.mask; left != 0; left &= left - 1) {
    const auto i = static_cast<std::uint32_t>(std::countr_zero(left));
    const exec::Warp& warp = step.warp.lanes;
    const std::uint64_t to = (d.address_bytes == 8 ? warp.lanes<std::uint64_t>(d.source[0])[i]
                                                   : warp.lanes<std::uint32_t>(d.source[0])[i]) +
                             static_cast<std::uint64_t>(d.offset);
    if (to >= step.bytes_of_memory || access.bytes > step.bytes_of_memory - to) continue;
    const Record mine = step.block.order.record(warp.warp_index * kLanes + i, false, d.number);
    lane<true>(step, mine, to, access.bytes);
  }
}

void RaceDetector::access(Block& block, const DecodedInstruction& instruction,
                          const WarpState& warp) {
  const MemoryAccess& access = warp.lanes.access();
  if (access.mask == 0 || instruction.number >= sites_.size()) return;
  Step step{.block = block, .instruction = instruction, .warp = warp};
  switch (instruction.ir->opcode) {
    case Opcode::kLd:
    case Opcode::kLdMatrix:
    case Opcode::kItReceiveLoad: step.reads = true; break;
    case Opcode::kSt:
    case Opcode::kStMatrix: step.writes = true; break;
    case Opcode::kAtom: step.reads = step.writes = true; break;
    case Opcode::kCpAsync: break;
    default: return;
  }
  step.strong = has_order(*instruction.ir);
  RaceSite& site = sites_[instruction.number];
  if (site.instruction == nullptr) {
    const exec::Activation& here = warp.activations[static_cast<std::size_t>(warp.current)];
    site = {here.function, &instruction};
  }
  if (instruction.ir->opcode == Opcode::kCpAsync) return copy_async(step, access);
  each_space(step, access);
}

void RaceDetector::fence(Block& block, const DecodedInstruction& instruction, const WarpState& warp,
                         LaneMask lanes) {
  block.order.fence(warp.lanes.warp_index, lanes, instruction.ir->scope == Scope::kBlock);
}

void RaceDetector::add(Race race) {
  const std::tuple key(race.kind, race.earlier.record.site(), race.later.record.site(),
                       race.earlier.writes);
  const auto [found, is_new] = index_.try_emplace(key, races_.size());
  if (!is_new) {
    ++races_[found->second].count;
    return;
  }
  if (races_.size() >= kMaxRaces) {
    index_.erase(found);
    return;
  }
  race.count = 1;
  races_.push_back(race);
}

std::vector<Race> RaceDetector::races() const { return races_; }

}  // namespace raddle::kernel::check
