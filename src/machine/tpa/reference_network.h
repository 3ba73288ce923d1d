// The way from backends to shared memory and back, by one of two models of the same network: a
// timetable of its links (SlotNetwork), or routers with queues (MemoryModules).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "machine/tpa/memory_modules.h"
#include "machine/tpa/slot_network.h"

namespace raddle::machine::tpa {

struct ReferenceNetworkStats {
  std::uint64_t references = 0, replies = 0;
  std::uint64_t hops = 0;
  Cycle blocked;  // in the network
  Cycle waited;   // before modules
  std::uint64_t most_served = 0;
};

class ReferenceNetwork {
 public:
  using Times = SlotNetwork::Times;
  static constexpr Cycle kRefused = SlotNetwork::kRefused;
  static constexpr Cycle kLater = SlotNetwork::kLater;

  explicit ReferenceNetwork(const TpaParameters& parameters) : slots_(parameters) {
    if (parameters.routers) routers_ = std::make_unique<MemoryModules>(parameters);
  }

  // When it is served and its reply is back; kLater: tick() will tell.
  Times send(std::uint32_t backend, IssueItem item, std::uint32_t slot, Cycle now) {
    if (routers_ == nullptr) return slots_.send(backend, item, slot, now);
    if (!routers_->has_room(backend)) return {};
    const bool wants_reply = (item & kWantsReply) != 0;
    routers_->send(backend, Packet::reference(backend, slot, item & kModuleMask, wants_reply), now);
    return {kLater, kLater};
  }
  // Whether references need nobody but the timetable, as all waves have passed; and one of them.
  bool is_open() const { return routers_ == nullptr && slots_.is_open(); }
  Times send_open(std::uint32_t backend, IssueItem item, Cycle now) {
    return slots_.send_open(backend, item, now);
  }
  void issue_open(SlotNetwork::Issue& issue) { slots_.issue_open(issue); }
  bool send_wave(std::uint32_t backend, Cycle now) {
    if (routers_ == nullptr) return slots_.send_wave(backend);
    if (!routers_->has_room_for_wave(backend)) return false;
    routers_->send_wave(backend, now);
    return true;
  }

  // One cycle. served(backend, slot, time), back(backend, slot, time) of references that were
  // kLater; waved(time) of each wave.
  template <class Served, class Back, class Waved>
  void tick(Cycle now, Served&& served, Back&& back, Waved&& waved) {
    if (routers_ == nullptr) {
      if (now % SlotNetwork::kForgetInterval == Cycle(0)) slots_.forget(now);
      slots_.tick(
          now,
          [&](std::uint32_t backend, std::uint32_t slot, Times times) {
            served(backend, slot, times.served);
            back(backend, slot, times.back);
          },
          waved);
      return;
    }
    routers_->tick(
        now, [&](Packet packet) { served(packet.source(), packet.slot(), now); },
        [&](Packet packet) { back(packet.destination(), packet.slot(), now); },
        [&] { waved(now); });
  }
  void forget(Cycle now) { slots_.forget(now); }

  // Nothing will be told by tick().
  bool idle() const { return routers_ == nullptr ? slots_.holds_nothing() : routers_->idle(); }

  ReferenceNetworkStats stats() const;
  // References that the busiest module has served since this was asked last. When a wave has passed
  // all modules, those are the ones between it and the wave before.
  std::uint64_t most_served_since_wave();

 private:
  SlotNetwork slots_;
  std::unique_ptr<MemoryModules> routers_;
  std::vector<std::uint64_t> served_before_wave_;  // by module
};

}  // namespace raddle::machine::tpa
