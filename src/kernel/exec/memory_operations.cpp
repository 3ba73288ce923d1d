#include "kernel/exec/memory_operations.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "kernel/address_map.h"
#include "kernel/exec/access.h"
#include "kernel/exec/warp.h"

namespace raddle::kernel::exec {
namespace {

template <class T>
T read(const std::byte* place) {
  T value;
  std::memcpy(&value, place, sizeof(T));
  return value;
}

// As wide as the register, extended by the sign of the type in memory.
template <class M, class R>
R extend(const std::byte* place) {
  using Extended = std::conditional_t<std::is_signed_v<M>, std::make_signed_t<R>, R>;
  return static_cast<R>(static_cast<Extended>(read<M>(place)));
}

// M: the type in memory; R: the register's, at least as wide.
template <class M, class R>
void load_lanes(const DecodedInstruction& d, Warp& warp, const ResolvedAccess& where) {
  for (std::uint32_t element = 0; element < d.destination_count; ++element) {
    const std::uint32_t slot = d.destination[element];
    if (slot == kNoSlot) continue;
    R* out = warp.lanes<R>(slot);
    const std::size_t skip = element * sizeof(M);
    if (where.contiguous != nullptr) {
      if (d.destination_count == 1 && sizeof(M) == sizeof(R)) {
        std::memcpy(out, where.contiguous, kLanes * sizeof(M));
        continue;
      }
      const std::size_t stride = d.destination_count * sizeof(M);
      for (std::size_t i = 0; i < kLanes; ++i)
        out[i] = extend<M, R>(where.contiguous + i * stride + skip);
      continue;
    }
    if (where.indexed != nullptr) {
      const std::byte* base = where.indexed + skip;
      const std::uint64_t* address = warp.access().address.data();
      for (std::size_t i = 0; i < kLanes; ++i) out[i] = extend<M, R>(base + address[i]);
      continue;
    }
    for (LaneMask left = where.valid; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      out[i] = extend<M, R>(where.lane[i] + skip);
    }
  }
}

// Lanes whose access was refused read zero.
void clear_refused(const DecodedInstruction& d, Warp& warp, LaneMask refused) {
  for (std::uint32_t element = 0; element < d.destination_count; ++element) {
    if (d.destination[element] == kNoSlot) continue;
    for (LaneMask left = refused; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      std::memset(warp.frame + d.destination[element] + lane * d.register_bytes, 0,
                  d.register_bytes);
    }
  }
}

template <class M>
void load_sized(const DecodedInstruction& d, Warp& warp, const ResolvedAccess& where) {
  switch (d.register_bytes) {
    case 2:
      if constexpr (sizeof(M) <= 2) load_lanes<M, std::uint16_t>(d, warp, where);
      return;
    case 4:
      if constexpr (sizeof(M) <= 4) load_lanes<M, std::uint32_t>(d, warp, where);
      return;
    default: load_lanes<M, std::uint64_t>(d, warp, where); return;
  }
}

// A kernel's parameters are the same for every thread: read once, spread to all lanes.
bool load_uniform_parameter(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  if (d.ir->space != Space::kParam || d.ir->sources[0].kind != Operand::Kind::kSymbol) return false;
  const std::uint64_t address =
      warp.lanes<std::uint64_t>(d.source[0])[0] + static_cast<std::uint64_t>(d.offset);
  const std::uint64_t bytes = std::uint64_t{d.element_bytes} * d.destination_count;
  if (address + bytes > warp.uniform_parameter_bytes ||
      address + bytes > warp.device->kernel_parameters.size()) {
    return false;
  }
  warp.access().space = Space::kParam;
  warp.access().mask = mask;
  warp.access().bytes = static_cast<std::uint32_t>(bytes);
  warp.access().linear = false;
  warp.access().address[static_cast<std::size_t>(std::countr_zero(mask))] = address;
  for (std::uint32_t element = 0; element < d.destination_count; ++element) {
    const std::uint32_t slot = d.destination[element];
    if (slot == kNoSlot) continue;
    std::uint64_t value = 0;
    std::memcpy(&value, warp.device->kernel_parameters.data() + address + element * d.element_bytes,
                d.element_bytes);
    const int shift = 64 - 8 * d.element_bytes;
    if (is_signed(d.ir->type))
      value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift);
    if (d.register_bytes == 4 && mask == kAllLanes) {
      std::uint32_t* out = warp.lanes<std::uint32_t>(slot);
      for (int i = 0; i < kLanes; ++i) out[i] = static_cast<std::uint32_t>(value);
    } else if (d.register_bytes == 8 && mask == kAllLanes) {
      std::uint64_t* out = warp.lanes<std::uint64_t>(slot);
      for (int i = 0; i < kLanes; ++i) out[i] = value;
    } else {
      for (LaneMask left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        std::memcpy(warp.frame + slot + lane * d.register_bytes, &value, d.register_bytes);
      }
    }
  }
  return true;
}

bool is_global(const Warp& warp, const std::byte* place) {
  const DeviceMemory& memory = *warp.device->memory;
  const std::byte* begin = memory.view(kGlobalBase);
  return place >= begin && place < begin + memory.arena_bytes();
}

// Whether lanes read what the multiprocessor stored and others cannot see yet.
bool reads_logged(const Warp& warp, const ResolvedAccess& where, std::uint32_t bytes) {
  const StoreLog* log = warp.device->stores;
  if (log == nullptr || log->empty() || warp.access().space == Space::kShared ||
      warp.access().space == Space::kLocal)
    return false;
  if (where.contiguous != nullptr) return log->may_touch(where.contiguous, kLanes * bytes);
  for (LaneMask left = where.valid; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    if (log->may_touch(where.place(warp, i, bytes), bytes)) return true;
  }
  return false;
}

constexpr std::uint32_t kMaxBytesOfLane = 32;  // four 64-bit elements

template <class M>
void load_logged(const DecodedInstruction& d, Warp& warp, const ResolvedAccess& where,
                 std::uint32_t bytes) {
  alignas(8) std::array<std::byte, kLanes * kMaxBytesOfLane> rows;
  ResolvedAccess patched;
  patched.valid = where.valid;
  for (LaneMask left = where.valid; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    std::byte* row = rows.data() + i * kMaxBytesOfLane;
    const std::byte* place = where.place(warp, i, bytes);
    std::memcpy(row, place, bytes);
    warp.device->stores->patch(place, row, bytes);
    patched.lane[i] = row;
  }
  load_sized<M>(d, warp, patched);
}

template <class M, bool kParameter>
void load(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  if constexpr (kParameter) {
    if (load_uniform_parameter(d, warp, mask)) return;
  }
  ResolvedAccess where;
  const std::uint32_t bytes = static_cast<std::uint32_t>(sizeof(M)) * d.destination_count;
  resolve_access(d, warp, mask, bytes, AccessKind::kLoad, where);
  if (reads_logged(warp, where, bytes)) {
    load_logged<M>(d, warp, where, bytes);
  } else {
    load_sized<M>(d, warp, where);
  }
  if (where.valid != mask) clear_refused(d, warp, mask & ~where.valid);
}

// Stores of a multiprocessor whose stores others see later.
template <class M>
void store_logged(const DecodedInstruction& d, Warp& warp, const ResolvedAccess& where,
                  std::uint32_t elements) {
  StoreLog& log = *warp.device->stores;
  const std::size_t stride = d.register_bytes;
  if (where.contiguous != nullptr && elements == 1 && stride == sizeof(M)) {
    log.add(where.contiguous, warp.frame + d.source[1], kLanes * sizeof(M));
    return;
  }
  const std::uint32_t bytes = static_cast<std::uint32_t>(sizeof(M)) * elements;
  const bool all_global = warp.access().space == Space::kGlobal;
  if (where.indexed != nullptr && all_global && elements == 1 && stride == sizeof(M)) {
    // Lanes that store one after the other go in together, as rows of a tile do.
    const std::uint64_t* address = warp.access().address.data();
    for (std::size_t first = 0, end = 0; first < kLanes; first = end) {
      do ++end;
      while (end < kLanes && address[end] == address[end - 1] + sizeof(M));
      log.add(where.indexed + address[first], warp.frame + d.source[1] + first * sizeof(M),
              static_cast<std::uint32_t>((end - first) * sizeof(M)));
    }
    return;
  }
  for (LaneMask left = where.valid; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    std::array<std::byte, kMaxBytesOfLane> row;
    for (std::uint32_t element = 0; element < elements; ++element) {
      std::memcpy(row.data() + element * sizeof(M), warp.frame + d.source[element + 1] + i * stride,
                  sizeof(M));
    }
    std::byte* place = where.place(warp, i, bytes);
    // Generic addresses of one warp may lie in different spaces.
    if (all_global || is_global(warp, place)) {
      log.add(place, row.data(), bytes);
    } else {
      std::memcpy(place, row.data(), bytes);
    }
  }
}

template <class M>
void store(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  const std::uint32_t elements = d.source_count - 1u;
  ResolvedAccess where;
  resolve_access(d, warp, mask, static_cast<std::uint32_t>(sizeof(M)) * elements,
                 AccessKind::kStore, where);
  if (warp.device->stores != nullptr &&
      (warp.access().space == Space::kGlobal || warp.access().space == Space::kGeneric)) {
    store_logged<M>(d, warp, where, elements);
    return;
  }
  for (std::uint32_t element = 0; element < elements; ++element) {
    const std::byte* in = warp.frame + d.source[element + 1];
    const std::size_t stride = d.register_bytes;
    if (where.contiguous != nullptr) {
      if (elements == 1 && stride == sizeof(M)) {
        std::memcpy(where.contiguous, in, kLanes * sizeof(M));
        return;
      }
      for (std::size_t i = 0; i < kLanes; ++i) {
        std::memcpy(where.contiguous + (i * elements + element) * sizeof(M), in + i * stride,
                    sizeof(M));
      }
      continue;
    }
    // In lane order: where two lanes write the same place, the higher lane's value stays.
    for (LaneMask left = where.valid; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      std::memcpy(where.place(warp, i, 0) + element * sizeof(M), in + i * stride, sizeof(M));
    }
  }
}

// Done at once: a machine that models the delay delays the wait.
void copy_async(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  const std::uint32_t width = warp.lanes<std::uint32_t>(d.source[2])[0];
  warp.access().space = Space::kGlobal;
  warp.access().mask = mask;
  warp.access().bytes = width;
  warp.access().linear = false;
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto i = static_cast<std::size_t>(lane);
    const std::uint64_t base = d.address_bytes == 8 ? warp.lanes<std::uint64_t>(d.source[0])[i]
                                                    : warp.lanes<std::uint32_t>(d.source[0])[i];
    const std::uint64_t to = base + static_cast<std::uint64_t>(d.offset);
    const std::uint64_t from = warp.lanes<std::uint64_t>(d.source[1])[i];
    const std::uint32_t wanted =
        d.source_count > 3 ? warp.lanes<std::uint32_t>(d.source[3])[i] : width;
    std::byte* target = warp.resolve(Space::kShared, to, width, lane);
    const std::byte* source =
        wanted == 0 ? nullptr : warp.resolve(Space::kGlobal, from, wanted, lane);
    warp.access().address[i] = from;
    if (target == nullptr || (source == nullptr && wanted != 0)) {
      AccessFault fault;
      fault.fatal = true;
      fault.lane = static_cast<std::uint8_t>(lane);
      fault.bytes = width;
      fault.space = target == nullptr ? Space::kShared : Space::kGlobal;
      fault.address = target == nullptr ? to : from;
      warp.faults.push_back(fault);
      continue;
    }
    std::memset(target, 0, width);
    if (wanted != 0) std::memcpy(target, source, std::min(wanted, width));
  }
}

template <bool kParameter>
WarpFunction load_of(Type type) {
  switch (type) {
    case Type::kS8: return &load<std::int8_t, kParameter>;
    case Type::kS16: return &load<std::int16_t, kParameter>;
    case Type::kS32: return &load<std::int32_t, kParameter>;
    default: break;
  }
  switch (size_of(type)) {
    case 1: return &load<std::uint8_t, kParameter>;
    case 2: return &load<std::uint16_t, kParameter>;
    case 4: return &load<std::uint32_t, kParameter>;
    case 8: return &load<std::uint64_t, kParameter>;
    default: return nullptr;
  }
}

}  // namespace

WarpFunction select_memory_function(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kLd:
      return instruction.space == Space::kParam ? load_of<true>(instruction.type)
                                                : load_of<false>(instruction.type);
    case Opcode::kSt:
      switch (size_of(instruction.type)) {
        case 1: return &store<std::uint8_t>;
        case 2: return &store<std::uint16_t>;
        case 4: return &store<std::uint32_t>;
        case 8: return &store<std::uint64_t>;
        default: return nullptr;
      }
    case Opcode::kCpAsync: return &copy_async;
    case Opcode::kAtom: return select_atomic_function(instruction);
    case Opcode::kLdMatrix:
    case Opcode::kStMatrix: return select_matrix_function(instruction);
    default: return nullptr;
  }
}

WarpFunction select_warp_function(const Instruction& instruction) {
  switch (group_of(instruction.opcode)) {
    case OpcodeGroup::kMemory: return select_memory_function(instruction);
    case OpcodeGroup::kTexture: return select_texture_function(instruction);
    default: return select_exchange_function(instruction);
  }
}

}  // namespace raddle::kernel::exec
