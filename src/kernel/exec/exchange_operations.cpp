// Operations between the lanes of a warp: shuffles, votes, matches, reductions; and reading the
// clock.
#include <array>
#include <bit>
#include <cstring>

#include "kernel/exec/memory_operations.h"
#include "kernel/exec/warp.h"

namespace raddle::kernel::exec {
namespace {

LaneMask source_predicate(const DecodedInstruction& d, const Warp& warp, std::size_t index) {
  const LaneMask value = *warp.lanes<const LaneMask>(d.source[index]);
  return (d.negated_sources >> index & 1) != 0 ? ~value : value;
}

void set_predicate(Warp& warp, std::uint32_t slot, LaneMask value, LaneMask mask) {
  if (slot == kNoSlot) return;
  LaneMask* target = warp.lanes<LaneMask>(slot);
  *target = (*target & ~mask) | (value & mask);
}

// The lanes that take part: those of the member mask that execute this together.
LaneMask members(const DecodedInstruction& d, const Warp& warp, LaneMask mask, std::size_t index,
                 int lane) {
  if (d.source_count <= index) return mask;
  return warp.lanes<std::uint32_t>(d.source[index])[lane] & mask;
}

// PTX manual, shfl: which lane each lane reads, and whether that lies within its segment.
void shuffle(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  std::array<std::uint32_t, kLanes> value;
  std::memcpy(value.data(), warp.frame + d.source[0], sizeof(value));
  const std::uint32_t* b = warp.lanes<std::uint32_t>(d.source[1]);
  const std::uint32_t* c = warp.lanes<std::uint32_t>(d.source[2]);
  LaneMask in_range = 0;
  std::array<std::uint32_t, kLanes> result;
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto i = static_cast<std::size_t>(lane);
    const int offset = static_cast<int>(b[i] & 31);
    const int clamp = static_cast<int>(c[i] & 31);
    const int segment = static_cast<int>(c[i] >> 8 & 31);
    const int last = (lane & segment) | (clamp & ~segment & 31);
    int from = lane;
    bool inside = false;
    switch (d.ir->mode) {
      case Mode::kShuffleUp:
        from = lane - offset;
        inside = from >= last;
        break;
      case Mode::kShuffleDown:
        from = lane + offset;
        inside = from <= last;
        break;
      case Mode::kShuffleButterfly:
        from = lane ^ offset;
        inside = from <= last;
        break;
      default: from = (lane & segment) | (offset & ~segment & 31); inside = from <= last;
    }
    result[i] = value[static_cast<std::size_t>(inside ? from : lane)];
    in_range |= static_cast<LaneMask>(inside) << lane;
  }
  if (d.destination[0] != kNoSlot) {
    std::uint32_t* out = warp.lanes<std::uint32_t>(d.destination[0]);
    for (std::size_t i = 0; i < kLanes; ++i) out[i] = (mask >> i & 1) != 0 ? result[i] : out[i];
  }
  if (d.destination_count > 1) set_predicate(warp, d.destination[1], in_range, mask);
}

void vote(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  const LaneMask value = source_predicate(d, warp, 0);
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const LaneMask bit = LaneMask{1} << lane;
    const LaneMask group = members(d, warp, mask, 1, lane);
    const LaneMask yes = value & group;
    switch (d.ir->mode) {
      case Mode::kAll: set_predicate(warp, d.destination[0], yes == group ? bit : 0, bit); break;
      case Mode::kAny: set_predicate(warp, d.destination[0], yes != 0 ? bit : 0, bit); break;
      case Mode::kUniform:
        set_predicate(warp, d.destination[0], yes == 0 || yes == group ? bit : 0, bit);
        break;
      default: warp.lanes<std::uint32_t>(d.destination[0])[lane] = yes;
    }
  }
}

template <class T>
void match(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  const T* value = warp.lanes<T>(d.source[0]);
  std::array<std::uint32_t, kLanes> result{};
  LaneMask agreed = 0;
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const LaneMask group = members(d, warp, mask, 1, lane);
    LaneMask same = 0;
    for (LaneMask others = group; others != 0; others &= others - 1) {
      const int other = std::countr_zero(others);
      if (value[other] == value[lane]) same |= LaneMask{1} << other;
    }
    const bool all = d.ir->mode == Mode::kAll;
    if (same == group) agreed |= LaneMask{1} << lane;
    result[static_cast<std::size_t>(lane)] = all && same != group ? 0 : same;
  }
  std::uint32_t* out = warp.lanes<std::uint32_t>(d.destination[0]);
  for (std::size_t i = 0; i < kLanes; ++i) out[i] = (mask >> i & 1) != 0 ? result[i] : out[i];
  if (d.destination_count > 1) set_predicate(warp, d.destination[1], agreed, mask);
}

template <class T>
void reduce(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  std::array<T, kLanes> value;
  std::memcpy(value.data(), warp.frame + d.source[0], sizeof(value));
  T* out = warp.lanes<T>(d.destination[0]);
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    LaneMask group = members(d, warp, mask, 1, lane);
    T total = value[static_cast<std::size_t>(lane)];
    bool first = true;
    for (; group != 0; group &= group - 1) {
      const T next = value[static_cast<std::size_t>(std::countr_zero(group))];
      if (first) {
        total = next;
        first = false;
        continue;
      }
      switch (d.ir->mode) {
        case Mode::kReduceAdd:
          total =
              static_cast<T>(static_cast<std::uint32_t>(total) + static_cast<std::uint32_t>(next));
          break;
        case Mode::kReduceMin: total = next < total ? next : total; break;
        case Mode::kReduceMax: total = next > total ? next : total; break;
        case Mode::kReduceAnd: total &= next; break;
        case Mode::kReduceOr: total |= next; break;
        default: total ^= next;
      }
    }
    out[lane] = total;
  }
}

void active_mask(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  std::uint32_t* out = warp.lanes<std::uint32_t>(d.destination[0]);
  for (LaneMask left = mask; left != 0; left &= left - 1) out[std::countr_zero(left)] = mask;
}

void read_clock(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  const std::uint64_t value = special_value(d.ir->sources[0].special, warp, 0);
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    std::memcpy(warp.frame + d.destination[0] + lane * d.register_bytes, &value, d.register_bytes);
  }
}

}  // namespace

WarpFunction select_exchange_function(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kShfl: return &shuffle;
    case Opcode::kVote: return &vote;
    case Opcode::kMatch:
      return size_of(instruction.type) == 8 ? &match<std::uint64_t> : &match<std::uint32_t>;
    case Opcode::kRedux:
      return is_signed(instruction.type) ? &reduce<std::int32_t> : &reduce<std::uint32_t>;
    case Opcode::kActiveMask: return &active_mask;
    case Opcode::kMma:
    case Opcode::kMovMatrix: return select_matrix_function(instruction);
    case Opcode::kMov: return &read_clock;
    default: return nullptr;
  }
}

}  // namespace raddle::kernel::exec
