// All backends, many cycles: where none of them does anything but issue fibers.
#include <algorithm>
#include <utility>

#include "machine/tpa/processor.h"

namespace raddle::machine::tpa {

// Whether all backends do nothing but issue fibers for a while, which is most of the time: then
// each can go a few cycles on its own, as the network's timetable is what they have in common.
bool Processor::can_run_together() const {
  if (fast_prefix_ || !(parameters_.ideal || network_.is_open())) return false;
  for (const Backend& backend : backends_) {
    if (backend.phase != Backend::Phase::kIssue || backend.left <= kItemsTogether ||
        backend.waves_left != 0 || !backend.returns.empty() || backend.outstanding != 0)
      return false;
  }
  const Backend& first = backends_.front();
  const Work& work = *pending_[first.step - pending_.front()->number]->works[first.work];
  return !work.has_memory() || !sends_entries(work.operation());
}

// As long as that can go on, but not far beyond `until`.
void Processor::run_together(Cycle until) {
  std::uint64_t left = backends_.front().left;
  for (Backend& backend : backends_) {
    left = std::min(left, backend.left);
    begin_issue(backend);
  }
  const std::size_t count = backends_.size();
  const bool slowly = trace_ != nullptr || parameters_.ideal;
  try {
    do {
      // Who goes first has the first choice of slots; they take turns.
      const std::size_t start = now_ / kTogether % count;
      for (std::size_t i = 0; i < count; ++i)
        issue_some(backends_[start + i < count ? start + i : start + i - count], slowly);
      now_ += kTogether;
      left -= kItemsTogether;
      network_.forget(now_);
    } while (left > kItemsTogether && now_ < until);
  } catch (const MachineFault&) {
    for (Backend& backend : backends_) end_issue(backend);
    throw;
  }
  for (Backend& backend : backends_) end_issue(backend);
}

void Processor::begin_issue(Backend& backend) {
  SlotIssue& issue = backend.issue;
  issue = {};
  backend.idle_together = {};
  issue.backend = backend.unit.backend;
  issue.items = backend.stream.items();
  issue.ring = backend.ring.data();
  issue.ring_mask = backend.ring_mask;
  issue.segment = parameters_.back.memory_segment;
  issue.time = backend.time;
  issue.now = issue.end = now_;
}

void Processor::issue_some(Backend& backend, bool slowly) {
  SlotIssue& issue = backend.issue;
  issue.end += kTogether;
  while (issue.now < issue.end) {
    if (issue.items.empty()) {
      backend.stream.clear();
      Step& step = *step_of(backend.step);
      execute_more(backend, step, *step.works[backend.work], backend.left - issue.issued);
      issue.items = backend.stream.items();
    }
    if (slowly) {
      issue_slowly(backend, issue);
      continue;
    }
    const std::uint64_t before = issue.issued;
    network_.issue_open(issue);
    std::uint64_t issued = issue.issued - before;
    const auto take = [&issued](std::uint64_t& from, std::uint64_t& to) {
      const std::uint64_t count = std::min(from, issued);
      from -= count;
      to += count;
      issued -= count;
    };
    take(backend.idle_in_stream.masked, backend.idle_together.masked);
    take(backend.idle_in_stream.moving, backend.idle_together.moving);
  }
}

void Processor::end_issue(Backend& backend) {
  const SlotIssue& issue = backend.issue;
  backend.stream.pop(backend.stream.size() - issue.items.size());
  backend.time = issue.time;
  backend.left -= issue.issued;
  // A trace has been told in order.
  BackendTrace* const trace = std::exchange(backend.trace, nullptr);
  backend.spend(BackendCause::kReply, issue.waited_reply);
  backend.spend(BackendCause::kNetwork, issue.waited_network);
  const auto [masked, moving] = backend.idle_together;
  backend.spend(BackendCause::kMasked, Cycle(masked));
  backend.spend(BackendCause::kSplit, Cycle(moving));
  backend.spend(BackendCause::kIssued, Cycle(issue.issued - masked - moving));
  backend.trace = trace;
}

// As SlotNetwork::issue_open(), also without a network, and telling of every cycle.
void Processor::issue_slowly(Backend& backend, SlotIssue& issue) {
  const auto tell = [&](BackendCause why) {
    if (backend.trace != nullptr) backend.trace->spent(why, Cycle(1));
  };
  for (; issue.now < issue.end && !issue.items.empty(); ++issue.now) {
    if (issue.due(0) > issue.now) {
      ++issue.waited_reply;
      tell(BackendCause::kReply);
      continue;
    }
    const IssueItem item = issue.items.front();
    if (item != kNoReference && !parameters_.ideal) {
      const ReferenceNetwork::Times times = network_.send_open(issue.backend, item, issue.now);
      if (times.served == ReferenceNetwork::kRefused) {
        ++issue.waited_network;
        tell(BackendCause::kNetwork);
        continue;
      }
      issue.ring[issue.slot_of(issue.time)] = times.back;
    }
    issue.items = issue.items.subspan(1);
    ++issue.time;
    ++issue.issued;
    const BackendCause why = backend.cause_of_item();
    if (why == BackendCause::kMasked) ++backend.idle_together.masked;
    if (why == BackendCause::kSplit) ++backend.idle_together.moving;
    tell(why);
  }
}

}  // namespace raddle::machine::tpa
