#include "machine/cgra/live_value_slots.h"

#include <algorithm>
#include <set>

namespace raddle::machine::cgra {

using kernel::RegisterId;

namespace {

using Values = std::set<RegisterId>;

// Values that a thread still needs when it comes to each piece.
std::vector<Values> needed_before(const std::vector<LiveTraffic>& pieces) {
  std::vector<Values> needed(pieces.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t p = pieces.size(); p-- > 0;) {
      Values all(pieces[p].reads.begin(), pieces[p].reads.end());
      const Values gone(pieces[p].overwrites.begin(), pieces[p].overwrites.end());
      for (const std::uint32_t next : pieces[p].next) {
        for (const RegisterId value : needed[next]) {
          if (!gone.contains(value)) all.insert(value);
        }
      }
      changed = changed || all.size() != needed[p].size();
      needed[p] = std::move(all);
    }
  }
  return needed;
}

}  // namespace

LiveValueSlots place_live_values(const kernel::Function& function,
                                 const std::vector<LiveTraffic>& pieces) {
  const std::vector<Values> needed = needed_before(pieces);
  // Values that meet in a piece lie apart.
  std::map<RegisterId, Values> others;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    Values here = needed[p];
    here.insert(pieces[p].writes.begin(), pieces[p].writes.end());
    for (const std::uint32_t next : pieces[p].next)
      here.insert(needed[next].begin(), needed[next].end());
    for (const RegisterId value : here) others[value].insert(here.begin(), here.end());
  }
  LiveValueSlots slots;
  const auto words_of = [&](RegisterId value) {
    return kernel::size_of(function.registers[value].type) > 4 ? 2u : 1u;
  };
  for (const auto& [value, neighbours] : others) {
    std::set<std::uint32_t> taken;
    for (const RegisterId other : neighbours) {
      const auto place = slots.word.find(other);
      if (place == slots.word.end()) continue;
      for (std::uint32_t w = 0; w < words_of(other); ++w) taken.insert(place->second + w);
    }
    std::uint32_t first = 0;
    while (taken.contains(first) || (words_of(value) == 2 && taken.contains(first + 1))) ++first;
    slots.word[value] = first;
    slots.words = std::max(slots.words, first + words_of(value));
  }
  return slots;
}

}  // namespace raddle::machine::cgra
