#include "kernel/exec/access.h"

#include <bit>

#include "kernel/exec/address_loops.h"

namespace raddle::kernel::exec {
namespace {

template <class F>
void for_each_lane(LaneMask mask, F&& body) {
  for (; mask != 0; mask &= mask - 1) body(std::countr_zero(mask));
}

Space space_of_generic(std::uint64_t address) {
  if (in_window(address, kSharedWindow)) return Space::kShared;
  if (in_window(address, kLocalWindow)) return Space::kLocal;
  if (in_window(address, kParamWindow)) return Space::kParam;
  return Space::kGlobal;
}

std::uint64_t window_of(Space space) {
  switch (space) {
    case Space::kShared: return kSharedWindow;
    case Space::kLocal: return kLocalWindow;
    case Space::kParam: return kParamWindow;
    default: return 0;
  }
}

// Turns generic addresses into addresses of the one space that all active lanes use; kGeneric if
// they differ.
Space settle_generic(MemoryAccess& access, LaneMask mask) {
  const Space first =
      space_of_generic(access.address[static_cast<std::size_t>(std::countr_zero(mask))]);
  bool same = true;
  for_each_lane(mask, [&](int i) {
    same &= space_of_generic(access.address[static_cast<std::size_t>(i)]) == first;
  });
  if (!same) return Space::kGeneric;
  const std::uint64_t window = window_of(first);
  if (window != 0) {
    for (std::uint64_t& address : access.address) address -= window;
  }
  return first;
}

void report(Warp& warp, AccessFault::Kind kind, AccessKind access, bool fatal, int lane,
            std::uint32_t bytes, Space space, std::uint64_t address) {
  AccessFault fault;
  fault.kind = kind;
  fault.store = access == AccessKind::kStore;
  fault.atomic = access == AccessKind::kAtomic;
  fault.fatal = fatal;
  fault.lane = static_cast<std::uint8_t>(lane);
  fault.bytes = bytes;
  fault.space = space;
  fault.address = address;
  warp.faults.push_back(fault);
}

// Checked mode: global accesses must lie within one live allocation.
bool within_allocation(Warp& warp, std::uint64_t address, std::uint32_t bytes, AccessKind kind,
                       int lane) {
  const DeviceMemory& memory = *warp.device->memory;
  const Allocation* allocation = memory.find(address);
  if (allocation != nullptr && address - allocation->address + bytes <= allocation->bytes)
    return true;
  const bool freed = allocation == nullptr && memory.find_released(address) != nullptr;
  report(warp, freed ? AccessFault::Kind::kUseAfterFree : AccessFault::Kind::kOutOfBounds, kind,
         false, lane, bytes, Space::kGlobal, address);
  return false;
}

// The general way: each lane by itself.
void resolve_each(Warp& warp, LaneMask mask, std::uint32_t bytes, AccessKind kind,
                  ResolvedAccess& out) {
  const Space space = warp.access().space;
  for_each_lane(mask, [&](int i) {
    const std::uint64_t address = warp.access().address[static_cast<std::size_t>(i)];
    const bool global = space == Space::kGlobal || space == Space::kConst ||
                        (space == Space::kGeneric && space_of_generic(address) == Space::kGlobal);
    std::byte* const place = warp.resolve(space, address, bytes, i);
    if (place == nullptr) {
      const bool freed = global && warp.device->memory->find_released(address) != nullptr;
      report(warp, freed ? AccessFault::Kind::kUseAfterFree : AccessFault::Kind::kOutOfBounds, kind,
             true, i, bytes, space, address);
      return;
    }
    if (warp.device->check && global && !within_allocation(warp, address, bytes, kind, i)) return;
    out.lane[static_cast<std::size_t>(i)] = place;
    out.valid |= LaneMask{1} << i;
  });
}

// A card refuses accesses that are not aligned to their size.
LaneMask aligned_lanes(Warp& warp, LaneMask mask, std::uint32_t bytes, AccessKind kind) {
  std::uint64_t low_bits = 0;
  const auto& address = warp.access().address;
  for_each_lane(mask, [&](int i) { low_bits |= address[static_cast<std::size_t>(i)]; });
  if ((low_bits & (bytes - 1)) == 0) return mask;
  LaneMask good = mask;
  for_each_lane(mask, [&](int i) {
    const std::uint64_t a = address[static_cast<std::size_t>(i)];
    if ((a & (bytes - 1)) == 0) return;
    report(warp, AccessFault::Kind::kMisaligned, kind, !warp.device->check, i, bytes,
           warp.access().space, a);
    good &= ~(LaneMask{1} << i);
  });
  return good;
}

// All lanes active, one space, 64-bit addresses: one pass for the whole warp. False: go the general
// way.
bool resolve_at_once(const DecodedInstruction& d, Warp& warp, std::uint32_t bytes,
                     ResolvedAccess& out) {
  MemoryAccess& access = warp.access();
  std::byte* base = nullptr;
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  if (access.space == Space::kShared) {
    base = warp.shared.data();
    size = warp.shared.size();
  } else {
    start = kGlobalBase;
    base = warp.device->memory->view(kGlobalBase);
    size = warp.device->memory->arena_bytes();
  }
  if (size < bytes) return false;
  static const AddressLoops& loops = address_loops();
  const AddressScan scan =
      loops.scan(warp.lanes<std::uint64_t>(d.source[0]), static_cast<std::uint64_t>(d.offset),
                 start, size - bytes, bytes, access.address.data());
  if (scan.outside >> 63 != 0 || (scan.low_bits & (bytes - 1)) != 0) return false;
  out.valid = kAllLanes;
  access.linear = scan.jump == 0;
  if (access.linear) {
    out.contiguous = base + (access.address[0] - start);
  } else {
    out.indexed = base - start;
  }
  return true;
}

}  // namespace

void compute_addresses(const DecodedInstruction& d, const Warp& warp,
                       std::array<std::uint64_t, kLanes>& address) {
  const auto offset = static_cast<std::uint64_t>(d.offset);
  if (d.address_bytes == 8) {
    const std::uint64_t* base = warp.lanes<std::uint64_t>(d.source[0]);
    for (std::size_t i = 0; i < kLanes; ++i) address[i] = base[i] + offset;
    return;
  }
  const std::uint32_t* base = warp.lanes<std::uint32_t>(d.source[0]);
  for (std::size_t i = 0; i < kLanes; ++i) address[i] = (base[i] + offset) & 0xffffffffu;
}

void resolve_access(const DecodedInstruction& d, Warp& warp, LaneMask mask, std::uint32_t bytes,
                    AccessKind kind, ResolvedAccess& out) {
  MemoryAccess& access = warp.access();
  access.mask = mask;
  access.bytes = bytes;
  access.linear = false;
  access.space = d.ir->space;
  const bool plain =
      access.space == Space::kShared ||
      ((access.space == Space::kGlobal || access.space == Space::kConst) && !warp.device->check);
  if (plain && mask == kAllLanes && d.address_bytes == 8 && resolve_at_once(d, warp, bytes, out))
    return;
  compute_addresses(d, warp, access.address);
  if (access.space == Space::kGeneric) access.space = settle_generic(access, mask);
  resolve_each(warp, aligned_lanes(warp, mask, bytes, kind), bytes, kind, out);
}

}  // namespace raddle::kernel::exec
