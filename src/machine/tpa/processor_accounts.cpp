// What cycles were spent on: accounts that add up to the cycles of the run, also where it was
// stopped before its end.
#include <algorithm>
#include <array>
#include <numeric>

#include "machine/tpa/processor.h"

namespace raddle::machine::tpa {

namespace {

template <std::size_t N>
std::uint64_t sum_of(const std::array<std::uint64_t, N>& cycles) {
  return std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0});
}

// Takes cycles back, those of the last cause first.
template <std::size_t N>
void take_back(std::array<std::uint64_t, N>& cycles, std::size_t last, std::uint64_t count) {
  for (std::size_t i = 0; i < N && count != 0; ++i) {
    std::uint64_t& own = cycles[(last + i) % N];
    const std::uint64_t taken = std::min(own, count);
    own -= taken;
    count -= taken;
  }
}

}  // namespace

// Every unit's cycles add up to those of the run.
void Processor::close_accounts(std::uint64_t limit) {
  end_ = now_;
  for (const FrontClock& clock : clocks_) end_ = std::max(end_, clock.time);
  // Where the run was stopped, some have gone further than others.
  for (const Backend& backend : backends_) end_ = std::max(end_, sum_of(backend.cycles));
  if (limit != 0) end_ = std::min(end_, limit);
  techniques_.finish(end_);
  for (Backend& backend : backends_) {
    const std::uint64_t spent = sum_of(backend.cycles);
    if (spent < end_) backend.spend(BackendCause::kDrain, end_ - spent);
    if (spent > end_)
      take_back(backend.cycles, static_cast<std::size_t>(backend.cause), spent - end_);
  }
  for (std::uint32_t f = 0; f < clocks_.size(); ++f) {
    FrontClock& clock = clocks_[f];
    const std::uint64_t spent = sum_of(clock.cycles);
    if (spent < end_) front_spent(f, FrontWait::kDrain, end_ - spent);
    if (spent > end_) take_back(clock.cycles, static_cast<std::size_t>(clock.cause), spent - end_);
  }
}

void Processor::front_spent(std::uint32_t frontend, FrontWait why, std::uint64_t cycles) {
  clocks_[frontend].cause = why;
  clocks_[frontend].cycles[static_cast<std::size_t>(why)] += cycles;
  if (trace_ != nullptr) trace_->frontend_spent(frontend, why, cycles);
}

void Processor::stop(std::uint64_t limit) {
  // A frontend may have worked alone since the last step.
  advance_frontends();
  take_back_not_issued();
  close_accounts(limit);
}

// Fibers are executed ahead of time; those that no backend has issued are not told.
void Processor::take_back_not_issued() {
  for (const auto& step : pending_) {
    if (!step->prepared) continue;
    for (std::size_t w = 0; w < step->works.size(); ++w) {
      const Work& work = *step->works[w];
      if (work.has_memory() && sends_entries(work.operation())) continue;
      for (const Backend& backend : backends_) {
        if (!work.uses(backend.unit.backend)) continue;
        const std::uint64_t count = not_issued(*step, w, backend);
        line_fibers_[line_of(work)] -= count;
        not_issued_ += count;
      }
    }
  }
}

std::uint64_t Processor::not_issued(const Step& step, std::size_t w, const Backend& backend) const {
  if (step.number < backend.step) return 0;
  const std::uint64_t all = step.works[w]->fibers_of(backend.unit.backend).count;
  const std::uint64_t executed =
      step.whole || step.finished ? all : step.executed[backend.unit.backend];
  if (step.number > backend.step || backend.phase == Backend::Phase::kNextStep) return executed;
  if (backend.phase == Backend::Phase::kSynchronise || w < backend.work) return 0;
  const bool begun = w == backend.work && backend.phase == Backend::Phase::kIssue;
  return begun ? executed - (all - backend.left) : executed;
}

}  // namespace raddle::machine::tpa
