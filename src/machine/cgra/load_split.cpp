#include "machine/cgra/load_split.h"

#include <algorithm>
#include <set>

#include "kernel/analysis/def_use.h"
#include "machine/cgra/thread_links.h"

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

// Must not be passed by a load that comes behind it.
bool holds_loads_back(const Instruction& i) {
  switch (group_of(i.opcode)) {
    case OpcodeGroup::kMemory: return i.opcode != Opcode::kLd || i.order != MemoryOrder::kWeak;
    case OpcodeGroup::kTexture: return i.opcode == Opcode::kSust;
    default: return false;
  }
}

bool only_computes(const Instruction& i) {
  switch (group_of(i.opcode)) {
    case OpcodeGroup::kMemory:
    case OpcodeGroup::kTexture:
    case OpcodeGroup::kWarp:
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

class Splitter {
 public:
  Splitter(const PieceCode& piece, const std::vector<bool>& shared)
      : piece_(piece), shared_(shared), loads_(piece.code.size()), needed_(piece.code.size()) {}

  std::optional<SplitPiece> run() {
    find_loads();
    if (std::find(loads_.begin(), loads_.end(), true) == loads_.end()) return std::nullopt;
    find_needed();
    return SplitPiece{loads(), rest()};
  }

 private:
  bool is_shared(RegisterId value) const { return value < shared_.size() && shared_[value]; }

  // In order of the code, with the values that depend on what must stay where it is.
  void find_loads() {
    std::set<RegisterId> held;
    bool may_load = true;
    for (std::size_t i = 0; i < piece_.copies; ++i) {
      const Instruction& instruction = piece_.code[i];
      may_load = may_load && !holds_loads_back(instruction);
      bool is_free = only_computes(instruction) || (may_load && is_load(instruction));
      kernel::for_each_use(instruction,
                           [&](RegisterId value) { is_free = is_free && !held.contains(value); });
      kernel::for_each_def(instruction,
                           [&](RegisterId value) { is_free = is_free && !is_shared(value); });
      loads_[i] = is_free && is_load(instruction);
      kernel::for_each_def(instruction, [&](RegisterId value) {
        if (!is_free) held.insert(value);
      });
    }
  }

  // Backwards: what the loads are computed from.
  void find_needed() {
    std::set<RegisterId> values;
    for (std::size_t i = piece_.copies; i-- > 0;) {
      needed_[i] = loads_[i];
      kernel::for_each_def(piece_.code[i], [&](RegisterId value) {
        needed_[i] = needed_[i] || values.contains(value);
      });
      if (needed_[i])
        kernel::for_each_use(piece_.code[i], [&](RegisterId value) { values.insert(value); });
    }
  }

  bool is_loaded(RegisterId value) const { return loaded_.contains(value); }

  PieceCode loads() {
    PieceCode out;
    out.added = piece_.added;
    std::set<RegisterId> read;
    for (std::size_t i = 0; i < piece_.copies; ++i) {
      const Instruction& instruction = piece_.code[i];
      if (!needed_[i]) continue;
      out.code.push_back(instruction);
      kernel::for_each_use(instruction, [&](RegisterId value) { read.insert(value); });
      if (!loads_[i]) continue;
      kernel::for_each_def(instruction, [&](RegisterId value) {
        loaded_.insert(value);
        out.live_outs.push_back({value, Operand::reg(value), {}, instruction.location});
      });
    }
    out.copies = out.code.size();
    for (const RegisterId value : piece_.live_ins) {
      if (read.contains(value)) out.live_ins.push_back(value);
    }
    out.exits.push_back({{}, kToRest, out.code.back().location});
    return out;
  }

  PieceCode rest() const {
    PieceCode out = piece_;
    std::erase_if(out.live_outs, [this](const LiveOut& live) {
      return is_loaded(live.slot) && live.value == Operand::reg(live.slot);
    });
    std::set<RegisterId> read;
    for (const PieceExit& exit : out.exits) {
      if (exit.condition.present()) read.insert(exit.condition.predicate);
    }
    for (const LiveOut& live : out.live_outs) {
      if (live.value.is_register()) read.insert(live.value.index);
      if (live.guard.present()) read.insert(live.guard.predicate);
    }
    std::vector<Instruction> kept;
    std::size_t copies = 0;
    for (std::size_t i = piece_.code.size(); i-- > 0;) {
      const Instruction& instruction = piece_.code[i];
      bool keep = i >= piece_.copies || !only_computes(instruction);
      kernel::for_each_def(instruction,
                           [&](RegisterId value) { keep = keep || read.contains(value); });
      if (!keep || (i < piece_.copies && loads_[i])) continue;
      kernel::for_each_use(instruction, [&](RegisterId value) { read.insert(value); });
      if (i >= piece_.copies) ++copies;
      kept.push_back(instruction);
    }
    std::reverse(kept.begin(), kept.end());
    out.copies = kept.size() - copies;
    out.code = std::move(kept);
    std::erase_if(out.live_ins, [&](RegisterId value) { return !read.contains(value); });
    for (const RegisterId value : loaded_) {
      if (read.contains(value)) out.live_ins.push_back(value);
    }
    return out;
  }

  const PieceCode& piece_;
  const std::vector<bool>& shared_;
  std::vector<bool> loads_;   // by instruction: goes before the rest
  std::vector<bool> needed_;  // by instruction: a load, or computes what one needs
  std::set<RegisterId> loaded_;
};

}  // namespace

std::optional<SplitPiece> split_loads_off(const PieceCode& piece, const std::vector<bool>& shared,
                                          const std::array<std::uint32_t, 3>& block) {
  if (piece.entry != Entry::kFree || !communicates(piece, block)) return std::nullopt;
  return Splitter(piece, shared).run();
}

}  // namespace raddle::machine::cgra
