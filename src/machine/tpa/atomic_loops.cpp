#include "machine/tpa/atomic_loops.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace raddle::machine::tpa {

using kernel::AtomicOp;
using kernel::Block;
using kernel::BlockId;
using kernel::Function;
using kernel::Instruction;
using kernel::Opcode;
using kernel::Operand;
using kernel::RegisterId;
using kernel::Type;

namespace {

// What is left are multioperations and multiprefixes, or plain stores.
bool needs_loop(const Instruction& i) {
  if (i.opcode != Opcode::kAtom || is_in_loop(i)) return false;
  const int bytes = kernel::size_of(i.type);
  if (bytes < 4) return false;  // refused
  const bool wants_old = !i.destinations.empty() && i.destinations[0].is_register();
  const bool is_float = i.type == Type::kF32 || i.type == Type::kF64;
  switch (i.atomic) {
    case AtomicOp::kExchange: return wants_old;
    case AtomicOp::kAdd: return is_float || (bytes == 8 && wants_old);
    case AtomicOp::kAnd:
    case AtomicOp::kOr: return bytes == 8 && wants_old;
    case AtomicOp::kMin:
    case AtomicOp::kMax: return is_float || bytes == 8;
    default: return true;
  }
}

Instruction made(Opcode opcode, const Instruction& from) {
  Instruction i;
  i.opcode = opcode;
  i.location = from.location;
  return i;
}

// Returns the block with what follows the atomic.
BlockId split(Function& function, BlockId block, std::size_t place) {
  const auto pending = static_cast<RegisterId>(function.registers.size());
  function.registers.push_back({"pending" + std::to_string(pending), Type::kPred});
  const BlockId loop = block + 1;
  for (Block& other : function.blocks) {
    if (other.instructions.empty()) continue;
    for (BlockId& target : other.instructions.back().targets) {
      if (target > block) target += 2;
    }
  }
  auto& code = function.blocks[block].instructions;
  const auto at = code.begin() + static_cast<std::ptrdiff_t>(place);
  Instruction atomic = std::move(*at);
  Block after;
  after.label = "after_atomic" + std::to_string(pending);
  after.instructions.assign(std::make_move_iterator(at + 1), std::make_move_iterator(code.end()));
  code.erase(at, code.end());

  Instruction begin = made(Opcode::kMov, atomic);
  begin.type = Type::kPred;
  begin.destinations = {Operand::reg(pending)};
  begin.sources = {atomic.guard.present()
                       ? Operand::reg(atomic.guard.predicate, atomic.guard.negated)
                       : Operand::immediate(~std::uint64_t{0})};
  code.push_back(std::move(begin));

  atomic.guard = {pending, false};
  if (atomic.destinations.empty()) atomic.destinations.push_back(Operand::none());
  atomic.destinations.push_back(Operand::reg(pending));
  Instruction again = made(Opcode::kBra, atomic);
  again.targets = {loop};
  again.guard = {pending, false};
  Block turn;
  turn.label = "atomic" + std::to_string(pending);
  turn.instructions.push_back(std::move(atomic));
  turn.instructions.push_back(std::move(again));
  const auto where = function.blocks.begin() + loop;
  function.blocks.insert(function.blocks.insert(where, std::move(after)), std::move(turn));
  return loop + 1;
}

}  // namespace

void put_atomics_into_loops(Function& function) {
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    const auto& code = function.blocks[b].instructions;
    const auto found = std::ranges::find_if(code, needs_loop);
    if (found == code.end()) continue;
    b = split(function, b, static_cast<std::size_t>(found - code.begin())) - 1;
  }
}

}  // namespace raddle::machine::tpa
