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

#include "machine/run/trace_writer.h"
#include "memory/access.h"

namespace raddle::machine {

class TraceLanes {
 public:
  using Key = std::pair<std::uint64_t, std::uint64_t>;

  // Tracks are called `name` and a number, and lie under `parent`.
  TraceLanes(TraceWriter& writer, std::string name, sim::Track parent)
      : writer_(&writer), name_(std::move(name)), parent_(parent) {}

  // Began in the past, in cycle `begin`, and entered its second part in `sent`. `what` must live
  // on: a text of the program.
  void open(Key key, std::string_view what, Cycle begin, Cycle sent);
  // The oldest of that key has ended; its two parts are named inside it. Keys that are not known
  // are none of a trace that began later.
  void close(Key key, Cycle end, std::string_view first_part, std::string_view second_part);
  // Nothing of what is under way will end.
  void forget() { under_way_.clear(), busy_.assign(busy_.size(), false); }
  // One that has ended already.
  void add(std::string_view what, Cycle begin, Cycle end);

 private:
  struct UnderWay {
    std::size_t lane = 0;
    std::string_view what;
    sim::Instant begin, sent;
  };

  std::size_t free_lane(sim::Instant begin);

  TraceWriter* writer_;
  std::string name_;
  sim::Track parent_;
  std::vector<sim::Track> tracks_;
  std::vector<bool> busy_;                  // by track
  std::vector<sim::Instant> ended_;         // by track: its last slice
  std::multimap<Key, UnderWay> under_way_;  // those of one key in the order of their coming
};

// Memory requests of a core: their wait for the network, and their way to the L2 and back.
class RequestLanes {
 public:
  RequestLanes(TraceWriter& writer, sim::Track core) : lanes_(writer, "memory request", core) {}

  // A request that could have left in cycle `ready` has left for the network.
  void sent(const memory::Access& access, std::string_view what, Cycle ready, Cycle now);
  void reply(const memory::Access& access, Cycle now);
  void forget() { lanes_.forget(); }

 private:
  TraceLanes lanes_;
};

}  // namespace raddle::machine
