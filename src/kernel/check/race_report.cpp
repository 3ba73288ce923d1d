#include "kernel/check/race_report.h"

#include <fmt/format.h>

#include <bit>
#include <string>

namespace raddle::kernel::check {

using exec::Dim3;
using exec::Fault;
using exec::FaultKind;

namespace {

FaultKind fault_kind_of(RaceKind kind) {
  switch (kind) {
    case RaceKind::kRace: return FaultKind::kRace;
    case RaceKind::kSameValue: return FaultKind::kSameValueRace;
    case RaceKind::kWithinWarp: return FaultKind::kWarpRace;
  }
  return FaultKind::kRace;
}

std::string_view verb_of(const RaceSide& side, const Instruction& i) {
  if (i.opcode == Opcode::kAtom) return "atomic";
  if (i.opcode == Opcode::kCpAsync) return side.writes ? "asynchronous copy" : "load";
  return side.writes ? "store" : "load";
}

// A word as the program's type says; of wider elements, its bits.
std::string value_text(const RaceSide& side, const Instruction& i, std::uint32_t bytes) {
  const bool whole = static_cast<std::uint32_t>(size_of(i.type)) == bytes;
  if (bytes == 4 && i.type == Type::kF32)
    return fmt::format("{}", std::bit_cast<float>(side.value));
  if (whole && bytes == 4 && is_signed(i.type))
    return fmt::format("{}", static_cast<std::int32_t>(side.value));
  if (whole) return fmt::format("{}", side.value);
  return fmt::format("{:#0{}x}", side.value, 2 + 2 * bytes);
}

Dim3 place_in(const Dim3& size, std::uint64_t number) {
  return {static_cast<std::uint32_t>(number % size.x),
          static_cast<std::uint32_t>(number / size.x % size.y),
          static_cast<std::uint32_t>(number / size.x / size.y)};
}

class Writer {
 public:
  Writer(const RaceDetector& detector, const exec::GridState& grid, const Race& race)
      : detector_(detector), grid_(grid), race_(race) {}

  Fault fault() const {
    Fault fault;
    fault.kind = fault_kind_of(race_.kind);
    fault.message = message();
    fault.location = location(race_.later);
    fault.kernel = grid_.kernel_name;
    fault.block = place_in(grid_.launch.grid, race_.later.record.block);
    fault.thread = place_in(grid_.launch.block, race_.later.record.thread());
    fault.details = {side_text(race_.earlier), side_text(race_.later), hint()};
    fault.count = race_.count;
    return fault;
  }

 private:
  const Instruction& instruction(const RaceSide& side) const {
    return *detector_.site(side).instruction->ir;
  }
  std::string location(const RaceSide& side) const {
    return detector_.site(side).function->module->describe_location(instruction(side).location);
  }
  bool same_block() const { return race_.earlier.record.block == race_.later.record.block; }

  std::string message() const {
    const std::string_view between = !same_block() ? "between blocks"
                                     : race_.kind == RaceKind::kWithinWarp
                                         ? "between lanes of a warp"
                                         : "between threads of a block";
    return fmt::format("{} {}: {} and {} of {} memory at {:#x} are not ordered",
                       name_of(fault_kind_of(race_.kind)), between,
                       verb_of(race_.earlier, instruction(race_.earlier)),
                       verb_of(race_.later, instruction(race_.later)),
                       race_.shared ? "shared" : "global", race_.address);
  }

  std::string side_text(const RaceSide& side) const {
    const Instruction& i = instruction(side);
    const Dim3 block = place_in(grid_.launch.grid, side.record.block);
    const Dim3 thread = place_in(grid_.launch.block, side.record.thread());
    const std::string where = location(side);
    return fmt::format("{} of {} by block ({},{},{}), thread ({},{},{}){}{}", verb_of(side, i),
                       value_text(side, i, race_.bytes), block.x, block.y, block.z, thread.x,
                       thread.y, thread.z, where.empty() ? "" : " at ", where);
  }

  std::string hint() const {
    if (race_.kind == RaceKind::kSameValue)
      return "hint: it does not matter which of them is last, as long as both write the same";
    if (race_.kind == RaceKind::kWithinWarp)
      return "hint: __syncwarp() between the two orders them; lanes of a warp need not move in "
             "lockstep";
    if (!same_block())
      return "hint: blocks run in any order; use an atomic operation, or two kernels";
    const bool same_store = race_.earlier.record.site() == race_.later.record.site() &&
                            race_.earlier.writes && race_.later.writes;
    if (same_store)
      return "hint: several threads write one place; use an atomic operation, or let one of them "
             "write";
    return "hint: __syncthreads() between the two orders them";
  }

  const RaceDetector& detector_;
  const exec::GridState& grid_;
  const Race& race_;
};

}  // namespace

void report_races(const RaceDetector& detector, exec::GridState& grid) {
  for (const Race& race : detector.races()) grid.add_fault(Writer(detector, grid, race).fault());
}

}  // namespace raddle::kernel::check
