#include "machine/simt/core_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "machine/simt/memory_request.h"

namespace raddle::machine::simt {

namespace {

std::string_view text_of(std::size_t state) {
  if (state == kSlotUses) return "issued";
  switch (static_cast<SlotUse>(state)) {
    case SlotUse::kIssued: return "ready: other warps issue";
    case SlotUse::kNoWarp: return "ended: stores on their way";
    default: return kSlotUseTexts[state].name;
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

CoreTrace::CoreTrace(sim::TraceStream& stream, const sim::Clock& clock, std::uint32_t index,
                     std::uint32_t warps)
    : stream_(stream),
      time_{clock},
      track_(stream.add_track(fmt::format("SM {}", index))),
      resident_(stream.add_counter("resident warps", "warps", track_)),
      requests_(stream, "memory request", track_),
      warps_(warps) {}

std::size_t CoreTrace::free_place() {
  const auto found =
      std::find_if(places_.begin(), places_.end(), [](const Place& place) { return !place.taken; });
  if (found != places_.end()) return static_cast<std::size_t>(found - places_.begin());
  Place& place = places_.emplace_back();
  place.track = stream_.add_track(fmt::format("block place {}", places_.size() - 1), track_);
  return places_.size() - 1;
}

void CoreTrace::begin_block(std::string_view kernel, std::uint64_t number,
                            const std::vector<std::uint32_t>& slots, std::uint64_t cycle) {
  const std::size_t index = free_place();
  Place& place = places_[index];
  place.taken = true;
  place.begun = cycle;
  place.name = fmt::format("{} block {}", kernel, number);
  while (place.warps.size() < slots.size())
    place.warps.push_back(
        stream_.add_track(fmt::format("warp {}", place.warps.size()), place.track));
  for (std::size_t w = 0; w < slots.size(); ++w) {
    const Stretch begun{static_cast<std::size_t>(SlotUse::kFetch), cycle, cycle};
    warps_[slots[w]] = {place.warps[w], index, true, begun, begun};
  }
}

void CoreTrace::write(const Warp& warp, const Stretch& stretch) {
  if (stretch.end > stretch.begin)
    stream_.slice(warp.track, text_of(stretch.state), time_.of(stretch.begin),
                  time_.of(stretch.end));
}

// The present stretch ends there, if it has not ended before it began.
void CoreTrace::close_stretch(Warp& warp, std::uint64_t cycle) {
  Stretch& present = warp.present;
  // An instruction takes its cycle, whatever the warp waits for behind it.
  const std::uint64_t least = present.begin + (present.state == kIssuing ? 1 : 0);
  present.end = std::max(cycle, least);
  if (present.end == present.begin) return;
  if (warp.last.state == present.state && warp.last.end == present.begin) {
    warp.last.end = present.end;
    return;
  }
  write(warp, warp.last);
  warp.last = present;
}

void CoreTrace::change(Warp& warp, std::size_t state, std::uint64_t cycle) {
  if (!warp.resident || (state == warp.present.state && state != kIssuing)) return;
  close_stretch(warp, cycle);
  warp.present = {state, warp.present.end, warp.present.end};
}

void CoreTrace::warp_waits(std::uint32_t slot, SlotUse cause, std::uint64_t cycle) {
  change(warps_[slot], static_cast<std::size_t>(cause), cycle);
}

void CoreTrace::warp_issued(std::uint32_t slot, std::uint64_t cycle) {
  change(warps_[slot], kIssuing, cycle);
}

void CoreTrace::end_warp(Warp& warp, std::uint64_t cycle) {
  close_stretch(warp, cycle);
  write(warp, warp.last);
  warp.resident = false;
}

void CoreTrace::end_block(Place& place, std::uint64_t cycle) {
  stream_.slice(place.track, place.name, time_.of(place.begun), time_.of(cycle));
  place.taken = false;
}

void CoreTrace::warp_ended(std::uint32_t slot, bool last, std::uint64_t cycle) {
  Warp& warp = warps_[slot];
  if (!warp.resident) return;
  end_warp(warp, cycle + 1);
  if (last) end_block(places_[warp.place], cycle + 1);
}

void CoreTrace::request_sent(const memory::Access& access, std::uint64_t ready, std::uint64_t now) {
  if (access.kind == memory::AccessKind::kWriteBack) return;  // nobody answers
  requests_.open({access.token, access.address}, text_of(access), time_.of(std::min(ready, now)),
                 time_.of(now));
}

void CoreTrace::reply(const memory::Access& access, std::uint64_t now) {
  requests_.close({access.token, access.address}, time_.of(now), "waits for the network",
                  "network and L2");
}

void CoreTrace::count_warps(std::uint32_t resident, std::uint64_t cycle) {
  if (counted_ == resident) return;
  counted_ = resident;
  stream_.count(resident_, time_.of(cycle), resident);
}

void CoreTrace::restart(std::uint64_t cycle, sim::Instant start) {
  for (Warp& warp : warps_) {
    if (warp.resident) end_warp(warp, cycle);
  }
  for (Place& place : places_) {
    if (place.taken) end_block(place, std::max(cycle, place.begun));
  }
  requests_.forget();
  counted_.reset();
  time_.start = start;
}

}  // namespace raddle::machine::simt
