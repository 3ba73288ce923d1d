#include "machine/overlay/flow.h"

#include <algorithm>

namespace raddle::machine::overlay {
namespace {

class FlowExecution {
 public:
  FlowExecution(const Instruction& word, std::uint16_t address, BatchState& batch,
                std::span<const LoopConstant, kIntegerConstants> loops, std::uint32_t booleans,
                const FlowLimits& limits)
      : word_(word),
        part_(word.flow),
        address_(address),
        batch_(batch),
        flow_(batch.flow),
        loops_(loops),
        booleans_(booleans),
        limits_(limits) {}

  FlowOutcome run() {
    if (part_.branch_else) swap_sides();
    wanting_ = threads_that_want();
    outcome_.divergent = wanting_ != 0 && wanting_ != flow_.active;
    switch (part_.op) {
      case FlowOp::kJump: finish(decide(), address_ + 1U); break;
      case FlowOp::kLoop:
      case FlowOp::kRep: enter_loop(); break;
      case FlowOp::kEndLoop:
      case FlowOp::kEndRep: end_pass(); break;
      case FlowOp::kBreakLoop:
      case FlowOp::kBreakRep: leave_pass(ThreadStatus::kBreak); break;
      case FlowOp::kContinue: leave_pass(ThreadStatus::kContinue); break;
    }
    return outcome_;
  }

 private:
  void set_status(unsigned thread, ThreadStatus status, unsigned counter = 0) {
    flow_.status[thread] = status;
    flow_.counter[thread] = static_cast<std::uint8_t>(counter);
    const auto bit = static_cast<ThreadMask>(1U << thread);
    if (status == ThreadStatus::kActive) {
      flow_.active |= bit;
    } else {
      flow_.active &= static_cast<ThreadMask>(~bit);
    }
  }

  // ELSE: who executed rests, who rested because of this branch executes.
  void swap_sides() {
    for (unsigned i = 0; i < kBatchThreads; ++i) {
      if (flow_.status[i] == ThreadStatus::kActive) {
        set_status(i, ThreadStatus::kBranch, 0);
      } else if (flow_.status[i] == ThreadStatus::kBranch && flow_.counter[i] == 0) {
        set_status(i, ThreadStatus::kActive);
      }
    }
  }

  ThreadMask threads_that_want() const {
    ThreadMask predicate = 0;
    const PredicateSelect select = word_.vector.predicate;
    if (select >= PredicateSelect::kRed && select <= PredicateSelect::kAlpha) {
      predicate = batch_.predicates[static_cast<unsigned>(select) - 2];
    } else if (select == PredicateSelect::kPerChannel) {
      predicate = batch_.predicates[0];
    }
    if (word_.vector.predicate_invert) predicate ^= kAllThreads;
    const unsigned boolean = (booleans_ >> part_.boolean_constant) & 1U;
    ThreadMask wanting = 0;
    for (unsigned i = 0; i < kBatchThreads; ++i) {
      const unsigned row =
          ((batch_.alu_result >> i) & 1U) << 2 | ((predicate >> i) & 1U) << 1 | boolean;
      if (((part_.jump_function >> row) & 1U) != 0) wanting |= static_cast<ThreadMask>(1U << i);
    }
    return wanting & flow_.active;
  }

  bool decide() const {
    if (part_.jump_any) return wanting_ != 0;
    return wanting_ == flow_.active;  // also where none is active
  }

  // What the branch counters become, and the address stack on a jump.
  void finish(bool jumps, unsigned otherwise) {
    change_counters(jumps ? part_.if_jumping : part_.if_not_jumping,
                    jumps ? static_cast<ThreadMask>(flow_.active & ~wanting_) : wanting_);
    outcome_.next = static_cast<std::uint16_t>(jumps ? part_.jump_address : otherwise);
    if (!jumps || part_.address_op == AddressOp::kNone) return;
    if (part_.address_op == AddressOp::kPush) {
      if (flow_.calls.size() >= limits_.calls) {
        outcome_.fault = FlowFault::kCallStackFull;
        return;
      }
      flow_.calls.push_back(static_cast<std::uint16_t>(address_ + 1));
    } else if (part_.address_op == AddressOp::kPop) {
      if (flow_.calls.empty()) {
        outcome_.fault = FlowFault::kCallStackEmpty;
        return;
      }
      outcome_.next = flow_.calls.back();
      flow_.calls.pop_back();
    }
  }

  void change_counters(BranchOp op, ThreadMask parked) {
    if (op == BranchOp::kIncrement) {
      for (unsigned i = 0; i < kBatchThreads; ++i) {
        if (flow_.status[i] == ThreadStatus::kBranch) {
          ++flow_.counter[i];
        } else if (((parked >> i) & 1U) != 0) {
          set_status(i, ThreadStatus::kBranch, 0);
        }
      }
    } else if (op == BranchOp::kDecrement) {
      for (unsigned i = 0; i < kBatchThreads; ++i) {
        if (flow_.status[i] != ThreadStatus::kBranch) continue;
        if (flow_.counter[i] < part_.pop_count) {
          set_status(i, ThreadStatus::kActive);
        } else {
          flow_.counter[i] = static_cast<std::uint8_t>(flow_.counter[i] - part_.pop_count);
        }
      }
    }
  }

  void enter_loop() {
    const LoopConstant& loop = loops_[part_.integer_constant];
    if (loop.count == 0 || decide()) {
      outcome_.next = part_.jump_address;
      return;
    }
    outcome_.next = static_cast<std::uint16_t>(address_ + 1);
    if (flow_.loops.size() >= limits_.loops) {
      outcome_.fault = FlowFault::kLoopStackFull;
      return;
    }
    const bool has_al = part_.op == FlowOp::kLoop;
    flow_.loops.push_back({loop.count, flow_.al, loop.step, has_al});
    if (has_al) flow_.al = loop.first;
  }

  void wake(ThreadStatus status) {
    for (unsigned i = 0; i < kBatchThreads; ++i) {
      if (flow_.status[i] == status && flow_.counter[i] == flow_.loops.size()) {
        set_status(i, ThreadStatus::kActive);
      }
    }
  }

  void leave_loop() {
    wake(ThreadStatus::kBreak);
    wake(ThreadStatus::kContinue);
    if (flow_.loops.back().has_al) flow_.al = flow_.loops.back().outer_al;
    flow_.loops.pop_back();
  }

  void end_pass() {
    outcome_.next = static_cast<std::uint16_t>(address_ + 1);
    if (flow_.loops.empty()) {
      outcome_.fault = FlowFault::kLoopStackEmpty;
      return;
    }
    wake(ThreadStatus::kContinue);
    wanting_ = threads_that_want();
    LoopFrame& frame = flow_.loops.back();
    --frame.left;
    if (frame.has_al) flow_.al += frame.step;
    if (frame.left > 0 && decide()) {
      outcome_.next = part_.jump_address;
    } else {
      leave_loop();
    }
  }

  // Whether a thread stays behind in the loop that could still execute in this pass, or for a break
  // in a later one.
  bool anybody_left(ThreadStatus leaving) const {
    if (flow_.active != 0) return true;
    for (unsigned i = 0; i < kBatchThreads; ++i) {
      const bool waits_in_branch =
          flow_.status[i] == ThreadStatus::kBranch && flow_.counter[i] < part_.pop_count;
      const bool waits_for_pass = leaving == ThreadStatus::kBreak &&
                                  flow_.status[i] == ThreadStatus::kContinue &&
                                  flow_.counter[i] == flow_.loops.size();
      if (waits_in_branch || waits_for_pass) return true;
    }
    return false;
  }

  void leave_pass(ThreadStatus status) {
    outcome_.next = static_cast<std::uint16_t>(address_ + 1);
    if (flow_.loops.empty()) {
      outcome_.fault = FlowFault::kLoopStackEmpty;
      return;
    }
    for (unsigned i = 0; i < kBatchThreads; ++i) {
      if (((wanting_ >> i) & 1U) != 0) {
        set_status(i, status, static_cast<unsigned>(flow_.loops.size()));
      }
    }
    if (anybody_left(status)) return;
    change_counters(part_.if_jumping, 0);
    outcome_.next = part_.jump_address;
    if (status == ThreadStatus::kBreak) leave_loop();
  }

  const Instruction& word_;
  const FlowPart& part_;
  std::uint16_t address_;
  BatchState& batch_;
  FlowState& flow_;
  std::span<const LoopConstant, kIntegerConstants> loops_;
  std::uint32_t booleans_;
  const FlowLimits& limits_;
  ThreadMask wanting_ = 0;
  FlowOutcome outcome_;
};

}  // namespace

void start_threads(FlowState& flow, ThreadMask covered) {
  flow.active = covered;
  flow.al = 0;
  flow.loops.clear();
  flow.calls.clear();
  flow.counter = {};
  for (unsigned i = 0; i < kBatchThreads; ++i) {
    flow.status[i] = ((covered >> i) & 1U) != 0 ? ThreadStatus::kActive : ThreadStatus::kUncovered;
  }
}

FlowOutcome execute_flow(const Instruction& word, std::uint16_t address, BatchState& batch,
                         std::span<const LoopConstant, kIntegerConstants> loops,
                         std::uint32_t booleans, const FlowLimits& limits) {
  return FlowExecution(word, address, batch, loops, booleans, limits).run();
}

}  // namespace raddle::machine::overlay
