// What the threads of a block have tagged last on each channel, how often they have tagged, and how
// often they have received. What is received the n-th time was tagged the n-th time; the live-value
// cache and the elevators of a fabric keep what was tagged last. So every receive asks here whether
// that is the value that it is for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/exec/warp.h"

namespace raddle::machine::cgra {

class ChannelTurns {
 public:
  ChannelTurns() = default;
  ChannelTurns(std::size_t channels, std::size_t receives, std::uint32_t threads)
      : threads_(threads),
        values_(channels * threads),
        tags_(channels * threads),
        receives_(receives * threads) {}

  // A block from its start: nothing is tagged.
  void begin();
  // `values`: of all lanes of the warp, `bytes` each.
  void tag(std::uint32_t channel, std::uint32_t warp, kernel::exec::LaneMask lanes,
           const std::byte* values, std::size_t bytes);

  struct Turn {
    std::uint32_t received = 0;        // how often the thread has received, this time included
    std::uint32_t tagged = 0;          // and how often its sender has tagged
    const std::byte* value = nullptr;  // what it tagged last
    bool is_served() const { return received == tagged; }
  };
  // The thread receives from the sender; `receive` is the number of the call.
  Turn receive(std::uint32_t receive, std::uint32_t thread, std::uint32_t channel,
               std::uint32_t sender) {
    const std::size_t place = channel * threads_ + sender;
    return {++receives_[receive * threads_ + thread], tags_[place],
            reinterpret_cast<const std::byte*>(&values_[place])};
  }
  // The thread has no sender.
  void receive_constant(std::uint32_t receive, std::uint32_t thread) {
    ++receives_[receive * threads_ + thread];
  }

 private:
  std::size_t threads_ = 0;
  std::vector<std::uint64_t> values_;    // by channel and thread
  std::vector<std::uint32_t> tags_;      // by channel and thread
  std::vector<std::uint32_t> receives_;  // by receive and thread
};

}  // namespace raddle::machine::cgra
