// A VLIW line as the machine executes it: the parts of each side in the order of their chains.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "machine/tpa/program.h"
#include "machine/tpa/tpa_parameters.h"

namespace raddle::machine::tpa {

struct AluCommand {
  AluOperation operation = AluOperation::kAdd;
  std::uint8_t unit = 0;
  std::array<Operand, 3> operands{};
};

struct MemoryCommand {
  MemoryOperation operation = MemoryOperation::kLoad;
  Operator op = Operator::kAdd;
  std::array<Operand, kMaxOperands> operands{};
};

struct RegisterWrite {
  std::uint8_t number = 0;
  Operand value;
};

struct DecodedLine {
  // Frontend.
  std::vector<Subinstruction> slots;
  std::vector<AluCommand> front_alus;  // in the order of the chain
  std::optional<Subinstruction> front_memory;
  std::vector<RegisterWrite> front_writes;
  std::optional<Subinstruction> control;
  bool switches = false;  // STCF
  // Backend.
  bool has_backend = false;
  std::vector<std::uint8_t> reads;
  std::vector<AluCommand> before;  // memory
  std::optional<MemoryCommand> memory;
  std::vector<AluCommand> after;
  std::vector<RegisterWrite> writes;
  std::optional<Operand> reply;
  std::uint32_t registers = 0;  // RTk; 0: as before
  // By how much floating-point operations lengthen the line's way: through the frontend, up to the
  // memory unit, and up to write-back.
  Cycle front_delay;
  Cycle memory_delay;
  Cycle write_delay;
  Place place;
  std::optional<FiberMask> mask;
  bool splits = false;
};

DecodedLine decode_line(const Line& line, const TpaParameters& parameters);

}  // namespace raddle::machine::tpa
