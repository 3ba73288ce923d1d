#include "machine/tpa/slot_network.h"

namespace raddle::machine::tpa {

SlotNetwork::SlotNetwork(const TpaParameters& p)
    : reservations_(SlotReservations::make(p)),
      planes_(p.planes),
      held_(p.back.count),
      held_limit_(std::size_t{p.queue} * 4),
      waves_of_(p.back.count),
      wave_time_(p.back.count) {}

SlotNetwork::Times SlotNetwork::hold(std::uint32_t backend, Held held) {
  if (held_[backend].size() == held_limit_) return {};
  held_[backend].push_back(held);
  ++held_count_;
  return {kLater, Cycle(0)};
}

}  // namespace raddle::machine::tpa
