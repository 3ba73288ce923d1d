// A thread at a time through a function of a few integer operations: enough to say whether two
// forms of a function do the same. Registers start as zero. What a function does is what it stores.
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernel/analysis/cfg.h"
#include "kernel/analysis/graphs.h"

namespace raddle::kernel {

class Interpreter {
 public:
  // `place` maps a register to its storage; equal to the register itself unless a test says
  // otherwise.
  explicit Interpreter(const Function& function,
                       std::function<std::uint32_t(RegisterId)> place = {})
      : function_(function),
        graph_(function),
        place_(std::move(place)),
        values_(function.registers.size() + 64) {}

  std::map<SpecialRegister, std::uint64_t> specials;
  // Called on entering a block and before the result of an instruction is written.
  std::function<void(BlockId)> on_block;
  std::function<void(BlockId, std::size_t, RegisterId, std::uint64_t)> on_write;

  // Address and value of each store, for at most `steps` blocks.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> run(int steps) {
    BlockId before = kNoId;
    BlockId block = 0;
    while (steps-- > 0 && block != kNoId) {
      if (on_block) on_block(block);
      const BlockId next = run_block(block, before);
      before = block;
      block = next;
    }
    return stores_;
  }

  std::uint64_t value(RegisterId id) const { return values_[place_ ? place_(id) : id]; }

 private:
  std::uint64_t read(const Operand& operand) const {
    switch (operand.kind) {
      case Operand::Kind::kRegister:
        return operand.negated ? value(operand.index) ^ 1 : value(operand.index);
      case Operand::Kind::kSpecial: return specials.at(operand.special);
      case Operand::Kind::kImmediate: return operand.bits;
      default: throw std::logic_error("the interpreter reads registers and numbers");
    }
  }

  bool holds(const Guard& guard) const {
    return !guard.present() || (value(guard.predicate) != 0) != guard.negated;
  }

  void write(BlockId block, std::size_t index, const Operand& destination, std::uint64_t result) {
    if (!destination.is_register()) return;
    const std::uint64_t kept =
        function_.registers[destination.index].type == Type::kPred  ? result & 1
        : size_of(function_.registers[destination.index].type) == 8 ? result
                                                                    : result & 0xffffffffu;
    if (on_write) on_write(block, index, destination.index, kept);
    values_[place_ ? place_(destination.index) : destination.index] = kept;
  }

  static bool compare(Compare compare, std::uint64_t a, std::uint64_t b) {
    switch (compare) {
      case Compare::kEq: return a == b;
      case Compare::kLt: return a < b;
      default: return a != b;
    }
  }

  std::uint64_t compute(const Instruction& instruction) const {
    const auto source = [&](std::size_t i) { return read(instruction.sources[i]); };
    switch (instruction.opcode) {
      case Opcode::kMov: return source(0);
      case Opcode::kAdd: return source(0) + source(1);
      case Opcode::kSub: return source(0) - source(1);
      case Opcode::kXor: return source(0) ^ source(1);
      case Opcode::kSelp: return source(2) != 0 ? source(0) : source(1);
      case Opcode::kSetp: return compare(instruction.compare, source(0), source(1)) ? 1 : 0;
      default: throw std::logic_error("the interpreter does not know this opcode");
    }
  }

  // All phis of a block read before any of them writes.
  std::size_t run_phis(BlockId block, BlockId before) {
    const auto& code = function_.blocks[block].instructions;
    std::vector<std::uint64_t> results;
    for (std::size_t i = 0; i < code.size() && code[i].opcode == Opcode::kPhi; ++i) {
      const auto& predecessors = graph_.predecessors(block);
      std::size_t way = 0;
      while (predecessors.at(way) != before) ++way;
      results.push_back(read(code[i].sources.at(way)));
    }
    for (std::size_t i = 0; i < results.size(); ++i)
      write(block, i, code[i].destinations[0], results[i]);
    return results.size();
  }

  BlockId run_block(BlockId block, BlockId before) {
    const auto& code = function_.blocks[block].instructions;
    for (std::size_t i = run_phis(block, before); i < code.size(); ++i) {
      const Instruction& instruction = code[i];
      if (!holds(instruction.guard)) continue;
      switch (instruction.opcode) {
        case Opcode::kBra: return instruction.targets[0];
        case Opcode::kBrx:
          return instruction.targets[read(instruction.sources[0]) % instruction.targets.size()];
        case Opcode::kRet:
        case Opcode::kExit:
        case Opcode::kTrap: return kNoId;
        case Opcode::kSt:
          stores_.emplace_back(read(instruction.sources[0]), read(instruction.sources[1]));
          break;
        default: {
          const std::uint64_t result = compute(instruction);
          // setp's second result is the negated comparison.
          for (std::size_t n = instruction.destinations.size(); n-- > 0;) {
            write(block, i, instruction.destinations[n], n == 0 ? result : result ^ 1);
          }
        }
      }
    }
    return block + 1 < function_.blocks.size() ? block + 1 : kNoId;
  }

  const Function& function_;
  ControlFlowGraph graph_;
  std::function<std::uint32_t(RegisterId)> place_;
  std::vector<std::uint64_t> values_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> stores_;
};

// A function with the given control flow and random integer operations, some of them guarded; every
// block stores one register, so that what goes wrong can be seen.
class RandomFunction {
 public:
  explicit RandomFunction(std::mt19937& random) : random_(random) {}

  Function make(const std::vector<std::vector<BlockId>>& edges) {
    Function function = function_of(edges);
    function.registers = {{"p", Type::kPred}, {"i", Type::kU32}, {"q", Type::kPred},
                          {"a", Type::kB32},  {"b", Type::kB32}, {"c", Type::kB32},
                          {"d", Type::kB32},  {"w", Type::kB64}};
    for (BlockId block = 0; block < function.blocks.size(); ++block) {
      auto& code = function.blocks[block].instructions;
      std::vector<Instruction> fresh;
      for (std::size_t n = random_() % 5; n > 0; --n) fresh.push_back(operation());
      fresh.push_back(store(block));
      code.insert(code.begin(), fresh.begin(), fresh.end());
      Instruction& last = code.back();
      if (last.guard.present()) last.guard = {predicate(), random_() % 2 == 0};
    }
    return function;
  }

 private:
  RegisterId predicate() { return random_() % 2 == 0 ? 0 : 2; }
  RegisterId number() {
    constexpr RegisterId kNumbers[] = {1, 3, 4, 5, 6};
    return kNumbers[random_() % 5];
  }
  Operand source() {
    switch (random_() % 6) {
      case 0: return Operand::immediate(random_() % 4);
      case 1: return Operand::special_register(SpecialRegister::kTidX);
      case 2: return Operand::special_register(SpecialRegister::kCtaidX);
      default: return Operand::reg(number());
    }
  }

  Instruction operation() {
    Instruction instruction;
    instruction.type = Type::kU32;
    if (random_() % 3 == 0) instruction.guard = {predicate(), random_() % 2 == 0};
    switch (random_() % 7) {
      case 0:
      case 1:
        instruction.opcode = Opcode::kSetp;
        instruction.compare = random_() % 2 == 0 ? Compare::kLt : Compare::kEq;
        instruction.destinations = {Operand::reg(0)};
        if (random_() % 3 == 0) instruction.destinations.push_back(Operand::reg(2));
        instruction.sources = {source(), source()};
        return instruction;
      case 2:
        instruction.opcode = Opcode::kMov;
        instruction.sources = {source()};
        break;
      case 3:
        instruction.opcode = Opcode::kSelp;
        instruction.sources = {source(), source(), Operand::reg(predicate())};
        break;
      case 4:
        instruction.opcode = Opcode::kXor;
        instruction.sources = {source(), source()};
        break;
      case 5:
        // A wide register now and then.
        instruction.opcode = Opcode::kAdd;
        instruction.type = Type::kU64;
        instruction.destinations = {Operand::reg(7)};
        instruction.sources = {Operand::reg(7), Operand::immediate(random_() % 9)};
        return instruction;
      default:
        instruction.opcode = Opcode::kAdd;
        instruction.sources = {source(), source()};
        break;
    }
    instruction.destinations = {Operand::reg(number())};
    return instruction;
  }

  Instruction store(BlockId block) {
    Instruction instruction;
    instruction.opcode = Opcode::kSt;
    instruction.space = Space::kGlobal;
    instruction.type = Type::kB32;
    const RegisterId stored = random_() % 4 == 0 ? 7 : number();
    instruction.sources = {Operand::immediate(block), Operand::reg(stored)};
    return instruction;
  }

  std::mt19937& random_;
};

}  // namespace raddle::kernel
