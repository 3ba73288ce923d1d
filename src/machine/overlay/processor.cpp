#include "machine/overlay/processor.h"

#include <algorithm>
#include <bit>

#include "machine/overlay/evaluator.h"
#include "machine/overlay/slave_interface.h"

namespace raddle::machine::overlay {
namespace {

constexpr Cycle kPeriod{4};
// Which operand the register file reads in each cycle of a period.
constexpr Cycle kAluSlot{0}, kTexSlot{3};
constexpr Cycle kOperandReads{3};
constexpr Cycle kWatchInterval{4096};

}  // namespace

Processor::Processor(const OverlayParameters& parameters, const Configuration& configuration,
                     HostMemory memory, bool square_batches, Schedule* schedule)
    : parameters_(parameters),
      configuration_(configuration),
      memory_(memory),
      schedule_(schedule),
      code_(configuration),
      link_(parameters),
      generator_(configuration.domain, square_batches),
      registers_(std::size_t{parameters.batches} * configuration.shader.temporaries * 4),
      contexts_(parameters.batches),
      alu_selector_(parameters.batches),
      tex_selector_(parameters.batches),
      flow_selector_(parameters.batches),
      wheel_(kWheel),
      alu_writes_(kWheel, kNobody),
      issues_(kWheel, kNobody),
      // Every outstanding texel and every context's coordinates.
      write_queue_(parameters.link.outstanding_reads + parameters.tex_fifo + parameters.batches),
      free_contexts_(parameters.batches) {
  const std::size_t size = std::size_t{configuration.shader.temporaries} * 4;
  for (unsigned batch = 0; batch < parameters.batches; ++batch) {
    contexts_[batch].state.registers = registers_.data() + batch * size;
    contexts_[batch].state.register_count = configuration.shader.temporaries;
    free_contexts_.push(static_cast<std::uint8_t>(batch));
  }
  counts_.instructions.resize(code_.size());
  for (const SamplerRegister& sampler : configuration.samplers) {
    if (sampler.bound && sampler.filter == Filter::kBilinear) texels_per_thread_ = 4;
  }
}

// The host writes the configuration and then starts the program; periods begin after that. False:
// the run ends before.
bool Processor::configure(const RunOptions& options) {
  const SlaveWrites writes = slave_writes(configuration_);
  counts_.configuration_bytes = writes.bytes();
  const Cycle arrived = link_.receive(writes.bytes(), writes.packets());
  const Cycle started = (arrived + kPeriod - Cycle(1)) / kPeriod * kPeriod;
  const bool is_too_long = started > options.cycle_limit;
  cycle_ = is_too_long ? options.cycle_limit : started;
  counts_.configuration_cycles = cycle_;
  counts_.slots.add(SlotCause::kConfiguration, cycle_ * parameters_.batches);
  count_cycles();
  note(ScheduleEvent::Kind::kStart, cycle_, 0);
  if (options.sample) options.sample(cycle_);
  return !is_too_long;
}

void Processor::note(ScheduleEvent::Kind kind, Cycle cycle, unsigned batch, unsigned thread,
                     unsigned instruction) {
  if (schedule_ == nullptr) return;
  schedule_->push_back({cycle, kind, static_cast<std::uint8_t>(batch),
                        static_cast<std::uint8_t>(thread),
                        static_cast<std::uint16_t>(instruction)});
}

void Processor::fail(std::string message, std::size_t instruction) {
  if (!fault_) fault_ = ProcessorFault{std::move(message), instruction};
}

// --- the next instruction of a batch ---------------------------------------------------------------

void Processor::look_at_next(unsigned batch) {
  const BatchMask bit = bit_of(batch);
  next_alu_ &= ~bit;
  next_tex_ &= ~bit;
  next_flow_ &= ~bit;
  switch (code_.type(contexts_[batch].address)) {
    case InstructionType::kAlu:
    case InstructionType::kOut: next_alu_ |= bit; break;
    case InstructionType::kTex: next_tex_ |= bit; break;
    case InstructionType::kFlow: next_flow_ |= bit; break;
  }
  update_semaphore(batch);
}

// A TEX that waits looks at acquired semaphores only, everything else at all texels of the batch.
void Processor::update_semaphore(unsigned batch) {
  const Context& context = contexts_[batch];
  const BatchMask bit = bit_of(batch);
  semaphore_ &= ~bit;
  if ((occupied_ & bit) == 0) return;
  const Instruction& word = code_.word(context.address);
  if (!word.texture_wait) return;
  const unsigned texels =
      word.type == InstructionType::kTex ? context.acquired : context.outstanding;
  if (texels > 0) semaphore_ |= bit;
}

// Goes on after the instruction that issued, or ends the batch.
void Processor::advance(unsigned batch, std::uint16_t next) {
  Context& context = contexts_[batch];
  const bool is_end = context.address == configuration_.shader.end || next >= code_.size();
  context.address = next;
  if (!is_end) return look_at_next(batch);
  const BatchMask bit = bit_of(batch);
  occupied_ &= ~bit;
  next_alu_ &= ~bit;
  next_tex_ &= ~bit;
  next_flow_ &= ~bit;
  semaphore_ &= ~bit;
  context.ended = true;
  if ((in_flight_ & bit) == 0) ended_ |= bit;
}

// --- issue -----------------------------------------------------------------------------------------

void Processor::issue_alu(unsigned batch) {
  Context& context = contexts_[batch];
  const std::uint16_t at = context.address;
  context.result = code_.alu(at).execute(context.state, code_.constants(), parameters_.floats);
  context.in_flight = at;
  in_flight_ |= bit_of(batch);
  InstructionCount& count = counts_.instructions[at];
  ++count.batches;
  count.threads += thread_count(context.state.flow.active);
  // Thread n enters n cycles after the last operand was read.
  const Cycle written =
      cycle_ + kOperandReads + Cycle(kBatchThreads - 1) + parameters_.datapath_stages;
  alu_writes_[place_of(written)] = static_cast<std::uint8_t>(batch);
  due_.add(written);
  if (counts_.first_alu_thread == Cycle(0))
    counts_.first_alu_thread = cycle_ % kPeriod + kOperandReads;
  if (schedule_ != nullptr) {
    note(ScheduleEvent::Kind::kReadA, cycle_, batch, 0, at);
    note(ScheduleEvent::Kind::kReadB, cycle_ + Cycle(1), batch, 0, at);
    note(ScheduleEvent::Kind::kReadC, cycle_ + Cycle(2), batch, 0, at);
    for (unsigned thread = 0; thread < kBatchThreads; ++thread) {
      note(ScheduleEvent::Kind::kAluReady, cycle_ + kOperandReads + Cycle(thread), batch, thread,
           at);
    }
  }
  advance(batch, static_cast<std::uint16_t>(at + 1));
  const bool may_overtake =
      (next_flow_ & bit_of(batch)) != 0 && !code_.word(context.address).alu_wait;
  if (may_overtake) wake_at(batch, cycle_ + Cycle(1));
}

void Processor::issue_tex(unsigned batch) {
  Context& context = contexts_[batch];
  const std::uint16_t at = context.address;
  const TexCode& tex = code_.tex(at);
  InstructionCount& count = counts_.instructions[at];
  ++count.batches;
  ++counts_.tex_issued;
  count.threads += thread_count(context.state.flow.active);
  note(ScheduleEvent::Kind::kReadTex, cycle_, batch, 0, at);
  if (counts_.first_tex_thread == Cycle(0)) counts_.first_tex_thread = cycle_ % kPeriod + Cycle(1);
  if (tex.kills()) tex.kill(context.state);
  const TexRequest request = tex.request(context.state);
  if (request.outside != 0) {
    fail(outside_text(configuration_, tex, code_.word(at), context.state, request.outside), at);
  }
  const auto threads = static_cast<ThreadMask>(request.threads & ~request.outside);
  const Cycle address_cycles =
      parameters_.tex_address_cycles + (tex.divides() ? parameters_.tex_divide_cycles : Cycle(0));
  for (unsigned thread = 0; thread < kBatchThreads; ++thread) {
    const Cycle ready = cycle_ + Cycle(1 + thread);
    note(ScheduleEvent::Kind::kTexReady, ready, batch, thread, at);
    if (((threads >> thread) & 1U) == 0) continue;
    const bool is_last = threads >> (thread + 1) == 0;
    for (unsigned i = 0; i < tex.reads(); ++i) {
      const TexelShare& share = request.shares[thread][i];
      // One a cycle and in order, so a TEX after one that divides waits for it.
      last_texel_request_ = std::max(last_texel_request_ + Cycle(1), ready + address_cycles);
      link_.read({share.address, at, request.destination, static_cast<std::uint8_t>(batch),
                  static_cast<std::uint8_t>(thread), share.weight, i == 0, share.is_border,
                  is_last && i + 1 == tex.reads()},
                 last_texel_request_);
    }
  }
  const auto texels = static_cast<std::uint16_t>(thread_count(threads));
  context.outstanding = static_cast<std::uint16_t>(context.outstanding + texels);
  if (code_.word(at).tex.acquire) {
    context.acquired = static_cast<std::uint16_t>(context.acquired + texels);
  }
  counts_.texels += texels * tex.reads();
  advance(batch, static_cast<std::uint16_t>(at + 1));
  if (!context.ended) ready_ |= bit_of(batch);
}

void Processor::issue_flow(unsigned batch) {
  Context& context = contexts_[batch];
  const std::uint16_t at = context.address;
  InstructionCount& count = counts_.instructions[at];
  ++count.batches;
  ++counts_.flow_issued[(cycle_ % kPeriod).count()];
  ++counts_.branches;
  count.threads += thread_count(context.state.flow.active);
  note(ScheduleEvent::Kind::kFlow, cycle_, batch, 0, at);
  const FlowOutcome outcome = execute_flow(code_.word(at), at, context.state, configuration_.loops,
                                           configuration_.booleans, parameters_.limits);
  if (outcome.divergent) ++counts_.divergent_branches;
  if (outcome.fault != FlowFault::kNone) fail(fault_text(outcome.fault), at);
  advance(batch, outcome.next);
  if (context.ended) return;
  const bool may_overtake =
      (next_flow_ & bit_of(batch)) != 0 && !code_.word(context.address).alu_wait;
  if ((in_flight_ & bit_of(batch)) == 0 || may_overtake) wake_at(batch, cycle_ + Cycle(1));
}

void Processor::issue() {
  std::uint8_t& slot = issues_[place_of(cycle_)];
  if (slot == kNobody) return;
  const unsigned batch = slot;
  slot = kNobody;
  const Cycle in_period = cycle_ % kPeriod;
  if (in_period == kAluSlot) return issue_alu(batch);
  if (in_period == kTexSlot) return issue_tex(batch);
  issue_flow(batch);
}

// --- selection -------------------------------------------------------------------------------------

void Processor::count_idle(std::uint64_t slots) {
  const auto semwait = static_cast<unsigned>(std::popcount(next_alu_ & semaphore_));
  const auto inside = static_cast<unsigned>(std::popcount(next_alu_ & ~semaphore_ & in_flight_));
  counts_.slots.add(SlotCause::kSemwait, kPeriod * slots * semwait);
  counts_.slots.add(SlotCause::kInsideAlu, kPeriod * slots * inside);
  counts_.slots.add(SlotCause::kNotAlu, kPeriod * slots * (parameters_.batches - semwait - inside));
  counts_.alu_slots += slots;
  counts_.occupied += slots * resident_;
  if (counts_by_instruction_) count_idle_by_instruction(slots);
}

// The same by what each batch would execute next.
void Processor::count_idle_by_instruction(std::uint64_t slots) {
  for (BatchMask left = occupied_; left != 0; left &= left - 1) {
    const auto batch = static_cast<unsigned>(std::countr_zero(left));
    const BatchMask bit = bit_of(batch);
    SlotCause cause = SlotCause::kNotAlu;
    if ((next_alu_ & semaphore_ & bit) != 0) {
      cause = SlotCause::kSemwait;
    } else if ((next_alu_ & in_flight_ & bit) != 0) {
      cause = SlotCause::kInsideAlu;
    }
    counts_.instructions[contexts_[batch].address].idle.add(cause, kPeriod * slots);
  }
}

void Processor::select_alu() {
  const int batch = alu_selector_.select(ready_ & next_alu_ & ~semaphore_);
  if (batch == BatchSelector::kNone) return count_idle(1);
  ++counts_.alu_slots;
  ++counts_.alu_issued;
  counts_.slots.add(SlotCause::kIssued, kPeriod * parameters_.batches);
  counts_.occupied += resident_;
  ready_ &= ~bit_of(static_cast<unsigned>(batch));
  issue_at(static_cast<unsigned>(batch), cycle_ + parameters_.issue_cycles);
}

// The logic works for one kind of instruction in each cycle: the kind that the register file's
// schedule has room for once the batch has been selected and its instruction fetched.
void Processor::select() {
  const Cycle slot = (cycle_ + parameters_.issue_cycles) % kPeriod;
  if (slot == kAluSlot) return select_alu();
  const bool is_tex = slot == kTexSlot;
  const BatchMask candidates = ready_ & (is_tex ? next_tex_ : next_flow_) & ~semaphore_;
  if (candidates == 0) return;
  // Requests of batches that are on their way need room, too.
  if (is_tex && link_.read_room() <
                    kBatchThreads * texels_per_thread_ * (1 + parameters_.issue_cycles / kPeriod))
    return;
  const int batch = (is_tex ? tex_selector_ : flow_selector_).select(candidates);
  ready_ &= ~bit_of(static_cast<unsigned>(batch));
  issue_at(static_cast<unsigned>(batch), cycle_ + parameters_.issue_cycles);
}

// --- time ------------------------------------------------------------------------------------------

void Processor::step() {
  BatchMask& waking = wheel_[place_of(cycle_)];
  ready_ |= waking & occupied_;
  waking = 0;
  due_.remove(cycle_);
  gather_texels();
  link_.advance(cycle_);
  give_coordinates();
  write_registers();
  issue();
  if (ended_ != 0) retire();
  select();
  ++cycle_;
}

// Nothing can happen before the next event of the wheel or the link.
bool Processor::is_quiet() const {
  return write_queue_.empty() && ended_ == 0 && (ready_ & ~semaphore_) == 0 &&
         (free_contexts_.empty() || next_coordinates_ == sim::kNever);
}

// Goes to the next cycle in which something happens; the slots until then are idle for the same
// causes.
void Processor::skip_idle() {
  if (!is_quiet()) return;
  const Cycle link = link_.next_event(cycle_ - Cycle(1));
  const bool has_batches = (in_flight_ | occupied_) != 0;
  // After the last batch only the link has something to do.
  if (!has_batches && link == sim::kNever) return;
  Cycle farthest = std::min(link, next_stop_);
  if (has_batches) farthest = std::min(farthest, cycle_ + Cycle(kWheel - 1));
  const Cycle next = due_.next(cycle_, farthest);
  if (next <= cycle_) return;
  // ALU slots are selected for in every fourth cycle.
  const Cycle phase = (kPeriod - parameters_.issue_cycles % kPeriod) % kPeriod;
  const auto slots_before = [&](Cycle cycle) {
    return (cycle + kPeriod - Cycle(1) - phase) / kPeriod;
  };
  const std::uint64_t slots = slots_before(next) - slots_before(cycle_);
  if (slots > 0) count_idle(slots);
  cycle_ = next;
}

// Whole periods, so that slots and cycles agree.
void Processor::count_cycles() {
  counts_.cycles = counts_.configuration_cycles + counts_.alu_slots * kPeriod;
}

bool Processor::run(const RunOptions& options) {
  counts_by_instruction_ = options.counts_idle_by_instruction;
  if (!configure(options)) return false;
  try {
    if (run_to_limit(options)) {
      count_cycles();
      return true;
    }
  } catch (...) {
    count_cycles();
    throw;
  }
  counts_.cycles = options.cycle_limit;
  // The limit may lie within a period, of which all slots or none have been counted.
  const Cycle passed = options.cycle_limit * parameters_.batches;
  const Cycle counted = counts_.slots.sum();
  if (counted > passed) {
    counts_.slots.take_back(SlotCause::kSemwait, counted - passed);
  } else {
    counts_.slots.add(SlotAccount::remainder(), passed - counted);
  }
  return false;
}

bool Processor::run_to_limit(const RunOptions& options) {
  const std::uint64_t batches = generator_.batches();
  Cycle next_look = cycle_ + kWatchInterval;
  Cycle next_sample = sim::kNever;
  if (options.sample_cycles != Cycle(0)) {
    next_sample = (cycle_ / options.sample_cycles + 1) * options.sample_cycles;
  }
  next_stop_ = std::min({next_look, next_sample, options.cycle_limit});
  while (cycle_ < options.cycle_limit) {
    step();
    if (fault_) return true;
    // The run lasts until the last posted write has left, and whole periods.
    if (batches_done_ == batches && cycle_ % kPeriod == Cycle(0) && link_.is_idle(cycle_))
      return true;
    skip_idle();
    if (cycle_ < next_stop_) continue;
    if (cycle_ >= next_sample) {
      options.sample(cycle_);
      next_sample += options.sample_cycles;
    }
    if (cycle_ >= next_look) {
      next_look = cycle_ + kWatchInterval;
      if (options.look) options.look(cycle_, batches_done_);
    }
    next_stop_ = std::min({next_look, next_sample, options.cycle_limit});
  }
  return false;
}

}  // namespace raddle::machine::overlay
