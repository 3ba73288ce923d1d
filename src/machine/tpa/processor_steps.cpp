// What is executed: flows make steps, steps are brought to their end.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "machine/tpa/processor.h"

namespace raddle::machine::tpa {

using kernel::exec::FaultKind;

void Processor::start_flow(Flow* parent, std::uint32_t line, Word thickness,
                           const std::array<Word, kFrontRegisters>& registers) {
  const auto fewest = std::ranges::min_element(
      flows_, [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const auto frontend = static_cast<std::uint32_t>(fewest - flows_.begin());
  if (free_ids_[frontend].empty())
    throw MachineFault{FaultKind::kTrap,
                       fmt::format("more than {} flows at once, those that wait for others "
                                   "included: the TCF buffers are full (frontend.flows)",
                                   parameters_.front.flows * parameters_.front.count)};
  auto flow = std::make_unique<Flow>();
  flow->id = free_ids_[frontend].back();
  free_ids_[frontend].pop_back();
  flow->frontend = frontend;
  flow->pc = line;
  flow->parent = parent;
  if (parent != nullptr) {
    ++parent->children;
    flow->fiber_registers = parent->fiber_registers;
  }
  flow->registers = registers;
  flow->registers[kFlowRegister] = flow->id;
  flow->registers[kThicknessRegister] = thickness;
  const std::uint32_t backends = parameters_.backends_of_frontend();
  flow->blocks.resize(backends);
  flow->masked.resize(backends);
  flow->hazards.resize(backends);
  flow->scratchpad_ready.resize(backends);
  flows_[frontend].push_back(std::move(flow));
  most_flows_ = std::max(most_flows_, flows_alive());
}

// Its number is free again; itself lives as long as the step that refers to it.
void Processor::end_flow(std::unique_ptr<Flow> flow, Step& step) {
  if (flow->parent != nullptr) --flow->parent->children;
  for (auto& buffer : flows_) {
    for (auto& other : buffer)
      if (other != nullptr && other->parent == flow.get()) other->parent = nullptr;
  }
  free_ids_[flow->frontend].push_back(flow->id);
  step.ended.push_back(std::move(flow));
}

// One instruction of every flow that has one.
void Processor::run_flows(Step& step) {
  bool ran = false;
  bool switched = false;
  struct Birth {
    Flow* parent;
    FrontOutcome::Fork fork;
    Place place;
  };
  std::vector<Birth> births;
  bool halted = false;
  for (std::uint32_t f = 0; f < frontends_.size() && !halted; ++f) {
    Frontend& frontend = frontends_[f];
    frontend.set_waves(total_waves_);
    bool first = true;
    for (std::size_t i = 0; i < flows_[f].size() && !halted; ++i) {
      Flow& flow = *flows_[f][i];
      if (flow.joining && flow.children != 0) continue;
      flow.joining = false;
      ran = true;
      if (!first) frontend.switch_flow();
      first = false;
      running_frontend_ = f;
      FrontOutcome outcome =
          frontend.run(flow, next_work_, limit_, [this](Cycle cycles) { look_(cycles, steps_); });
      running_frontend_ = ~std::uint32_t{0};
      switched = switched || outcome.end == FlowEnd::kSwitched;
      for (const FrontOutcome::Store& store : outcome.stores) step.stores.push_back(store);
      for (const FrontOutcome::Fork& fork : outcome.forks)
        births.push_back({&flow, fork, outcome.line != nullptr ? outcome.line->place : Place{}});
      if (outcome.work != nullptr) step.works.push_back(std::move(outcome.work));
      halted = outcome.end == FlowEnd::kHalted;
      if (outcome.end == FlowEnd::kEnded) flow.pc = static_cast<std::uint32_t>(lines_.size() + 1);
    }
  }
  for (Birth& birth : births) {
    if (halted) break;
    fork_place_ = birth.place;
    start_flow(birth.parent, birth.fork.line, birth.fork.thickness, *birth.fork.registers);
  }
  fork_place_ = {};
  for (auto& buffer : flows_) {
    for (std::size_t i = 0; i < buffer.size();) {
      const bool ends = halted || buffer[i]->pc > lines_.size();
      if (!ends) {
        ++i;
        continue;
      }
      std::unique_ptr<Flow> flow = std::move(buffer[i]);
      buffer.erase(buffer.begin() + static_cast<std::ptrdiff_t>(i));
      end_flow(std::move(flow), step);
    }
  }
  step.counts = switched || !step.works.empty();
  const bool alive =
      std::ranges::any_of(flows_, [](const auto& buffer) { return !buffer.empty(); });
  program_over_ = !alive;
  if (!ran && alive)
    throw MachineFault{FaultKind::kDeadlock, "every flow waits for another to end"};
}

bool Processor::make_step() {
  if (program_over_) return false;
  if (!pending_.empty() && !pending_.back()->finished) {
    Step& before = *pending_.back();
    if (before.fast_prefix) {
      const bool answered =
          before.issued_by == backends_.size() && last_back_ <= now_ &&
          std::ranges::all_of(backends_, [](const Backend& b) { return b.outstanding == 0; });
      if (!answered) return false;
    }
    finish_step(before);
    forget_done_steps();
  }
  while (!program_over_) {
    auto step = std::make_unique<Step>();
    step->number = made_;
    run_flows(*step);
    if (!step->counts) {
      // The frontends alone have worked, and the writes are theirs.
      for (const FrontOutcome::Store& store : step->stores) shared_.at(store.address) = store.value;
      retire(*step);
      continue;
    }
    ++made_;
    ++steps_;
    // First where it stays: what faults while it is prepared is looked at afterwards.
    pending_.push_back(std::move(step));
    prepare(*pending_.back());
    return true;
  }
  return false;
}

std::uint64_t Processor::order_waves(const Work& work) const {
  if (!work.has_memory() || !orders_prefix(work.operation()) || parameters_.ideal) return 0;
  if (work.operation() == MemoryOperation::kOrderLogarithmic)
    return static_cast<std::uint64_t>(std::bit_width(work.backends - 1));
  return work.backends;
}

// Of one backend, for the work's flow.
std::uint64_t Processor::most_entries(const Work& work) {
  std::uint64_t most = 0;
  for (std::uint32_t b = 0; b < work.backends; ++b) {
    const FlowEntries& own = backends_[work.first_backend + b].unit.scratchpad.of(work.flow->id);
    most = std::max<std::uint64_t>(most, own.entries.size() - own.free.size());
  }
  return most;
}

void Processor::prepare(Step& step) {
  step.whole = step.works.size() > 1;
  log_.start_step(step.whole);
  for (Backend& backend : backends_) {
    backend.unit.step_cache.start_step();
    backend.prefix_next = 0;
  }
  step.available.assign(step.works.size(), kUnknownTime);
  step.taken_by.assign(step.works.size(), 0);
  step.executed.assign(backends_.size(), 0);
  step.items.resize(step.works.size());
  std::uint64_t fibers = 0;
  std::vector<std::uint64_t> entries(step.works.size());
  for (std::size_t w = 0; w < step.works.size(); ++w) {
    Work& work = *step.works[w];
    executing_ = &work;
    unsent_[work.number] = {&step, w};
    ++line_runs_[line_of(work)];
    fibers += work.thickness;
    if (!work.has_memory()) {
      if (step.whole)
        for (Backend& backend : backends_) execute_all(step, w, backend);
      continue;
    }
    const MemoryOperation operation = work.operation();
    if (needs_scratchpad(operation)) entries[w] = most_entries(work);
    step.fast_prefix = step.fast_prefix || operation == MemoryOperation::kPrefix;
    total_waves_ += order_waves(work);
    if (!sends_entries(operation)) {
      if (step.whole)
        for (Backend& backend : backends_) execute_all(step, w, backend);
      continue;
    }
    step.items[w].assign(backends_.size(), 0);
    for (std::uint32_t b = 0; b < work.backends; ++b) {
      Backend& backend = backends_[work.first_backend + b];
      const std::size_t before = backend.stream.size();
      if (operation == MemoryOperation::kEndMulti) {
        memory_stage_.send_entries(backend.unit, work, backend.stream);
      } else {
        order_stream(work, work.first_backend + b, entries[w]);
      }
      step.items[w][backend.unit.backend] = backend.stream.size() - before;
    }
  }
  executing_ = nullptr;
  if (trace_ != nullptr) trace_->flows(flows_alive(), now_);
  fast_prefix_ = fast_prefix_ || step.fast_prefix;
  if (!parameters_.ideal) ++total_waves_;
  step.waves = total_waves_;
  if (!parameters_.ideal) {
    for (std::size_t w = 0; w < step.works.size(); ++w)
      if (step.works[w]->has_memory()) techniques_.add(*step.works[w], step.waves, entries[w]);
  }
  step.prepared = true;
  records_.push_back(
      {now_, now_, fibers, step.works.empty() ? Place{} : step.works.front()->line->place});
}

// The items by which a backend takes its place among the others.
void Processor::order_stream(const Work& work, std::uint32_t number, std::uint64_t most) {
  Backend& backend = backends_[number];
  IssueStream& stream = backend.stream;
  const std::uint32_t own = number - work.first_backend;
  const auto entries = [&](bool wants_reply) {
    memory_stage_.entry_items(backend.unit, work, wants_reply, stream);
  };
  switch (work.operation()) {
    case MemoryOperation::kOrderPrefix:
      // Paper §4: i synchronisations before the references of backend i, B - i after them.
      stream.push(kWaveItem, own);
      entries(true);
      stream.push(kWaveItem, work.backends - own);
      return;
    case MemoryOperation::kOrderBalanced:
      for (std::uint32_t turn = 0; turn < work.backends; ++turn) {
        if (turn == own) {
          const std::size_t before = stream.size();
          entries(true);
          stream.push(kBubble, most - (stream.size() - before));
        } else {
          stream.push(kBubble, most);
        }
        stream.push(kWaveItem);
      }
      return;
    default: break;
  }
  // Logarithmic: at level k a backend publishes what its window of 2^k backends brought and reads
  // the window before it. The mailboxes lie at the upper end of shared memory.
  const FlowEntries& held = backend.unit.scratchpad.of(work.flow->id);
  const std::uint64_t count = held.entries.size() - held.free.size();
  const std::uint32_t levels = static_cast<std::uint32_t>(std::bit_width(work.backends - 1));
  const std::uint64_t room = parameters_.scratchpad_entries;
  const auto mailbox = [&](std::uint32_t level, std::uint32_t owner, bool reads) {
    const std::uint64_t last = shared_.words() - 1;
    for (std::uint64_t m = 0; m < count; ++m) {
      const std::uint64_t place = (std::uint64_t{level} * work.backends + owner) * room + m;
      stream.push(memory_stage_.item_of((last - place % last) * kWordBytes, reads));
    }
  };
  entries(true);  // what the targets hold
  for (std::uint32_t level = 0; level < levels; ++level) {
    mailbox(level, own, false);
    stream.push(kWaveItem);
    if (own >= 1U << level) mailbox(level, own - (1U << level), true);
    stream.push(kAwaitReplies);
  }
  if (own + 1 == work.backends) entries(false);
}

void Processor::execute_all(Step& step, std::size_t w, Backend& backend) {
  Work& work = *step.works[w];
  if (!work.uses(backend.unit.backend)) return;
  const Word count = work.fibers_of(backend.unit.backend).count;
  std::uint64_t done = step.whole ? 0 : step.executed[backend.unit.backend];
  executing_ = &work;
  if (done < count) {
    line_fibers_[line_of(work)] += count - done;
    note_idle(backend, work, count - done,
              executor_.execute(work, backend.unit, done, count - done, backend.stream));
  }
  executing_ = nullptr;
  step.executed[backend.unit.backend] = count;
}

void Processor::finish_step(Step& step) {
  if (!step.whole && step.works.size() == 1) {
    const Work& work = *step.works.front();
    if (!work.has_memory() || !sends_entries(work.operation()))
      for (Backend& backend : backends_) execute_all(step, 0, backend);
  }
  if (step.fast_prefix) {
    answer_prefixes();
    for (Backend& backend : backends_) {
      std::size_t base = 0;
      for (const auto& work : step.works) {
        if (!work->has_memory() || work->operation() != MemoryOperation::kPrefix ||
            !work->uses(backend.unit.backend))
          continue;
        executing_ = work.get();
        executor_.finish_prefixes(*work, backend.unit, base);
        base += work->fibers_of(backend.unit.backend).count;
      }
      backend.unit.pending = {};
      std::ranges::fill(backend.prefix_of, Backend::kNoPrefix);
    }
    executing_ = nullptr;
    fast_prefix_ = false;
  }
  log_.finish_step();
  for (const auto& work : step.works) finish_work(*work);
  for (const FrontOutcome::Store& store : step.stores) shared_.at(store.address) = store.value;
  retire(step);
  std::uint64_t words = 0;
  for (const auto& buffer : flows_) {
    for (const auto& flow : buffer)
      for (const ZeroedWords& block : flow->blocks) words += block.size();
  }
  most_register_words_ = std::max(most_register_words_, words);
  step.finished = true;
}

// Flows that have ended leave their scratchpad entries at once; backends that are behind may still
// look at their registers' hazards.
void Processor::retire(Step& step) {
  for (auto& flow : step.ended) {
    for (Backend& backend : backends_)
      backend.unit.scratchpad.release(backend.unit.scratchpad.of(flow->id));
    flow->blocks.clear();
    retired_.push_back({made_, std::move(flow)});
  }
  step.ended.clear();
}

// What comes after all fibers of an instruction.
void Processor::finish_work(Work& work) {
  if (work.line->reply && work.thickness != 0)
    work.flow->returned.push_back({work.reply, work.number, work.first_backend});
  if (!work.has_memory()) return;
  const MemoryOperation operation = work.operation();
  for (std::uint32_t b = 0; b < work.backends; ++b) {
    MemoryUnit& unit = backends_[work.first_backend + b].unit;
    FlowEntries& entries = unit.scratchpad.of(work.flow->id);
    if (orders_prefix(operation)) {
      memory_stage_.order_entries(unit, work);
    } else if (operation == MemoryOperation::kBackendFrontend) {
      const Word total = entries.entries.empty() ? identity_of(work.line->memory->op)
                                                 : entries.entries.front().data;
      work.flow->returned.push_back({total, work.number, unit.backend});
      unit.scratchpad.release(entries);
    } else if (ends_prefix(operation) || operation == MemoryOperation::kEndSymmetric) {
      unit.scratchpad.release(entries);
    }
  }
}

}  // namespace raddle::machine::tpa
