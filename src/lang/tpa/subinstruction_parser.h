// Subinstructions of one line: their names, unit numbers and operands, without regard to each
// other.
#pragma once

#include "lang/tpa/constant_expression.h"
#include "lang/tpa/source_line.h"
#include "machine/tpa/program.h"

namespace raddle::tpa {

// With the columns that faults point to.
struct PlacedSubinstruction {
  machine::tpa::Subinstruction part;
  std::size_t column = 0;
  std::array<std::size_t, machine::tpa::kMaxOperands> operand_columns{};
};

// A name that the assembler gives a meaning to: R3, FID, ADD0. Programs may not declare it.
bool is_reserved(std::string_view word);

// Reads one. Throws LineFault.
PlacedSubinstruction read_subinstruction(TokenCursor& cursor, const NameValue& value,
                                         const NameHint& hint);

}  // namespace raddle::tpa
