// A thick control flow: one program counter and one set of frontend registers for all its fibers,
// and their own registers in blocks at the backends. And an instruction of a flow on its way
// through the backends.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "base/units.h"
#include "machine/tpa/decoded_line.h"
#include "machine/tpa/shared_memory.h"

namespace raddle::machine::tpa {

// Of what has not been decided yet.
inline constexpr Cycle kUnknownTime{std::numeric_limits<std::uint64_t>::max()};

// When a fiber register of a flow was last written at one backend, in the time of its pipeline.
struct RegisterHazard {
  Cycle first;  // first and last fiber's issue
  Cycle last;
  std::uint64_t shape = 0;  // of the instruction: thickness, registers and mapping
};

// What the frontend has received over the return channel, or will receive.
struct ReturnedValue {
  Word value = 0;
  std::uint64_t work = 0;  // which instruction sends it
  std::uint32_t backend = 0;
};

struct Flow {
  std::uint32_t id = 0;  // its place in its frontend's TCF buffer, over all frontends
  std::uint32_t frontend = 0;
  std::uint32_t pc = 0;
  std::array<Word, kFrontRegisters> registers{};
  bool joining = false;
  std::uint32_t children = 0;
  Flow* parent = nullptr;
  std::uint32_t fiber_registers = 1;  // RTk

  // By backend of the frontend.
  std::vector<ZeroedWords> blocks;
  std::vector<std::vector<std::uint8_t>> masked;  // and by fiber: 1 if the kernel's block masks it
  std::vector<std::vector<RegisterHazard>> hazards;  // and by register
  std::vector<Cycle> scratchpad_ready;               // for the pre-ALU, in pipeline time
  std::deque<ReturnedValue> returned;
};

// The fibers that one backend executes.
struct FiberRange {
  Word first = 0;
  Word stride = 1;
  Word count = 0;
};

// One backend instruction of a flow.
struct Work {
  std::uint64_t number = 0;
  const DecodedLine* line = nullptr;
  Flow* flow = nullptr;
  Word thickness = 0;
  bool interleaved = false;
  std::uint32_t fiber_registers = 1;
  std::array<Word, kSlots> slots{};
  std::uint32_t first_backend = 0;
  std::uint32_t backends = 0;
  Word reply = 0;  // what fiber 0 sends to the frontend

  FiberRange fibers_of(std::uint32_t backend) const {
    const Word b = backend - first_backend;
    if (interleaved) {
      const Word count = thickness > b ? (thickness - b + backends - 1) / backends : 0;
      return {b, backends, count};
    }
    const Word each = thickness / backends;
    const Word more = thickness % backends;
    return {b * each + (b < more ? b : more), 1, each + (b < more ? 1 : 0)};
  }
  bool uses(std::uint32_t backend) const {
    return backend >= first_backend && backend < first_backend + backends;
  }
  bool has_memory() const { return line->memory.has_value(); }
  MemoryOperation operation() const { return line->memory->operation; }
};

}  // namespace raddle::machine::tpa
