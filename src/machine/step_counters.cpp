#include "machine/step_counters.h"

#include <bit>

#include "base/error.h"
#include "machine/instruction_totals.h"

namespace raddle::machine {

using kernel::exec::DecodedFunction;
using kernel::exec::Handler;

StepCounters::StepCounters(const kernel::exec::DecodedKernel& kernel)
    : kernel_(kernel), accesses_(kernel.memory_instructions) {
  for (const auto& function : kernel.functions) executions_.emplace_back(function->code.size());
}

// Most steps are in the function of the step before.
std::vector<StepCounters::Executions>& StepCounters::executions_of(
    const DecodedFunction& function) {
  if (kernel_.functions[last_function_].get() != &function) {
    last_function_ = 0;
    while (kernel_.functions[last_function_].get() != &function) {
      ++last_function_;
      RADDLE_ASSERT(last_function_ < kernel_.functions.size());
    }
  }
  return executions_[last_function_];
}

void StepCounters::count(const kernel::exec::Step& step, const kernel::exec::WarpState& warp) {
  if (step.instruction == nullptr) return;
  const auto pc = static_cast<std::size_t>(step.instruction - step.function->code.data());
  Executions& executions = executions_of(*step.function)[pc];
  ++executions.warps;
  executions.threads += static_cast<std::uint64_t>(std::popcount(step.lanes));
  if (step.accessed_memory) accesses_.count(*step.instruction, warp.lanes.access());
  switch (step.instruction->handler) {
    case Handler::kBranch:
    case Handler::kIndexedBranch:
      ++branches_;
      divergent_branches_ += step.diverged ? 1 : 0;
      break;
    case Handler::kBarrier: barriers_ += step.lanes != 0 ? 1 : 0; break;
    default: break;
  }
}

void StepCounters::add_to(LaunchResult& result, bool lines) const {
  InstructionTotals totals(result, lines);
  for (std::size_t f = 0; f < executions_.size(); ++f) {
    const DecodedFunction& function = *kernel_.functions[f];
    for (std::size_t pc = 0; pc < function.code.size(); ++pc) {
      const Executions& executions = executions_[f][pc];
      totals.add(function, function.code[pc], executions.warps, executions.threads);
    }
  }
  totals.finish();
  result.branches += branches_;
  result.divergent_branches += divergent_branches_;
  result.barriers += barriers_;
  for (MemoryTraffic& traffic : accesses_.result()) result.memory.push_back(std::move(traffic));
}

}  // namespace raddle::machine
