#include "machine/tpa/processor.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace raddle::machine::tpa {

namespace {

constexpr Cycle kForEver = Processor::kUnlimited;

std::vector<DecodedLine> decode_lines(const Program& program, const TpaParameters& parameters) {
  std::vector<DecodedLine> lines;
  for (const Line& line : program.lines) lines.push_back(decode_line(line, parameters));
  return lines;
}

}  // namespace

Processor::Processor(const TpaParameters& parameters, const Program& program)
    : parameters_(parameters),
      lines_(decode_lines(program, parameters)),
      shared_(parameters.memory_bytes),
      local_(parameters.front.memory_bytes),
      log_(shared_, parameters.winner),
      memory_stage_(parameters, shared_, log_),
      executor_(memory_stage_),
      network_(parameters),
      clocks_(parameters.front.count),
      flows_(parameters.front.count),
      free_ids_(parameters.front.count),
      line_fibers_(lines_.size()),
      line_idle_(lines_.size()),
      line_runs_(lines_.size()),
      techniques_(parameters) {
  for (std::uint32_t b = 0; b < parameters.back.count; ++b) backends_.emplace_back(b, parameters);
  for (std::uint32_t f = 0; f < parameters.front.count; ++f) {
    frontends_.emplace_back(f, parameters, lines_, local_, shared_);
    // The lowest number is taken first.
    for (std::uint32_t i = parameters.front.flows; i > 0; --i)
      free_ids_[f].push_back(f * parameters.front.flows + i - 1);
  }
  for (const Symbol& symbol : program.symbols) {
    WordMemory& memory = symbol.space == Space::kShared ? shared_ : local_;
    const Word end = symbol.address + symbol.words * kWordBytes;
    if (end > memory.bytes())
      throw Error(fmt::format("'{}' ends at byte {}, but {} has {} bytes", symbol.name, end,
                              symbol.space == Space::kShared ? "shared memory" : "frontend memory",
                              memory.bytes()),
                  {},
                  symbol.space == Space::kShared ? "raise it with --set memory.bytes=…"
                                                 : "raise it with --set frontend.memory_bytes=…");
    std::ranges::copy(symbol.initial, &memory.at(symbol.address));
  }
  std::array<Word, kFrontRegisters> registers{};
  registers[kMappingRegister] = parameters.back.interleaved ? 1 : 0;
  start_flow(nullptr, 0, 1, registers);
}

Place Processor::fault_place() const {
  if (executing_ != nullptr) return executing_->line->place;
  if (running_frontend_ < frontends_.size() && frontends_[running_frontend_].current() != nullptr)
    return frontends_[running_frontend_].current()->place;
  return fork_place_;
}

// A reference is served. What it does to memory is done already, unless it is a fast multiprefix:
// those are done in the order of service.
void Processor::served(std::uint32_t number, std::uint32_t slot, Cycle time) {
  if (!fast_prefix_) return;
  const std::uint32_t index = backends_[number].prefix_of[slot];
  if (index != Backend::kNoPrefix) served_prefixes_.push_back({time, number, index});
}

// All fast multiprefixes of a step have been served.
void Processor::answer_prefixes() {
  std::ranges::stable_sort(served_prefixes_, {}, &ServedPrefix::time);
  for (const ServedPrefix& prefix : served_prefixes_) {
    PendingPrefixes& pending = backends_[prefix.backend].unit.pending;
    Word& word = shared_.at(pending.addresses[prefix.index]);
    const Word before = word;
    word = applied(pending.ops[prefix.index], before, pending.values[prefix.index]);
    pending.values[prefix.index] = before;
  }
  served_prefixes_.clear();
}

void Processor::tick_network() {
  network_.tick(
      now_, [this](std::uint32_t b, std::uint32_t slot, Cycle time) { served(b, slot, time); },
      [this](std::uint32_t b, std::uint32_t slot, Cycle time) {
        Backend& backend = backends_[b];
        if (backend.ring[slot] != kUnknownTime) return;  // it wants no reply
        backend.ring[slot] = time;
        last_back_ = std::max(last_back_, time);
        --backend.outstanding;
      },
      [this](Cycle time) { waves_.push_back({time, network_.most_served_since_wave()}); });
}

// Goes through what a frontend has done, as far as is known when. Returns false if it has to wait.
bool Processor::advance_one(std::uint32_t f) {
  FrontClock& clock = clocks_[f];
  std::deque<FrontEvent>& events = frontends_[f].events();
  const FrontEvent event = events.front();
  const auto until = [&](Cycle time, FrontCause why) {
    if (time <= clock.time) return;
    front_spent(f, why, time - clock.time);
    clock.time = time;
  };
  switch (event.kind) {
    case FrontEvent::Kind::kCycles: until(clock.time + event.cycles, event.cause); break;
    case FrontEvent::Kind::kSend: {
      // A fault kept its step from being made.
      const auto found = unsent_.find(event.work);
      if (found == unsent_.end()) return false;
      // So many instructions may lie at the backends.
      if (clock.sent >= clock.taken_count + parameters_.spread_queue) return false;
      if (clock.sent >= parameters_.spread_queue) {
        const std::uint64_t first = clock.taken_count - clock.taken.size();
        const std::uint64_t makes_room = clock.sent - parameters_.spread_queue;
        until(clock.taken[makes_room - first], FrontCause::kBackends);
        clock.taken.erase(clock.taken.begin(),
                          clock.taken.begin() + static_cast<std::ptrdiff_t>(makes_room - first));
      }
      ++clock.sent;
      found->second.first->available[found->second.second] = clock.time + parameters_.spread_cycles;
      unsent_.erase(found);
      break;
    }
    case FrontEvent::Kind::kReceive: {
      const auto found = arrivals_.find({event.work, event.backend});
      if (found == arrivals_.end()) return false;
      until(found->second, FrontCause::kReturn);
      arrivals_.erase(found);
      break;
    }
    case FrontEvent::Kind::kAwaitSteps:
      if (waves_done_ < event.work) return false;
      until(now_, FrontCause::kSteps);
      break;
  }
  events.pop_front();
  return true;
}

// Whether any has come further.
bool Processor::advance_frontends() {
  bool moved = false;
  for (std::uint32_t f = 0; f < frontends_.size(); ++f) {
    while (!frontends_[f].events().empty() && advance_one(f)) moved = true;
  }
  return moved;
}

void Processor::forget_done_steps() {
  while (!pending_.empty() && pending_.front()->finished &&
         pending_.front()->issued_by == backends_.size())
    pending_.pop_front();
  const std::uint64_t oldest = pending_.empty() ? made_ : pending_.front()->number;
  while (!retired_.empty() && retired_.front().steps <= oldest) retired_.pop_front();
}

bool Processor::over() const {
  if (!program_over_ || waves_done_ != total_waves_) return false;
  for (const Backend& backend : backends_)
    if (backend.phase != Backend::Phase::kNextStep || backend.step != made_) return false;
  return std::ranges::all_of(frontends_,
                             [](const Frontend& frontend) { return frontend.events().empty(); });
}

// Where nobody can do anything for a while, time goes on at once.
void Processor::skip_idle_time(Cycle until) {
  if (!network_.idle() || now_ >= until) return;
  Cycle cycles = kForEver;
  for (const Backend& backend : backends_) {
    if (backend.sleeps == Cycle(0)) return;
    Cycle own = backend.sleeps;
    if (!backend.returns.empty()) own = std::min(own, backend.returns.front().due - backend.time);
    cycles = std::min(cycles, own);
  }
  if (!waves_.empty()) cycles = std::min(cycles, waves_.front().time - now_ + Cycle(1));
  if (cycles == kForEver || cycles <= Cycle(1)) return;
  cycles = std::min(cycles - Cycle(1), until - now_);
  for (Backend& backend : backends_) {
    backend.spend(backend.cause, cycles);
    backend.time += cycles;
  }
  now_ += cycles;
  network_.forget(now_);
}

void Processor::run(const Look& look, Cycle interval, Cycle limit) {
  look_ = look;
  limit_ = std::min(limit, kUnlimited);
  const Cycle beyond = limit_ + Cycle(1);
  Cycle next_look = std::min(interval, beyond);
  while (true) {
    // With more than kItemsTogether fibers left no run ends before it is beyond its limit.
    while (can_run_together() && now_ + kTogether <= beyond) {
      run_together(std::min(next_look, beyond - kTogether + Cycle(1)));
      if (now_ >= next_look) {
        look(now_, steps_);
        next_look = now_ < beyond ? std::min(now_ + interval, beyond) : now_ + interval;
      }
    }
    for (Backend& backend : backends_) tick(backend);
    if (!parameters_.ideal) tick_network();
    while (!waves_.empty() && waves_.front().time <= now_) {
      if (trace_ != nullptr) trace_->wave(waves_.front().time);
      techniques_.wave_passed(++waves_done_, waves_.front().time, waves_.front().most_served);
      waves_.pop_front();
    }
    ++now_;
    const bool frontends_moved = advance_frontends();
    if (program_over_ && over()) break;
    if (!frontends_moved) skip_idle_time(beyond);
    if (now_ >= next_look) {
      look(now_, steps_);
      next_look = now_ < beyond ? std::min(now_ + interval, beyond) : now_ + interval;
    }
  }
  if (!pending_.empty() && !pending_.back()->finished) finish_step(*pending_.back());
  close_accounts();
  if (end_ >= beyond) look(end_, steps_);
}

void Processor::set_trace(RunTrace* trace) {
  trace_ = trace;
  for (Backend& backend : backends_)
    backend.trace = trace == nullptr ? nullptr : &trace->backend(backend.unit.backend);
}

std::uint64_t Processor::flows_alive() const {
  std::uint64_t alive = 0;
  for (const auto& buffer : flows_) alive += buffer.size();
  return alive;
}

}  // namespace raddle::machine::tpa
