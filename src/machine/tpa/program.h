// A program of the TPA as the machine executes it: VLIW lines of decoded subinstructions, named
// memory with its first contents, and what the host is to check at the end. The assembler, the
// binary reader and the e-language's compiler make it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/tpa/isa.h"

namespace raddle::machine::tpa {

struct Operand {
  Source source = Source::kNone;
  std::uint8_t number = 0;    // of the slot, register or unit
  std::int64_t constant = 0;  // kConstant
  bool operator==(const Operand&) const = default;
};

inline constexpr std::size_t kMaxOperands = 7;

struct Subinstruction {
  Unit unit = Unit::kSwitch;
  std::uint8_t operation = 0;  // AluOperation, MemoryOperation, LocalOperation, ControlOperation
  Operator op = Operator::kAdd;
  std::uint8_t number = 0;  // of the unit, slot or register; the k of RTk
  std::uint8_t count = 0;   // operands
  std::array<Operand, kMaxOperands> operands{};

  const Operand& operand(std::size_t i) const { return operands[i]; }
  bool operator==(const Subinstruction&) const = default;
};

struct Place {
  std::uint32_t file = 0;  // of Program::files
  std::uint32_t line = 0;  // 0: not known
  bool operator==(const Place&) const = default;
};

// Of a line of a kernel's block: the fibers whose first register holds the block's number when it
// begins take part, the others are masked. They cost their slots all the same; it is for accounts.
struct FiberMask {
  Word block = 0;
  bool begins = false;  // the block's first line
  bool operator==(const FiberMask&) const = default;
};

struct Line {
  std::vector<Subinstruction> parts;  // in the order of their units
  Place place;
  std::optional<FiberMask> mask;
  bool splits = false;  // moves a kernel's fibers from flow to flow; for accounts
  bool operator==(const Line&) const = default;
};

enum class Space : std::uint8_t { kShared, kLocal };

struct Symbol {
  std::string name;
  Space space = Space::kShared;
  Word address = 0;  // in bytes
  Word words = 1;
  std::vector<Word> initial;  // the first ones; the rest are 0
  bool operator==(const Symbol&) const = default;
};

struct Label {
  std::string name;
  std::uint32_t line = 0;
  bool operator==(const Label&) const = default;
};

// What a symbol must hold at the end: a call of a host function on symbols as they were at the
// start, as host_check.h reads it.
struct Expectation {
  std::string symbol;
  std::string call;
  bool operator==(const Expectation&) const = default;
};

struct Program {
  std::vector<std::string> files;  // that places are in; the first is the program's own
  std::vector<Line> lines;
  std::vector<Label> labels;
  std::vector<Symbol> symbols;
  std::vector<Expectation> expectations;
  bool operator==(const Program&) const = default;

  // "min.tpa:12", or an empty text.
  std::string where(Place place) const;
  // The same without the folder that the file lies in.
  std::string short_where(Place place) const;
  const Symbol* find_symbol(std::string_view name) const;
  Symbol* find_symbol(std::string_view name);
  // The first byte after all symbols of the space.
  Word end_of(Space space) const;
};

// Shared memory's first symbol comes after the sink.
inline constexpr Word kFirstAddress = 64;

}  // namespace raddle::machine::tpa
