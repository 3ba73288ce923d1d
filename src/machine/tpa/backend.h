// A backend in time: a rigid pipeline that takes one item a cycle. A fiber whose reply is not there
// when it leaves the memory segment stops the whole pipeline; so does a network that takes nothing
// more. The pipeline's own time counts the cycles in which it moved.
#pragma once

#include <bit>
#include <cstdint>
#include <deque>
#include <vector>

#include "machine/tpa/memory_stage.h"
#include "machine/tpa/run_trace.h"
#include "machine/tpa/slot_reservations.h"
#include "machine/tpa/unit_causes.h"

namespace raddle::machine::tpa {

// Something that the frontend gets when the pipeline has come so far.
struct PendingReturn {
  Cycle due;
  std::uint64_t work = 0;
};

struct Backend {
  static constexpr std::uint32_t kNoPrefix = ~std::uint32_t{0};
  enum class Phase : std::uint8_t { kNextStep, kStartWork, kIssue, kSynchronise };

  Backend(std::uint32_t number, const TpaParameters& parameters)
      : unit(number, parameters),
        ring(std::bit_ceil(parameters.back.memory_segment.count() + 2)),
        prefix_of(ring.size(), kNoPrefix),
        ring_mask(ring.size() - 1),
        time(parameters.back.memory_segment + Cycle(1)) {}

  MemoryUnit unit;
  IssueStream stream;
  SlotIssue issue;  // while all backends do nothing but issue

  std::vector<Cycle> ring;               // by pipeline time: when the reply is there
  std::vector<std::uint32_t> prefix_of;  // of fast multiprefixes: which of the pending ones
  std::uint64_t ring_mask;
  Cycle time;                     // of the pipeline
  std::uint64_t outstanding = 0;  // replies of which is not known when they come

  Phase phase = Phase::kNextStep;
  std::uint64_t step = 0;        // number of the step that it is in, or wants
  std::size_t work = 0;          // of the step
  std::uint64_t left = 0;        // items of the work
  std::uint64_t executed = 0;    // fibers of the work whose items are in the stream or gone
  Cycle idle_left;               // slots of threads without fibers
  std::uint64_t waves_left = 0;  // to go along with another frontend's order
  std::uint64_t prefix_next = 0;
  Cycle last_load;  // of an ordering instruction, in pipeline time
  std::deque<PendingReturn> returns;
  // From when on the memory unit and the write-back are free for what comes after a line with
  // floating-point operations, in pipeline time: nothing overtakes it.
  Cycle memory_free, write_free;

  // Fibers of a kernel that are masked, and those that move from flow to flow: in the stream, and
  // of what `issue` has issued.
  struct Idle {
    std::uint64_t masked = 0, moving = 0;
  };
  Idle idle_in_stream, idle_together;

  BackendAccount cycles;
  BackendCause cause = BackendCause::kFrontend;  // of the last cycle
  // How many cycles nothing can change for this backend by itself; 0: it is at work.
  Cycle sleeps;

  BackendTrace* trace = nullptr;  // none: nobody asked for one

  // Where in the ring that time of the pipeline lies.
  std::size_t slot_of(Cycle pipeline_time) const { return pipeline_time.count() & ring_mask; }
  // Cycles are told in their order.
  void spend(BackendCause why, Cycle count = Cycle(1)) {
    cause = why;
    cycles.add(why, count);
    if (trace != nullptr) [[unlikely]]
      trace->spent(why, count);
  }
  // What an item of the stream costs. Which fibers of a batch are masked is not kept: they count
  // as the first ones.
  BackendCause cause_of_item() {
    if (idle_in_stream.masked != 0) {
      --idle_in_stream.masked;
      return BackendCause::kMasked;
    }
    if (idle_in_stream.moving == 0) return BackendCause::kIssued;
    --idle_in_stream.moving;
    return BackendCause::kSplit;
  }
};

}  // namespace raddle::machine::tpa
