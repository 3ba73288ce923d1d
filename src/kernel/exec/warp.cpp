#include "kernel/exec/warp.h"

#include <algorithm>
#include <cstring>

namespace raddle::kernel::exec {
namespace {

constexpr std::uint64_t kLocalStep = 256;  // local rows grow in such steps

template <class T>
void spread(std::byte* frame, std::uint32_t slot, T value) {
  T* out = reinterpret_cast<T*>(frame + slot);
  std::fill_n(out, kLanes, value);
}

void spread_bits(std::byte* frame, std::uint32_t slot, int bytes, std::uint64_t bits) {
  switch (bytes) {
    case 0: std::memcpy(frame + slot, &bits, sizeof(LaneMask)); break;
    case 1: spread(frame, slot, static_cast<std::uint8_t>(bits)); break;
    case 2: spread(frame, slot, static_cast<std::uint16_t>(bits)); break;
    case 4: spread(frame, slot, static_cast<std::uint32_t>(bits)); break;
    default: spread(frame, slot, bits); break;
  }
}

bool differs_by_block(SpecialRegister special) {
  switch (special) {
    case SpecialRegister::kCtaidX:
    case SpecialRegister::kCtaidY:
    case SpecialRegister::kCtaidZ:
    case SpecialRegister::kSmId:
    case SpecialRegister::kClock:
    case SpecialRegister::kClockHi:
    case SpecialRegister::kClock64:
    case SpecialRegister::kGlobalTimer:
    case SpecialRegister::kGlobalTimerLo:
    case SpecialRegister::kGlobalTimerHi: return true;
    default: return false;
  }
}

bool differs_by_lane(SpecialRegister special) {
  switch (special) {
    case SpecialRegister::kTidX:
    case SpecialRegister::kTidY:
    case SpecialRegister::kTidZ:
    case SpecialRegister::kLaneId:
    case SpecialRegister::kLanemaskEq:
    case SpecialRegister::kLanemaskLe:
    case SpecialRegister::kLanemaskLt:
    case SpecialRegister::kLanemaskGe:
    case SpecialRegister::kLanemaskGt: return true;
    default: return false;
  }
}

void fill_special(const FrameSpecial& special, const Warp& warp, std::byte* frame) {
  if (!differs_by_lane(special.special)) {
    spread_bits(frame, special.slot, special.bytes, special_value(special.special, warp, 0));
    return;
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t value = special_value(special.special, warp, lane);
    std::memcpy(frame + special.slot + static_cast<std::size_t>(lane) * special.bytes, &value,
                special.bytes);
  }
}

}  // namespace

bool Warp::grow_local(std::uint64_t bytes) {
  if (bytes <= local_row_bytes) return true;
  if (bytes > local_limit) return false;
  const auto row = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(local_limit, (bytes + kLocalStep - 1) / kLocalStep * kLocalStep));
  std::vector<std::byte> grown(std::size_t{row} * kLanes);
  for (std::size_t lane = 0; lane < kLanes && local_row_bytes > 0; ++lane) {
    std::memcpy(grown.data() + lane * row, local.data() + lane * local_row_bytes, local_row_bytes);
  }
  local = std::move(grown);
  local_row_bytes = row;
  return true;
}

bool Warp::in_local_variable(std::uint64_t address, std::uint32_t bytes) const {
  const auto after =
      std::upper_bound(local_variables.begin(), local_variables.end(), address,
                       [](std::uint64_t a, const LocalExtent& extent) { return a < extent.begin; });
  return after != local_variables.begin() && address + bytes <= std::prev(after)->end;
}

std::byte* Warp::resolve(Space space, std::uint64_t address, std::uint32_t bytes, int lane) {
  if (space == Space::kGeneric) {
    if (in_window(address, kSharedWindow))
      return resolve(Space::kShared, address - kSharedWindow, bytes, lane);
    if (in_window(address, kLocalWindow))
      return resolve(Space::kLocal, address - kLocalWindow, bytes, lane);
    if (in_window(address, kParamWindow))
      return resolve(Space::kParam, address - kParamWindow, bytes, lane);
    space = Space::kGlobal;
  }
  const auto row = static_cast<std::size_t>(lane);
  switch (space) {
    case Space::kShared:
      if (address >= shared.size() || bytes > shared.size() - address) return nullptr;
      return shared.data() + address;
    case Space::kLocal:
      if (address >= local_row_bytes || bytes > local_row_bytes - address) return nullptr;
      if (device->check && !in_local_variable(address, bytes)) return nullptr;
      return local.data() + row * local_row_bytes + address;
    case Space::kParam:
      if (address + bytes <= uniform_parameter_bytes &&
          address + bytes <= device->kernel_parameters.size()) {
        // Kernel parameters are only read; the caller writes to call slots alone.
        return const_cast<std::byte*>(device->kernel_parameters.data()) + address;
      }
      if (address >= parameter_bytes || bytes > parameter_bytes - address) return nullptr;
      return parameters + row * parameter_bytes + address;
    default:
      if (!device->memory->in_arena(address, bytes)) return nullptr;
      return device->memory->view(address);
  }
}

std::uint64_t special_value(SpecialRegister special, const Warp& warp, int lane) {
  const Device& device = *warp.device;
  const std::uint32_t thread = warp.warp_index * kLanes + static_cast<std::uint32_t>(lane);
  const LaneMask bit = LaneMask{1} << lane;
  const std::uint64_t clock = device.clock == nullptr ? 0 : *device.clock;
  switch (special) {
    case SpecialRegister::kTidX: return thread % device.block[0];
    case SpecialRegister::kTidY: return thread / device.block[0] % device.block[1];
    case SpecialRegister::kTidZ: return thread / device.block[0] / device.block[1];
    case SpecialRegister::kNtidX: return device.block[0];
    case SpecialRegister::kNtidY: return device.block[1];
    case SpecialRegister::kNtidZ: return device.block[2];
    case SpecialRegister::kCtaidX: return warp.block_index[0];
    case SpecialRegister::kCtaidY: return warp.block_index[1];
    case SpecialRegister::kCtaidZ: return warp.block_index[2];
    case SpecialRegister::kNctaidX: return device.grid[0];
    case SpecialRegister::kNctaidY: return device.grid[1];
    case SpecialRegister::kNctaidZ: return device.grid[2];
    case SpecialRegister::kLaneId: return static_cast<std::uint64_t>(lane);
    case SpecialRegister::kWarpId: return warp.warp_index;
    case SpecialRegister::kNWarpId:
      return (std::uint64_t{device.block[0]} * device.block[1] * device.block[2] + kLanes - 1) /
             kLanes;
    case SpecialRegister::kWarpSize: return kLanes;
    case SpecialRegister::kSmId: return warp.multiprocessor;
    case SpecialRegister::kNSmId: return device.multiprocessors;
    case SpecialRegister::kGridId: return 1;
    case SpecialRegister::kLanemaskEq: return bit;
    case SpecialRegister::kLanemaskLe: return bit | (bit - 1);
    case SpecialRegister::kLanemaskLt: return bit - 1;
    case SpecialRegister::kLanemaskGe: return ~(bit - 1) & kAllLanes;
    case SpecialRegister::kLanemaskGt: return ~(bit | (bit - 1)) & kAllLanes;
    case SpecialRegister::kClock:
    case SpecialRegister::kClock64:
    case SpecialRegister::kGlobalTimer:
    case SpecialRegister::kGlobalTimerLo: return clock;
    case SpecialRegister::kClockHi:
    case SpecialRegister::kGlobalTimerHi: return clock >> 32;
    case SpecialRegister::kDynamicSharedSize: return device.dynamic_shared_bytes;
    case SpecialRegister::kTotalSharedSize: return device.total_shared_bytes;
    case SpecialRegister::kEnvReg: return 0;
  }
  return 0;
}

void fill_constants(const DecodedFunction& function, std::byte* frame) {
  for (const FrameConstant& constant : function.constants) {
    spread_bits(frame, constant.slot, constant.bytes, constant.bits);
  }
}

void fill_specials(const DecodedFunction& function, const Warp& warp, std::byte* frame) {
  for (const FrameSpecial& special : function.specials) fill_special(special, warp, frame);
  for (const FrameLocal& local : function.locals) {
    spread_bits(frame, local.slot, local.bytes, std::uint64_t{warp.local_base} + local.offset);
  }
}

void refill_specials(const DecodedFunction& function, const Warp& warp, std::byte* frame) {
  for (const FrameSpecial& special : function.specials) {
    if (differs_by_block(special.special)) fill_special(special, warp, frame);
  }
}

}  // namespace raddle::kernel::exec
