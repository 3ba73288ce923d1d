#include "kernel/exec/channels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace raddle::kernel::exec {
namespace {

std::uint32_t thread_of(const Warp& warp, std::size_t lane) {
  return warp.warp_index * kLanes + static_cast<std::uint32_t>(lane);
}

std::uint64_t read_lane(const Warp& warp, const DecodedInstruction& d, std::uint32_t slot,
                        std::size_t lane) {
  return d.element_bytes == 4 ? std::uint64_t{warp.lanes<std::uint32_t>(slot)[lane]}
                              : warp.lanes<std::uint64_t>(slot)[lane];
}

void write_lane(const Warp& warp, const DecodedInstruction& d, std::size_t lane,
                std::uint64_t bits) {
  if (d.destination[0] == kNoSlot) return;
  if (d.element_bytes == 4) {
    warp.lanes<std::uint32_t>(d.destination[0])[lane] = static_cast<std::uint32_t>(bits);
  } else {
    warp.lanes<std::uint64_t>(d.destination[0])[lane] = bits;
  }
}

LaneMask first_of(LaneMask lanes) { return lanes & (~lanes + 1); }

}  // namespace

std::uint32_t producer_of(std::uint32_t thread, const InterThread& operation, const Dim3& block) {
  const std::array<std::uint32_t, 3> extent{block.x, block.y, block.z};
  const std::array<std::uint32_t, 3> here{thread % block.x, thread / block.x % block.y,
                                          thread / block.x / block.y};
  std::array<std::int64_t, 3> there{};
  for (std::size_t i = 0; i < 3; ++i) {
    there[i] = std::int64_t{here[i]} + operation.delta[i];
    if (there[i] < 0 || there[i] >= extent[i]) return kNoThread;
  }
  const auto producer =
      static_cast<std::uint32_t>(there[0] + block.x * (there[1] + block.y * there[2]));
  const std::uint32_t window = operation.window;
  if (window != 0 && producer / window != thread / window) return kNoThread;
  return producer;
}

Channels::Channels(const DecodedKernel& kernel, const Dim3& block)
    : channels_(kernel.channels), sites_(kernel.receive_sites.size()) {
  if (channels_.empty()) return;
  threads_ = static_cast<std::uint32_t>(block.count());
  for (Channel& channel : channels_) channel.tags.resize(threads_);
  for (std::uint32_t s = 0; s < sites_.size(); ++s) {
    const ReceiveSite& receive = kernel.receive_sites[s];
    Site& site = sites_[s];
    site.channel = receive.operation.channel;
    site.receives.resize(threads_);
    Channel& channel = channels_[site.channel];
    if (receive.loads) channel.load_site = s;
    for (std::uint32_t thread = 0; thread < threads_; ++thread) {
      site.producers.push_back(producer_of(thread, receive.operation, block));
      if (site.producers.back() != kNoThread && !receive.loads) ++channel.receives_per_row;
    }
  }
}

void Channels::begin() {
  for (Channel& channel : channels_) {
    std::move(channel.rows.begin(), channel.rows.end(), std::back_inserter(spare_));
    channel.rows.clear();
    channel.first_row = 0;
    std::fill(channel.tags.begin(), channel.tags.end(), 0);
  }
  for (Site& site : sites_) std::fill(site.receives.begin(), site.receives.end(), 0);
}

const Channels::Site& Channels::site_of(const DecodedInstruction& receive) const {
  if (receive.ir->opcode == Opcode::kItReceiveConst) return sites_[receive.number];
  return sites_[channels_[receive.ir->inter_thread.channel].load_site];
}

Channels::Row* Channels::row_of(Lookup& lookup, std::uint64_t turn) {
  if (lookup.turn == turn && lookup.row != nullptr) return lookup.row;
  const std::uint64_t place = turn - lookup.channel.first_row;
  lookup.turn = turn;
  lookup.row = place < lookup.channel.rows.size() ? &lookup.channel.rows[place] : nullptr;
  return lookup.row;
}

void Channels::tag(Lookup& lookup, std::uint32_t thread, std::uint64_t bits) {
  Channel& channel = lookup.channel;
  const std::uint64_t turn = channel.tags[thread]++;
  while (row_of(lookup, turn) == nullptr) {
    if (spare_.empty()) spare_.emplace_back().values.resize(threads_);
    Row& row = channel.rows.emplace_back(std::move(spare_.back()));
    spare_.pop_back();
    row.tagged.assign(threads_, 0);
    row.tags = row.receives = 0;
  }
  Row& row = *lookup.row;
  row.values[thread] = bits;
  row.tagged[thread] = 1;
  ++row.tags;
  ++tag_count_;
}

void Channels::forget_done_rows(Channel& channel) {
  while (!channel.rows.empty() && channel.rows.front().tags == threads_ &&
         channel.rows.front().receives == channel.receives_per_row) {
    spare_.push_back(std::move(channel.rows.front()));
    channel.rows.pop_front();
    ++channel.first_row;
  }
}

Channels::Outcome Channels::execute(const DecodedInstruction& operation, Warp& warp,
                                    LaneMask lanes) {
  Outcome outcome;
  switch (operation.ir->opcode) {
    case Opcode::kItTag: tag_lanes(operation, warp, lanes); break;
    case Opcode::kItReceiveConst: outcome = receive_lanes(operation, warp, lanes); break;
    default: outcome = receive_or_load_lanes(operation, warp, lanes); break;
  }
  forget_done_rows(channels_[operation.ir->inter_thread.channel]);
  return outcome;
}

void Channels::tag_lanes(const DecodedInstruction& d, const Warp& warp, LaneMask lanes) {
  Lookup lookup{channels_[d.ir->inter_thread.channel]};
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    tag(lookup, thread_of(warp, lane), read_lane(warp, d, d.source[0], lane));
  }
}

Channels::Outcome Channels::receive_lanes(const DecodedInstruction& d, const Warp& warp,
                                          LaneMask lanes) {
  Site& site = sites_[d.number];
  Lookup lookup{channels_[site.channel]};
  Outcome outcome;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    const std::uint32_t thread = thread_of(warp, lane);
    const std::uint32_t producer = site.producers[thread];
    std::uint64_t& turn = site.receives[thread];
    if (producer == kNoThread) {
      ++turn;
      write_lane(warp, d, lane, read_lane(warp, d, d.source[0], lane));
      continue;
    }
    Row* row = row_of(lookup, turn);
    if (row == nullptr || row->tagged[producer] == 0) {
      outcome.waiting |= first_of(lanes);
      continue;
    }
    write_lane(warp, d, lane, row->values[producer]);
    outcome.received |= first_of(lanes);
    ++row->receives;
    ++turn;
  }
  return outcome;
}

LaneMask Channels::waiting_for_other_warps(const DecodedInstruction& receive, const Warp& warp,
                                           LaneMask lanes) {
  if (receive.ir->opcode != Opcode::kItReceiveConst) return 0;
  const Site& site = sites_[receive.number];
  Lookup lookup{channels_[site.channel]};
  LaneMask waiting = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    const std::uint32_t thread = thread_of(warp, lane);
    const std::uint32_t producer = site.producers[thread];
    if (producer == kNoThread) continue;
    const Row* row = row_of(lookup, site.receives[thread]);
    if (row != nullptr && row->tagged[producer] != 0) continue;
    if (producer / kLanes == warp.warp_index) return 0;
    waiting |= first_of(lanes);
  }
  return waiting;
}

Channels::Outcome Channels::receive_or_load_lanes(const DecodedInstruction& d, Warp& warp,
                                                  LaneMask lanes) {
  Lookup lookup{channels_[d.ir->inter_thread.channel]};
  const Site& site = sites_[lookup.channel.load_site];
  const LaneMask predicate = *warp.lanes<LaneMask>(d.source[1]);
  LaneMask load = (d.negated_sources >> 1 & 1) != 0 ? ~predicate : predicate;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    if (site.producers[thread_of(warp, lane)] == kNoThread) load |= first_of(left);
  }
  load &= lanes;
  if (load != 0) {
    d.warp(d, warp, load);
    for (LaneMask left = load; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      tag(lookup, thread_of(warp, lane), read_lane(warp, d, d.destination[0], lane));
    }
  }
  const LaneMask waiting = pass_on(d, warp, lanes & ~load, lookup);
  return {waiting, lanes & ~load & ~waiting, load != 0};
}

// Values go from lane to lane within one instruction, in either direction: lanes are gone through
// up and down until none gets any further.
LaneMask Channels::pass_on(const DecodedInstruction& d, const Warp& warp, LaneMask lanes,
                           Lookup& lookup) {
  const Site& site = sites_[lookup.channel.load_site];
  const auto try_lane = [&](std::size_t lane) {
    if ((lanes >> lane & 1) == 0) return;
    const std::uint32_t thread = thread_of(warp, lane);
    const std::uint32_t producer = site.producers[thread];
    const Row* row = row_of(lookup, lookup.channel.tags[thread]);
    if (row == nullptr || row->tagged[producer] == 0) return;
    const std::uint64_t bits = row->values[producer];
    write_lane(warp, d, lane, bits);
    tag(lookup, thread, bits);
    lanes &= ~(LaneMask{1} << lane);
  };
  for (LaneMask before = 0; lanes != 0 && lanes != before;) {
    before = lanes;
    for (std::size_t lane = 0; lane < kLanes; ++lane) try_lane(lane);
    for (std::size_t lane = kLanes; lanes != 0 && lane-- > 0;) try_lane(lane);
  }
  return lanes;
}

}  // namespace raddle::kernel::exec
