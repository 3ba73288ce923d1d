#include "host/launch_queue.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "host/device.h"

namespace raddle::host {

bool is_legacy_stream(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy;
}

std::uint32_t new_stream_number() {
  static std::atomic<std::uint32_t> last{0};
  return ++last;
}

std::uint32_t stream_number(cudaStream_t stream) {
  if (is_legacy_stream(stream)) return 0;
  if (stream != cudaStreamPerThread) return stream->number;
  static thread_local const std::uint32_t of_this_thread = new_stream_number();
  return of_this_thread;
}

void LaunchQueue::add(const machine::Launch& launch, cudaStream_t stream) {
  const std::uint32_t number = stream_number(stream);
  const auto waits = waits_.extract(number);
  work_.launches.push_back(
      {launch, number, waits.empty() ? std::vector<std::size_t>() : waits.mapped()});
}

bool LaunchQueue::mark(cudaEvent_t event, cudaStream_t stream) {
  // Recorded anew, it has nothing to do with its earlier place.
  std::erase_if(work_.marks, [&](const EventMark& mark) { return mark.event == event; });
  const std::uint32_t number = stream_number(stream);
  EventMark mark{event, {}};
  if (const auto waits = waits_.find(number); waits != waits_.end()) mark.launches = waits->second;
  for (std::size_t launch = work_.launches.size(); launch-- > 0;) {
    if (work_.launches[launch].stream != number) continue;
    mark.launches.push_back(launch);
    break;
  }
  if (mark.launches.empty()) return false;
  work_.marks.push_back(std::move(mark));
  return true;
}

void LaunchQueue::wait(cudaStream_t stream, cudaEvent_t event) {
  const auto mark = std::find_if(work_.marks.begin(), work_.marks.end(),
                                 [&](const EventMark& other) { return other.event == event; });
  if (mark == work_.marks.end()) return;
  std::vector<std::size_t>& waits = waits_[stream_number(stream)];
  waits.insert(waits.end(), mark->launches.begin(), mark->launches.end());
}

QueuedWork LaunchQueue::take() {
  waits_.clear();
  return std::exchange(work_, {});
}

}  // namespace raddle::host
