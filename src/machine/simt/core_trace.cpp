#include "machine/simt/core_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "machine/simt/memory_request.h"

namespace raddle::machine::simt {

namespace {

std::string_view text_of(std::size_t state) {
  if (state == kSlotUses.size()) return kSlotUses[SlotUse::kIssued].name;
  switch (static_cast<SlotUse>(state)) {
    case SlotUse::kIssued: return kNotSelected.name;
    case SlotUse::kNoWarp: return "drain";  // its last stores
    default: return kSlotUses[static_cast<SlotUse>(state)].name;
  }
}

std::string_view text_of(const memory::Access& access) {
  switch (request_kind(access.token)) {
    case RequestKind::kDataLine: return "L1 miss";
    case RequestKind::kStore: return "store";
    case RequestKind::kInstructionLine: return "instruction cache miss";
    case RequestKind::kConstantLine: return "constant cache miss";
    case RequestKind::kTextureLine: return "texture cache miss";
    case RequestKind::kOperation: break;
  }
  return access.kind == memory::AccessKind::kAtomic ? "atomic" : "load past the L1";
}

}  // namespace

CoreTrace::CoreTrace(sim::TraceFile& file, sim::Clock clock, std::uint32_t index,
                     std::uint32_t warps)
    : writer_(file, std::move(clock)),
      track_(writer_.add_track(fmt::format("SM {}", index))),
      resident_(writer_.add_counter("resident warps", "warps", track_)),
      requests_(writer_, track_),
      warps_(warps) {}

std::size_t CoreTrace::free_place() {
  const auto found =
      std::find_if(places_.begin(), places_.end(), [](const Place& place) { return !place.taken; });
  if (found != places_.end()) return static_cast<std::size_t>(found - places_.begin());
  Place& place = places_.emplace_back();
  place.track = writer_.add_track(fmt::format("block place {}", places_.size() - 1), track_);
  return places_.size() - 1;
}

void CoreTrace::begin_block(std::string_view kernel, std::uint64_t number,
                            const std::vector<std::uint32_t>& slots, Cycle cycle) {
  const std::size_t index = free_place();
  Place& place = places_[index];
  place.taken = true;
  place.begun = cycle;
  place.name = fmt::format("{} block {}", kernel, number);
  while (place.warps.size() < slots.size())
    place.warps.push_back(
        writer_.add_track(fmt::format("warp {}", place.warps.size()), place.track));
  for (std::size_t w = 0; w < slots.size(); ++w)
    warps_[slots[w]] = {index, true, static_cast<std::size_t>(SlotUse::kFetch),
                        TraceStretches(writer_, place.warps[w], cycle)};
}

// The present stretch ends there, if it has not ended before it began.
void CoreTrace::close_stretch(Warp& warp, Cycle cycle) {
  const Cycle begin = warp.stretches.now();
  // An instruction takes its cycle, whatever the warp waits for after it.
  const Cycle least = begin + Cycle(warp.state == kIssuing ? 1 : 0);
  warp.stretches.add(text_of(warp.state), std::max(cycle, least) - begin);
}

void CoreTrace::change(Warp& warp, std::size_t state, Cycle cycle) {
  if (!warp.resident || (state == warp.state && state != kIssuing)) return;
  close_stretch(warp, cycle);
  warp.state = state;
}

void CoreTrace::warp_waits(std::uint32_t slot, SlotUse cause, Cycle cycle) {
  change(warps_[slot], static_cast<std::size_t>(cause), cycle);
}

void CoreTrace::warp_issued(std::uint32_t slot, Cycle cycle) {
  change(warps_[slot], kIssuing, cycle);
}

void CoreTrace::end_warp(Warp& warp, Cycle cycle) {
  close_stretch(warp, cycle);
  warp.stretches.close();
  warp.resident = false;
}

void CoreTrace::end_block(Place& place, Cycle cycle) {
  writer_.slice(place.track, place.name, place.begun, cycle);
  place.taken = false;
}

void CoreTrace::warp_ended(std::uint32_t slot, bool last, Cycle cycle) {
  Warp& warp = warps_[slot];
  if (!warp.resident) return;
  end_warp(warp, cycle + Cycle(1));
  if (last) end_block(places_[warp.place], cycle + Cycle(1));
}

void CoreTrace::request_sent(const memory::Access& access, Cycle ready, Cycle now) {
  requests_.sent(access, text_of(access), ready, now);
}

void CoreTrace::count_warps(std::uint32_t resident, Cycle cycle) {
  if (counted_ == resident) return;
  counted_ = resident;
  writer_.count(resident_, cycle, resident);
}

void CoreTrace::restart(Cycle cycle, sim::Instant start) {
  for (Warp& warp : warps_) {
    if (warp.resident) end_warp(warp, cycle);
  }
  for (Place& place : places_) {
    if (place.taken) end_block(place, std::max(cycle, place.begun));
  }
  requests_.forget();
  counted_.reset();
  writer_.restart(start);
}

}  // namespace raddle::machine::simt
