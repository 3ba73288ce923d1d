// What cycles were spent on: accounts that add up to the cycles of the run, also where it was
// stopped before its end.
#include <algorithm>

#include "machine/tpa/processor.h"

namespace raddle::machine::tpa {

namespace {

// Every unit's cycles add up to those of the run. Where it was stopped, some have gone further than
// others.
template <class Account, class Spend>
void close_at(Cycle end, Account& account, typename Account::Value last, Spend&& spend) {
  const Cycle spent = account.sum();
  if (spent < end) spend(Account::remainder(), end - spent);
  if (spent > end) account.take_back(last, spent - end);
}

}  // namespace

void Processor::close_accounts(Cycle limit) {
  end_ = now_;
  for (const FrontClock& clock : clocks_) end_ = std::max(end_, clock.time);
  // Where the run was stopped, some have gone further than others.
  for (const Backend& backend : backends_) end_ = std::max(end_, backend.cycles.sum());
  end_ = std::min(end_, limit);
  techniques_.finish(end_);
  for (Backend& backend : backends_) {
    close_at(end_, backend.cycles, backend.cause,
             [&](BackendCause why, Cycle cycles) { backend.spend(why, cycles); });
  }
  for (std::uint32_t f = 0; f < clocks_.size(); ++f) {
    close_at(end_, clocks_[f].cycles, clocks_[f].cause,
             [&](FrontCause why, Cycle cycles) { front_spent(f, why, cycles); });
  }
}

void Processor::front_spent(std::uint32_t frontend, FrontCause why, Cycle cycles) {
  clocks_[frontend].cause = why;
  clocks_[frontend].cycles.add(why, cycles);
  if (trace_ != nullptr) trace_->frontend_spent(frontend, why, cycles);
}

void Processor::stop(Cycle limit) {
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
