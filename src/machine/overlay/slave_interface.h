// What the host writes over the HyperTransport slave interface before a program runs (Section 5.1):
// instructions, constants and registers, and last the write that starts it; a packet for each.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "machine/overlay/configuration.h"

namespace raddle::machine::overlay {

struct SlaveWrites {
  std::uint64_t instructions = 0;  // 24 bytes each
  std::uint64_t constants = 0;     // 16 bytes; those that are not zero, as they are without
  std::uint64_t registers = 0;     // 4 bytes; the start is one of them

  static constexpr Bytes kInstructionBytes{24};
  static constexpr Bytes kConstantBytes{16};
  static constexpr Bytes kRegisterBytes{4};

  std::uint64_t packets() const { return instructions + constants + registers; }
  Bytes bytes() const {
    return instructions * kInstructionBytes + constants * kConstantBytes +
           registers * kRegisterBytes;
  }
};

SlaveWrites slave_writes(const Configuration& configuration);

}  // namespace raddle::machine::overlay
