// The multimesh and the memory modules as a timetable: every link of every plane, and every module,
// serves one reference a cycle, and a reference takes the first free slot on each link of its way
// (rows first) when it sets out. It sets out only if it has to wait no longer anywhere than a queue
// of the network is long; else its backend waits. Routers therefore have queues of that length for
// each output, and older references go first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "machine/tpa/issue_stream.h"
#include "machine/tpa/line_passage.h"
#include "machine/tpa/link_timetable.h"
#include "machine/tpa/module_timetable.h"
#include "machine/tpa/tpa_parameters.h"

namespace raddle::machine::tpa {

struct SlotNetworkStats {
  std::uint64_t references = 0, replies = 0;
  std::uint64_t hops = 0;
  Cycle waited;      // that references and replies waited for links
  Cycle at_modules;  // and references for their modules
};

// When a reference is served and, if it wants a reply, when that is back.
struct SlotTimes {
  static constexpr Cycle kRefused{std::numeric_limits<std::uint64_t>::max()};

  Cycle served = kRefused;
  Cycle back;
};

// A backend's next items, one a cycle, until the end or until there are no more. Its pipeline
// stands in cycles in which a reply is late or there is no room.
struct SlotIssue {
  std::uint32_t backend = 0;
  std::span<const IssueItem> items;
  Cycle* ring = nullptr;  // by pipeline time: when the reply is there
  std::uint64_t ring_mask = 0;
  Cycle segment;  // of pipeline time until a reply is needed
  Cycle time;     // of the pipeline
  Cycle now, end;
  std::uint64_t issued = 0;  // items
  Cycle waited_reply, waited_network;

  bool is_over() const { return now == end || items.empty(); }
  // So many items have gone.
  void go_on(std::uint64_t count) {
    items = items.subspan(count);
    time += Cycle(count);
    now += Cycle(count);
    issued += count;
  }
  void wait_for_reply() {
    const Cycle until = std::min(due(0), end);
    waited_reply += until - now;
    now = until;
  }
  void wait_for_network() {
    ++waited_network;
    ++now;
  }
  // When the pipeline can take the item after so many others, as far as replies are concerned.
  Cycle due(std::uint64_t behind) const { return ring[slot_of(time + Cycle(behind) - segment)]; }
  // Where in the ring that time of the pipeline lies.
  std::size_t slot_of(Cycle pipeline_time) const { return pipeline_time.count() & ring_mask; }
};

class SlotReservations {
 public:
  // forget() is to be called at least every so many cycles.
  static constexpr Cycle kForgetInterval{64};

  // The version that suits the network's layout.
  static std::unique_ptr<SlotReservations> make(const TpaParameters& parameters);
  // One that suits every layout, and is slower.
  static std::unique_ptr<SlotReservations> make_for_any_mesh(const TpaParameters& parameters);
  virtual ~SlotReservations() = default;

  // One reference; served is kRefused if there is no room for it now.
  virtual SlotTimes reserve(std::uint32_t backend, IssueItem item, Cycle now) = 0;
  virtual void issue(SlotIssue& issue) = 0;
  // Nobody asks for cycles before this one any more.
  virtual void forget(Cycle now) = 0;

  // A wave that the backends sent at these times reaches each module from the backend that is last,
  // and after every reference so far; what sets out from now on comes after it. Gives back when
  // the last module has seen it.
  Cycle pass_wave(std::span<const Cycle> sent_at);

  SlotNetworkStats stats() const;
  std::vector<std::uint64_t> served_by_module() const;

 protected:
  explicit SlotReservations(const TpaParameters& parameters);

  // A backend's way to a module and back, and what has gone it.
  struct alignas(64) ModulePort {
    PlacedWay there, back;  // in a small mesh
    std::uint64_t sent = 0, answered = 0;
    std::uint32_t backend = 0, module = 0;
  };
  ModulePort* port_of(std::uint32_t backend) { return &ports_[std::size_t{backend} * backends_]; }

  std::uint32_t backends_, planes_;
  Cycle queue_, module_queue_;  // that references wait at most: a packet a cycle
  Cycle hop_;
  LinkWays links_;
  ModuleTimetable modules_;
  std::vector<Cycle> floor_;         // by module: when the last wave is there
  Cycle last_floor_;                 // the latest of them
  std::vector<std::uint32_t> turn_;  // by backend: the plane of its next reference
  std::vector<ModulePort> ports_;    // by backend and module
  Cycle waited_, waited_at_modules_;
};

}  // namespace raddle::machine::tpa
