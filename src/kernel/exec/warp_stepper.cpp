#include "kernel/exec/warp_stepper.h"

#include "kernel/exec/warp_interpreter.h"

namespace raddle::kernel::exec {

namespace {

struct StepObserver : SilentObserver {
  void access(const DecodedInstruction&, const WarpState&) { accessed = true; }
  void branch(bool branch_diverged) { diverged = branch_diverged; }
  bool accessed = false;
  bool diverged = false;
};

template <class Interpreter>
Step look(Interpreter& interpreter, const WarpState& warp) {
  Step step;
  step.instruction = interpreter.next();
  if (step.instruction == nullptr) return step;
  const Activation& here = warp.activations[static_cast<std::size_t>(warp.current)];
  step.function = here.function;
  step.lanes = active_lanes(*step.instruction, warp, warp.running.mask);
  return step;
}

}  // namespace

Step next_step(GridState& grid, ThreadBlock& block, WarpState& warp) {
  StepObserver observer;
  WarpInterpreter interpreter(grid, block, warp, observer);
  return look(interpreter, warp);
}

Step execute_step(GridState& grid, ThreadBlock& block, WarpState& warp) {
  StepObserver observer;
  WarpInterpreter interpreter(grid, block, warp, observer);
  Step step = look(interpreter, warp);
  if (step.instruction == nullptr) return step;
  interpreter.step();
  step.accessed_memory = observer.accessed;
  step.diverged = observer.diverged;
  return step;
}

StepAndNext execute_and_look(GridState& grid, ThreadBlock& block, WarpState& warp) {
  StepObserver observer;
  WarpInterpreter interpreter(grid, block, warp, observer);
  StepAndNext result;
  result.instruction = interpreter.step_and_next(result.lanes);
  result.accessed_memory = observer.accessed;
  result.diverged = observer.diverged;
  if (result.instruction != nullptr)
    result.function = warp.activations[static_cast<std::size_t>(warp.current)].function;
  return result;
}

}  // namespace raddle::kernel::exec
