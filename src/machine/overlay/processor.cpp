#include "machine/overlay/processor.h"

#include <algorithm>
#include <bit>

#include "machine/overlay/evaluator.h"

namespace raddle::machine::overlay {
namespace {

constexpr std::uint64_t kPeriod = 4;
// Which operand the register file reads in each cycle of a period.
constexpr std::uint64_t kAluSlot = 0, kTexSlot = 3;
constexpr std::uint64_t kOperandReads = 3;
constexpr std::uint64_t kWatchInterval = 4096;

}  // namespace

Processor::Processor(const OverlayParameters& parameters, const Configuration& configuration,
                     HostMemory memory, Schedule* schedule)
    : parameters_(parameters),
      configuration_(configuration),
      memory_(memory),
      schedule_(schedule),
      code_(configuration),
      link_(parameters),
      generator_(configuration.domain, parameters.squares),
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
  configure();
}

// The host writes instructions, constants and registers over the slave interface before it starts
// the program (Section 5.1): a packet for each.
void Processor::configure() {
  const Shader& shader = configuration_.shader;
  std::uint64_t registers = 3 + 4;  // program bounds and mode, start; the domain
  registers += std::popcount(code_.outputs()) * 2U + shader.loops.size() + 1;
  for (const SamplerRegister& sampler : configuration_.samplers) registers += sampler.bound ? 3 : 0;
  std::uint64_t constants = 0;
  for (const Float4& constant : configuration_.constants) constants += constant == Float4{} ? 0 : 1;
  counts_.configuration_bytes = shader.code.size() * 24 + constants * 16 + registers * 4;
  counts_.configuration_cycles = link_.transfer_cycles(counts_.configuration_bytes,
                                                       shader.code.size() + constants + registers);
}

void Processor::note(ScheduleEvent::Kind kind, std::uint64_t cycle, unsigned batch, unsigned thread,
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

// Goes on behind the instruction that issued, or ends the batch.
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
  count.threads += static_cast<unsigned>(std::popcount(context.state.flow.active));
  // Thread n enters n cycles after the last operand was read.
  const std::uint64_t written =
      cycle_ + kOperandReads + (kBatchThreads - 1) + parameters_.datapath_stages;
  alu_writes_[written % kWheel] = static_cast<std::uint8_t>(batch);
  if (counts_.first_alu_thread == 0) counts_.first_alu_thread = cycle_ % kPeriod + kOperandReads;
  if (schedule_ != nullptr) {
    note(ScheduleEvent::Kind::kReadA, cycle_, batch, 0, at);
    note(ScheduleEvent::Kind::kReadB, cycle_ + 1, batch, 0, at);
    note(ScheduleEvent::Kind::kReadC, cycle_ + 2, batch, 0, at);
    for (unsigned thread = 0; thread < kBatchThreads; ++thread) {
      note(ScheduleEvent::Kind::kAluReady, cycle_ + kOperandReads + thread, batch, thread, at);
    }
  }
  advance(batch, static_cast<std::uint16_t>(at + 1));
  const bool may_overtake =
      (next_flow_ & bit_of(batch)) != 0 && !code_.word(context.address).alu_wait;
  if (may_overtake) wake_at(batch, cycle_ + 1);
}

void Processor::issue_tex(unsigned batch) {
  Context& context = contexts_[batch];
  const std::uint16_t at = context.address;
  const TexCode& tex = code_.tex(at);
  InstructionCount& count = counts_.instructions[at];
  ++count.batches;
  ++counts_.tex_issued;
  count.threads += static_cast<unsigned>(std::popcount(context.state.flow.active));
  note(ScheduleEvent::Kind::kReadTex, cycle_, batch, 0, at);
  if (counts_.first_tex_thread == 0) counts_.first_tex_thread = cycle_ % kPeriod + 1;
  if (tex.kills()) tex.kill(context.state);
  const TexRequest request = tex.request(context.state);
  if (request.outside != 0) {
    fail(outside_text(configuration_, tex, code_.word(at), context.state, request.outside), at);
  }
  const auto threads = static_cast<ThreadMask>(request.threads & ~request.outside);
  for (unsigned thread = 0; thread < kBatchThreads; ++thread) {
    note(ScheduleEvent::Kind::kTexReady, cycle_ + 1 + thread, batch, thread, at);
    if (((threads >> thread) & 1U) == 0) continue;
    const bool is_last = threads >> (thread + 1) == 0;
    link_.read({request.address[thread], at, request.destination, static_cast<std::uint8_t>(batch),
                static_cast<std::uint8_t>(thread), is_last},
               cycle_ + 1 + thread + parameters_.tex_address_cycles);
  }
  const auto texels = static_cast<std::uint16_t>(std::popcount(threads));
  context.outstanding = static_cast<std::uint16_t>(context.outstanding + texels);
  if (code_.word(at).tex.acquire) {
    context.acquired = static_cast<std::uint16_t>(context.acquired + texels);
  }
  counts_.texels += texels;
  advance(batch, static_cast<std::uint16_t>(at + 1));
  if (!context.ended) ready_ |= bit_of(batch);
}

void Processor::issue_flow(unsigned batch) {
  Context& context = contexts_[batch];
  const std::uint16_t at = context.address;
  InstructionCount& count = counts_.instructions[at];
  ++count.batches;
  ++counts_.flow_issued[cycle_ % kPeriod];
  ++counts_.branches;
  count.threads += static_cast<unsigned>(std::popcount(context.state.flow.active));
  note(ScheduleEvent::Kind::kFlow, cycle_, batch, 0, at);
  const FlowOutcome outcome = execute_flow(code_.word(at), at, context.state, configuration_.loops,
                                           configuration_.booleans, parameters_.limits);
  if (outcome.divergent) ++counts_.divergent_branches;
  if (outcome.fault != FlowFault::kNone) fail(fault_text(outcome.fault), at);
  advance(batch, outcome.next);
  if (context.ended) return;
  const bool may_overtake =
      (next_flow_ & bit_of(batch)) != 0 && !code_.word(context.address).alu_wait;
  if ((in_flight_ & bit_of(batch)) == 0 || may_overtake) wake_at(batch, cycle_ + 1);
}

void Processor::issue() {
  std::uint8_t& slot = issues_[cycle_ % kWheel];
  if (slot == kNobody) return;
  const unsigned batch = slot;
  slot = kNobody;
  --selected_;
  switch (cycle_ % kPeriod) {
    case kAluSlot: return issue_alu(batch);
    case kTexSlot: return issue_tex(batch);
    default: return issue_flow(batch);
  }
}

// --- selection -------------------------------------------------------------------------------------

void Processor::count_idle(std::uint64_t slots) {
  const auto semwait = static_cast<unsigned>(std::popcount(next_alu_ & semaphore_));
  const auto inside = static_cast<unsigned>(std::popcount(next_alu_ & ~semaphore_ & in_flight_));
  counts_.idle[0] += slots * semwait;
  counts_.idle[1] += slots * inside;
  counts_.idle[2] += slots * (parameters_.batches - semwait - inside);
  counts_.alu_slots += slots;
  counts_.occupied += slots * static_cast<unsigned>(std::popcount(occupied_ | ended_ | in_flight_));
}

void Processor::select_alu() {
  const int batch = alu_selector_.select(ready_ & next_alu_ & ~semaphore_);
  if (batch == BatchSelector::kNone) return count_idle(1);
  ++counts_.alu_slots;
  ++counts_.alu_issued;
  counts_.occupied += static_cast<unsigned>(std::popcount(occupied_ | ended_ | in_flight_));
  ready_ &= ~bit_of(static_cast<unsigned>(batch));
  issues_[(cycle_ + parameters_.issue_cycles) % kWheel] = static_cast<std::uint8_t>(batch);
  ++selected_;
}

// The logic works for one kind of instruction in each cycle: the kind that the register file's
// schedule has room for once the batch has been selected and its instruction fetched.
void Processor::select() {
  const std::uint64_t slot = (cycle_ + parameters_.issue_cycles) % kPeriod;
  if (slot == kAluSlot) return select_alu();
  const bool is_tex = slot == kTexSlot;
  const BatchMask candidates = ready_ & (is_tex ? next_tex_ : next_flow_) & ~semaphore_;
  if (candidates == 0) return;
  // Requests of batches that are on their way need room, too.
  if (is_tex && link_.read_room() < kBatchThreads * (1 + parameters_.issue_cycles / kPeriod))
    return;
  const int batch = (is_tex ? tex_selector_ : flow_selector_).select(candidates);
  ready_ &= ~bit_of(static_cast<unsigned>(batch));
  issues_[(cycle_ + parameters_.issue_cycles) % kWheel] = static_cast<std::uint8_t>(batch);
  ++selected_;
}

// --- time ------------------------------------------------------------------------------------------

void Processor::step() {
  BatchMask& waking = wheel_[cycle_ % kWheel];
  ready_ |= waking & occupied_;
  waking = 0;
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
  return selected_ == 0 && write_queue_.empty() && ended_ == 0 && (ready_ & ~semaphore_) == 0 &&
         (free_contexts_.empty() || next_coordinates_ == HyperTransport::kNever);
}

// Goes to the next cycle in which something happens; the slots until then are idle for the same
// causes.
void Processor::skip_idle() {
  if (!is_quiet()) return;
  std::uint64_t next = cycle_;
  if (in_flight_ != 0 || occupied_ != 0) {
    const std::uint64_t link = cycle_ == 0 ? 0 : link_.next_event(cycle_ - 1);
    const std::uint64_t farthest = std::min(link, cycle_ + kWheel - 1);
    while (next < farthest && wheel_[next % kWheel] == 0 && alu_writes_[next % kWheel] == kNobody) {
      ++next;
    }
  } else {
    const std::uint64_t link = link_.next_event(cycle_ == 0 ? 0 : cycle_ - 1);
    next = link == HyperTransport::kNever ? cycle_ : link;
  }
  if (next <= cycle_) return;
  // ALU slots are selected for in every fourth cycle.
  const std::uint64_t phase = (kPeriod - parameters_.issue_cycles % kPeriod) % kPeriod;
  const auto slots_before = [&](std::uint64_t cycle) {
    return (cycle + kPeriod - 1 - phase) / kPeriod;
  };
  const std::uint64_t slots = slots_before(next) - slots_before(cycle_);
  if (slots > 0) count_idle(slots);
  cycle_ = next;
}

bool Processor::run(const MayGoOn& may_go_on, std::uint64_t max_cycles) {
  std::uint64_t next_look = kWatchInterval;
  const std::uint64_t batches = generator_.batches();
  while (!fault_) {
    step();
    // The run lasts until the last posted write has left, and whole periods.
    if (batches_done_ == batches && cycle_ % kPeriod == 0 && link_.is_idle(cycle_)) break;
    skip_idle();
    if (max_cycles != 0 && cycle_ > max_cycles) break;
    if (cycle_ < next_look) continue;
    next_look = cycle_ + kWatchInterval;
    if (may_go_on && !may_go_on(cycle_, batches_done_)) break;
  }
  // Whole periods, so that slots and cycles agree also where the run was stopped.
  counts_.cycles = counts_.alu_slots * kPeriod;
  return !fault_ && batches_done_ == batches;
}

}  // namespace raddle::machine::overlay
