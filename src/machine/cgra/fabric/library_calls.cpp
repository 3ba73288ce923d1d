// Calls of the device library in a piece: printf, malloc, free and assert. Their arguments come in
// registers (compile/call_slots.h) and are carried out as every machine does it.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "machine/cgra/fabric/piece_executor.h"

namespace raddle::machine::cgra {

using kernel::Space;
using kernel::SystemFunction;

void PieceExecutor::call_library(const Decoded& call, kernel::exec::WarpState& warp,
                                 LaneMask lanes) {
  const kernel::Function& caller = *function().ir;
  const kernel::CallInfo& info = call.ir->call;
  // The bytes of a slot, and those of the register that stands for it.
  const auto place_of = [&](std::uint32_t slot, int lane) {
    const kernel::Slot& s = caller.call_slots[slot];
    return warp.lanes.resolve(Space::kParam, s.offset, s.size, lane);
  };
  const auto value_at = [&](std::uint32_t slot, std::uint32_t place, int lane) {
    return warp.lanes.frame + place + static_cast<std::size_t>(lane) * caller.call_slots[slot].size;
  };
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (std::size_t a = 0; a < info.arguments.size(); ++a) {
      const std::uint32_t slot = info.arguments[a];
      std::memcpy(place_of(slot, lane), value_at(slot, call.source[a + 1], lane),
                  caller.call_slots[slot].size);
    }
  }
  memory_changed_ = true;
  const SystemFunction system = grid_.kernel.call_targets[call.number].system;
  if (system == SystemFunction::kAssertFail) {
    const int lane = std::countr_zero(lanes);
    std::uint64_t text = 0;
    std::memcpy(&text, place_of(info.arguments[0], lane), sizeof(text));
    const std::string condition = kernel::exec::read_device_string(warp.lanes, lane, text);
    grid_.stop(kernel::exec::FaultKind::kAssertion, fmt::format("assertion `{}` failed", condition),
               warp, function(), call, lane);
  }
  run_system_function(system, call, warp.lanes, caller, lanes);
  if (!warp.lanes.faults.empty()) grid_.take_access_faults(warp, function(), call);
  if (info.returns.empty() || call.destination[0] == kernel::exec::kNoSlot) return;
  const std::uint32_t slot = info.returns[0];
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::memcpy(value_at(slot, call.destination[0], lane), place_of(slot, lane),
                caller.call_slots[slot].size);
  }
}

}  // namespace raddle::machine::cgra
