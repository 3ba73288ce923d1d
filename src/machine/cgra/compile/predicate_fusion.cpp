#include "machine/cgra/compile/predicate_fusion.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "kernel/analysis/def_use.h"
#include "kernel/opposite_comparison.h"

namespace raddle::machine::cgra {

using kernel::Combine;
using kernel::Compare;
using kernel::Instruction;
using kernel::Opcode;
using kernel::Operand;
using kernel::RegisterId;

namespace {

std::optional<Combine> combination_of(const Instruction& i) {
  if (i.type != kernel::Type::kPred || i.guard.present()) return std::nullopt;
  switch (i.opcode) {
    case Opcode::kAnd: return Combine::kAnd;
    case Opcode::kOr: return Combine::kOr;
    default: return std::nullopt;
  }
}

class Fusion {
 public:
  Fusion(PieceCode& piece, const std::vector<bool>& shared) : piece_(piece), shared_(shared) {
    const auto add = [&](RegisterId value) { ++uses_[value]; };
    for (const Instruction& i : piece.code) kernel::for_each_use(i, add);
    for (const PieceExit& exit : piece.exits) {
      if (exit.condition.present()) add(exit.condition.predicate);
    }
    for (const LiveOut& live : piece.live_outs) {
      if (live.value.is_register()) add(live.value.index);
      if (live.guard.present()) add(live.guard.predicate);
    }
  }

  void run() {
    dropped_.assign(piece_.code.size(), false);
    for (std::size_t i = 0; i < piece_.copies; ++i) {
      const Instruction& instruction = piece_.code[i];
      note_and(instruction);
      if (fuse_logic(i)) continue;
      if (is_plain_comparison(instruction)) comparisons_[instruction.destinations[0].index] = i;
      if (!is_plain_selection(instruction)) continue;
      fuse_selections(i);
      selections_[instruction.destinations[0].index] = i;
    }
    rebuild();
  }

 private:
  bool is_shared(RegisterId value) const { return value < shared_.size() && shared_[value]; }

  // One that can be made later: nothing that it reads changes.
  bool is_plain(const Instruction& i) const {
    if (i.guard.present() || i.destinations.size() != 1 || !i.destinations[0].is_register() ||
        is_shared(i.destinations[0].index))
      return false;
    bool is_stable = true;
    kernel::for_each_use(i, [&](RegisterId value) { is_stable = is_stable && !is_shared(value); });
    return is_stable;
  }
  bool is_plain_comparison(const Instruction& i) const {
    return i.opcode == Opcode::kSetp && i.combine == Combine::kNone && is_plain(i);
  }
  bool is_plain_selection(const Instruction& i) const {
    return i.opcode == Opcode::kSelp && i.sources[2].is_register() && is_plain(i);
  }

  // The comparison that gives `own`, combined with `other`, if nothing else reads its result.
  std::optional<Instruction> combined(const Operand& own, Combine combine,
                                      const Operand& other) const {
    if (!own.is_register() || !other.is_register() || own.index == other.index) return std::nullopt;
    const auto found = comparisons_.find(own.index);
    const auto uses = uses_.find(own.index);
    if (found == comparisons_.end() || uses == uses_.end() || uses->second != 1)
      return std::nullopt;
    Instruction fused = piece_.code[found->second];
    if (own.negated) {
      const Compare opposite = opposite_of(fused.compare, kernel::is_float(fused.type));
      if (opposite == Compare::kNone) return std::nullopt;
      fused.compare = opposite;
    }
    fused.combine = combine;
    fused.sources.push_back(other);
    return fused;
  }

  // An instruction that combines the result of a comparison.
  bool fuse_logic(std::size_t at) {
    Instruction& logic = piece_.code[at];
    const std::optional<Combine> combine = combination_of(logic);
    if (!combine) return false;
    for (const std::size_t side : {1u, 0u}) {
      const Operand own = logic.sources[side];
      std::optional<Instruction> fused = combined(own, *combine, logic.sources[1 - side]);
      if (!fused) continue;
      fused->destinations = logic.destinations;
      dropped_[comparisons_.at(own.index)] = true;
      logic = std::move(*fused);
      return true;
    }
    return false;
  }

  // A selection of what another one selected from the same values: one of the two comparisons takes
  // the other's result along, and one selection is left.
  void fuse_selections(std::size_t at) {
    for (const std::size_t side : {0u, 1u}) {
      const Operand& selected = piece_.code[at].sources[side];
      if (!selected.is_register() || uses_[selected.index] != 1) continue;
      const auto inner = selections_.find(selected.index);
      if (inner != selections_.end() && fuse_selections(at, side, inner->second)) return;
    }
  }
  bool fuse_selections(std::size_t at, std::size_t side, std::size_t inner) {
    Instruction& outer = piece_.code[at];
    const Instruction& first = piece_.code[inner];
    const Operand& other = outer.sources[1 - side];
    if (is_free(first) || first.type != outer.type) return false;
    for (const std::size_t same : {0u, 1u}) {
      if (!(first.sources[same] == other)) continue;
      // first.sources[1 - same] where the outer one takes the inner one's value, and that this one.
      const Operand takes_inner = negated_if(outer.sources[2], side == 1);
      const Operand takes_value = negated_if(first.sources[2], same == 0);
      for (const auto& [own, joined] :
           {std::pair(takes_value, takes_inner), std::pair(takes_inner, takes_value)}) {
        const Operand value = first.sources[1 - same];
        if (const auto known = ands_.find(key_of(own, joined)); known != ands_.end()) {
          outer.sources = {value, other, Operand::reg(known->second)};
          dropped_[inner] = true;
          return true;
        }
        // A comparison beside the grid costs nothing there.
        if (piece_.is_uniform(own.index) && !piece_.is_uniform(joined.index)) continue;
        std::optional<Instruction> fused = combined(own, Combine::kAnd, joined);
        if (!fused) continue;
        outer.sources = {value, other, Operand::reg(own.index)};
        dropped_[comparisons_.at(own.index)] = dropped_[inner] = true;
        comparisons_.erase(own.index);
        inserted_.emplace(at, std::move(*fused));
        return true;
      }
    }
    return false;
  }

  // Both predicates hold, as the code has it already.
  using BothKey = std::pair<std::uint64_t, std::uint64_t>;
  static BothKey key_of(const Operand& a, const Operand& b) {
    const auto name = [](const Operand& p) {
      return std::uint64_t{p.index} * 2 + (p.negated ? 1 : 0);
    };
    return std::minmax(name(a), name(b));
  }
  void note_and(const Instruction& i) {
    if (i.opcode != Opcode::kAnd || i.type != kernel::Type::kPred || !is_plain(i)) return;
    if (!i.sources[0].is_register() || !i.sources[1].is_register()) return;
    ands_.emplace(key_of(i.sources[0], i.sources[1]), i.destinations[0].index);
  }

  static Operand negated_if(const Operand& predicate, bool negate) {
    return Operand::reg(predicate.index, predicate.negated != negate);
  }

  // Of a load that is switched off and a constant: the load gives either (graph_builder.h).
  bool is_free(const Instruction& selection) const {
    return std::ranges::any_of(piece_.code, [&](const Instruction& i) {
      return i.guard.present() && i.destinations.size() == 1 &&
             (i.destinations[0] == selection.sources[0] ||
              i.destinations[0] == selection.sources[1]);
    });
  }

  void rebuild() {
    std::vector<Instruction> kept;
    std::size_t entry = piece_.entry_instruction, copies = piece_.copies;
    for (std::size_t i = 0; i < piece_.code.size(); ++i) {
      const auto inserted = inserted_.find(i);
      if (inserted != inserted_.end()) kept.push_back(std::move(inserted->second));
      if (!dropped_[i]) kept.push_back(std::move(piece_.code[i]));
      if (i + 1 == piece_.entry_instruction) entry = kept.size();
      if (i + 1 == piece_.copies) copies = kept.size();
    }
    piece_.entry_instruction = entry;
    piece_.copies = copies;
    piece_.code = std::move(kept);
  }

  PieceCode& piece_;
  const std::vector<bool>& shared_;
  std::map<RegisterId, std::uint32_t> uses_;
  std::map<RegisterId, std::size_t> comparisons_;  // by result: place in the code
  std::map<RegisterId, std::size_t> selections_;   // likewise
  std::map<BothKey, RegisterId> ands_;             // by what both holds
  std::vector<bool> dropped_;                      // by place
  std::map<std::size_t, Instruction> inserted_;    // before that place
};

}  // namespace

void fuse_predicates(PieceCode& piece, const std::vector<bool>& shared) {
  Fusion(piece, shared).run();
}

}  // namespace raddle::machine::cgra
