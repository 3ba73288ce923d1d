// How much block memory the central register file takes (Sections 5.2 and 7.1): four threads a
// batch, a power of two of registers a thread, 16 bytes a register, in blocks of a Stratix II.
#pragma once

#include <cstdint>

namespace raddle::machine::overlay {

inline constexpr std::uint64_t kMRamBytes = 64 * 1024;  // overlay, section 7
inline constexpr std::uint64_t kM4kBits = 4096;
inline constexpr unsigned kMRamsOnChip = 9;

struct RegisterFileSize {
  unsigned registers = 0;  // a thread: the next power of two
  std::uint64_t bytes = 0;
  std::uint64_t m_rams = 0;  // if built of M-RAM alone
  std::uint64_t m4ks = 0;    // if built of M4K alone
  unsigned reduction = 1;    // against all 128 registers
};

RegisterFileSize register_file_size(unsigned batches, unsigned registers_used);
// Blocks for a store of instructions of 192 bits.
std::uint64_t instruction_store_m4ks(unsigned instructions);

}  // namespace raddle::machine::overlay
