// Things under way that overlap in time, such as memory requests, on as many tracks as it takes to
// have no two of them overlap on one. A slice is written when its thing has ended, whole, so that a
// trace is balanced wherever it stops.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/trace.h"

namespace raddle::machine {

class TraceLanes {
 public:
  using Key = std::pair<std::uint64_t, std::uint64_t>;

  // Tracks are called `name` and a number, and lie under `parent`.
  TraceLanes(sim::TraceStream& stream, std::string name, sim::Track parent)
      : stream_(&stream), name_(std::move(name)), parent_(parent) {}

  // Began in the past, at `begin`, and entered its second part at `sent`. `what` must live on: a
  // text of the program.
  void open(Key key, std::string_view what, sim::Instant begin, sim::Instant sent);
  // The oldest of that key has ended; its two parts are named inside it. Keys that are not known
  // are none of a trace that began later.
  void close(Key key, sim::Instant end, std::string_view first_part, std::string_view second_part);
  // Nothing of what is under way will end.
  void forget() { under_way_.clear(), busy_.assign(busy_.size(), false); }
  // One that has ended already.
  void add(std::string_view what, sim::Instant begin, sim::Instant end);

 private:
  struct UnderWay {
    std::size_t lane = 0;
    std::string_view what;
    sim::Instant begin, sent;
  };

  std::size_t free_lane(sim::Instant begin);

  sim::TraceStream* stream_;
  std::string name_;
  sim::Track parent_;
  std::vector<sim::Track> tracks_;
  std::vector<bool> busy_;                  // by track
  std::vector<sim::Instant> ended_;         // by track: its last slice
  std::multimap<Key, UnderWay> under_way_;  // those of one key in the order of their coming
};

}  // namespace raddle::machine
