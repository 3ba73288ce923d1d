#include "machine/cgra/fabric/fabric_injector.h"

#include <algorithm>

namespace raddle::machine::cgra {

bool FabricInjector::append_next(ThreadFeed& feed, std::uint32_t replica, FabricRecords& records,
                                 Cycle now) {
  const auto count = static_cast<std::uint32_t>(places_.size());
  for (std::uint32_t passed = 0; passed < count; ++passed) {
    const std::uint32_t index = turn_;
    turn_ = turn_ + 1 == count ? 0 : turn_ + 1;
    if (places_[index].left == 0 && may_ask_) open(index, feed, replica, records, now);
    Place& place = places_[index];
    if (place.left == 0 || place.ready > now) continue;
    records.append(place.group, place.next, place.number);
    place.next = place.next + 1 == place.group.threads ? 0 : place.next + 1;
    if (--place.left == 0) --open_;
    return true;
  }
  return false;
}

void FabricInjector::compute_shared_values(Place& place, Cycle known) {
  if (shared_ != nullptr) {
    if (const Cycle* const ready = shared_->ready(place.group.shared_values)) {
      place.ready = *ready;
      return;
    }
  }
  place.ready = scalar_free_ = std::max(scalar_free_, known) + scalar_cycles_;
  ++groups_;
  if (shared_ != nullptr) shared_->add(place.group.shared_values, place.ready);
}

void FabricInjector::open(std::uint32_t index, ThreadFeed& feed, std::uint32_t replica,
                          FabricRecords& records, Cycle now) {
  Place& place = places_[index];
  const FeedAnswer answer = feed.next(replica, place.group);
  may_ask_ = answer == FeedAnswer::kGroup;
  has_ended_ = answer == FeedAnswer::kEnd;
  const Cycle known = had_none_ ? now : known_since_;
  had_none_ = answer != FeedAnswer::kGroup;
  if (had_none_) return;
  known_since_ = now;
  compute_shared_values(place, known);
  place.number = records.begin_group(place.group);
  place.left = place.group.threads;
  place.next = 0;
  ++open_;
}

}  // namespace raddle::machine::cgra
