// A kernel made ready to execute: each IR instruction becomes one decoded instruction that knows
// the loop over lanes that carries it out and where in the register frame its operands lie.
// Execution is lane-vectorised: 32 lanes are executed together, a register is an array of 32 values
// (a predicate one 32-bit mask), immediates and special registers are registers filled beforehand.
// *When* an instruction executes is a machine's business, never this folder's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernel/module.h"
#include "kernel/program.h"

namespace raddle::kernel::exec {

inline constexpr int kLanes = 32;
using LaneMask = std::uint32_t;
inline constexpr LaneMask kAllLanes = 0xffffffffu;
inline constexpr std::uint32_t kNoSlot = 0xffffffffu;

struct DecodedInstruction;
class Warp;

// Changes registers and nothing else. `frame` is the activation's register frame.
using LaneFunction = void (*)(const DecodedInstruction&, std::byte* frame, LaneMask mask);
// Needs the warp's surroundings: memory, textures, other lanes' state.
using WarpFunction = void (*)(const DecodedInstruction&, Warp& warp, LaneMask mask);

// Who carries an instruction out: a loop over lanes, the warp, or the machine (control flow and
// barriers). kSync: the warp, once all live lanes of its member mask have come.
enum class Handler : std::uint8_t {
  kLaneLoop,
  kWarp,
  kBranch,
  kIndexedBranch,
  kCall,
  kReturn,
  kExit,
  kTrap,
  kBarrier,
  kSync,
  kInterThread,
  kNothing
};

struct DecodedInstruction {
  Handler handler = Handler::kNothing;
  bool guarded = false;
  bool guard_negated = false;
  bool touches_memory = false;  // leaves something in Warp::access
  bool polls = false;  // reads what another thread may change: atomics, volatile and ordered loads
  bool runs_on = false;  // all its lanes go on with the next one, which nobody jumps to
  std::uint8_t destination_count = 0;
  std::uint8_t source_count = 0;
  std::uint8_t element_bytes = 0;    // memory and inter-thread operations: of one element
  std::uint8_t register_bytes = 0;   // memory operations: of the registers it moves to or from
  std::uint8_t address_bytes = 8;    // memory operations: of the register that holds the address
  std::uint8_t negated_sources = 0;  // bit i: source i is a negated predicate
  union {
    LaneFunction lanes = nullptr;
    WarpFunction warp;
  };
  std::uint32_t guard = kNoSlot;    // byte offset of the predicate
  std::uint32_t members = kNoSlot;  // kSync: of the mask that names the lanes that take part
  std::array<std::uint32_t, 4> destination{kNoSlot, kNoSlot, kNoSlot, kNoSlot};
  std::array<std::uint32_t, 10> source{kNoSlot, kNoSlot, kNoSlot, kNoSlot, kNoSlot,
                                       kNoSlot, kNoSlot, kNoSlot, kNoSlot, kNoSlot};
  std::int64_t offset = 0;
  // Memory instructions and direct calls: their index within the kernel; receives from a channel:
  // into DecodedKernel::receive_sites.
  std::uint32_t number = 0;
  BlockId block = 0;
  const Instruction* ir = nullptr;
};

// A value that every frame of a function is filled with before its first use.
struct FrameConstant {
  std::uint32_t slot = 0;
  std::uint8_t bytes = 4;  // 0: a predicate mask
  std::uint64_t bits = 0;
};
struct FrameSpecial {
  std::uint32_t slot = 0;
  std::uint8_t bytes = 4;
  SpecialRegister special = SpecialRegister::kTidX;
};

// The address of a local variable: known once the activation's place in local memory is.
struct FrameLocal {
  std::uint32_t slot = 0;
  std::uint8_t bytes = 8;
  std::uint32_t offset = 0;
};

struct DecodedBlock {
  std::uint32_t first = 0;  // into DecodedFunction::code
  std::uint32_t end = 0;
};

struct DecodedFunction {
  FunctionRef ref;
  const Function* ir = nullptr;
  const Module* module = nullptr;
  std::vector<DecodedInstruction> code;
  std::vector<DecodedBlock> blocks;
  std::uint32_t frame_bytes = 0;
  std::uint32_t parameter_bytes = 0;  // whole parameter frame
  std::uint32_t incoming_bytes = 0;   // of it, the parameters (uniform in a kernel)
  std::uint32_t local_bytes = 0;
  std::vector<std::uint32_t> order;  // by block: its rank (block_order.h)
  std::vector<FrameConstant> constants;
  std::vector<FrameSpecial> specials;
  std::vector<FrameLocal> locals;
  std::vector<std::uint32_t> register_slots;  // by register
};

// Where a direct call goes.
struct CallTarget {
  SystemFunction system = SystemFunction::kNone;
  const DecodedFunction* function = nullptr;  // null: carried out by the system, or nowhere defined
};

// A call in the source that receives from other threads; where a loop was unrolled, several
// instructions stand for it.
struct ReceiveSite {
  InterThread operation;
  bool loads = false;  // fromThreadOrMem
};

// A kernel and every function it may call, decoded for one layout of shared memory.
struct DecodedKernel {
  std::vector<std::unique_ptr<DecodedFunction>> functions;  // [0] is the kernel
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t memory_instructions = 0;
  std::uint32_t channels = 0;  // between threads; their numbers are below this
  std::vector<ReceiveSite> receive_sites;
  std::vector<CallTarget> call_targets;  // by DecodedInstruction::number of direct calls
  const DecodedFunction& entry() const { return *functions[0]; }
  // Null if the function cannot be reached from the kernel.
  const DecodedFunction* find(FunctionRef ref) const;
};

// Throws Error, with the user's source line, for what no executor can carry out, wrong use of
// channels between threads included.
std::unique_ptr<DecodedKernel> decode(const Program& program, FunctionRef kernel);
// The same with another body for the kernel, over the same symbols: a machine's own form of it. The
// body must outlive the result.
std::unique_ptr<DecodedKernel> decode(const Program& program, FunctionRef kernel,
                                      const Function& body);

// The loop over lanes for an instruction, in the best version for this host's instruction set; null
// if it has none. Register sizes are in bytes (0: predicate).
struct OperandSizes {
  int destination = 0;
  int source = 0;  // of source 0
};
LaneFunction select_lane_function(const Instruction& instruction, OperandSizes sizes);
WarpFunction select_warp_function(const Instruction& instruction);

}  // namespace raddle::kernel::exec
