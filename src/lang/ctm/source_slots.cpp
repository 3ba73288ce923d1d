#include "lang/ctm/source_slots.h"

#include <algorithm>

namespace raddle::ctm {
namespace {

using overlay::Presubtract;
using overlay::SourceAddress;
using overlay::SourceSelect;
using overlay::Swizzle;

struct Needs {
  bool rgb = false;
  bool alpha = false;
};

Needs needs_of(const SlotRequest& request) {
  Needs needs;
  for (unsigned i = 0; i < request.channels; ++i) {
    const Swizzle letter = request.operand->swizzle[i];
    needs.rgb = needs.rgb || letter <= Swizzle::kBlue;
    needs.alpha = needs.alpha || letter == Swizzle::kAlpha;
  }
  return needs;
}

using Slots = std::array<std::optional<SourceAddress>, 3>;

struct State {
  Slots rgb, alpha;
  std::optional<Presubtract> rgb_presubtract, alpha_presubtract;
};

template <class Value>
bool take(std::optional<Value>& place, const Value& value) {
  if (place && !(*place == value)) return false;
  place = value;
  return true;
}

bool take_slot(State& state, Needs needs, unsigned slot, const SourceAddress& address) {
  return (!needs.rgb || take(state.rgb[slot], address)) &&
         (!needs.alpha || take(state.alpha[slot], address));
}

bool take_presubtract(State& state, Needs needs, const SourceOperand& operand) {
  const bool uses_source1 = operand.presubtract == Presubtract::kSource1MinusSource0 ||
                            operand.presubtract == Presubtract::kSource1PlusSource0;
  return (!needs.rgb || take(state.rgb_presubtract, operand.presubtract)) &&
         (!needs.alpha || take(state.alpha_presubtract, operand.presubtract)) &&
         take_slot(state, needs, 0, operand.presubtract0) &&
         (!uses_source1 || take_slot(state, needs, 1, operand.presubtract1));
}

bool has_already(const State& state, Needs needs, unsigned slot, const SourceAddress& address) {
  return (!needs.rgb || state.rgb[slot] == address) &&
         (!needs.alpha || state.alpha[slot] == address);
}

class Search {
 public:
  explicit Search(std::span<const SlotRequest> requests) : requests_(requests) {}

  bool place(std::size_t index, const State& state) {
    deepest_ = std::max(deepest_, index);
    if (index == requests_.size()) {
      final_ = state;
      return true;
    }
    const SlotRequest& request = requests_[index];
    const Needs needs = needs_of(request);
    const SourceOperand& operand = *request.operand;
    if (operand.is_presubtract) {
      State next = state;
      selects_[index] = SourceSelect::kPresubtract;
      return take_presubtract(next, needs, operand) && place(index + 1, next);
    }
    if (!operand.address || (!needs.rgb && !needs.alpha)) {
      selects_[index] = static_cast<SourceSelect>(operand.slot.value_or(0));
      return place(index + 1, state);
    }
    for (const bool wants_reuse : {true, false}) {
      for (unsigned slot = 0; slot < 3; ++slot) {
        if (operand.slot && *operand.slot != slot) continue;
        if (has_already(state, needs, slot, *operand.address) != wants_reuse) continue;
        State next = state;
        selects_[index] = static_cast<SourceSelect>(slot);
        if (take_slot(next, needs, slot, *operand.address) && place(index + 1, next)) return true;
      }
    }
    return false;
  }

  PlacedSources result() const {
    PlacedSources placed;
    for (unsigned slot = 0; slot < 3; ++slot) {
      placed.vector[slot] = final_.rgb[slot].value_or(SourceAddress{});
      placed.scalar[slot] = final_.alpha[slot].value_or(SourceAddress{});
    }
    placed.vector_presubtract = final_.rgb_presubtract;
    placed.scalar_presubtract = final_.alpha_presubtract;
    placed.selects = selects_;
    return placed;
  }
  std::size_t deepest() const { return deepest_; }

 private:
  std::span<const SlotRequest> requests_;
  std::array<SourceSelect, 6> selects_{};
  State final_;
  std::size_t deepest_ = 0;
};

}  // namespace

std::optional<PlacedSources> place_sources(std::span<const SlotRequest> requests,
                                           std::size_t& failed) {
  Search search(requests);
  if (search.place(0, State{})) return search.result();
  failed = std::min(search.deepest(), requests.size() - 1);
  return std::nullopt;
}

}  // namespace raddle::ctm
