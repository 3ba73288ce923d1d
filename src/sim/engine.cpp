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
  component.place_ = turns_.size();
  turns_.push_back({kNever.count(), &component});
  ticking_ = turns_.size();
}

void ClockDomain::wake(std::size_t place, Cycle at) {
  // During a cycle, the components after the one that ticks have their turn still to come.
  const std::uint64_t first = place > ticking_ ? now_ : open_;
  std::uint64_t& due = turns_[place].due;
  due = std::min(due, std::max(at.count(), first));
  if (due >= open_) earliest_ = std::min(earliest_, due);
}

[[gnu::always_inline]] inline void ClockDomain::tick() {
  const std::uint64_t now = earliest_;
  now_ = now;
  open_ = now + 1;
  earliest_ = kNever.count();  // wake() lowers it for components whose turn has passed
  std::uint64_t next = kNever.count();
  Turn* const turns = turns_.data();
  const std::size_t count = turns_.size();
  for (std::size_t i = 0; i < count; ++i) {
    Turn& turn = turns[i];
    if (turn.due <= now) {
      ticking_ = i;
      turn.due = kNever.count();
      const std::uint64_t again = turn.component->tick(Cycle(now)).count();
      turn.due = std::min(turn.due, std::max(again, now + 1));
    }
    next = std::min(next, turn.due);
  }
  ticking_ = count;
  earliest_ = std::min(earliest_, next);
}

ClockDomain& Engine::add_clock(const Clock& clock) {
  return *domains_.emplace_back(std::make_unique<ClockDomain>(clock));
}

bool Engine::run_until(Instant end) {
  if (domains_.size() == 1) {
    ClockDomain& domain = *domains_.front();
    if (domain.due() >= end) return domain.earliest() != kNever;
    const Cycle last = domain.clock().first_from(end);
    while (domain.earliest() < last) domain.tick();
    return domain.earliest() != kNever;
  }
  for (;;) {
    ClockDomain* first = nullptr;
    Instant time = kEndOfTime;
    for (const auto& domain : domains_) {
      const Instant due = domain->due();
      if (due >= time) continue;
      time = due;
      first = domain.get();
    }
    if (first == nullptr) return false;
    if (time >= end) return true;
    first->tick();
  }
}

Instant Engine::next_event() const {
  Instant time = kEndOfTime;
  for (const auto& domain : domains_) time = std::min(time, domain->due());
  return time;
}

}  // namespace raddle::sim
