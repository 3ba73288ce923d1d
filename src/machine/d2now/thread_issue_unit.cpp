#include "machine/d2now/thread_issue_unit.h"

#include <algorithm>

namespace raddle::machine::d2now {

using ddm::recording::kLineBytes;
using ddm::recording::Region;

ThreadIssueUnit::ThreadIssueUnit(const TsuParameters& tsu, const CacheFlowParameters& cacheflow,
                                 const ThreadGraph& graph, NodeMemory& memory, EventQueue& events)
    : tsu_(tsu),
      cacheflow_(cacheflow),
      graph_(graph),
      memory_(memory),
      events_(events),
      waiting_(cacheflow.reorder),
      reserved_(memory.l2_sets(), memory.l2_ways()),
      on_their_way_(cacheflow.prefetches_at_once) {}

void ThreadIssueUnit::push(const ReadyThread& ready, Ticks now) {
  if (waiting_.size() >= tsu_.waiting_queue) ++counts_.waiting_overflows;
  waiting_.push(ready);
  start_next(now);
}

void ThreadIssueUnit::start_next(Ticks now) {
  if (busy_ || taken_ >= tsu_.firing_queue) return;
  if (take_from_temporary_buffer(now)) return;
  if (waiting_.empty() || temporary_buffer_.size() >= tsu_.temporary_buffer) return;
  const bool in_memory = waiting_.size() > tsu_.waiting_queue;
  start(waiting_.pop(), now, in_memory ? tsu_.overflow : Ticks(0));
}

void ThreadIssueUnit::start(const ReadyThread& ready, Ticks now, Ticks extra) {
  current_ = new_place();
  InFlight& flight = in_flight_[current_];
  flight.ready = ready;
  flight.lines.clear();
  if (cacheflow_.prefetch) find_lines(ready.thread, flight.lines);
  busy_ = true;
  started_ = now;
  events_.schedule(now + tsu_.issue + extra + flight.lines.size() * tsu_.lookup_address,
                   EventKind::kIssue);
}

// DDM §3: threads in the temporary buffer have precedence. All of them are compared with the
// reserved addresses at once, whenever some of these have been given up.
bool ThreadIssueUnit::take_from_temporary_buffer(Ticks now) {
  if (temporary_buffer_.empty() || !reservations_changed_) return false;
  reservations_changed_ = false;
  std::vector<Line> lines;
  for (auto next = temporary_buffer_.begin(); next != temporary_buffer_.end(); ++next) {
    lines.clear();
    find_lines(next->thread, lines);
    if (reserved_.would_conflict(lines)) continue;
    const ReadyThread ready = *next;
    temporary_buffer_.erase(next);
    reservations_changed_ = true;
    start(ready, now, Ticks(0));
    return true;
  }
  return false;
}

void ThreadIssueUnit::step(Ticks now) {
  busy_ = false;
  busy_ticks_ += now - started_;
  InFlight& flight = in_flight_[current_];
  if (trace_ != nullptr) trace_->issues(flight.ready.thread, started_, now);
  if (cacheflow_.avoid_conflicts && reserved_.would_conflict(flight.lines)) {
    ++counts_.postponed;
    if (trace_ != nullptr) trace_->postpones(flight.ready.thread, now);
    temporary_buffer_.push_back(flight.ready);
    free_places_.push_back(current_);
    start_next(now);
    return;
  }
  ++counts_.threads;
  ++taken_;
  reserved_.reserve(flight.lines);
  const Ticks there = prefetch(flight.lines, now);
  const bool at_start = cacheflow_.shift == ShiftPolicy::kAtStart;
  events_.schedule(at_start ? now : std::max(now, there), EventKind::kFiring, current_);
  start_next(now);
}

Ticks ThreadIssueUnit::prefetch(const std::vector<Line>& lines, Ticks now) {
  Ticks at = std::max(now, prefetcher_free_);
  Ticks there = now;
  for (const Line line : lines) {
    at = std::max(at, on_their_way_[next_on_its_way_]);
    const Prefetch fetch = memory_.prefetch(line, at);
    there = std::max(there, fetch.ready);
    if (!fetch.fetched) continue;
    on_their_way_[next_on_its_way_] = fetch.ready;
    next_on_its_way_ = (next_on_its_way_ + 1) % on_their_way_.size();
    if (fetch.evicted && reserved_.is_reserved(*fetch.evicted)) {
      ++counts_.false_conflicts;
      if (trace_ != nullptr) trace_->false_conflict(at);
    }
  }
  prefetcher_free_ = at;
  return there;
}

void ThreadIssueUnit::enter_firing_queue(std::uint32_t place, Ticks now) {
  firing_queue_.push_back(place);
  if (trace_ != nullptr) trace_->firing_queue(firing_queue_.size(), now);
}

std::uint32_t ThreadIssueUnit::take(Ticks now) {
  const std::uint32_t place = firing_queue_.front();
  firing_queue_.pop_front();
  if (trace_ != nullptr) trace_->firing_queue(firing_queue_.size(), now);
  --taken_;
  start_next(now);
  return place;
}

void ThreadIssueUnit::completed(std::uint32_t place, Ticks now) {
  reserved_.release(in_flight_[place].lines);
  if (!in_flight_[place].lines.empty()) reservations_changed_ = true;
  free_places_.push_back(place);
  start_next(now);
}

void ThreadIssueUnit::find_lines(std::uint32_t thread, std::vector<Line>& lines) const {
  for (const Region& region : graph_.inputs(graph_.thread(thread))) {
    if (region.bytes == 0) continue;
    const auto first = static_cast<Line>(region.address / kLineBytes);
    const auto last = static_cast<Line>((region.address + region.bytes - 1) / kLineBytes);
    for (Line line = first; line <= last; ++line) lines.push_back(line);
  }
  std::ranges::sort(lines);
  lines.erase(std::ranges::unique(lines).begin(), lines.end());
}

std::uint32_t ThreadIssueUnit::new_place() {
  if (free_places_.empty()) {
    in_flight_.emplace_back();
    return static_cast<std::uint32_t>(in_flight_.size() - 1);
  }
  const std::uint32_t place = free_places_.back();
  free_places_.pop_back();
  return place;
}

}  // namespace raddle::machine::d2now
