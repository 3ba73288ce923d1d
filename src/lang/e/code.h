// Lowered e, between the tree and the assembly text: what the frontend does (one operation an
// item), what the backends do (one whole line an item), and where control goes. The packer puts
// items on as few VLIW lines as it can.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace raddle::e {

// A number that the assembler knows: the address of a symbol, a number, or their sum.
struct Constant {
  std::string symbol;
  std::int64_t number = 0;
  auto operator<=>(const Constant&) const = default;
};

// A value that the frontend has.
struct FrontOperand {
  enum class Kind : std::uint8_t { kNone, kConstant, kRegister, kTemporary } kind = Kind::kNone;
  Constant constant;
  std::uint32_t number = 0;  // of the register or temporary
  auto operator<=>(const FrontOperand&) const = default;

  static FrontOperand of(std::int64_t value) { return {Kind::kConstant, {{}, value}, 0}; }
  static FrontOperand of(Constant constant) { return {Kind::kConstant, std::move(constant), 0}; }
  static FrontOperand in_register(std::uint32_t number) { return {Kind::kRegister, {}, number}; }
  static FrontOperand temporary(std::uint32_t number) { return {Kind::kTemporary, {}, number}; }

  bool is_number() const { return kind == Kind::kConstant && constant.symbol.empty(); }
  bool is_number(std::int64_t value) const { return is_number() && constant.number == value; }
};

struct FrontOp {
  enum class Kind : std::uint8_t {
    kAlu,
    kMove,
    kLoadLocal,
    kStoreLocal,
    kLoadShared,
    kStoreShared,
    kReceive,
  } kind = Kind::kAlu;
  std::string name;  // of the ALU operation, without L
  std::vector<FrontOperand> operands;
  FrontOperand result;  // a register, a temporary, or none
};

// An operand inside a backend line.
struct BackOperand {
  enum class Kind : std::uint8_t { kSlot, kFiberId, kRegister, kAlu, kMemory } kind = Kind::kSlot;
  std::uint32_t number = 0;  // of a slot: index into BackLine::slots
};

struct BackPart {
  std::string name;  // with the unit's number: "SHL0", "BMMIN0"
  std::vector<BackOperand> operands;
};

struct BackWrite {
  std::uint32_t reg = 0;
  BackOperand value;
};

struct BackLine {
  std::vector<FrontOperand> slots;
  std::vector<std::uint32_t> reads;
  std::vector<BackPart> before_memory;
  std::optional<BackPart> memory;
  std::vector<BackPart> after_memory;
  std::vector<BackWrite> writes;
  std::optional<FrontOperand> thickness;  // set R33 on this line
  std::uint32_t group = 0;                // lines that share a layout of fiber registers
  std::uint32_t division_line = 0;        // of the source; 0: nothing is divided
};

struct Control {
  enum class Kind : std::uint8_t {
    kJump,
    kBranchZero,
    kBranchNonZero,
    kFork,
    kJoin,
    kExit,
    kHalt,
  } kind = Kind::kJump;
  FrontOperand value;  // branch condition, thickness of the new flow
  std::string label;
};

struct Label {
  std::string name;
};

struct Item {
  std::variant<Label, FrontOp, BackLine, Control> what;
  std::uint32_t source_line = 0;
};

}  // namespace raddle::e
