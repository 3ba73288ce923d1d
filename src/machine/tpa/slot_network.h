// The multimesh and the memory modules as a timetable: every link of every plane, and every module,
// serves one reference a cycle, and a reference takes the first free slot on each link of its way
// (rows first) when it sets out. It sets out only if it has to wait no longer anywhere than a queue
// of the network is long; else its backend waits. Routers therefore have queues of that length for
// each output, and older references go first. Synchronisation waves hold back what comes behind
// them until all backends have sent theirs, and reach a module after every reference of their step.
//
// The other model of the same network, MemoryModules, moves packets from queue to queue, cycle by
// cycle; this one is several times faster.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <vector>

#include "machine/tpa/issue_stream.h"
#include "machine/tpa/tpa_parameters.h"

namespace raddle::machine::tpa {

struct SlotNetworkStats {
  std::uint64_t references = 0, replies = 0;
  std::uint64_t hops = 0;
  std::uint64_t waited = 0;      // cycles that references and replies waited for links
  std::uint64_t at_modules = 0;  // and references for their modules
};

class SlotNetwork {
 public:
  static constexpr std::uint64_t kRefused = ~std::uint64_t{0};
  static constexpr std::uint64_t kLater = kRefused - 1;

  // When a reference is served and, if it wants a reply, when that is back.
  struct Times {
    std::uint64_t served = kRefused;
    std::uint64_t back = 0;
  };

  explicit SlotNetwork(const TpaParameters& parameters);

  // The item's times; served is kRefused if there is no room for it now, kLater if it waits behind
  // a wave: tick() will tell of it.
  Times send(std::uint32_t backend, IssueItem item, std::uint32_t slot, std::uint64_t now) {
    if (held_[backend].empty() && waves_of_[backend] == complete_)
      return reserve(backend, item, now);
    return hold(backend, {item, slot});
  }
  bool send_wave(std::uint32_t backend) {
    if (held_[backend].size() == held_limit_) return false;
    held_[backend].push_back({kWaveItem, 0});
    ++held_count_;
    return true;
  }
  bool holds_nothing() const { return held_count_ == 0; }

  // One cycle: what is held goes on. sent(backend, slot, times) hears of references that did;
  // waved(time) of waves, and when the last module has seen them.
  template <class Sent, class Waved>
  void tick(std::uint64_t now, Sent&& sent, Waved&& waved) {
    if (held_count_ == 0) return;
    for (std::uint32_t b = 0; b < backends_; ++b) {
      // One a plane, or one wave.
      for (std::uint32_t i = 0; i < planes_; ++i) {
        if (held_[b].empty() || waves_of_[b] != complete_) break;
        const Held head = held_[b].front();
        if (head.item == kWaveItem) {
          wave_time_[b] = now;
          ++waves_of_[b];
          ++waves_at_;
        } else {
          const Times times = reserve(b, head.item, now);
          if (times.served == kRefused) break;
          sent(b, head.slot, times);
        }
        held_[b].pop_front();
        --held_count_;
      }
    }
    if (waves_at_ == backends_) waved(complete_wave());
  }

  // Forgets slots that are past; to be called at least every so many cycles.
  static constexpr std::uint64_t kForgetInterval = 64;
  void forget(std::uint64_t now);

  const SlotNetworkStats& stats() const { return stats_; }
  const std::vector<std::uint64_t>& served_by_module() const { return served_; }

 private:
  static constexpr std::uint64_t kWords = 64;  // of a timetable: 4096 cycles
  static constexpr std::uint64_t kHorizon = (kWords - 2) * 64;
  static constexpr std::size_t kMostLinks = 62;

  struct Held {
    IssueItem item;
    std::uint32_t slot;
  };
  // Timetables of some things, the same word of all side by side.
  struct Timetable {
    explicit Timetable(std::size_t count) : things(count), words(count * kWords) {}
    std::uint64_t first_free(std::size_t thing, std::uint64_t time) const {
      std::uint64_t free = ~words[(time / 64 % kWords) * things + thing] >> time % 64;
      if (free != 0) [[likely]]
        return time + static_cast<std::uint64_t>(std::countr_zero(free));
      for (std::uint64_t at = (time / 64 + 1) * 64;; at += 64) {
        free = ~words[(at / 64 % kWords) * things + thing];
        if (free != 0) return at + static_cast<std::uint64_t>(std::countr_zero(free));
        if (at > time + kHorizon) return at;  // refused by whoever asked
      }
    }
    void take(std::size_t thing, std::uint64_t time) {
      words[(time / 64 % kWords) * things + thing] |= std::uint64_t{1} << time % 64;
    }
    std::size_t things;
    std::vector<std::uint64_t> words;
  };

  Times reserve(std::uint32_t backend, IssueItem item, std::uint64_t now);
  Times hold(std::uint32_t backend, Held held);
  std::uint64_t complete_wave();

  std::uint32_t backends_;
  std::uint32_t planes_;
  std::uint32_t links_;  // of a plane
  std::uint64_t queue_, module_queue_, hop_;
  // The links of a way, one behind the other.
  struct Path {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  std::vector<Path> paths_;  // by source and destination
  std::vector<std::uint16_t> path_links_;
  Timetable requests_, replies_, modules_;
  std::vector<std::uint32_t> turn_;  // by backend: the plane of its next reference

  std::vector<std::deque<Held>> held_;
  std::uint64_t held_count_ = 0;
  std::size_t held_limit_;
  std::vector<std::uint64_t> waves_of_;   // by backend: waves that it has sent
  std::vector<std::uint64_t> wave_time_;  // and when the last
  std::uint64_t complete_ = 0;            // waves that all have sent
  std::uint32_t waves_at_ = 0;
  std::vector<std::uint64_t> floor_;  // by module: when the wave is there
  std::vector<std::uint64_t> last_;   // by module: its last service
  std::vector<std::uint64_t> served_;
  std::uint64_t forgotten_ = 0;  // words of the timetables
  SlotNetworkStats stats_;
};

}  // namespace raddle::machine::tpa
