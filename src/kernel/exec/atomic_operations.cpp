// Read-modify-write of memory, lane after lane in lane order, so that every run gives the same old
// values.
#include <bit>
#include <cstring>

#include "kernel/exec/access.h"
#include "kernel/exec/half_precision.h"
#include "kernel/exec/memory_operations.h"
#include "kernel/exec/warp.h"
#include "kernel/memory_barrier.h"

namespace raddle::kernel::exec {
namespace {

template <AtomicOp kOp, class T>
T combined(T old_value, T operand) {
  if constexpr (kOp == AtomicOp::kExchange) return operand;
  if constexpr (kOp == AtomicOp::kMin) return operand < old_value ? operand : old_value;
  if constexpr (kOp == AtomicOp::kMax) return operand > old_value ? operand : old_value;
  if constexpr (kOp == AtomicOp::kAdd) {
    if constexpr (std::is_floating_point_v<T>)
      return old_value + operand;
    else
      return static_cast<T>(static_cast<std::uint64_t>(old_value) +
                            static_cast<std::uint64_t>(operand));
  }
  if constexpr (std::is_integral_v<T>) {
    if constexpr (kOp == AtomicOp::kAnd) return old_value & operand;
    if constexpr (kOp == AtomicOp::kOr) return old_value | operand;
    if constexpr (kOp == AtomicOp::kXor) return old_value ^ operand;
    if constexpr (kOp == AtomicOp::kInc)
      return old_value >= operand ? T{0} : static_cast<T>(old_value + 1);
    if constexpr (kOp == AtomicOp::kDec)
      return old_value == 0 || old_value > operand ? operand : static_cast<T>(old_value - 1);
  }
  return old_value;
}

template <class T, class Update>
void for_lanes(const DecodedInstruction& d, Warp& warp, LaneMask mask, Update update) {
  ResolvedAccess where;
  resolve_access(d, warp, mask, sizeof(T), AccessKind::kAtomic, where);
  T* out = d.destination_count > 0 && d.destination[0] != kNoSlot ? warp.lanes<T>(d.destination[0])
                                                                  : nullptr;
  for (LaneMask left = where.valid; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    std::byte* place = where.place(warp, i, sizeof(T));
    T old_value;
    std::memcpy(&old_value, place, sizeof(T));
    const T fresh = update(i, old_value);
    std::memcpy(place, &fresh, sizeof(T));
    if (out != nullptr) out[i] = old_value;
  }
}

template <AtomicOp kOp, class T>
void atomic(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  const T* operand = warp.lanes<T>(d.source[1]);
  for_lanes<T>(d, warp, mask, [operand](std::size_t i, T old_value) {
    return combined<kOp, T>(old_value, operand[i]);
  });
}

template <class T>
void compare_and_swap(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  const T* expected = warp.lanes<T>(d.source[1]);
  const T* desired = warp.lanes<T>(d.source[2]);
  for_lanes<T>(d, warp, mask, [=](std::size_t i, T old_value) {
    return old_value == expected[i] ? desired[i] : old_value;
  });
}

std::uint16_t half_sum(std::uint16_t a, std::uint16_t b) {
  return double_to_half(static_cast<double>(half_to_float(a)) +
                        static_cast<double>(half_to_float(b)));
}
std::uint16_t bfloat_sum(std::uint16_t a, std::uint16_t b) {
  return float_to_bfloat(bfloat_to_float(a) + bfloat_to_float(b));
}

template <std::uint16_t (*kSum)(std::uint16_t, std::uint16_t)>
void add_halves(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  const std::uint16_t* operand = warp.lanes<std::uint16_t>(d.source[1]);
  for_lanes<std::uint16_t>(d, warp, mask, [operand](std::size_t i, std::uint16_t old_value) {
    return kSum(old_value, operand[i]);
  });
}
template <std::uint16_t (*kSum)(std::uint16_t, std::uint16_t)>
void add_half_pairs(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  const std::uint32_t* operand = warp.lanes<std::uint32_t>(d.source[1]);
  for_lanes<std::uint32_t>(d, warp, mask, [operand](std::size_t i, std::uint32_t old_value) {
    const std::uint32_t low =
        kSum(static_cast<std::uint16_t>(old_value), static_cast<std::uint16_t>(operand[i]));
    const std::uint32_t high = kSum(static_cast<std::uint16_t>(old_value >> 16),
                                    static_cast<std::uint16_t>(operand[i] >> 16));
    return high << 16 | low;
  });
}

template <std::uint64_t (*kChange)(std::uint64_t, std::uint32_t)>
void change_barrier(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  const std::uint64_t* operand = warp.lanes<std::uint64_t>(d.source[1]);
  for_lanes<std::uint64_t>(d, warp, mask, [operand](std::size_t i, std::uint64_t old_value) {
    return kChange(old_value, static_cast<std::uint32_t>(operand[i]));
  });
}

template <AtomicOp kOp>
WarpFunction by_type(Type type) {
  constexpr bool kBitwise = kOp == AtomicOp::kAnd || kOp == AtomicOp::kOr ||
                            kOp == AtomicOp::kXor || kOp == AtomicOp::kExchange;
  switch (type) {
    case Type::kS32: return &atomic<kOp, std::int32_t>;
    case Type::kS64: return &atomic<kOp, std::int64_t>;
    case Type::kU32:
    case Type::kB32: return &atomic<kOp, std::uint32_t>;
    case Type::kU64:
    case Type::kB64: return &atomic<kOp, std::uint64_t>;
    case Type::kU16:
    case Type::kB16: return kBitwise ? &atomic<kOp, std::uint16_t> : nullptr;
    default: return nullptr;
  }
}

WarpFunction select_add(Type type) {
  switch (type) {
    case Type::kF32: return &atomic<AtomicOp::kAdd, float>;
    case Type::kF64: return &atomic<AtomicOp::kAdd, double>;
    case Type::kF16: return &add_halves<half_sum>;
    case Type::kBF16: return &add_halves<bfloat_sum>;
    case Type::kF16x2: return &add_half_pairs<half_sum>;
    case Type::kBF16x2: return &add_half_pairs<bfloat_sum>;
    default: return by_type<AtomicOp::kAdd>(type);
  }
}

}  // namespace

WarpFunction select_atomic_function(const Instruction& instruction) {
  const Type type = instruction.type;
  switch (instruction.atomic) {
    case AtomicOp::kAdd: return select_add(type);
    case AtomicOp::kMin:
      if (type == Type::kF32) return &atomic<AtomicOp::kMin, float>;
      if (type == Type::kF64) return &atomic<AtomicOp::kMin, double>;
      return by_type<AtomicOp::kMin>(type);
    case AtomicOp::kMax:
      if (type == Type::kF32) return &atomic<AtomicOp::kMax, float>;
      if (type == Type::kF64) return &atomic<AtomicOp::kMax, double>;
      return by_type<AtomicOp::kMax>(type);
    case AtomicOp::kInc: return by_type<AtomicOp::kInc>(type);
    case AtomicOp::kDec: return by_type<AtomicOp::kDec>(type);
    case AtomicOp::kAnd: return by_type<AtomicOp::kAnd>(type);
    case AtomicOp::kOr: return by_type<AtomicOp::kOr>(type);
    case AtomicOp::kXor: return by_type<AtomicOp::kXor>(type);
    case AtomicOp::kExchange:
      return type == Type::kF32   ? by_type<AtomicOp::kExchange>(Type::kB32)
             : type == Type::kF64 ? by_type<AtomicOp::kExchange>(Type::kB64)
                                  : by_type<AtomicOp::kExchange>(type);
    case AtomicOp::kCompareSwap:
      switch (size_of(type)) {
        case 2: return &compare_and_swap<std::uint16_t>;
        case 4: return &compare_and_swap<std::uint32_t>;
        case 8: return &compare_and_swap<std::uint64_t>;
        default: return nullptr;
      }
    case AtomicOp::kArrive: return &change_barrier<barrier_after_arrival>;
    case AtomicOp::kArriveDrop: return &change_barrier<barrier_after_drop>;
    case AtomicOp::kExpect: return &change_barrier<barrier_expecting>;
    case AtomicOp::kComplete: return &change_barrier<barrier_after_bytes>;
    case AtomicOp::kNone: return nullptr;
  }
  return nullptr;
}

}  // namespace raddle::kernel::exec
