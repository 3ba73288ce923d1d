// What the device library provides and no instruction does: printf, malloc, free.
#include <algorithm>
#include <bit>
#include <cstring>

#include "kernel/exec/warp.h"

namespace raddle::kernel::exec {
namespace {

std::uint64_t argument(Warp& warp, const Function& caller, const DecodedInstruction& call,
                       std::size_t index, int lane) {
  if (index >= call.ir->call.arguments.size()) return 0;
  const Slot& slot = caller.call_slots[call.ir->call.arguments[index]];
  std::uint64_t value = 0;
  const std::byte* place = warp.resolve(Space::kParam, slot.offset, slot.size, lane);
  if (place != nullptr) std::memcpy(&value, place, std::min<std::size_t>(slot.size, 8));
  return value;
}

void give_back(Warp& warp, const Function& caller, const DecodedInstruction& call, int lane,
               std::uint64_t value) {
  if (call.ir->call.returns.empty()) return;
  const Slot& slot = caller.call_slots[call.ir->call.returns[0]];
  std::byte* place = warp.resolve(Space::kParam, slot.offset, slot.size, lane);
  if (place != nullptr) std::memcpy(place, &value, std::min<std::size_t>(slot.size, 8));
}

std::uint64_t device_malloc(Device& device, std::uint64_t bytes) {
  if (bytes == 0 || bytes > device.heap_limit - *device.heap_used) return 0;
  const auto address = device.memory->allocate(bytes, AllocationKind::kHeap, 16);
  if (!address) return 0;
  *device.heap_used += bytes;
  return *address;
}

// What malloc never gave, or free took already, stays as it is; checked mode says so.
void device_free(Warp& warp, int lane, std::uint64_t address) {
  if (address == 0) return;
  Device& device = *warp.device;
  const Allocation* allocation = device.memory->find(address);
  if (allocation != nullptr && allocation->kind == AllocationKind::kHeap &&
      allocation->address == address) {
    *device.heap_used -= std::min(*device.heap_used, allocation->bytes);
    device.memory->release(address);
    return;
  }
  if (!device.check) return;
  const bool freed = allocation == nullptr && device.memory->find_released(address) != nullptr;
  AccessFault fault;
  fault.kind = freed ? AccessFault::Kind::kFreedBefore : AccessFault::Kind::kNotMalloced;
  fault.lane = static_cast<std::uint8_t>(lane);
  fault.address = address;
  warp.faults.push_back(fault);
}

}  // namespace

void run_system_function(SystemFunction function, const DecodedInstruction& call, Warp& warp,
                         const Function& caller, LaneMask mask) {
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    switch (function) {
      case SystemFunction::kVprintf: {
        const PrintedText printed =
            format_device_printf(warp, lane, argument(warp, caller, call, 0, lane),
                                 argument(warp, caller, call, 1, lane));
        if (warp.device->print) warp.device->print(printed.text);
        // CUDA C guide: printf returns the number of arguments, not of characters.
        give_back(warp, caller, call, lane, printed.arguments);
        break;
      }
      case SystemFunction::kMalloc:
        give_back(warp, caller, call, lane,
                  device_malloc(*warp.device, argument(warp, caller, call, 0, lane)));
        break;
      case SystemFunction::kFree:
        device_free(warp, lane, argument(warp, caller, call, 0, lane));
        break;
      default: break;
    }
  }
}

}  // namespace raddle::kernel::exec
