// What operands each opcode takes: how many, of which type, and where registers may be wider than
// the type. One table for the verifier (is this instruction well formed?), the text form (how is an
// immediate written?) and whoever has to know the width of an operand. Register types matter only
// by their size, as in PTX: an f32 may live in a b32 register.
#pragma once

#include <cstddef>
#include <span>

#include "kernel/instruction.h"

namespace raddle::kernel {

enum class OperandRole : std::uint8_t {
  kTyped,        // the instruction's type
  kSourceTyped,  // its second type
  kWide,         // its type, or twice as wide with mul.wide and mad.wide
  kWord,         // 32 bits
  kPredicate,
  kData,        // the instruction's type; the register may be wider (ld, st, cvt)
  kSourceData,  // its second type; the register may be wider (cvt)
  kPart,        // an equal part of the instruction's type (pack, unpack)
  kMovable,     // mov: the instruction's type, a special register or a symbol's address
  kAddress,     // 32 or 64 bits, a symbol, or an absolute address
  kPointer,     // cvta: the instruction's type or a symbol
  kHandle,      // 64 bits or a texture, sampler or surface variable
  kCoordinate,  // 32 bits (texture coordinates, layers, levels, byte offsets); a handle in front of
                // them is a sampler
  kCallee,      // a function, or 32 or 64 bits
  kVote,        // vote: a predicate, or 32 bits with ballot
  kReduction,   // bar.red: a predicate, or 32 bits with popc
  kConstant,    // an immediate
};

struct OperandRule {
  OperandRole role;
  bool optional = false;  // may be missing or none()
  bool repeated = false;  // any further number of the same
};

// The rules of an opcode's destinations and sources. Optional ones come after the required ones.
std::span<const OperandRule> destination_rules(Opcode opcode);
std::span<const OperandRule> source_rules(Opcode opcode);

// The rule that the operand at `index` falls under; null when the opcode takes no such operand.
const OperandRule* rule_at(std::span<const OperandRule> rules, std::size_t index);

// The type that an operand of this instruction has; kNone where several sizes are possible.
Type operand_type(const Instruction& instruction, OperandRole role);
Type destination_type(const Instruction& instruction, std::size_t index);
Type source_type(const Instruction& instruction, std::size_t index);

// Whether src0 (or src0 and src1 for cp.async) is an address to which Instruction::offset is added.
bool takes_address(Opcode opcode);

}  // namespace raddle::kernel
