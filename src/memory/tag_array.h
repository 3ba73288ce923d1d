// The tags of a set-associative memory: which lines it holds and in what state. Any number of sets
// (an L2 of 786 KB in six slices has no power of two), up to 64 ways. A line that is on its way is
// reserved: it is found by lookups and is never chosen as a victim. The array knows nothing of time
// and moves no data.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/address.h"
#include "memory/replacement.h"

namespace raddle::memory {

enum class LineState : std::uint8_t { kInvalid, kReserved, kValid, kDirty };

// How a line number becomes a set number: its remainder, or the remainder of the number XORed with
// itself shifted by one, two and three set-number widths, which spreads strides that are multiples
// of the number of sets. kFermi is what a GTX 480's L1 does, as measured by Nugteren et al. ("A
// detailed GPU cache model based on reuse distance theory", HPCA 2014): with lines of 128 bytes and
// 32 sets, address bits 7 to 11 XORed with bits 13, 14, 15, 17 and 19; bit 12 goes in front for 64
// sets.
enum class SetIndex : std::uint8_t { kModulo, kXorHash, kFermi };

struct TagArrayShape {
  ShortBytes line_bytes{128};  // a power of two, at least 4
  std::uint32_t sets = 1;
  std::uint32_t ways = 1;
  SetIndex index = SetIndex::kModulo;
  Replacement replacement = Replacement::kLru;
  std::uint64_t seed = 1;  // of random replacement
  // One of so many slices, which share the addresses in turns of `slice_bytes` (0: a line). A slice
  // numbers its own lines without gaps, else it would leave sets unused.
  std::uint32_t slices = 1;
  ShortBytes slice_bytes{0};  // a power of two
};

// Where a line is, or that it is nowhere in its set.
struct LinePlace {
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  std::uint32_t set = 0;
  std::uint32_t way = kNowhere;
  bool found() const { return way != kNowhere; }
};

struct DirtyLine {
  LinePlace place;  // where it was
  Address address;
};

class TagArray {
 public:
  explicit TagArray(const TagArrayShape& shape);

  const TagArrayShape& shape() const { return shape_; }
  Address line_of(Address address) const { return Address(address.value() & ~line_mask_); }

  // The line that holds the address, in any state but invalid. Nowhere: its set is told all the
  // same.
  LinePlace find(Address address) const {
    const std::uint32_t set = set_of(address);
    const Address tag = line_of(address);
    const Address* tags = &tags_[std::size_t{set} * shape_.ways];
    for (std::uint32_t way = 0; way < shape_.ways; ++way) {
      if (tags[way] == tag) return {set, way};
    }
    return {set, LinePlace::kNowhere};
  }
  LineState state(LinePlace place) const { return states_[number(place)]; }
  Address line_at(LinePlace place) const { return tags_[number(place)]; }
  // A number below lines() for each place.
  std::size_t number(LinePlace place) const {
    return std::size_t{place.set} * shape_.ways + place.way;
  }
  std::size_t lines() const { return tags_.size(); }

  // Tells the replacement policy of a hit.
  void touch(LinePlace place) { replacement_.used(place.set, place.way); }
  // Of a line that is there.
  void mark_dirty(LinePlace place) { states_[number(place)] = LineState::kDirty; }

  // Where a new line of the set goes: an invalid place if there is one, else what the policy says.
  // Not found: all lines of the set are reserved.
  LinePlace choose_victim(std::uint32_t set);
  // The line of the address takes the place, whatever was there before. If it is that very line (of
  // which something is missing), this is a use of it.
  void reserve(LinePlace place, Address address);
  // A reserved line has come.
  void fill(LinePlace place, bool dirty);
  void invalidate(LinePlace place);

  // Invalidates all lines except reserved ones; returns those that were dirty, set by set.
  std::vector<DirtyLine> flush();

  std::uint32_t set_of(Address address) const {
    std::uint64_t line = address.value() >> line_shift_;
    if (shape_.index == SetIndex::kFermi) return fermi_set(address);
    if (shape_.slices > 1) line = line_in_slice(address);
    if (shape_.index == SetIndex::kXorHash)
      line ^= line >> set_bits_ ^ line >> 2 * set_bits_ ^ line >> 3 * set_bits_;
    if (set_mask_ != 0 || shape_.sets == 1) return static_cast<std::uint32_t>(line & set_mask_);
    return static_cast<std::uint32_t>(line % shape_.sets);
  }

 private:
  static constexpr Address kNoTag{~std::uint64_t{0}};  // no line starts at an odd address

  // Ways of a set by state, so that a victim is found without looking at every line.
  struct Ways {
    std::uint64_t invalid = 0;
    std::uint64_t reserved = 0;
  };

  std::uint64_t line_in_slice(Address address) const;
  std::uint32_t fermi_set(Address address) const {
    const auto bits = [address](std::uint32_t first, std::uint32_t count) {
      return static_cast<std::uint32_t>(address.value() >> first) & ((1u << count) - 1);
    };
    const std::uint32_t set = bits(7, 5) ^ (bits(13, 3) | bits(17, 1) << 3 | bits(19, 1) << 4);
    return shape_.sets == 64 ? set | bits(12, 1) << 5 : set;
  }
  void set_state(LinePlace place, LineState state);

  TagArrayShape shape_;
  std::uint64_t line_mask_;
  std::uint32_t line_shift_;
  std::uint32_t slice_shift_;
  std::uint32_t set_bits_;      // width of a set number
  std::uint64_t set_mask_ = 0;  // not 0: the number of sets is a power of two
  std::vector<Address> tags_;   // line addresses by set and way; kNoTag: invalid
  std::vector<LineState> states_;
  std::vector<Ways> ways_;  // by set
  ReplacementState replacement_;
};

}  // namespace raddle::memory
