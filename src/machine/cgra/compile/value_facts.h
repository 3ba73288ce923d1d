// What is known of every value of a kernel before it is cut into pieces: whether it is the same for
// all threads of a launch and so part of the configuration, whether it is cheap enough to be
// computed again in every piece that needs it, or has to travel from piece to piece.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/cgra/compile/segments.h"

namespace raddle::machine::cgra {

enum class ValueKind : std::uint8_t {
  kUndefined,   // nothing writes it
  kConstant,    // known when the kernel is launched
  kCoordinate,  // a thread's own place (tid, ctaid): comes with the injected thread
  kCheap,       // a few operations on coordinates and constants
  kComputed,
};

struct Definition {
  kernel::BlockId block = 0;
  std::uint32_t instruction = 0;  // of the block
};

// Values that are computed again where they are needed: of so many operations at most, and whether
// comparisons and what else takes control units may be among them.
struct RecomputeLimit {
  std::uint32_t operations = 4;
  bool control = true;
};

class ValueFacts {
 public:
  // `uniform`: by register, see uniform_values.h.
  ValueFacts(const kernel::Function& ssa, const kernel::Module& module,
             const RecomputeLimit& recompute, std::vector<bool> uniform = {},
             TurnCounters turns = {});

  ValueKind kind(kernel::RegisterId value) const { return kinds_[value]; }
  bool defined(kernel::RegisterId value) const { return kinds_[value] != ValueKind::kUndefined; }
  const Definition& definition(kernel::RegisterId value) const { return definitions_[value]; }
  const kernel::Instruction& instruction(kernel::RegisterId value) const {
    return ssa_->blocks[definitions_[value].block].instructions[definitions_[value].instruction];
  }
  // Values of kind kConstant, each after those it is computed from.
  const std::vector<kernel::RegisterId>& constants() const { return constants_; }

 private:
  void classify(kernel::RegisterId value);

  const kernel::Function* ssa_;
  const kernel::Module* module_;
  RecomputeLimit recompute_;
  std::vector<bool> uniform_;
  TurnCounters turns_;
  std::vector<bool> turning_;  // follows from a counter
  std::vector<Definition> definitions_;
  std::vector<ValueKind> kinds_;
  std::vector<std::uint32_t> operations_;  // of cheap values
  std::vector<std::uint8_t> visited_;
  std::vector<kernel::RegisterId> constants_;
};

// The result follows from the operands and nothing else.
bool follows_from_operands(const kernel::Instruction& instruction);

// A register copied to another, an integer of another width, a predicate turned round, or an
// address whose space is only called by another name: nothing has to be done for it on a fabric.
bool is_wire(const kernel::Instruction& instruction);

}  // namespace raddle::machine::cgra
