#include "machine/cgra/fabric/fabric_injector.h"

namespace raddle::machine::cgra {

bool FabricInjector::append_next(ThreadFeed& feed, std::uint32_t replica, FabricRecords& records) {
  const auto count = static_cast<std::uint32_t>(places_.size());
  for (std::uint32_t passed = 0; passed < count; ++passed) {
    const std::uint32_t index = turn_;
    turn_ = turn_ + 1 == count ? 0 : turn_ + 1;
    if (places_[index].left == 0 && may_ask_) open(index, feed, replica, records);
    Place& place = places_[index];
    if (place.left == 0) continue;
    records.append(place.group, place.next, place.number);
    place.next = place.next + 1 == place.group.threads ? 0 : place.next + 1;
    if (--place.left == 0) --open_;
    return true;
  }
  return false;
}

void FabricInjector::open(std::uint32_t index, ThreadFeed& feed, std::uint32_t replica,
                          FabricRecords& records) {
  Place& place = places_[index];
  const FeedAnswer answer = feed.next(replica, place.group);
  may_ask_ = answer == FeedAnswer::kGroup;
  has_ended_ = answer == FeedAnswer::kEnd;
  if (answer != FeedAnswer::kGroup) return;
  place.number = records.begin_group(place.group);
  place.left = place.group.threads;
  place.next = 0;
  ++open_;
}

}  // namespace raddle::machine::cgra
