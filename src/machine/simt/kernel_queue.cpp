#include "machine/simt/kernel_queue.h"

#include <algorithm>

namespace raddle::machine::simt {

KernelQueue::KernelQueue(std::span<const QueuedLaunch> launches, std::uint32_t most_in_flight)
    : launches_(launches), most_in_flight_(most_in_flight), states_(launches.size()) {}

std::optional<std::uint32_t> KernelQueue::next() const {
  if (in_flight_ == most_in_flight_) return std::nullopt;
  std::vector<std::uint32_t> busy;  // streams with something before this launch that has not ended
  for (std::uint32_t i = first_; i < launches_.size(); ++i) {
    const QueuedLaunch& launch = launches_[i];
    if (states_[i] == State::kEnded) continue;
    const bool in_turn = std::find(busy.begin(), busy.end(), launch.stream) == busy.end();
    const bool others_ended =
        std::all_of(launch.after.begin(), launch.after.end(),
                    [&](std::size_t other) { return states_[other] == State::kEnded; });
    if (states_[i] == State::kWaiting && in_turn && others_ended) return i;
    if (in_turn) busy.push_back(launch.stream);
  }
  return std::nullopt;
}

void KernelQueue::begin(std::uint32_t launch) {
  states_[launch] = State::kInFlight;
  ++in_flight_;
}

void KernelQueue::end(std::uint32_t launch) {
  states_[launch] = State::kEnded;
  --in_flight_;
  while (first_ < states_.size() && states_[first_] == State::kEnded) ++first_;
}

}  // namespace raddle::machine::simt
