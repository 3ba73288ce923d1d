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
#include <span>
#include <vector>

#include "machine/tpa/issue_stream.h"
#include "machine/tpa/link_timetable.h"
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
  // Nothing is held, and nothing would be.
  bool is_open() const { return held_count_ == 0 && waves_at_ == 0; }
  // As send(), where the network is open.
  Times send_open(std::uint32_t backend, IssueItem item, std::uint64_t now) {
    return reserve(backend, item, now);
  }
  // The same for a backend's next items, one a cycle, until the end or until there are no more. Its
  // pipeline stands in cycles in which a reply is late or there is no room.
  struct Issue {
    std::uint32_t backend = 0;
    std::span<const IssueItem> items;
    std::uint64_t* ring = nullptr;  // by pipeline time: when the reply is there
    std::uint64_t ring_mask = 0;
    std::uint64_t segment = 0;  // cycles of pipeline time until a reply is needed
    std::uint64_t time = 0;     // of the pipeline
    std::uint64_t now = 0, end = 0;
    std::uint64_t issued = 0, waited_reply = 0, waited_network = 0;  // cycles

    // When the pipeline can take the item after so many others, as far as replies are concerned.
    std::uint64_t due(std::uint64_t behind) const {
      return ring[(time + behind - segment) & ring_mask];
    }
  };
  void issue_open(Issue& issue);

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
  static constexpr std::uint64_t kForgetInterval = LinkTimetable::kForgetInterval;
  void forget(std::uint64_t now);

  SlotNetworkStats stats() const;
  std::vector<std::uint64_t> served_by_module() const;

 private:
  struct Held {
    IssueItem item;
    std::uint32_t slot;
  };
  // Which cycles of each module are taken, a bit each: many wait for one module at times. The same
  // word of all modules lies side by side.
  class ModuleTimetable {
   public:
    explicit ModuleTimetable(std::size_t modules)
        : bits_(static_cast<std::uint32_t>(std::bit_width(modules - 1))), words_(kWords << bits_) {}
    std::uint64_t first_free(std::size_t module, std::uint64_t time) const {
      std::uint64_t free = ~words_[word(module, time)] >> time % 64;
      if (free != 0) [[likely]]
        return time + static_cast<std::uint64_t>(std::countr_zero(free));
      for (std::uint64_t at = (time / 64 + 1) * 64;; at += 64) {
        free = ~words_[word(module, at)];
        if (free != 0) return at + static_cast<std::uint64_t>(std::countr_zero(free));
        if (at > time + kHorizon) return at;  // refused by whoever asked
      }
    }
    void take(std::size_t module, std::uint64_t time) {
      words_[word(module, time)] |= std::uint64_t{1} << time % 64;
    }
    std::uint64_t* words() { return words_.data(); }
    std::uint32_t bits() const { return bits_; }
    std::size_t word(std::size_t module, std::uint64_t time) const {
      return ((time / 64 % kWords) << bits_) + module;
    }
    // 0: none that is not forgotten.
    std::uint64_t last_taken(std::size_t module) const;
    void forget(std::uint64_t now);
    static constexpr std::uint64_t kWords = 64;  // 4096 cycles

   private:
    static constexpr std::uint64_t kHorizon = (kWords - 2) * 64;

    std::uint32_t bits_;  // modules are padded to a power of two
    std::vector<std::uint64_t> words_;
    std::uint64_t forgotten_ = 0;  // words
  };

  Times reserve(std::uint32_t backend, IssueItem item, std::uint64_t now);
  struct AnyLayout;
  struct DefaultLayout;
  AnyLayout layout() const;
  template <class Layout>
  struct Port;
  template <class Layout>
  Port<Layout> port_of(std::uint32_t backend, Layout layout, std::uint64_t end);
  template <class Layout>
  void close_port(const Port<Layout>& port, std::uint32_t backend);
  template <class Layout>
  Times reserve_at(Port<Layout>& port, IssueItem item, std::uint64_t now);
  template <class Layout>
  std::uint64_t serve(Port<Layout>& port, std::uint32_t module, std::uint64_t arrival);
  template <class Layout>
  std::uint64_t reply(Port<Layout>& port, std::uint32_t module, std::uint64_t plane,
                      std::uint64_t served);
  template <class Layout>
  void issue_with(Issue& issue, Layout layout);
  // On its way to its module, then at it.
  struct Reference {
    std::uint64_t time;     // when it is there, then: when it is served
    std::uint64_t origin;   // of its way
    LineLinks row, column;  // links that it passes without waiting on their line
    bool long_wait;         // no quick pass: the timetable knows its links
  };
  static constexpr std::size_t kFew = 8;
  template <class Layout>
  std::size_t issue_few(Port<Layout>& port, const IssueItem* items, std::size_t count,
                        const Issue& issue);
  // Give back how many of the items they are done with.
  template <class Layout>
  std::size_t set_out(Port<Layout>& port, std::span<const IssueItem> items, std::uint64_t now,
                      std::array<Reference, kFew>& references);
  template <class Layout>
  std::size_t serve_few(Port<Layout>& port, std::span<const IssueItem> items,
                        std::array<Reference, kFew>& references);
  template <class Layout>
  void take_back(Port<Layout>& port, IssueItem item, const Reference& reference);
  Times hold(std::uint32_t backend, Held held);
  std::uint64_t complete_wave();

  std::uint32_t backends_;
  std::uint32_t planes_;
  std::uint64_t queue_, module_queue_, hop_;
  bool is_default_ = false;  // its layout
  LinkWays ways_;
  LinkTimetable requests_, replies_;
  ModuleTimetable modules_;
  std::vector<std::uint32_t> turn_;  // by backend: the plane of its next reference

  std::vector<std::deque<Held>> held_;
  std::uint64_t held_count_ = 0;
  std::size_t held_limit_;
  std::vector<std::uint64_t> waves_of_;   // by backend: waves that it has sent
  std::vector<std::uint64_t> wave_time_;  // and when the last
  std::uint64_t complete_ = 0;            // waves that all have sent
  std::uint32_t waves_at_ = 0;
  std::vector<std::uint64_t> floor_;  // by module: when the wave is there
  // By backend and module: references without and with a reply.
  std::vector<std::array<std::uint64_t, 2>> sent_;
  std::uint64_t waited_ = 0, waited_at_modules_ = 0;  // cycles
};

}  // namespace raddle::machine::tpa
