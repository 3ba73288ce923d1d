#include "machine/simt/kernel_queue.h"

#include <algorithm>
#include <numeric>

namespace raddle::machine::simt {

KernelQueue::KernelQueue(std::span<const QueuedLaunch> launches, std::uint32_t most_in_flight)
    : launches_(launches), most_in_flight_(most_in_flight), waiting_(launches.size()) {
  std::iota(waiting_.begin(), waiting_.end(), 0u);
}

std::optional<std::uint32_t> KernelQueue::begin_next() {
  if (in_flight_ == most_in_flight_) return std::nullopt;
  // The first of a stream that waits is the next of its stream.
  const auto next = std::find_if(waiting_.begin(), waiting_.end(), [&](std::uint32_t launch) {
    return std::find(busy_streams_.begin(), busy_streams_.end(), launches_[launch].stream) ==
           busy_streams_.end();
  });
  if (next == waiting_.end()) return std::nullopt;
  const std::uint32_t launch = *next;
  waiting_.erase(next);
  busy_streams_.push_back(launches_[launch].stream);
  ++in_flight_;
  return launch;
}

void KernelQueue::end(std::uint32_t launch) {
  const auto stream =
      std::find(busy_streams_.begin(), busy_streams_.end(), launches_[launch].stream);
  busy_streams_.erase(stream);
  --in_flight_;
}

}  // namespace raddle::machine::simt
