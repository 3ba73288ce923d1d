#include "machine/cgra/fabric/channel_turns.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace raddle::machine::cgra {

void ChannelTurns::begin() {
  std::fill(tags_.begin(), tags_.end(), 0);
  std::fill(receives_.begin(), receives_.end(), 0);
}

void ChannelTurns::tag(std::uint32_t channel, std::uint32_t warp, kernel::exec::LaneMask lanes,
                       const std::byte* values, std::size_t bytes) {
  const std::size_t first = channel * threads_ + std::size_t{warp} * kernel::exec::kLanes;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    std::memcpy(&values_[first + lane], values + lane * bytes, bytes);
    ++tags_[first + lane];
  }
}

}  // namespace raddle::machine::cgra
