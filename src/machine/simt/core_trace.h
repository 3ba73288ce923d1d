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
                   const std::vector<std::uint32_t>& slots, std::uint64_t cycle);
  // kIssued: it is ready.
  void warp_waits(std::uint32_t slot, SlotUse cause, std::uint64_t cycle);
  void warp_issued(std::uint32_t slot, std::uint64_t cycle);
  // In this cycle, and with it its block, if it was the last.
  void warp_ended(std::uint32_t slot, bool last, std::uint64_t cycle);

  // A request that could have left in cycle `ready` has left for the network.
  void request_sent(const memory::Access& access, std::uint64_t ready, std::uint64_t now);
  void reply(const memory::Access& access, std::uint64_t now) { requests_.reply(access, now); }
  void count_warps(std::uint32_t resident, std::uint64_t cycle);

  // The launch was stopped there; what comes begins a new time after it.
  void restart(std::uint64_t cycle, sim::Instant start);

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
    std::uint64_t begun = 0;
    bool taken = false;
  };

  std::size_t free_place();
  void change(Warp& warp, std::size_t state, std::uint64_t cycle);
  void close_stretch(Warp& warp, std::uint64_t cycle);
  void end_warp(Warp& warp, std::uint64_t cycle);
  void end_block(Place& place, std::uint64_t cycle);

  TraceWriter writer_;
  sim::Track track_, resident_;
  RequestLanes requests_;
  std::vector<Place> places_;
  std::vector<Warp> warps_;  // by slot
  std::optional<std::uint32_t> counted_;
};

}  // namespace raddle::machine::simt
