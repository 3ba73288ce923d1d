// What a multiprocessor does, on tracks of a trace: its resident blocks, under each the warps of it
// with what they waited for, and its memory requests. Stretches of one kind that follow each other
// are one slice.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "machine/run/trace_lanes.h"
#include "machine/simt/slot_use.h"
#include "memory/access.h"

namespace raddle::machine::simt {

class CoreTrace {
 public:
  CoreTrace(sim::TraceFile& file, sim::Clock clock, std::uint32_t index, std::uint32_t warps);
  CoreTrace(const CoreTrace&) = delete;
  CoreTrace& operator=(const CoreTrace&) = delete;

  // Its warps have these slots, in their order.
  void begin_block(std::string_view kernel, std::uint64_t number,
                   const std::vector<std::uint32_t>& slots, Cycle cycle);
  // kIssued: it is ready.
  void warp_waits(std::uint32_t slot, SlotUse cause, Cycle cycle);
  void warp_issued(std::uint32_t slot, Cycle cycle);
  // In this cycle, and with it its block, if it was the last.
  void warp_ended(std::uint32_t slot, bool last, Cycle cycle);

  // A request that could have left in cycle `ready` has left for the network.
  void request_sent(const memory::Access& access, Cycle ready, Cycle now);
  void reply(const memory::Access& access, Cycle now) { requests_.reply(access, now); }
  void count_warps(std::uint32_t resident, Cycle cycle);

  // The launch was stopped there; what comes begins a new time after it.
  void restart(Cycle cycle, sim::Instant start);

 private:
  static constexpr std::size_t kIssuing = kSlotUses.size();  // beside the causes
  struct Warp {
    std::size_t place = 0;  // of its block
    bool resident = false;
    std::size_t state = 0;     // at present
    TraceStretches stretches;  // before it
  };
  // Where a block can be resident.
  struct Place {
    sim::Track track;
    std::vector<sim::Track> warps;  // by warp of the block
    std::string name;
    Cycle begun;
    bool taken = false;
  };

  std::size_t free_place();
  void change(Warp& warp, std::size_t state, Cycle cycle);
  void close_stretch(Warp& warp, Cycle cycle);
  void end_warp(Warp& warp, Cycle cycle);
  void end_block(Place& place, Cycle cycle);

  TraceWriter writer_;
  sim::Track track_, resident_;
  RequestLanes requests_;
  std::vector<Place> places_;
  std::vector<Warp> warps_;  // by slot
  std::optional<std::uint32_t> counted_;
};

}  // namespace raddle::machine::simt
