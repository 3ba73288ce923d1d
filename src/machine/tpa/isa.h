// The instruction set of the thick control flow processor (TPA): which units an instruction
// commands, what each can do, and which results each may read. The names come from isa.def; the
// paper's listings (Figs. 18, 19, 21) fix the backend part, the frontend part is ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace raddle::machine::tpa {

using Word = std::uint64_t;
inline constexpr Word kWordBytes = 8;

inline constexpr std::uint32_t kSlots = 5;             // OP0 … OP4, sent to the backends
inline constexpr std::uint32_t kFrontAlus = 3;         // L0 | N0 | L1 L2
inline constexpr std::uint32_t kAlus = 8;              // A0 … A4 | M0 | A5 … A7
inline constexpr std::uint32_t kAlusBeforeMemory = 5;  // paper's listings
inline constexpr std::uint32_t kFrontAlusBeforeMemory = 1;
inline constexpr std::uint32_t kMaxFiberRegisters = 255;  // as many as a thread of CUDA has
inline constexpr std::uint32_t kMaxReads = 4;             // RDn of a line
inline constexpr std::uint32_t kMaxWrites = 4;            // WBn of a line, and LWBn
inline constexpr std::uint32_t kFrontRegisters = 35;
inline constexpr std::uint32_t kLinkRegister = 31;
inline constexpr std::uint32_t kFlowRegister = 32;       // the flow's number; cannot be written
inline constexpr std::uint32_t kThicknessRegister = 33;  // paper: LWB33
inline constexpr std::uint32_t kMappingRegister = 34;    // 0: stacked, 1: interleaved
// Shared memory's first word: reads give 0, writes are dropped, no reference is sent. Fibers that
// take no part compute this address.
inline constexpr Word kSinkAddress = 0;

// What a subinstruction commands, in the order in which they stand on a line.
// clang-format off: a table, several names to a line
enum class Unit : std::uint8_t {
  kSlot,         // OPk: an operand for the frontend's units and the backends
  kFrontAlu,     // Ln
  kFrontMemory,  // N0
  kFrontWrite,   // LWBn
  kRead,         // RDn
  kAlu,          // An
  kMemory,       // M0
  kWrite,        // WBn
  kReply,        // RPL
  kLayout,       // RTk
  kControl,      // the sequencer
  kSwitch,       // STCF
};
enum class AluOperation : std::uint8_t {
#define RADDLE_TPA_ALU(enumerator, text, operands, expression, sentence) enumerator,
#define RADDLE_TPA_FLOAT(enumerator, text, operands, unit, expression, sentence) enumerator,
#include "machine/tpa/isa.def"
  kCount
};
// What a floating-point operation is executed by; kNone: it is none.
enum class FloatUnit : std::uint8_t { kNone, kArithmetic, kDivide, kRoot, kCompare, kConvert };
enum class MemoryOperation : std::uint8_t {
#define RADDLE_TPA_MEMORY(enumerator, text, operators, operands, sentence) enumerator,
#include "machine/tpa/isa.def"
};
enum class Operator : std::uint8_t {
#define RADDLE_TPA_OPERATOR(enumerator, text, identity, sentence) enumerator,
#include "machine/tpa/isa.def"
};
enum class LocalOperation : std::uint8_t {
#define RADDLE_TPA_LOCAL(enumerator, text, operands, sentence) enumerator,
#include "machine/tpa/isa.def"
};
enum class ControlOperation : std::uint8_t {
#define RADDLE_TPA_CONTROL(enumerator, text, operands, sentence) enumerator,
#include "machine/tpa/isa.def"
};
// clang-format on

// Where an operand comes from.
enum class Source : std::uint8_t {
  kNone,
  kConstant,       // of OPk, and line numbers
  kSlot,           // Ok
  kFrontRegister,  // Rn
  kFrontAlu,       // Ln
  kFrontMemory,    // N0
  kFiberRegister,  // Bn, read by RDn
  kAlu,            // An
  kMemory,         // M0, M1
  kFiberId,        // FID
};

// One spelling of the assembler: "MADD" is unit kMemory, operation kMulti, operator kAdd.
struct Mnemonic {
  std::string text;  // without the unit's number
  Unit unit = Unit::kSwitch;
  std::uint8_t operation = 0;  // of its unit's enumeration
  Operator op = Operator::kAdd;
  std::string operands;       // letters as in isa.def
  std::string_view numbered;  // what its number means; empty: it has none
  std::uint32_t numbers = 0;  // how many units or registers there are
  std::string sentence;
};
// All of them, in the order of the encoding: units first, then as in isa.def.
std::span<const Mnemonic> mnemonics();
// By its text; null if there is none.
const Mnemonic* find_mnemonic(std::string_view text);
const Mnemonic& mnemonic_of(Unit unit, std::uint8_t operation, Operator op);

bool has_operator(MemoryOperation operation);
std::string_view name_of(Operator op);
std::string_view sentence_of(Operator op);
Word identity_of(Operator op);
// What memory holds after v was applied to old. SUB subtracts.
constexpr Word applied(Operator op, Word old, Word v) {
  const auto so = static_cast<std::int64_t>(old);
  const auto sv = static_cast<std::int64_t>(v);
  switch (op) {
    case Operator::kAdd: return old + v;
    case Operator::kSub: return old - v;
    case Operator::kAnd: return old & v;
    case Operator::kOr: return old | v;
    case Operator::kMax: return so > sv ? old : v;
    case Operator::kMaxU: return old > v ? old : v;
    case Operator::kMin: return so < sv ? old : v;
    case Operator::kMinU: return old < v ? old : v;
  }
  return old;
}
// Two partial results as one: as applied(), but partial results of SUB add up.
constexpr Word combined(Operator op, Word a, Word b) {
  return op == Operator::kSub ? a + b : applied(op, a, b);
}
// Calls use() with the operator as a constant, so that loops over many values have no choice in
// them.
template <class Use>
void with_operator(Operator op, Use&& use) {
  using enum Operator;
  switch (op) {
    case kAdd: return use(std::integral_constant<Operator, kAdd>());
    case kSub: return use(std::integral_constant<Operator, kSub>());
    case kAnd: return use(std::integral_constant<Operator, kAnd>());
    case kOr: return use(std::integral_constant<Operator, kOr>());
    case kMax: return use(std::integral_constant<Operator, kMax>());
    case kMaxU: return use(std::integral_constant<Operator, kMaxU>());
    case kMin: return use(std::integral_constant<Operator, kMin>());
    case kMinU: return use(std::integral_constant<Operator, kMinU>());
  }
}

FloatUnit float_unit_of(AluOperation operation);
// How many operands it has: 1 to 3.
std::uint32_t operands_of(AluOperation operation);
Word alu_result(AluOperation operation, Word a, Word b, Word c);
// Whether the operation would divide by zero.
inline bool divides_by_zero(AluOperation operation, Word b) {
  return (operation == AluOperation::kDiv || operation == AluOperation::kMod) && b == 0;
}

// Which step of a technique an operation of the memory unit is.
bool begins_prefix(MemoryOperation operation);  // fills the scratchpad in fiber order
bool orders_prefix(MemoryOperation operation);  // OMP, OMB, OML
bool ends_prefix(MemoryOperation operation);    // reads offsets
bool sends_entries(MemoryOperation operation);  // EM and the ordering ones: entries, not fibers
bool loads(MemoryOperation operation);          // reads shared memory for each fiber
bool stores(MemoryOperation operation);         // writes shared memory for each fiber
bool gives_result(MemoryOperation operation);   // M0
bool needs_scratchpad(MemoryOperation operation);

}  // namespace raddle::machine::tpa
