#include "memory/tag_array.h"

#include "base/error.h"
#include "memory/bits.h"

namespace raddle::memory {

TagArray::TagArray(const TagArrayShape& shape)
    : shape_(shape),
      line_mask_(shape.line_bytes.count() - 1),
      line_shift_(static_cast<std::uint32_t>(std::countr_zero(shape.line_bytes.count()))),
      slice_shift_(shape.slice_bytes == ShortBytes(0)
                       ? line_shift_
                       : static_cast<std::uint32_t>(std::countr_zero(shape.slice_bytes.count()))),
      // At least one, so that a single set's hash shifts by something.
      set_bits_(shape.sets > 2 ? static_cast<std::uint32_t>(std::bit_width(shape.sets - 1)) : 1),
      tags_(std::size_t{shape.sets} * shape.ways, kNoTag),
      states_(tags_.size(), LineState::kInvalid),
      ways_(shape.sets, {low_bits(shape.ways), 0}),
      replacement_(shape.replacement, shape.sets, shape.ways, shape.seed) {
  RADDLE_ASSERT(std::has_single_bit(shape.line_bytes.count()) && shape.line_bytes >= ShortBytes(4));
  RADDLE_ASSERT(shape.slices >= 1 && slice_shift_ >= line_shift_);
  if (std::has_single_bit(shape_.sets)) set_mask_ = shape_.sets - 1;
}

std::uint64_t TagArray::line_in_slice(Address address) const {
  const std::uint64_t turn = (address.value() >> slice_shift_) / shape_.slices;
  const std::uint64_t within = address.value() & low_bits(slice_shift_);
  return (turn << slice_shift_ | within) >> line_shift_;
}

LinePlace TagArray::choose_victim(std::uint32_t set) {
  const Ways& ways = ways_[set];
  if (ways.invalid != 0) return {set, static_cast<std::uint32_t>(std::countr_zero(ways.invalid))};
  const std::uint64_t allowed = low_bits(shape_.ways) & ~ways.reserved;
  if (allowed == 0) return {set, LinePlace::kNowhere};
  return {set, replacement_.victim(set, allowed)};
}

void TagArray::set_state(LinePlace place, LineState state) {
  const std::uint64_t way = std::uint64_t{1} << place.way;
  Ways& ways = ways_[place.set];
  ways.invalid = state == LineState::kInvalid ? ways.invalid | way : ways.invalid & ~way;
  ways.reserved = state == LineState::kReserved ? ways.reserved | way : ways.reserved & ~way;
  states_[number(place)] = state;
}

void TagArray::reserve(LinePlace place, Address address) {
  RADDLE_ASSERT(place.found());
  const Address line = line_of(address);
  const bool is_there = tags_[number(place)] == line;
  tags_[number(place)] = line;
  set_state(place, LineState::kReserved);
  if (is_there) {
    replacement_.used(place.set, place.way);
  } else {
    replacement_.placed(place.set, place.way);
  }
}

void TagArray::fill(LinePlace place, bool dirty) {
  RADDLE_ASSERT(state(place) == LineState::kReserved);
  set_state(place, dirty ? LineState::kDirty : LineState::kValid);
}

void TagArray::invalidate(LinePlace place) {
  tags_[number(place)] = kNoTag;
  set_state(place, LineState::kInvalid);
}

std::vector<DirtyLine> TagArray::flush() {
  std::vector<DirtyLine> dirty;
  for (std::uint32_t set = 0; set < shape_.sets; ++set) {
    for (std::uint32_t way = 0; way < shape_.ways; ++way) {
      const LinePlace place{set, way};
      if (state(place) == LineState::kReserved) continue;
      if (state(place) == LineState::kDirty) dirty.push_back({place, line_at(place)});
      invalidate(place);
    }
  }
  return dirty;
}

}  // namespace raddle::memory
