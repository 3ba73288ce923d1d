#include "ddm/native/profile.h"

#include <algorithm>

#include "ddm/native/context.h"
#include "ddm/native/instance_order.h"

namespace raddle::ddm::native {

ContextProfile::ContextProfile(const ContextShape& shape) : seconds_(shape.threads.size()) {
  for (std::size_t i = 0; i < seconds_.size(); ++i)
    seconds_[i].resize(shape.threads[i].grid.tiles() * shape.threads[i].grid.cells_per_tile());
}

void ContextProfile::add_invoked(std::uint32_t thread, std::size_t slot, CriticalPath path) {
  const std::lock_guard lock(mutex_);
  auto& longest = invoked_[{thread, slot}];
  if (path.seconds > longest.seconds) longest = std::move(path);
}

CriticalPath ContextProfile::critical_path(const Context& context) const {
  const auto invoked_by = [&](std::uint32_t thread, std::size_t slot) {
    const auto found = invoked_.find({thread, slot});
    return found == invoked_.end() ? nullptr : &found->second;
  };
  const LongestChains chains(*context.plan, *context.shape, context.frame,
                             [&](std::uint32_t thread, std::size_t slot) {
                               const auto* invoked = invoked_by(thread, slot);
                               return static_cast<double>(seconds_[thread][slot]) +
                                      (invoked != nullptr ? invoked->seconds : 0);
                             });
  CriticalPath path;
  for (auto at = chains.first(); at; at = chains.next(*at)) {
    if (path.seconds == 0) path.seconds = chains.length(*at);
    const auto slot = chains.slot(*at);
    path.parts[context.plan->threads[at->thread].ordinal] +=
        static_cast<double>(seconds_[at->thread][slot]);
    if (const auto* invoked = invoked_by(at->thread, slot)) {
      for (const auto& [ordinal, seconds] : invoked->parts) path.parts[ordinal] += seconds;
    }
  }
  return path;
}

namespace {

using Clock = Timeline::Clock;

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

// Goes through the run from one begin or end of a thread to the next: workers that run nothing
// meanwhile are idle because of those that do.
void share_idleness(Report& report, const Timeline& timeline) {
  struct Change {
    Clock::time_point at;
    int change;
    std::uint32_t ordinal;
  };
  std::vector<Change> changes;
  for (const auto& events : timeline.events()) {
    for (const auto& event : events) {
      changes.push_back({event.begin, 1, event.thread->ordinal});
      changes.push_back({event.end, -1, event.thread->ordinal});
    }
  }
  std::ranges::sort(changes, {}, &Change::at);
  const auto workers = static_cast<double>(timeline.events().size());
  std::map<std::uint32_t, int> running;  // by ordinal
  int busy = 0;
  auto last = timeline.start();
  const auto pass = [&](Clock::time_point now) {
    const double idle = (workers - busy) * seconds(now - last);
    last = now;
    report.idle += idle;
    if (busy == 0) report.idle_of_all += idle;
    for (const auto& [ordinal, count] : running)
      report.threads[ordinal].idle += idle * count / busy;
  };
  for (const auto& change : changes) {
    pass(change.at);
    busy += change.change;
    auto& count = running[change.ordinal];
    count += change.change;
    if (count == 0) running.erase(change.ordinal);
  }
  pass(timeline.start() +
       std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(report.seconds)));
}

}  // namespace

void add_profile(Report& report, const ProgramPlan& plan, const Timeline& timeline,
                 const CriticalPath& path) {
  for (const auto& block : plan.blocks) {
    for (const auto& thread : block->threads) {
      auto& added = report.threads.emplace_back();
      added.block = block->block->name;
      added.thread = thread.thread->name;
    }
  }
  for (const auto& events : timeline.events()) {
    for (const auto& event : events) {
      auto& thread = report.threads[event.thread->ordinal];
      const double time = seconds(event.end - event.begin);
      thread.instances += event.count;
      thread.seconds += time;
      thread.longest = std::max(thread.longest, time / event.count);
      report.work += time;
    }
  }
  for (const auto& [ordinal, time] : path.parts) report.threads[ordinal].on_critical_path += time;
  report.critical_path = path.seconds;
  share_idleness(report, timeline);
}

}  // namespace raddle::ddm::native
