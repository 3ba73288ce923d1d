// How long a basic block takes on the simulated processor when all its loads hit: the P6 core
// renames three instructions a cycle and has one unit each for loads, stores, multiplication and
// division of floating-point numbers; a loop whose values depend on the previous round takes at
// least as long as that chain.
#pragma once

#include <cstdint>

namespace llvm {
class BasicBlock;
class CallBase;
}  // namespace llvm

namespace raddle::ddm::plugin {

struct BlockCost {
  std::uint64_t ticks = 0;  // kTicksPerCycle to a cycle
  std::uint64_t instructions = 0;
};

BlockCost cost_of(const llvm::BasicBlock& block);

// Whether a call runs code that may be instrumented, rather than being some instructions itself.
bool is_real_call(const llvm::CallBase& call);

}  // namespace raddle::ddm::plugin
