#include "machine/run/trace_lanes.h"

#include <fmt/format.h>

#include <algorithm>

namespace raddle::machine {

using sim::Instant;

std::size_t TraceLanes::free_lane(Instant begin) {
  for (std::size_t lane = 0; lane < tracks_.size(); ++lane) {
    if (!busy_[lane] && ended_[lane] <= begin) return lane;
  }
  tracks_.push_back(writer_->add_track(fmt::format("{} {}", name_, tracks_.size()), parent_));
  busy_.push_back(false);
  ended_.emplace_back(0);
  return tracks_.size() - 1;
}

void TraceLanes::open(Key key, std::string_view what, Cycle begin, Cycle sent) {
  const std::size_t lane = free_lane(writer_->at(begin));
  busy_[lane] = true;
  under_way_.insert({key, {lane, what, writer_->at(begin), writer_->at(sent)}});
}

void TraceLanes::close(Key key, Cycle end_cycle, std::string_view first_part,
                       std::string_view second_part) {
  const auto found = under_way_.lower_bound(key);
  if (found == under_way_.end() || found->first != key) return;
  const UnderWay thing = found->second;
  under_way_.erase(found);
  const sim::Track track = tracks_[thing.lane];
  const Instant end = writer_->at(end_cycle);
  sim::TraceStream& stream = writer_->stream();
  busy_[thing.lane] = false;
  ended_[thing.lane] = end;
  stream.begin(track, thing.what, thing.begin);
  if (thing.sent > thing.begin) stream.slice(track, first_part, thing.begin, thing.sent);
  if (end > thing.sent) stream.slice(track, second_part, thing.sent, end);
  stream.end(track, end);
}

void TraceLanes::add(std::string_view what, Cycle begin, Cycle end) {
  const std::size_t lane = free_lane(writer_->at(begin));
  ended_[lane] = writer_->at(end);
  writer_->stream().slice(tracks_[lane], what, writer_->at(begin), ended_[lane]);
}

void RequestLanes::sent(const memory::Access& access, std::string_view what, Cycle ready,
                        Cycle now) {
  if (access.kind == memory::AccessKind::kWriteBack) return;  // nobody answers
  lanes_.open({access.token, access.address.value()}, what, std::min(ready, now), now);
}

void RequestLanes::reply(const memory::Access& access, Cycle now) {
  lanes_.close({access.token, access.address.value()}, now, "waits for the network",
               "network and L2");
}

}  // namespace raddle::machine
