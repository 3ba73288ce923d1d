// Slots of a multimesh of any size, reference by reference: on each link of the way the first that
// is free.
#pragma once

#include <algorithm>
#include <cstdint>

#include "machine/tpa/slot_reservations.h"

namespace raddle::machine::tpa {

template <class Links>
class MeshReservations : public SlotReservations {
 public:
  explicit MeshReservations(const TpaParameters& p)
      : SlotReservations(p), requests_(links_, p.planes), replies_(links_, p.planes) {}

  SlotTimes reserve(std::uint32_t backend, IssueItem item, Cycle now) final;
  void issue(SlotIssue& issue) override;
  void forget(Cycle now) final {
    requests_.forget(now);
    replies_.forget(now);
    modules_.forget(now);
  }

 protected:
  using Timetable = LinkTimetable<Links>;

  Cycle request(std::uint32_t backend, std::uint32_t module, Cycle now);
  Cycle reply(std::uint32_t backend, std::uint32_t module, std::uint32_t plane, Cycle served);
  void issue_one(SlotIssue& issue);

  Timetable requests_, replies_;
};

template <class Links>
SlotTimes MeshReservations<Links>::reserve(std::uint32_t backend, IssueItem item, Cycle now) {
  const std::uint32_t module = item & kModuleMask;
  const std::uint32_t plane = turn_[backend];
  const Cycle served = request(backend, module, now);
  if (served == SlotTimes::kRefused) return {};
  return {served, (item & kWantsReply) != 0 ? reply(backend, module, plane, served) : Cycle(0)};
}

// When what sets out now is served; kRefused if there is no room for it.
template <class Links>
Cycle MeshReservations<Links>::request(std::uint32_t backend, std::uint32_t module, Cycle now) {
  const std::uint32_t plane = turn_[backend];
  const LinkWay& way = links_.between(backend, module);
  const Cycle begin = now + hop_;
  const Cycle arrival = requests_.find(way, plane, begin, queue_);
  if (arrival == Timetable::kRefused) return SlotTimes::kRefused;
  const Cycle time = std::max(arrival, floor_[module]);
  const Cycle served = modules_.first_free(module, time);
  if (served - time > module_queue_) return SlotTimes::kRefused;
  requests_.take_found();
  modules_.take(module, served);
  waited_ += arrival - begin - way.cycles;
  waited_at_modules_ += served - time;
  turn_[backend] = plane + 1 == planes_ ? 0 : plane + 1;
  ++port_of(backend)[module].sent;
  return served;
}

// When the reply to what is served then is back.
template <class Links>
Cycle MeshReservations<Links>::reply(std::uint32_t backend, std::uint32_t module,
                                     std::uint32_t plane, Cycle served) {
  const LinkWay& way = links_.between(module, backend);
  const Cycle begin = served + hop_;
  const Cycle end = replies_.find(way, plane, begin, Timetable::kRefused);
  replies_.take_found();
  waited_ += end - begin - way.cycles;
  ++port_of(backend)[module].answered;
  return end;
}

// The next item, or the cycles until it can go.
template <class Links>
void MeshReservations<Links>::issue_one(SlotIssue& issue) {
  if (issue.due(0) > issue.now) {
    issue.wait_for_reply();
    return;
  }
  const IssueItem item = issue.items.front();
  if (item != kNoReference) {
    const SlotTimes times = reserve(issue.backend, item, issue.now);
    if (times.served == SlotTimes::kRefused) {
      issue.wait_for_network();
      return;
    }
    issue.ring[issue.slot_of(issue.time)] = times.back;
  }
  issue.go_on(1);
}

template <class Links>
void MeshReservations<Links>::issue(SlotIssue& issue) {
  while (!issue.is_over()) issue_one(issue);
}

}  // namespace raddle::machine::tpa
