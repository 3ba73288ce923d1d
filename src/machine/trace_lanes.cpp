#include "machine/trace_lanes.h"

#include <fmt/format.h>

namespace raddle::machine {

using sim::Instant;

std::size_t TraceLanes::free_lane(Instant begin) {
  for (std::size_t lane = 0; lane < tracks_.size(); ++lane) {
    if (!busy_[lane] && ended_[lane] <= begin) return lane;
  }
  tracks_.push_back(stream_->add_track(fmt::format("{} {}", name_, tracks_.size()), parent_));
  busy_.push_back(false);
  ended_.emplace_back(0);
  return tracks_.size() - 1;
}

void TraceLanes::open(Key key, std::string_view what, Instant begin, Instant sent) {
  const std::size_t lane = free_lane(begin);
  busy_[lane] = true;
  under_way_.insert({key, {lane, what, begin, sent}});
}

void TraceLanes::close(Key key, Instant end, std::string_view first_part,
                       std::string_view second_part) {
  const auto found = under_way_.lower_bound(key);
  if (found == under_way_.end() || found->first != key) return;
  const UnderWay thing = found->second;
  under_way_.erase(found);
  const sim::Track track = tracks_[thing.lane];
  busy_[thing.lane] = false;
  ended_[thing.lane] = end;
  stream_->begin(track, thing.what, thing.begin);
  if (thing.sent > thing.begin) stream_->slice(track, first_part, thing.begin, thing.sent);
  if (end > thing.sent) stream_->slice(track, second_part, thing.sent, end);
  stream_->end(track, end);
}

void TraceLanes::add(std::string_view what, Instant begin, Instant end) {
  const std::size_t lane = free_lane(begin);
  ended_[lane] = end;
  stream_->slice(tracks_[lane], what, begin, end);
}

}  // namespace raddle::machine
