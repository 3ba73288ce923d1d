// A piece of a kernel as straight-line code: its segments one after the other, branches turned
// into predicates. Where paths meet, values are selected; memory operations of a path that a thread
// does not take are switched off; everything else is computed for all threads of the piece.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/cgra/compile/segments.h"
#include "machine/cgra/compile/value_facts.h"

namespace raddle::machine::cgra {

// A value that later pieces need: `slot` is the register they read.
struct LiveOut {
  kernel::RegisterId slot = 0;
  kernel::Operand value;
  kernel::Guard guard;  // threads that write it
  std::uint32_t location = 0;
};

// A phi at the piece's own beginning: `value` goes from one turn of the loop to the next.
struct TurnValue {
  kernel::RegisterId slot = 0;
  kernel::Operand value;
  bool is_read_after = false;  // in other pieces
};

struct PieceExit {
  kernel::Guard condition;  // not present: all threads that no other exit takes
  SegmentId to = kThreadEnds;
  std::uint32_t location = 0;
};

struct PieceCode {
  Entry entry = Entry::kFree;             // what threads wait for
  std::size_t entry_instruction = 0;      // then: which instruction says the details
  std::vector<kernel::Instruction> code;  // every instruction after those it needs
  std::size_t copies = 0;                 // from here on, code only writes slots of live values
  std::vector<kernel::RegisterId> live_ins;
  std::vector<LiveOut> live_outs;
  std::vector<TurnValue> turn_values;
  std::vector<PieceExit> exits;         // exactly one of the conditions holds for a thread
  std::vector<kernel::Register> added;  // registers beyond the kernel's own
  std::vector<bool> uniform;            // by register of the kernel: see uniform_values.h
  bool stays = false;                   // a loop whose threads go round on the grid

  bool is_uniform(kernel::RegisterId value) const {
    return value < uniform.size() && uniform[value];
  }
};

// In which segments each value is read; what a phi reads is read where control comes from.
using SegmentUses = std::vector<std::vector<SegmentId>>;  // by register
SegmentUses find_uses(const SegmentedKernel& kernel);

// `region`: segments in the order of control flow; all ways into it lead to the first.
PieceCode convert_to_piece(const SegmentedKernel& kernel, const ValueFacts& facts,
                           const SegmentUses& uses, const std::vector<SegmentId>& region);

}  // namespace raddle::machine::cgra
