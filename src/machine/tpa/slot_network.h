// The way of references to shared memory with synchronisation waves on it: what comes after a wave
// is held back until all backends have sent theirs, and a wave reaches a module after every
// reference of its step. Slots on links and at modules are given by SlotReservations.
//
// The other model of the same network, MemoryModules, moves packets from queue to queue, cycle by
// cycle; this one is several times faster.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "machine/tpa/issue_stream.h"
#include "machine/tpa/slot_reservations.h"
#include "machine/tpa/tpa_parameters.h"

namespace raddle::machine::tpa {

class SlotNetwork {
 public:
  using Times = SlotTimes;
  using Issue = SlotIssue;
  static constexpr Cycle kRefused = Times::kRefused;
  static constexpr Cycle kLater = kRefused - Cycle(1);

  explicit SlotNetwork(const TpaParameters& parameters);

  // The item's times; served is kRefused if there is no room for it now, kLater if it waits behind
  // a wave: tick() will tell of it.
  Times send(std::uint32_t backend, IssueItem item, std::uint32_t slot, Cycle now) {
    if (held_[backend].empty() && waves_of_[backend] == complete_)
      return reservations_->reserve(backend, item, now);
    return hold(backend, {item, slot});
  }
  bool send_wave(std::uint32_t backend) {
    if (held_[backend].size() == held_limit_) return false;
    held_[backend].push_back({kWaveItem, 0});
    ++held_count_;
    return true;
  }
  bool holds_nothing() const { return held_count_ == 0; }
  // Nothing is held, and nothing would be.
  bool is_open() const { return held_count_ == 0 && waves_at_ == 0; }
  // As send(), where the network is open.
  Times send_open(std::uint32_t backend, IssueItem item, Cycle now) {
    return reservations_->reserve(backend, item, now);
  }
  // The same for a backend's next items.
  void issue_open(Issue& issue) { reservations_->issue(issue); }

  // One cycle: what is held goes on. sent(backend, slot, times) hears of references that did;
  // waved(time) of waves, and when the last module has seen them.
  template <class Sent, class Waved>
  void tick(Cycle now, Sent&& sent, Waved&& waved) {
    if (held_count_ == 0) return;
    for (std::uint32_t b = 0; b < held_.size(); ++b) {
      // One a plane, or one wave.
      for (std::uint32_t i = 0; i < planes_; ++i) {
        if (held_[b].empty() || waves_of_[b] != complete_) break;
        const Held head = held_[b].front();
        if (head.item == kWaveItem) {
          wave_time_[b] = now;
          ++waves_of_[b];
          ++waves_at_;
        } else {
          const Times times = reservations_->reserve(b, head.item, now);
          if (times.served == kRefused) break;
          sent(b, head.slot, times);
        }
        held_[b].pop_front();
        --held_count_;
      }
    }
    if (waves_at_ != held_.size()) return;
    ++complete_;
    waves_at_ = 0;
    waved(reservations_->pass_wave(wave_time_));
  }

  // Forgets slots that are past; to be called at least every so many cycles.
  static constexpr Cycle kForgetInterval = SlotReservations::kForgetInterval;
  void forget(Cycle now) { reservations_->forget(now); }

  SlotNetworkStats stats() const { return reservations_->stats(); }
  std::vector<std::uint64_t> served_by_module() const { return reservations_->served_by_module(); }

 private:
  struct Held {
    IssueItem item;
    std::uint32_t slot;
  };

  Times hold(std::uint32_t backend, Held held);

  std::unique_ptr<SlotReservations> reservations_;
  std::uint32_t planes_;
  std::vector<std::deque<Held>> held_;  // by backend
  std::uint64_t held_count_ = 0;
  std::size_t held_limit_;
  std::vector<std::uint64_t> waves_of_;  // by backend: waves that it has sent
  std::vector<Cycle> wave_time_;         // and when the last
  std::uint64_t complete_ = 0;           // waves that all have sent
  std::uint32_t waves_at_ = 0;
};

}  // namespace raddle::machine::tpa
