#include "machine/cgra/compile/live_value_places.h"

#include <algorithm>

#include "base/bit_set.h"

namespace raddle::machine::cgra {

using kernel::Register;
using kernel::RegisterId;

namespace {

constexpr std::uint32_t kWordBytes = 4;

class Placer {
 public:
  Placer(const std::vector<PieceLiveValues>& pieces, const std::vector<Register>& registers)
      : pieces_(pieces), registers_(registers) {
    for (const PieceLiveValues& piece : pieces) {
      for (const RegisterId value : piece.writes) {
        if (number_.try_emplace(value, values_.size()).second) values_.push_back(value);
      }
    }
  }

  LiveValuePlaces run() {
    find_needed();
    find_written();
    find_neighbours();
    // Wide values first: the gaps between them are filled by narrow ones.
    std::vector<std::uint32_t> order(values_.size());
    for (std::uint32_t v = 0; v < order.size(); ++v) order[v] = v;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return words_of(a) > words_of(b); });
    LiveValuePlaces places;
    for (const std::uint32_t value : order) {
      const std::uint32_t place = first_gap(value, places);
      places.words[values_[value]] = place;
      places.total = std::max(places.total, place + words_of(value));
    }
    return places;
  }

 private:
  std::uint32_t words_of(std::uint32_t value) const {
    const auto bytes = static_cast<std::uint32_t>(kernel::size_of(registers_[values_[value]].type));
    return std::max(1u, (bytes + kWordBytes - 1) / kWordBytes);
  }

  void insert(BitSet& set, const std::vector<RegisterId>& values) const {
    for (const RegisterId value : values) {
      const auto found = number_.find(value);
      if (found != number_.end()) set.insert(found->second);
    }
  }

  // Backwards: what is read in a piece or after it.
  void find_needed() {
    needed_.assign(pieces_.size(), BitSet(values_.size()));
    live_after_.assign(pieces_.size(), BitSet(values_.size()));
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t p = pieces_.size(); p-- > 0;) {
        for (const std::uint32_t next : pieces_[p].next) live_after_[p].add_all(needed_[next]);
        BitSet replaced(values_.size());
        insert(replaced, pieces_[p].replaces);
        BitSet before = live_after_[p];
        before.remove_all(replaced);
        insert(before, pieces_[p].reads);
        changed = needed_[p].add_all(before) || changed;
      }
    }
  }

  // Forwards: what may have been written when a piece has run.
  void find_written() {
    written_.assign(pieces_.size(), BitSet(values_.size()));
    for (std::size_t p = 0; p < pieces_.size(); ++p) insert(written_[p], pieces_[p].writes);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t p = 0; p < pieces_.size(); ++p) {
        for (const std::uint32_t next : pieces_[p].next)
          changed = written_[next].add_all(written_[p]) || changed;
      }
    }
  }

  // Values that must not share a place.
  void find_neighbours() {
    neighbours_.assign(values_.size(), BitSet(values_.size()));
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      BitSet here = needed_[p];
      here.add_all(live_after_[p]);
      insert(here, pieces_[p].writes);
      BitSet together(values_.size());
      here.for_each([&](std::uint32_t value) {
        if (written_[p].contains(value)) together.insert(value);
      });
      together.for_each([&](std::uint32_t value) { neighbours_[value].add_all(together); });
    }
  }

  std::uint32_t first_gap(std::uint32_t value, const LiveValuePlaces& places) const {
    std::vector<bool> taken(places.total + words_of(value), false);
    neighbours_[value].for_each([&](std::uint32_t other) {
      const auto place = places.words.find(values_[other]);
      if (place == places.words.end()) return;
      for (std::uint32_t w = 0; w < words_of(other); ++w) taken[place->second + w] = true;
    });
    std::uint32_t place = 0;
    for (std::uint32_t w = 0; w < place + words_of(value); ++w) {
      if (taken[w]) place = w + 1;
    }
    return place;
  }

  const std::vector<PieceLiveValues>& pieces_;
  const std::vector<Register>& registers_;
  std::vector<RegisterId> values_;
  std::map<RegisterId, std::size_t> number_;           // in values_
  std::vector<BitSet> needed_, live_after_, written_;  // by piece
  std::vector<BitSet> neighbours_;                     // by value
};

}  // namespace

LiveValuePlaces place_live_values(const std::vector<PieceLiveValues>& pieces,
                                  const std::vector<Register>& registers) {
  return Placer(pieces, registers).run();
}

}  // namespace raddle::machine::cgra
