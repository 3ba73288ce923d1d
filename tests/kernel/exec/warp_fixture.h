// A warp with device memory, shared memory and a register frame, on which single instructions are
// executed. Registers are numbered slots of 256 bytes: 32 lanes of up to 8 bytes.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "kernel/exec/memory_operations.h"
#include "kernel/exec/warp.h"

namespace raddle::kernel::exec {

class WarpFixture : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kSlotBytes = 256;
  static constexpr std::uint64_t kMemoryBytes = 1u << 20;

  WarpFixture() : memory_(kMemoryBytes), shared_(1024) {
    device_.heap_used = &heap_used_;
    device_.memory = &memory_;
    device_.textures = &textures_;
    warp_.device = &device_;
    warp_.shared = shared_;
    warp_.frame = frame_;
    warp_.live = kAllLanes;
    warp_.local_limit = 4096;
    buffer_ = *memory_.allocate(4096);
  }

  template <class T>
  T* lanes(int slot) {
    return reinterpret_cast<T*>(frame_ + slot * static_cast<int>(kSlotBytes));
  }
  template <class T>
  T* device(std::uint64_t address) {
    return reinterpret_cast<T*>(memory_.view(address));
  }
  LaneMask& predicate(int slot) { return *lanes<LaneMask>(slot); }

  // Registers by slot number; -1 for a destination that is dropped.
  struct Registers {
    std::vector<int> destinations;
    std::vector<int> sources;
    int register_bytes = 4;
    int address_bytes = 8;
    std::int64_t offset = 0;
  };

  void run(Instruction& instruction, const Registers& registers, LaneMask mask = kAllLanes) {
    DecodedInstruction d;
    d.handler = Handler::kWarp;
    d.warp = select_warp_function(instruction);
    ASSERT_NE(d.warp, nullptr);
    // A register as address, unless the test says otherwise: symbols take other ways.
    if (instruction.sources.empty())
      instruction.sources.assign(registers.sources.size(), Operand::reg(0));
    d.ir = &instruction;
    d.destination_count = static_cast<std::uint8_t>(registers.destinations.size());
    d.source_count = static_cast<std::uint8_t>(registers.sources.size());
    for (std::size_t i = 0; i < registers.destinations.size(); ++i) {
      if (registers.destinations[i] >= 0)
        d.destination[i] = static_cast<std::uint32_t>(registers.destinations[i]) * kSlotBytes;
    }
    for (std::size_t i = 0; i < registers.sources.size(); ++i)
      d.source[i] = static_cast<std::uint32_t>(registers.sources[i]) * kSlotBytes;
    d.element_bytes = static_cast<std::uint8_t>(size_of(instruction.type));
    d.register_bytes = static_cast<std::uint8_t>(registers.register_bytes);
    d.address_bytes = static_cast<std::uint8_t>(registers.address_bytes);
    d.offset = instruction.offset = registers.offset;
    warp_.faults.clear();
    d.warp(d, warp_, mask);
  }

  DeviceMemory memory_;
  TextureTable textures_;
  std::vector<std::byte> shared_;
  std::uint64_t heap_used_ = 0;
  Device device_;
  Warp warp_;
  std::uint64_t buffer_ = 0;
  alignas(64) std::byte frame_[kSlotBytes * 12]{};
};

}  // namespace raddle::kernel::exec
