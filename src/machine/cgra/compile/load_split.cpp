#include "machine/cgra/compile/load_split.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "kernel/analysis/def_use.h"
#include "machine/cgra/fabric/thread_links.h"

namespace raddle::machine::cgra {

using kernel::Instruction;
using kernel::MemoryOrder;
using kernel::Opcode;
using kernel::OpcodeGroup;
using kernel::Operand;
using kernel::RegisterId;
using kernel::Space;
using kernel::SpecialRegister;

namespace {

bool reads_clock(const Instruction& i) {
  return std::any_of(i.sources.begin(), i.sources.end(), [](const Operand& source) {
    return source.kind == Operand::Kind::kSpecial && source.special >= SpecialRegister::kClock &&
           source.special <= SpecialRegister::kGlobalTimerHi;
  });
}

// A load that may take long.
bool is_load(const Instruction& i) {
  if (i.order != MemoryOrder::kWeak) return false;
  if (i.opcode == Opcode::kLd) return i.space == Space::kGlobal || i.space == Space::kLocal;
  return group_of(i.opcode) == OpcodeGroup::kTexture && i.opcode != Opcode::kSust;
}

// Must not be passed by a later load.
bool holds_loads_back(const Instruction& i) {
  switch (group_of(i.opcode)) {
    case OpcodeGroup::kMemory: return i.opcode != Opcode::kLd || i.order != MemoryOrder::kWeak;
    case OpcodeGroup::kTexture: return i.opcode == Opcode::kSust;
    case OpcodeGroup::kControl: return true;
    default: return false;
  }
}

bool only_computes(const Instruction& i) {
  switch (group_of(i.opcode)) {
    case OpcodeGroup::kMemory:
    case OpcodeGroup::kTexture:
    case OpcodeGroup::kWarp:
    case OpcodeGroup::kControl:
    case OpcodeGroup::kBarrier:
    case OpcodeGroup::kInterThread: return false;
    default: return !reads_clock(i);
  }
}

bool communicates(const PieceCode& piece, const std::array<std::uint32_t, 3>& block) {
  std::set<std::uint32_t> sent;
  for (const Instruction& i : piece.code) {
    if (i.opcode == Opcode::kItTag) sent.insert(i.inter_thread.channel);
  }
  return std::any_of(piece.code.begin(), piece.code.end(), [&](const Instruction& i) {
    if (i.opcode == Opcode::kItReceiveConst && !sent.contains(i.inter_thread.channel)) return false;
    return (i.opcode == Opcode::kItReceiveConst || i.opcode == Opcode::kItReceiveLoad) &&
           has_senders(i.inter_thread, block);
  });
}

// What takes long is left to the rest, which has the units for it.
bool is_quick(const Instruction& i) {
  return only_computes(i) && group_of(i.opcode) != OpcodeGroup::kSpecial &&
         i.opcode != Opcode::kDiv && i.opcode != Opcode::kRem;
}

class Splitter {
 public:
  Splitter(const PieceCode& piece, const std::vector<bool>& shared)
      : piece_(piece), shared_(shared), free_(piece.code.size()), loads_(piece.code.size()) {}

  std::optional<SplitPiece> run() {
    find_loads();
    if (std::find(loads_.begin(), loads_.end(), true) == loads_.end()) return std::nullopt;
    take_along();
    hand_over_guards();
    return SplitPiece{loads(), rest(given_)};
  }

 private:
  using Values = std::set<RegisterId>;

  bool is_shared(RegisterId value) const { return value < shared_.size() && shared_[value]; }

  // In order of the code, with the values that depend on what must stay where it is.
  void find_loads() {
    Values held;
    bool may_load = true;
    for (std::size_t i = 0; i < piece_.copies; ++i) {
      const Instruction& instruction = piece_.code[i];
      may_load = may_load && !holds_loads_back(instruction);
      bool is_free = only_computes(instruction) || (may_load && is_load(instruction));
      kernel::for_each_use(instruction,
                           [&](RegisterId value) { is_free = is_free && !held.contains(value); });
      kernel::for_each_def(instruction,
                           [&](RegisterId value) { is_free = is_free && !is_shared(value); });
      free_[i] = is_free;
      loads_[i] = is_free && is_load(instruction);
      kernel::for_each_def(instruction, [&](RegisterId value) {
        if (!is_free) held.insert(value);
        if (loads_[i]) given_.insert(value);
      });
    }
  }

  // What is computed from loaded values that nothing else needs goes with them, so that fewer
  // values have to be kept.
  void take_along() {
    std::map<RegisterId, std::uint32_t> uses;
    const auto add = [&](RegisterId value) { ++uses[value]; };
    for (const Instruction& instruction : piece_.code) kernel::for_each_use(instruction, add);
    for_each_result(add);
    for (std::size_t i = 0; i < piece_.copies; ++i) {
      const Instruction& instruction = piece_.code[i];
      if (!free_[i] || !is_quick(instruction) || instruction.destinations.size() != 1) continue;
      Values taken;
      bool is_alone = true;
      kernel::for_each_use(instruction, [&](RegisterId value) {
        if (!given_.contains(value)) return;
        taken.insert(value);
        is_alone = is_alone && uses[value] == 1;
      });
      if (taken.empty() || !is_alone) continue;
      for (const RegisterId value : taken) given_.erase(value);
      given_.insert(instruction.destinations[0].index);
    }
  }

  // Whether a thread loads is known here, and worth keeping where the rest would need several
  // operations to find it out again.
  void hand_over_guards() {
    constexpr std::size_t kOperations = 2;
    const Values live(piece_.live_ins.begin(), piece_.live_ins.end());
    for (std::size_t i = 0; i < piece_.copies; ++i) {
      if (!loads_[i] || !piece_.code[i].guard.present()) continue;
      const RegisterId guard = piece_.code[i].guard.predicate;
      if (given_.contains(guard) || live.contains(guard)) continue;
      Values with = given_;
      with.insert(guard);
      if (rest(with).code.size() + kOperations <= rest(given_).code.size()) given_ = with;
    }
  }

  // What the piece leaves behind.
  template <typename Visitor>
  void for_each_result(Visitor visit) const {
    for (const PieceExit& exit : piece_.exits) {
      if (exit.condition.present()) visit(exit.condition.predicate);
    }
    for (const LiveOut& live : piece_.live_outs) {
      if (live.value.is_register()) visit(live.value.index);
      if (live.guard.present()) visit(live.guard.predicate);
    }
  }

  static bool gives_any(const Instruction& instruction, const Values& values) {
    bool gives = false;
    kernel::for_each_def(instruction,
                         [&](RegisterId value) { gives = gives || values.contains(value); });
    return gives;
  }

  PieceCode loads() const {
    PieceCode out;
    out.added = piece_.added;
    out.uniform = piece_.uniform;
    Values needed = given_;
    for (std::size_t i = piece_.copies; i-- > 0;) {
      const Instruction& instruction = piece_.code[i];
      if (!loads_[i] && !gives_any(instruction, needed)) continue;
      kernel::for_each_use(instruction, [&](RegisterId value) { needed.insert(value); });
      out.code.push_back(instruction);
    }
    std::reverse(out.code.begin(), out.code.end());
    out.copies = out.code.size();
    std::copy_if(piece_.live_ins.begin(), piece_.live_ins.end(), std::back_inserter(out.live_ins),
                 [&](RegisterId value) { return needed.contains(value); });
    for (const Instruction& instruction : out.code) {
      kernel::for_each_def(instruction, [&](RegisterId value) {
        if (given_.contains(value))
          out.live_outs.push_back({value, Operand::reg(value), {}, instruction.location});
      });
    }
    out.exits.push_back({{}, kToRest, out.code.back().location});
    return out;
  }

  PieceCode rest(const Values& given) const {
    PieceCode out = piece_;
    // They lie where later pieces look for them.
    std::erase_if(out.live_outs, [&](const LiveOut& live) {
      return given.contains(live.slot) && live.value == Operand::reg(live.slot);
    });
    Values read;
    for (const PieceExit& exit : out.exits) {
      if (exit.condition.present()) read.insert(exit.condition.predicate);
    }
    for (const LiveOut& live : out.live_outs) {
      if (live.value.is_register()) read.insert(live.value.index);
      if (live.guard.present()) read.insert(live.guard.predicate);
    }
    out.code.clear();
    std::size_t copies = 0;
    for (std::size_t i = piece_.code.size(); i-- > 0;) {
      const Instruction& instruction = piece_.code[i];
      const bool is_copy = i >= piece_.copies;
      if (!is_copy && (loads_[i] || gives_any(instruction, given))) continue;
      if (!is_copy && only_computes(instruction) && !gives_any(instruction, read)) continue;
      kernel::for_each_use(instruction, [&](RegisterId value) { read.insert(value); });
      if (is_copy) ++copies;
      out.code.push_back(instruction);
    }
    std::reverse(out.code.begin(), out.code.end());
    out.copies = out.code.size() - copies;
    out.entry_instruction = 0;
    std::erase_if(out.live_ins, [&](RegisterId value) { return !read.contains(value); });
    std::copy_if(given.begin(), given.end(), std::back_inserter(out.live_ins),
                 [&](RegisterId value) { return read.contains(value); });
    return out;
  }

  const PieceCode& piece_;
  const std::vector<bool>& shared_;
  std::vector<bool> free_;   // by instruction: depends on nothing that must stay where it is
  std::vector<bool> loads_;  // of these, loads
  Values given_;             // by the loads' piece to the rest
};

}  // namespace

std::optional<SplitPiece> split_loads_off(const PieceCode& piece, const std::vector<bool>& shared,
                                          const std::array<std::uint32_t, 3>& block) {
  if (piece.entry != Entry::kFree || !communicates(piece, block)) return std::nullopt;
  return Splitter(piece, shared).run();
}

}  // namespace raddle::machine::cgra
