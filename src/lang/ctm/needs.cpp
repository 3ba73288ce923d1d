#include <algorithm>

#include "lang/ctm/assembler.h"
#include "lang/ctm/structure.h"

namespace raddle::ctm {
namespace {

using machine::overlay::AddressOp;
using machine::overlay::BranchOp;
using machine::overlay::FlowOp;
using machine::overlay::Instruction;
using machine::overlay::InstructionType;
using machine::overlay::Shader;
using machine::overlay::SourceAddress;

struct Used {
  unsigned count = 1;  // r0 holds the coordinates
  bool relative = false;

  void add(unsigned number, bool is_relative) {
    count = std::max(count, number + 1);
    relative = relative || is_relative;
  }
};

void add_registers(const Instruction& word, Used& used) {
  if (word.is_alu()) {
    for (unsigned i = 0; i < 3; ++i) {
      for (const SourceAddress& source : {word.vector.sources[i], word.scalar.sources[i]}) {
        if (source.is_temporary()) used.add(source.address, source.relative);
      }
    }
    if (word.vector.write_mask != 0) {
      used.add(word.vector.destination, word.vector.destination_relative);
    }
    if (word.scalar.write_mask) {
      used.add(word.scalar.destination, word.scalar.destination_relative);
    }
  } else if (word.type == InstructionType::kTex) {
    used.add(word.tex.source.address, word.tex.source.relative);
    used.add(word.tex.destination, word.tex.destination_relative);
  }
}

// Loops, calls, and branches deeper than the counters of the other mode hold.
bool needs_full_flow_control(const Shader& shader) {
  unsigned depth = 0;
  for (const Instruction& word : shader.code) {
    if (word.type != InstructionType::kFlow) continue;
    if (word.flow.op != FlowOp::kJump || word.flow.address_op != AddressOp::kNone) return true;
    if (word.flow.if_not_jumping == BranchOp::kIncrement) ++depth;
    if (word.flow.if_not_jumping == BranchOp::kDecrement && depth > 0) --depth;
    if (depth > kPartialBranchDepth) return true;
  }
  return false;
}

}  // namespace

void derive_needs(Shader& shader, std::uint16_t declared) {
  Used used;
  for (const Instruction& word : shader.code) add_registers(word, used);
  if (used.relative && declared == 0) used.count = machine::overlay::kTemporaries;
  shader.temporaries = std::max(static_cast<std::uint16_t>(used.count), declared);
  shader.full_flow_control = needs_full_flow_control(shader);
}

}  // namespace raddle::ctm
