#include "machine/cgra/compile/predicate_fusion.h"

#include <map>
#include <optional>

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
    std::vector<bool> dropped(piece_.code.size(), false);
    for (std::size_t i = 0; i < piece_.copies; ++i) {
      if (!fuse(i, dropped) && is_plain_comparison(piece_.code[i]))
        comparisons_[piece_.code[i].destinations[0].index] = i;
    }
    drop(dropped);
  }

 private:
  bool is_shared(RegisterId value) const { return value < shared_.size() && shared_[value]; }

  // One that can be made later: nothing that it reads changes.
  bool is_plain_comparison(const Instruction& i) const {
    if (i.opcode != Opcode::kSetp || i.combine != Combine::kNone || i.guard.present() ||
        i.destinations.size() != 1 || !i.destinations[0].is_register() ||
        is_shared(i.destinations[0].index))
      return false;
    bool is_stable = true;
    kernel::for_each_use(i, [&](RegisterId value) { is_stable = is_stable && !is_shared(value); });
    return is_stable;
  }

  // An instruction that combines the result of a comparison, which nothing else reads.
  bool fuse(std::size_t at, std::vector<bool>& dropped) {
    Instruction& logic = piece_.code[at];
    const std::optional<Combine> combine = combination_of(logic);
    if (!combine) return false;
    for (const std::size_t side : {1u, 0u}) {
      const Operand& own = logic.sources[side];
      const Operand& other = logic.sources[1 - side];
      if (!own.is_register() || !other.is_register() || own.index == other.index) continue;
      const auto found = comparisons_.find(own.index);
      if (found == comparisons_.end() || uses_[own.index] != 1) continue;
      Instruction fused = piece_.code[found->second];
      if (own.negated) {
        const Compare opposite = opposite_of(fused.compare, kernel::is_float(fused.type));
        if (opposite == Compare::kNone) continue;
        fused.compare = opposite;
      }
      fused.combine = *combine;
      fused.sources.push_back(other);
      fused.destinations = logic.destinations;
      dropped[found->second] = true;
      logic = std::move(fused);
      return true;
    }
    return false;
  }

  void drop(const std::vector<bool>& dropped) {
    std::vector<Instruction> kept;
    std::size_t before_entry = 0, before_copies = 0;
    for (std::size_t i = 0; i < piece_.code.size(); ++i) {
      if (!dropped[i]) {
        kept.push_back(std::move(piece_.code[i]));
        continue;
      }
      before_entry += i < piece_.entry_instruction ? 1 : 0;
      before_copies += i < piece_.copies ? 1 : 0;
    }
    piece_.entry_instruction -= before_entry;
    piece_.copies -= before_copies;
    piece_.code = std::move(kept);
  }

  PieceCode& piece_;
  const std::vector<bool>& shared_;
  std::map<RegisterId, std::uint32_t> uses_;
  std::map<RegisterId, std::size_t> comparisons_;  // by result: place in the code
};

}  // namespace

void fuse_predicates(PieceCode& piece, const std::vector<bool>& shared) {
  Fusion(piece, shared).run();
}

}  // namespace raddle::machine::cgra
