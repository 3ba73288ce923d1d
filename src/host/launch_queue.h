// Launches that the program has made and that have not run yet, with the events recorded between
// them and the streams that wait for such events. Only launches wait here: whatever could see their
// effects makes the session run them first, so that a program cannot tell the difference but by the
// simulated time.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "host/cuda_api.h"
#include "machine/kernel_machine.h"

namespace raddle::host {

// The stream that waits for all others; launches into it do not wait here.
bool is_legacy_stream(cudaStream_t stream);
// A number for the machine to tell streams apart by.
std::uint32_t new_stream_number();
// That of a stream; cudaStreamPerThread is another one in each host thread.
std::uint32_t stream_number(cudaStream_t stream);

// An event that happens when some launches have ended: the last one of its stream, and what the
// stream had been made to wait for since.
struct EventMark {
  cudaEvent_t event = nullptr;
  std::vector<std::size_t> launches;
};

struct QueuedWork {
  std::vector<machine::QueuedLaunch> launches;
  std::vector<EventMark> marks;
};

class LaunchQueue {
 public:
  bool empty() const { return work_.launches.empty(); }
  std::size_t size() const { return work_.launches.size(); }
  void add(const machine::Launch& launch, cudaStream_t stream);
  // The event happens after all that the stream was given. False: nothing of that is queued.
  bool mark(cudaEvent_t event, cudaStream_t stream);
  // The stream's next launch comes after the event; an event that has happened is none to wait for.
  void wait(cudaStream_t stream, cudaEvent_t event);
  // Gives up all of it.
  QueuedWork take();

 private:
  QueuedWork work_;
  // By stream number: launches that its next one comes after.
  std::map<std::uint32_t, std::vector<std::size_t>> waits_;
};

}  // namespace raddle::host
