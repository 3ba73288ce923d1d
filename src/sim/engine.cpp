#include "sim/engine.h"

#include <algorithm>

#include "base/error.h"

namespace raddle::sim {

void Component::wake(Cycle at) {
  RADDLE_ASSERT(domain_ != nullptr);
  domain_->wake(place_, at);
}

void ClockDomain::add(Component& component) {
  RADDLE_ASSERT(component.domain_ == nullptr);
  component.domain_ = this;
  component.clock_ = clock_;
  component.place_ = components_.size();
  components_.push_back(&component);
  due_.push_back(kNever.count());
  ticking_ = components_.size();
}

void ClockDomain::wake(std::size_t place, Cycle at) {
  // During a cycle, the components behind the one that ticks have their turn still to come.
  const std::uint64_t first = place > ticking_ ? now_ : open_;
  due_[place] = std::min(due_[place], std::max(at.count(), first));
  if (due_[place] >= open_) earliest_ = std::min(earliest_, due_[place]);
}

Instant ClockDomain::due() const {
  if (timed_cycle_ != earliest_) {
    timed_cycle_ = earliest_;
    timed_ = clock_->time_of(Cycle(earliest_));
  }
  return timed_;
}

void ClockDomain::tick() {
  now_ = earliest_;
  open_ = now_ + 1;
  earliest_ = kNever.count();  // wake() lowers it for components whose turn has passed
  std::uint64_t next = kNever.count();
  const std::size_t count = components_.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (due_[i] <= now_) {
      ticking_ = i;
      due_[i] = kNever.count();
      const std::uint64_t again = components_[i]->tick(Cycle(now_)).count();
      due_[i] = std::min(due_[i], std::max(again, open_));
    }
    next = std::min(next, due_[i]);
  }
  ticking_ = count;
  earliest_ = std::min(earliest_, next);
}

ClockDomain& Engine::add_clock(const Clock& clock) { return domains_.emplace_back(clock); }

bool Engine::run_until(Instant end) {
  if (domains_.size() == 1) {
    ClockDomain& domain = domains_.front();
    if (domain.due() >= end) return domain.earliest() != kNever;
    const Cycle last = domain.clock().first_from(end);
    while (domain.earliest() < last) domain.tick();
    return domain.earliest() != kNever;
  }
  for (;;) {
    ClockDomain* first = nullptr;
    Instant time = kEndOfTime;
    for (ClockDomain& domain : domains_) {
      const Instant due = domain.due();
      if (due >= time) continue;
      time = due;
      first = &domain;
    }
    if (first == nullptr) return false;
    if (time >= end) return true;
    first->tick();
  }
}

Instant Engine::next_event() const {
  Instant time = kEndOfTime;
  for (const ClockDomain& domain : domains_) time = std::min(time, domain.due());
  return time;
}

}  // namespace raddle::sim
