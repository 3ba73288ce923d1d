// One backend, one cycle.
#include <algorithm>

#include "base/error.h"
#include "machine/tpa/processor.h"

namespace raddle::machine::tpa {

namespace {

constexpr Cycle kForEver = Processor::kUnlimited;

std::uint64_t shape_of(const Work& work) {
  return work.thickness << 9 | work.fiber_registers << 1 | (work.interleaved ? 1U : 0U);
}

// Pre-ALU operations that read what the scratchpad has.
bool reads_scratchpad_early(MemoryOperation operation) {
  return sends_entries(operation) || operation == MemoryOperation::kPrefixStore ||
         operation == MemoryOperation::kConditionalStore;
}

}  // namespace

Step* Processor::step_of(std::uint64_t number) {
  if (pending_.empty() || number < pending_.front()->number) return nullptr;
  const std::uint64_t place = number - pending_.front()->number;
  return place < pending_.size() ? pending_[place].get() : nullptr;
}

// The pipeline moves on, with or without something in it.
void Processor::move(Backend& backend, BackendCause why) {
  backend.spend(why);
  ++backend.time;
  if (!backend.returns.empty()) deliver_returns(backend);
}

// Nothing can be issued for so many cycles.
void Processor::wait(Backend& backend, BackendCause why, Cycle cycles) {
  move(backend, why);
  backend.sleeps = cycles;
}

void Processor::deliver_returns(Backend& backend) {
  while (!backend.returns.empty() && backend.returns.front().due <= backend.time) {
    arrivals_[{backend.returns.front().work, backend.unit.backend}] =
        now_ + parameters_.return_cycles;
    backend.returns.pop_front();
  }
}

void Processor::tick(Backend& backend) {
  backend.sleeps = Cycle(0);
  if (backend.ring[backend.slot_of(backend.time - parameters_.back.memory_segment)] > now_) {
    backend.spend(BackendCause::kReply);
    return;
  }
  while (true) {
    if (backend.phase == Backend::Phase::kNextStep && !enter_step(backend)) return;
    Step& step = *step_of(backend.step);
    if (backend.phase == Backend::Phase::kStartWork && !start_work(backend, step)) return;
    if (backend.phase == Backend::Phase::kSynchronise) {
      // An ideal memory needs no synchronisation, so no cycle for it.
      if (parameters_.ideal && backend.idle_left == Cycle(0)) {
        leave_step(backend, step);
        continue;
      }
      issue(backend, step);
      return;
    }
    // A work without items for this backend takes no cycle.
    if (backend.left == 0 && backend.idle_left == Cycle(0) && backend.waves_left == 0) {
      ++backend.work;
      backend.phase = Backend::Phase::kStartWork;
      continue;
    }
    issue(backend, step);
    return;
  }
}

// False: there is no next step, or not yet; the cycle has been accounted for.
bool Processor::enter_step(Backend& backend) {
  if (step_of(backend.step) == nullptr) {
    if (!make_step()) {
      wait(backend, program_over_ ? BackendCause::kDrain : BackendCause::kReply, kForEver);
      return false;
    }
    // The frontends have worked ahead: what they sent may be here already.
    advance_frontends();
  }
  backend.phase = Backend::Phase::kStartWork;
  backend.work = 0;
  return true;
}

void Processor::leave_step(Backend& backend, Step& step) {
  backend.phase = Backend::Phase::kNextStep;
  ++backend.step;
  records_[step.number].end = now_ + Cycle(1);
  if (++step.issued_by == backends_.size()) forget_done_steps();
}

// When the pipeline may take the first fiber of the work.
Cycle Processor::earliest(const Backend& backend, const Work& work) const {
  const std::size_t local = backend.unit.backend - work.first_backend;
  const DecodedLine& line = *work.line;
  Cycle time;
  const std::vector<RegisterHazard>& hazards = work.flow->hazards[local];
  for (const std::uint8_t read : work.line->reads) {
    if (read >= hazards.size() || hazards[read].last == Cycle(0)) continue;
    const RegisterHazard& hazard = hazards[read];
    const Cycle issued = hazard.shape == shape_of(work) ? hazard.first : hazard.last;
    time = std::max(time, issued + parameters_.back.depth());
  }
  if (work.has_memory() && reads_scratchpad_early(work.operation()))
    time = std::max(time, work.flow->scratchpad_ready[local]);
  if (backend.write_free > backend.time) {
    time = std::max(time, backend.memory_free - std::min(backend.memory_free, line.memory_delay));
    time = std::max(time, backend.write_free - std::min(backend.write_free, line.write_delay));
  }
  return time;
}

// False: it cannot start in this cycle, which has been accounted for.
bool Processor::start_work(Backend& backend, Step& step) {
  if (backend.work == step.works.size()) {
    const bool alone = step.works.empty() && parameters_.is_fixed();
    backend.idle_left = Cycle(alone ? parameters_.back.threads : 0);
    backend.phase = Backend::Phase::kSynchronise;
    if (backend.trace != nullptr) backend.trace->end_work();
    return true;
  }
  Work& work = *step.works[backend.work];
  const bool takes_part = work.uses(backend.unit.backend);
  if (takes_part) {
    const Cycle at = step.available[backend.work];
    if (at > now_) {
      wait(backend, BackendCause::kFrontend, at == kUnknownTime ? kForEver : at - now_);
      return false;
    }
    const Cycle time = earliest(backend, work);
    if (time > backend.time) {
      wait(backend, BackendCause::kDependence, time - backend.time);
      return false;
    }
    backend.left = 0;
    const bool entries = work.has_memory() && sends_entries(work.operation());
    const Word fibers = work.fibers_of(backend.unit.backend).count;
    if (entries) {
      backend.left = step.items[backend.work][backend.unit.backend];
    } else {
      backend.left = fibers;
    }
    backend.idle_left = parameters_.is_fixed() ? threads_idle(backend.left) : Cycle(0);
    note_writes(backend, work, backend.left);
    if (backend.trace != nullptr) backend.trace->begin_work(line_of(work), backend.left);
    if (step.taken_by[backend.work] == 0) techniques_.begins(work, now_);
    if (++step.taken_by[backend.work] == work.backends) {
      FrontClock& clock = clocks_[work.flow->frontend];
      clock.taken.push_back(now_);
      ++clock.taken_count;
    }
  } else {
    backend.waves_left = order_waves(work);
  }
  backend.phase = Backend::Phase::kIssue;
  return true;
}

Cycle Processor::threads_idle(Word fibers) const {
  const std::uint64_t threads = parameters_.back.threads;
  const std::uint64_t rounds = std::max<std::uint64_t>(1, (fibers + threads - 1) / threads);
  return Cycle(rounds * threads - fibers) +
         (rounds - 1) * threads * parameters_.back.thread_switch_cycles;
}

// Items go one a cycle of the pipeline's time, so it is known when the last will.
void Processor::note_writes(Backend& backend, const Work& work, std::uint64_t count) {
  const std::size_t local = backend.unit.backend - work.first_backend;
  const BackendParameters& p = parameters_.back;
  const Cycle last = backend.time + Cycle(count == 0 ? 0 : count - 1);
  if (count != 0) {
    std::vector<RegisterHazard>& hazards = work.flow->hazards[local];
    const Cycle delay = work.line->write_delay;
    for (const RegisterWrite& write : work.line->writes) {
      if (write.number >= hazards.size()) hazards.resize(write.number + 1U);
      hazards[write.number] = {backend.time + delay, last + delay, shape_of(work)};
    }
    if (delay != Cycle(0)) {
      backend.memory_free = last + Cycle(1) + work.line->memory_delay;
      backend.write_free = last + Cycle(1) + delay;
    }
  }
  if (work.line->reply && work.thickness != 0 && work.fibers_of(backend.unit.backend).first == 0 &&
      local == 0)
    backend.returns.push_back({backend.time + p.depth() + work.line->write_delay, work.number});
  if (!work.has_memory()) return;
  const MemoryOperation operation = work.operation();
  if (operation == MemoryOperation::kBackendFrontend)
    backend.returns.push_back({last + p.stages_before + work.line->memory_delay, work.number});
  const bool filled_late = loads(operation) && operation != MemoryOperation::kLoad;
  if (filled_late && count != 0)
    work.flow->scratchpad_ready[local] =
        last + work.line->memory_delay + p.memory_segment + Cycle(1);
}

void Processor::issue(Backend& backend, Step& step) {
  if (backend.phase == Backend::Phase::kSynchronise) {
    if (backend.idle_left != Cycle(0)) {
      backend.idle_left -= Cycle(1);
      move(backend, BackendCause::kThreads);
      return;
    }
    // The wave follows the references of its step through the memory unit.
    if (backend.memory_free > backend.time) {
      wait(backend, BackendCause::kDependence, backend.memory_free - backend.time);
      return;
    }
    if (!network_.send_wave(backend.unit.backend, now_)) {
      backend.spend(BackendCause::kNetwork);
      return;
    }
    move(backend, BackendCause::kSynchronisation);
    leave_step(backend, step);
    return;
  }
  Work& work = *step.works[backend.work];
  if (backend.waves_left != 0) {
    if (!network_.send_wave(backend.unit.backend, now_)) {
      backend.spend(BackendCause::kNetwork);
      return;
    }
    --backend.waves_left;
    move(backend, BackendCause::kOrder);
    return;
  }
  if (backend.left == 0) {
    backend.idle_left -= Cycle(1);
    move(backend, BackendCause::kThreads);
    return;
  }
  if (backend.stream.empty()) execute_more(backend, step, work, backend.left);
  if (issue_item(backend, work)) --backend.left;
}

// False: the item is still there.
bool Processor::issue_item(Backend& backend, Work& work) {
  const IssueItem item = backend.stream.front();
  const std::uint32_t number = backend.unit.backend;
  const bool prefix =
      fast_prefix_ && work.has_memory() && work.operation() == MemoryOperation::kPrefix;
  if (item == kNoReference) {
    backend.stream.pop();
    if (prefix) ++backend.prefix_next;  // a fiber that takes no part
    move(backend, backend.cause_of_item());
    return true;
  }
  // What comes next depends on what was loaded last: it goes through the pipeline once more.
  const Cycle written = backend.last_load + parameters_.back.depth();
  if (item == kAwaitReplies && backend.time < written) {
    wait(backend, BackendCause::kDependence, written - backend.time);
    return false;
  }
  if (item == kBubble || item == kAwaitReplies) {
    backend.stream.pop();
    move(backend, BackendCause::kOrder);
    return true;
  }
  if (item == kWaveItem) {
    if (!parameters_.ideal && !network_.send_wave(number, now_)) {
      backend.spend(BackendCause::kNetwork);
      return false;
    }
    backend.stream.pop();
    move(backend, BackendCause::kOrder);
    return true;
  }
  const bool wants_reply = (item & kWantsReply) != 0;
  const auto slot = static_cast<std::uint32_t>(backend.slot_of(backend.time));
  if (prefix) backend.prefix_of[slot] = static_cast<std::uint32_t>(backend.prefix_next);
  ReferenceNetwork::Times times{now_, now_};
  if (!parameters_.ideal) {
    times = network_.send(number, item, slot, now_);
    if (times.served == ReferenceNetwork::kRefused) {
      backend.spend(BackendCause::kNetwork);
      return false;
    }
  }
  if (prefix) ++backend.prefix_next;
  if (times.served == ReferenceNetwork::kLater) {
    backend.ring[slot] = wants_reply ? kUnknownTime : Cycle(0);
    if (wants_reply) ++backend.outstanding;
  } else {
    served(number, slot, times.served);
    backend.ring[slot] = times.back;
    last_back_ = std::max(last_back_, times.back);
  }
  if (wants_reply && orders_prefix(work.operation())) {
    backend.last_load = backend.time;
    work.flow->scratchpad_ready[number - work.first_backend] =
        backend.time + parameters_.back.memory_segment + Cycle(1);
  }
  backend.stream.pop();
  move(backend, backend.cause_of_item());
  return true;
}

void Processor::note_idle(Backend& backend, const Work& work, std::uint64_t fibers,
                          std::uint64_t masked) {
  if (work.line->splits) {
    backend.idle_in_stream.moving += fibers;
    line_idle_[line_of(work)] += fibers;
  }
  backend.idle_in_stream.masked += masked;
  line_idle_[line_of(work)] += masked;
}

void Processor::execute_more(Backend& backend, Step& step, Work& work, std::uint64_t left) {
  const Word more = std::min<Word>(FiberExecutor::kBatch, left);
  executing_ = &work;
  std::uint64_t& executed = step.executed[backend.unit.backend];
  line_fibers_[line_of(work)] += more;
  const std::uint64_t masked =
      executor_.execute(work, backend.unit, executed, more, backend.stream);
  note_idle(backend, work, more, masked);
  executing_ = nullptr;
  executed += more;
}

}  // namespace raddle::machine::tpa
