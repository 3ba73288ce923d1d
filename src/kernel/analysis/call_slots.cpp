#include "kernel/analysis/call_slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace raddle::kernel {

namespace {

bool is_slot(const Operand& operand) {
  return operand.kind == Operand::Kind::kSymbol && operand.symbol == SymbolKind::kCallSlot;
}

bool is_access(const Instruction& i) {
  return (i.opcode == Opcode::kLd || i.opcode == Opcode::kSt) && i.space == Space::kParam;
}

Type type_of(std::uint32_t bytes) {
  switch (bytes) {
    case 1: return Type::kU8;
    case 2: return Type::kU16;
    case 4: return Type::kU32;
    default: return Type::kU64;
  }
}

// Registers have at least 16 bits.
Type register_type(std::uint32_t bytes) { return type_of(std::max(bytes, 2u)); }

class SlotKeeper {
 public:
  explicit SlotKeeper(Function& function)
      : function_(function), in_memory_(function.call_slots.size(), false) {}

  void run() {
    for (const Block& block : function_.blocks) {
      for (const Instruction& i : block.instructions) look_at(i);
    }
    find_overlaps();
    for (std::size_t s = 0; s < in_memory_.size(); ++s) {
      if (in_memory_[s]) keep_in_memory(s);
    }
    for (Block& block : function_.blocks) {
      std::vector<Instruction> code;
      for (Instruction& i : block.instructions) rewrite(std::move(i), code);
      block.instructions = std::move(code);
    }
    assign_offsets(function_);
  }

 private:
  // Bytes of a slot that are read or written together.
  struct Part {
    std::uint32_t slot = 0;
    std::uint64_t offset = 0;
    auto operator<=>(const Part&) const = default;
  };

  static std::uint64_t offset_of(const Instruction& i, std::size_t element) {
    return i.sources[0].bits + static_cast<std::uint64_t>(i.offset) +
           element * static_cast<std::uint64_t>(size_of(i.type));
  }
  static std::size_t elements_of(const Instruction& i) {
    return i.opcode == Opcode::kSt ? i.sources.size() - 1 : i.destinations.size();
  }

  void look_at(const Instruction& i) {
    for (std::size_t s = 0; s < i.sources.size(); ++s) {
      if (!is_slot(i.sources[s])) continue;
      if (!is_access(i) || s != 0) in_memory_[i.sources[s].index] = true;
    }
    if (!is_access(i) || !is_slot(i.sources[0])) return;
    for (std::size_t e = 0; e < elements_of(i); ++e) {
      const Part part{i.sources[0].index, offset_of(i, e)};
      const auto bytes = static_cast<std::uint32_t>(size_of(i.type));
      const auto [known, fresh] = bytes_.try_emplace(part, bytes);
      if (!fresh && known->second != bytes) in_memory_[part.slot] = true;
    }
  }

  void find_overlaps() {
    const Part* before = nullptr;
    std::uint64_t end = 0;
    for (const auto& [part, bytes] : bytes_) {
      if (before != nullptr && before->slot == part.slot && part.offset < end)
        in_memory_[part.slot] = true;
      before = &part;
      end = part.offset + bytes;
    }
  }

  void keep_in_memory(std::size_t slot) {
    const Slot& kept = function_.call_slots[slot];
    local_of_[slot] = static_cast<std::uint32_t>(function_.locals.size());
    function_.locals.push_back({.name = fmt::format("slot{}", slot),
                                .size = kept.size,
                                .alignment = std::max(kept.alignment, 8u)});
  }

  RegisterId new_register(Type type) {
    const auto id = static_cast<RegisterId>(function_.registers.size());
    function_.registers.push_back({fmt::format("argument{}", id), type});
    return id;
  }
  RegisterId register_of(const Part& part, std::uint32_t bytes) {
    const auto [known, fresh] = registers_.try_emplace(part);
    if (fresh) known->second = new_register(register_type(bytes));
    return known->second;
  }

  void rewrite(Instruction i, std::vector<Instruction>& code) {
    if (i.opcode == Opcode::kCall) return rewrite_call(std::move(i), code);
    if (is_access(i) && is_slot(i.sources[0]) && !in_memory_[i.sources[0].index])
      return copy(i, code);
    bool has_local = false;
    for (Operand& source : i.sources) {
      if (!is_slot(source)) continue;
      source.symbol = SymbolKind::kLocal;
      source.index = local_of_.at(source.index);
      has_local = true;
    }
    if (has_local && i.space == Space::kParam) i.space = Space::kLocal;
    code.push_back(std::move(i));
  }

  // What an access moves to or from the registers of a slot.
  void copy(const Instruction& access, std::vector<Instruction>& code) {
    const bool stores = access.opcode == Opcode::kSt;
    const auto bytes = static_cast<std::uint32_t>(size_of(access.type));
    for (std::size_t e = 0; e < elements_of(access); ++e) {
      const Operand part =
          Operand::reg(register_of({access.sources[0].index, offset_of(access, e)}, bytes));
      const Operand& to = stores ? part : access.destinations[e];
      if (!to.is_register()) continue;
      code.push_back(conversion(access, to, stores ? access.sources[e + 1] : part));
    }
  }

  // Values narrower than a register are cut off and extended as memory would.
  Instruction conversion(const Instruction& access, const Operand& to, const Operand& from) const {
    Instruction move;
    move.location = access.location;
    move.guard = access.guard;
    move.destinations = {to};
    move.sources = {from};
    const auto bytes_in = [&](const Operand& operand) {
      return operand.is_register() ? size_of(function_.registers[operand.index].type)
                                   : size_of(access.type);
    };
    const auto bytes = static_cast<std::uint32_t>(size_of(access.type));
    const auto to_bytes = static_cast<std::uint32_t>(bytes_in(to));
    const auto from_bytes = static_cast<std::uint32_t>(bytes_in(from));
    if (bytes == to_bytes && bytes == from_bytes) {
      move.opcode = Opcode::kMov;
      move.type = function_.registers[to.index].type;
      return move;
    }
    move.opcode = Opcode::kCvt;
    const bool extends = is_signed(access.type) && access.opcode == Opcode::kLd;
    move.type = type_of(to_bytes);
    move.source_type = type_of(bytes);
    if (extends) {
      move.type = to_bytes == 2 ? Type::kS16 : to_bytes == 4 ? Type::kS32 : Type::kS64;
      move.source_type = access.type;
    }
    return move;
  }

  void rewrite_call(Instruction call, std::vector<Instruction>& code) {
    for (const std::uint32_t slot : call.call.arguments) {
      const Operand value = value_of(slot);
      if (in_memory_[slot]) code.push_back(through_memory(Opcode::kLd, call, slot, value));
      call.sources.push_back(value);
    }
    if (call.call.returns.empty()) {
      code.push_back(std::move(call));
      return;
    }
    const std::uint32_t slot = call.call.returns[0];
    const Operand value = value_of(slot);
    call.destinations = {value};
    code.push_back(call);
    if (in_memory_[slot]) code.push_back(through_memory(Opcode::kSt, call, slot, value));
  }

  Operand value_of(std::uint32_t slot) {
    const std::uint32_t bytes = function_.call_slots[slot].size;
    return Operand::reg(in_memory_[slot] ? new_register(register_type(bytes))
                                         : register_of({slot, 0}, bytes));
  }

  Instruction through_memory(Opcode opcode, const Instruction& call, std::uint32_t slot,
                             const Operand& value) const {
    Instruction access;
    access.opcode = opcode;
    access.space = Space::kLocal;
    access.type = type_of(function_.call_slots[slot].size);
    access.location = call.location;
    access.guard = call.guard;
    access.sources = {Operand::symbol_address(SymbolKind::kLocal, local_of_.at(slot))};
    if (opcode == Opcode::kSt) {
      access.sources.push_back(value);
    } else {
      access.destinations = {value};
    }
    return access;
  }

  Function& function_;
  std::vector<bool> in_memory_;  // by slot
  std::map<Part, std::uint32_t> bytes_;
  std::map<Part, RegisterId> registers_;
  std::map<std::size_t, std::uint32_t> local_of_;  // by slot in memory: Function::locals
};

}  // namespace

void keep_slots_in_registers(Function& function) { SlotKeeper(function).run(); }

}  // namespace raddle::kernel
