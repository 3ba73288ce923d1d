// The parser of function bodies in the text form. Signatures of all functions are read before the
// first body, so that a body may name whatever the module holds.
#pragma once

#include <map>
#include <vector>

#include "kernel/module.h"
#include "kernel/text/cursor.h"
#include "kernel/text/locations.h"

namespace raddle::kernel {

struct SymbolRef {
  SymbolKind kind = SymbolKind::kVariable;
  std::uint32_t index = 0;
};

// What a module's bodies can refer to.
struct ModuleSymbols {
  std::map<NameKey, SymbolRef> symbols;  // after '@'
  std::map<NameKey, std::uint32_t> prototypes;
};

// "name[size] align n at n"; the offset is returned where it is given.
struct ParsedSlot {
  NameKey key;
  std::uint64_t size = 0;
  std::uint32_t alignment = 1;
  std::uint32_t offset = kNoId;
};
ParsedSlot parse_slot(TextCursor& cursor, std::uint64_t largest_size);

class FunctionParser {
 public:
  FunctionParser(TextCursor& cursor, const ModuleSymbols& module, LocationReader& locations,
                 Function& function)
      : cursor_(cursor), module_(module), locations_(locations), function_(function) {}

  // "(a[4], b[8]) -> (r[4])"
  void parse_signature();
  // From after '{' to after '}'.
  void parse_body();
  // Offsets of all slots, once they are known.
  void finish_layout();

 private:
  struct PendingTarget {
    std::size_t token;
    BlockId block;
    std::size_t instruction;
    std::size_t target;
    NameKey key;
  };
  struct PendingImmediate {
    std::size_t token;
    std::size_t source;
    bool negative;
  };
  struct GivenOffset {
    SymbolRef slot;
    std::uint32_t offset;
  };

  void parse_slot_list(SymbolKind kind, std::vector<Slot>& slots);
  void declare_slot(const Token& token, const ParsedSlot& parsed, SymbolRef slot);
  void parse_declaration();
  void parse_call_slot();
  void parse_local();
  void parse_registers();
  void declare_register(const Token& token, const NameKey& key, Type type);
  void parse_register_range(const Token& token, const NameKey& first, Type type);
  bool at_label() const;
  void parse_label();
  void resolve_targets();

  Instruction parse_instruction();
  void parse_guard(Instruction& instruction);
  void parse_mnemonic(Instruction& instruction);
  void parse_modifiers(Instruction& instruction, const Token& token,
                       std::vector<std::string> words);
  void parse_sources(Instruction& instruction);
  void parse_targets(Instruction& instruction);
  void parse_call(Instruction& instruction);
  void parse_attributes(Instruction& instruction);
  void parse_attribute(Instruction& instruction);
  std::vector<std::uint32_t> parse_call_slots();
  Operand parse_operand(std::size_t source_index);
  Operand parse_register_or_special();
  Operand parse_symbol();
  Operand parse_address(Instruction& instruction, bool with_offset);
  void finish_immediates(Instruction& instruction);

  TextCursor& cursor_;
  const ModuleSymbols& module_;
  LocationReader& locations_;
  Function& function_;
  std::map<NameKey, SymbolRef> slots_;
  std::map<NameKey, RegisterId> registers_;
  std::map<NameKey, BlockId> blocks_;
  std::vector<GivenOffset> given_offsets_;
  std::vector<PendingTarget> pending_targets_;
  std::vector<PendingImmediate> pending_immediates_;
};

}  // namespace raddle::kernel
