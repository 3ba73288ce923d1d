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
  std::uint64_t due = 0;
  std::uint64_t work = 0;
};

struct Backend {
  static constexpr std::uint32_t kNoPrefix = ~std::uint32_t{0};
  enum class Phase : std::uint8_t { kNextStep, kStartWork, kIssue, kSynchronise };

  Backend(std::uint32_t number, const TpaParameters& parameters)
      : unit(number, parameters),
        ring(std::bit_ceil(parameters.back.memory_segment + 2)),
        prefix_of(ring.size(), kNoPrefix),
        ring_mask(ring.size() - 1),
        time(parameters.back.memory_segment + 1) {}

  MemoryUnit unit;
  IssueStream stream;
  SlotIssue issue;  // while all backends do nothing but issue

  std::vector<std::uint64_t> ring;       // by pipeline time: when the reply is there
  std::vector<std::uint32_t> prefix_of;  // of fast multiprefixes: which of the pending ones
  std::uint64_t ring_mask;
  std::uint64_t time;             // of the pipeline
  std::uint64_t outstanding = 0;  // replies of which is not known when they come

  Phase phase = Phase::kNextStep;
  std::uint64_t step = 0;        // number of the step that it is in, or wants
  std::size_t work = 0;          // of the step
  std::uint64_t left = 0;        // items of the work
  std::uint64_t executed = 0;    // fibers of the work whose items are in the stream or gone
  std::uint64_t idle_left = 0;   // slots of threads without fibers
  std::uint64_t waves_left = 0;  // to go along with another frontend's order
  std::uint64_t prefix_next = 0;
  std::uint64_t last_load = 0;  // of an ordering instruction, in pipeline time
  std::deque<PendingReturn> returns;

  BackendAccount cycles;
  BackendCause cause = BackendCause::kFrontend;  // of the last cycle
  // How many cycles nothing can change for this backend by itself; 0: it is at work.
  std::uint64_t sleeps = 0;

  BackendTrace* trace = nullptr;  // none: nobody asked for one

  // Cycles are told in their order.
  void spend(BackendCause why, std::uint64_t count = 1) {
    cause = why;
    cycles.add(why, count);
    if (trace != nullptr) [[unlikely]]
      trace->spent(why, count);
  }
};

}  // namespace raddle::machine::tpa
