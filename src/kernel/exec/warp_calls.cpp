#include "kernel/exec/warp_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <ranges>

#include "base/demangle.h"

namespace raddle::kernel::exec {
namespace {

// What a call itself takes of a thread's stack, so that endless recursion ends.
constexpr std::uint32_t kCallBytes = 16;

// Moves a slot's bytes between the parameter frames of two activations, for some lanes.
void copy_rows(const Activation& from, const Slot& from_slot, Activation& to, const Slot& to_slot,
               LaneMask lanes) {
  const std::byte* source = from.frame + from.function->frame_bytes + from_slot.offset;
  std::byte* target = to.frame + to.function->frame_bytes + to_slot.offset;
  const std::size_t bytes = std::min(from_slot.size, to_slot.size);
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    std::memcpy(target + lane * to.function->parameter_bytes,
                source + lane * from.function->parameter_bytes, bytes);
  }
}

}  // namespace

// A caller's frame lies below its callee's.
void WarpCalls::list_local_variables() {
  std::vector<LocalExtent>& variables = warp_.lanes.local_variables;
  variables.clear();
  const Activation* activation = here_;
  for (;;) {
    for (const LocalVariable& local : activation->function->ir->locals | std::views::reverse) {
      const std::uint32_t begin = activation->local_base + local.offset;
      variables.push_back({begin, begin + local.size});
    }
    if (activation->parent < 0) break;
    activation = &warp_.activations[static_cast<std::size_t>(activation->parent)];
  }
  std::reverse(variables.begin(), variables.end());
}

bool WarpCalls::call(const DecodedInstruction& d, LaneMask active) {
  const LaneMask rest = mask_ & ~active;
  if (active == 0) {
    ++pc_;
    return true;
  }
  if (d.ir->sources[0].kind != Operand::Kind::kSymbol) return indirect_call(d, active, rest);
  const CallTarget& target = grid_.kernel.call_targets[d.number];
  if (target.function == nullptr) return system_call(d, target, active);
  if (rest != 0) join(*here_, pc_ + 1, rest);
  begin_call(d, *target.function, active);
  return false;
}

bool WarpCalls::system_call(const DecodedInstruction& d, const CallTarget& target,
                            LaneMask active) {
  const int lane = std::countr_zero(active);
  if (target.system == SystemFunction::kUnresolved) {
    const std::string& name = function_->module->functions[d.ir->sources[0].index].name;
    grid_.stop(FaultKind::kUnsupported,
               fmt::format("the function {} is not defined", demangled(name)), warp_, *function_, d,
               lane);
  }
  if (target.system == SystemFunction::kAssertFail) fail_assertion(d, lane);
  run_system_function(target.system, d, warp_.lanes, *function_->ir, active);
  if (!warp_.lanes.faults.empty()) grid_.take_access_faults(warp_, *function_, d);
  ++pc_;
  return true;
}

void WarpCalls::fail_assertion(const DecodedInstruction& d, int lane) {
  auto argument = [&](std::size_t index) {
    const Slot& slot = function_->ir->call_slots[d.ir->call.arguments[index]];
    std::uint64_t value = 0;
    const std::byte* place = warp_.lanes.resolve(Space::kParam, slot.offset, slot.size, lane);
    if (place != nullptr)
      std::memcpy(&value, place, std::min<std::size_t>(slot.size, sizeof(value)));
    return value;
  };
  const std::string condition = read_device_string(warp_.lanes, lane, argument(0));
  grid_.stop(FaultKind::kAssertion, fmt::format("assertion `{}` failed", condition), warp_,
             *function_, d, lane);
}

bool WarpCalls::indirect_call(const DecodedInstruction& d, LaneMask active, LaneMask rest) {
  const std::uint64_t* address = warp_.lanes.lanes<std::uint64_t>(d.source[0]);
  if (rest != 0) join(*here_, pc_ + 1, rest);
  const std::int32_t caller = warp_.current;
  while (active != 0) {
    const int lane = std::countr_zero(active);
    LaneMask same = 0;
    for (LaneMask others = active; others != 0; others &= others - 1) {
      if (address[std::countr_zero(others)] == address[lane]) same |= others & (~others + 1);
    }
    const FunctionRef* ref = grid_.program.function_at(address[lane]);
    const DecodedFunction* target = ref == nullptr ? nullptr : grid_.kernel.find(*ref);
    if (target == nullptr) {
      grid_.stop(
          FaultKind::kOutOfBounds,
          fmt::format("call through a pointer that is not a function ({:#x})", address[lane]),
          warp_, *function_, d, lane);
    }
    begin_call(d, *target, same);
    active &= ~same;
    // Back to the caller to start the next group's call.
    warp_.current = caller;
    here_ = &warp_.activations[static_cast<std::size_t>(caller)];
  }
  return false;
}

void WarpCalls::begin_call(const DecodedInstruction& d, const DecodedFunction& callee,
                           LaneMask lanes) {
  const std::uint32_t base = here_->local_base + function_->local_bytes + kCallBytes;
  if (!warp_.lanes.grow_local(std::uint64_t{base} + callee.local_bytes)) {
    grid_.stop(
        FaultKind::kStackOverflow,
        fmt::format("stack overflow: a call needs more than the {} bytes of a thread's stack",
                    grid_.options.stack_bytes),
        warp_, *function_, d, std::countr_zero(lanes));
  }
  Activation& caller = *here_;
  enter_callee(callee, base);
  for (std::size_t p = 0; p < d.ir->call.arguments.size() && p < callee.ir->parameters.size();
       ++p) {
    copy_rows(caller, function_->ir->call_slots[d.ir->call.arguments[p]], *here_,
              callee.ir->parameters[p], lanes);
  }
  join(*here_, 0, lanes);
}

// Lanes of the same caller that made the same call before and have not returned from it stay
// together with these: what they wait for inside may be these.
void WarpCalls::enter_callee(const DecodedFunction& callee, std::uint32_t local_base) {
  const auto same_call = [&](const Activation& other) {
    return other.in_use && other.parent == warp_.current && other.call_pc == pc_ &&
           other.function == &callee;
  };
  auto& activations = warp_.activations;
  const auto entered = std::find_if(activations.begin(), activations.end(), same_call);
  const auto index = static_cast<std::int32_t>(entered - activations.begin());
  if (entered == activations.end()) {
    Activation child;
    child.function = &callee;
    child.frame = grid_.frames.take(callee);
    child.local_base = local_base;
    child.parent = warp_.current;
    child.call_pc = pc_;
    child.in_use = true;
    activations.push_back(std::move(child));
    warp_.lanes.local_base = local_base;
    fill_specials(callee, warp_.lanes, activations.back().frame);
  }
  warp_.current = index;
  here_ = &activations[static_cast<std::size_t>(index)];
}

bool WarpCalls::return_lanes(LaneMask active) {
  ++pc_;
  if (active == 0) return true;
  Activation& caller = warp_.activations[static_cast<std::size_t>(here_->parent)];
  const Function& callee = *function_->ir;
  const DecodedInstruction& call = caller.function->code[here_->call_pc];
  for (std::size_t r = 0; r < call.ir->call.returns.size() && r < callee.return_values.size();
       ++r) {
    const Slot& to = caller.function->ir->call_slots[call.ir->call.returns[r]];
    copy_rows(*here_, callee.return_values[r], caller, to, active);
  }
  join(caller, here_->call_pc + 1, active);
  mask_ &= ~active;
  if (mask_ != 0) return true;
  leave_if_empty();
  return false;
}

void WarpCalls::leave_if_empty() {
  while (warp_.current > 0 && here_->splits.empty() && !has_children(warp_.current)) {
    grid_.frames.give_back(*here_->function, here_->frame);
    here_->in_use = false;
    warp_.current = here_->parent;
    here_ = &warp_.activations[static_cast<std::size_t>(warp_.current)];
    while (!warp_.activations.back().in_use) warp_.activations.pop_back();
  }
}

bool WarpCalls::has_children(std::int32_t activation) const {
  return std::any_of(
      warp_.activations.begin(), warp_.activations.end(),
      [&](const Activation& other) { return other.in_use && other.parent == activation; });
}

}  // namespace raddle::kernel::exec
