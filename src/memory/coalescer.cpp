#include "memory/coalescer.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/error.h"
#include "memory/bits.h"

namespace raddle::memory {
namespace {

// The segments found so far, each with a place of its own.
class DistinctSegments {
 public:
  std::size_t size() const { return count_; }

  std::size_t place_of(std::uint64_t segment) {
    // Neighbours mostly share a segment.
    if (segment != latest_) {
      latest_ = segment;
      latest_place_ = search(segment);
    }
    return latest_place_;
  }

 private:
  std::size_t search(std::uint64_t segment) {
    // Scattered lanes mostly share none: one whose bit was not yet seen needs no search.
    const std::uint64_t bit = std::uint64_t{1} << (segment * 0x9e3779b97f4a7c15ULL >> 58);
    if ((seen_ & bit) != 0) {
      for (std::size_t i = count_; i > 0; --i) {
        if (address_[i - 1] == segment) return i - 1;
      }
    }
    seen_ |= bit;
    address_[count_] = segment;
    return count_++;
  }

  std::array<std::uint64_t, kMaxSegments> address_;
  std::size_t count_ = 0;
  std::uint64_t seen_ = 0;                    // one bit for the hash of each segment
  std::uint64_t latest_ = ~std::uint64_t{0};  // no segment starts there
  std::size_t latest_place_ = 0;
};

// Calls body(segment, lane's bit) for each segment that each lane touches.
template <class Body>
void for_each_touched(const LaneAddresses& lanes, ShortBytes segment_bytes, Body&& body) {
  const std::uint64_t mask = ~std::uint64_t{segment_bytes.count() - 1};
  const auto address = [&](std::uint64_t left) {
    return lanes.address[static_cast<std::size_t>(std::countr_zero(left))];
  };
  if (lanes.bytes == 1) {  // nothing to straddle a border
    for (std::uint64_t left = lanes.mask; left != 0; left &= left - 1)
      body(address(left) & mask, left & -left);
    return;
  }
  for (std::uint64_t left = lanes.mask; left != 0; left &= left - 1) {
    const std::uint64_t first = address(left) & mask;
    const std::uint64_t last = (address(left) + lanes.bytes - 1) & mask;
    body(first, left & -left);
    if (last != first) body(last, left & -left);
  }
}

bool is_cut_easily(const LaneAddresses& lanes) {
  return is_power_of_two(lanes.bytes) && lanes.is_consecutive() &&
         lanes.address[0] % lanes.bytes == 0;
}

void check(const LaneAddresses& lanes, ShortBytes segment_bytes) {
  RADDLE_ASSERT(is_power_of_two(segment_bytes.count()) && lanes.bytes >= 1 &&
                lanes.bytes <= segment_bytes.count() && lanes.address.size() <= kMaxLanes);
}

// Every lane takes part, none straddles a border: a plain loop, in which neighbours mostly share
// the segment of the one before.
bool is_whole(const LaneAddresses& lanes) {
  if (!is_power_of_two(lanes.bytes) || lanes.mask != low_bits(lanes.address.size())) return false;
  std::uint64_t low = 0;
  for (const std::uint64_t a : lanes.address) low |= a;
  return (low & (lanes.bytes - 1)) == 0;
}

constexpr std::size_t kGroup = 8;  // lanes

std::size_t coalesce_whole(const LaneAddresses& lanes, ShortBytes segment_bytes,
                           std::span<Segment> out) {
  const std::uint64_t mask = ~std::uint64_t{segment_bytes.count() - 1};
  std::size_t found = 0;
  const auto add = [&](std::uint64_t segment, std::uint64_t bits) {
    std::size_t place = 0;
    while (place < found && out[place].address.value() != segment) ++place;
    if (place == found) out[found++] = {Address(segment), 0};
    out[place].lanes |= bits;
  };
  const std::uint64_t* const address = lanes.address.data();
  const std::size_t count = lanes.address.size();
  std::size_t lane = 0;
  // Groups that share a segment are mostly found by one look at all their lanes.
  for (; lane + kGroup <= count; lane += kGroup) {
    std::uint64_t differences = 0;
    for (std::size_t i = 1; i < kGroup; ++i) differences |= address[lane + i] ^ address[lane];
    if ((differences & mask) == 0) {
      add(address[lane] & mask, low_bits(kGroup) << lane);
      continue;
    }
    for (std::size_t i = lane; i < lane + kGroup; ++i)
      add(address[i] & mask, std::uint64_t{1} << i);
  }
  for (; lane < count; ++lane) add(address[lane] & mask, std::uint64_t{1} << lane);
  return found;
}

// Every lane takes part and reads on where the one before stopped.
std::size_t cut(const LaneAddresses& lanes, ShortBytes segment_bytes, std::span<Segment> out) {
  const std::uint64_t mask = ~std::uint64_t{segment_bytes.count() - 1};
  const auto count = static_cast<std::uint32_t>(lanes.address.size());
  std::size_t found = 0;
  for (std::uint32_t lane = 0; lane < count;) {
    const std::uint64_t segment = lanes.address[lane] & mask;
    const auto room =
        static_cast<std::uint32_t>(segment + segment_bytes.count() - lanes.address[lane]);
    const std::uint32_t next = std::min(count, lane + room / lanes.bytes);
    out[found++] = {Address(segment), low_bits(next) & ~low_bits(lane)};
    lane = next;
  }
  return found;
}

}  // namespace

std::size_t coalesce(const LaneAddresses& lanes, ShortBytes segment_bytes, std::span<Segment> out) {
  check(lanes, segment_bytes);
  if (is_cut_easily(lanes)) return cut(lanes, segment_bytes, out);
  if (is_whole(lanes)) return coalesce_whole(lanes, segment_bytes, out);
  DistinctSegments found;
  for_each_touched(lanes, segment_bytes, [&](std::uint64_t segment, std::uint64_t lane) {
    const std::size_t known = found.size();
    const std::size_t place = found.place_of(segment);
    if (place == known) out[place] = {Address(segment), 0};
    out[place].lanes |= lane;
  });
  return found.size();
}

std::uint32_t count_segments(const LaneAddresses& lanes, ShortBytes segment_bytes) {
  check(lanes, segment_bytes);
  if (is_cut_easily(lanes)) {
    const std::uint64_t last = lanes.address.back() + lanes.bytes - 1;
    return static_cast<std::uint32_t>(last / segment_bytes.count() -
                                      lanes.address[0] / segment_bytes.count() + 1);
  }
  DistinctSegments found;
  for_each_touched(lanes, segment_bytes,
                   [&](std::uint64_t segment, std::uint64_t) { found.place_of(segment); });
  return static_cast<std::uint32_t>(found.size());
}

}  // namespace raddle::memory
