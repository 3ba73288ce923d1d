// A barrier that lives in 8 bytes of shared memory (PTX: mbarrier). PTX leaves its contents open;
// here they are, from the lowest bit: the arrivals that the current phase still waits for, the
// arrivals that each phase expects, the bytes that it waits for, and the phase's parity. A phase
// ends with its last arrival and its last byte.
#pragma once

#include <cstdint>

namespace raddle::kernel {

inline constexpr int kBarrierCountBits = 20;  // PTX: counts are below 2^20
inline constexpr std::uint64_t kBarrierCountMask = (std::uint64_t{1} << kBarrierCountBits) - 1;
inline constexpr int kBarrierByteShift = 2 * kBarrierCountBits;
inline constexpr int kBarrierPhaseBit = 63;
inline constexpr std::uint64_t kBarrierByteMask =
    (std::uint64_t{1} << (kBarrierPhaseBit - kBarrierByteShift)) - 1;

constexpr std::uint64_t barrier_word(std::uint64_t pending, std::uint64_t expected,
                                     std::uint64_t bytes, std::uint64_t phase) {
  return (pending & kBarrierCountMask) | (expected & kBarrierCountMask) << kBarrierCountBits |
         (bytes & kBarrierByteMask) << kBarrierByteShift | phase << kBarrierPhaseBit;
}

struct BarrierState {
  std::uint64_t pending, expected, bytes, phase;

  explicit constexpr BarrierState(std::uint64_t word)
      : pending(word & kBarrierCountMask),
        expected(word >> kBarrierCountBits & kBarrierCountMask),
        bytes(word >> kBarrierByteShift & kBarrierByteMask),
        phase(word >> kBarrierPhaseBit) {}

  constexpr std::uint64_t word() const {
    const bool complete = (pending & kBarrierCountMask) == 0 && (bytes & kBarrierByteMask) == 0;
    return complete ? barrier_word(expected, expected, 0, phase ^ 1)
                    : barrier_word(pending, expected, bytes, phase);
  }
};

inline std::uint64_t barrier_after_arrival(std::uint64_t word, std::uint32_t count) {
  BarrierState state(word);
  state.pending -= count;
  return state.word();
}

// The threads that arrive do not come again.
inline std::uint64_t barrier_after_drop(std::uint64_t word, std::uint32_t count) {
  BarrierState state(word);
  state.pending -= count;
  state.expected -= count;
  return state.word();
}

inline std::uint64_t barrier_expecting(std::uint64_t word, std::uint32_t bytes) {
  const BarrierState state(word);
  return barrier_word(state.pending, state.expected, state.bytes + bytes, state.phase);
}

inline std::uint64_t barrier_after_bytes(std::uint64_t word, std::uint32_t bytes) {
  BarrierState state(word);
  state.bytes -= bytes;
  return state.word();
}

}  // namespace raddle::kernel
