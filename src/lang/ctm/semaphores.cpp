#include "lang/ctm/semaphores.h"

#include <bitset>
#include <utility>
#include <vector>

namespace raddle::ctm {
namespace {

using machine::overlay::AddressOp;
using machine::overlay::Instruction;
using machine::overlay::InstructionType;
using machine::overlay::Shader;
using machine::overlay::SourceAddress;
using machine::overlay::TexOp;
using Registers = std::bitset<machine::overlay::kTemporaries>;

void add(Registers& set, unsigned number, bool relative) {
  if (relative) {
    set.set();  // aL is not known
  } else {
    set.set(number % set.size());
  }
}

bool loads(const Instruction& word) {
  return word.type == InstructionType::kTex && word.tex.op != TexOp::kNop &&
         word.tex.op != TexOp::kKill;
}

// Registers that an instruction reads or writes at issue; what a TEX loads is written later.
Registers touched(const Instruction& word) {
  Registers set;
  if (word.is_alu()) {
    for (unsigned i = 0; i < 3; ++i) {
      for (const SourceAddress& source : {word.vector.sources[i], word.scalar.sources[i]}) {
        if (source.is_temporary()) add(set, source.address, source.relative);
      }
    }
    if (word.vector.write_mask != 0) {
      add(set, word.vector.destination, word.vector.destination_relative);
    }
    if (word.scalar.write_mask) add(set, word.scalar.destination, word.scalar.destination_relative);
  }
  if (word.type == InstructionType::kTex) {
    add(set, word.tex.source.address, word.tex.source.relative);
    if (word.tex.op == TexOp::kDxDy) {
      add(set, word.tex.dx.address, word.tex.dx.relative);
      add(set, word.tex.dy.address, word.tex.dy.relative);
    }
  }
  return set;
}

// Where control may go from each instruction. A return may go after any call.
std::vector<std::vector<std::size_t>> successors(const Shader& shader) {
  const std::size_t count = shader.code.size();
  std::vector<std::size_t> after_calls;
  for (std::size_t i = 0; i < count; ++i) {
    const Instruction& word = shader.code[i];
    const bool calls =
        word.type == InstructionType::kFlow && word.flow.address_op == AddressOp::kPush;
    if (calls && i + 1 < count) after_calls.push_back(i + 1);
  }
  std::vector<std::vector<std::size_t>> next(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Instruction& word = shader.code[i];
    if (i != shader.end && i + 1 < count) next[i].push_back(i + 1);
    if (word.type != InstructionType::kFlow) continue;
    if (word.flow.address_op == AddressOp::kPop) {
      next[i].insert(next[i].end(), after_calls.begin(), after_calls.end());
    } else if (word.flow.jump_address < count) {
      next[i].push_back(word.flow.jump_address);
    }
  }
  return next;
}

// Blocks are runs of TEX that read nothing that the run itself loads. The last of a block holds the
// semaphore until its data, and all before it, are there, and itself waits for the block before.
// Gives what the block of each such TEX loads.
std::vector<Registers> close_blocks(Shader& shader) {
  std::vector<Registers> block_loads(shader.code.size());
  Registers open;
  for (std::size_t i = 0; i < shader.code.size(); ++i) {
    Instruction& word = shader.code[i];
    if (!loads(word)) continue;
    add(open, word.tex.destination, word.tex.destination_relative);
    const bool goes_on = i + 1 < shader.code.size() && loads(shader.code[i + 1]) &&
                         (touched(shader.code[i + 1]) & open).none();
    if (goes_on) continue;
    word.tex.acquire = true;
    word.texture_wait = true;
    block_loads[i] = std::exchange(open, Registers{});
  }
  return block_loads;
}

}  // namespace

void insert_semaphores(Shader& shader) {
  if (shader.code.empty()) return;
  const std::vector<Registers> block_loads = close_blocks(shader);
  const auto next = successors(shader);
  const std::size_t count = shader.code.size();
  // Registers of closed blocks that may be loading before each instruction.
  std::vector<Registers> loading(count);
  std::vector<std::size_t> work;
  for (std::size_t i = count; i-- > 0;) work.push_back(i);
  while (!work.empty()) {
    const std::size_t i = work.back();
    work.pop_back();
    const Instruction& word = shader.code[i];
    Registers after = loading[i];
    if (word.texture_wait || (touched(word) & after).any()) after.reset();
    after |= block_loads[i];
    for (const std::size_t to : next[i]) {
      const Registers merged = loading[to] | after;
      if (merged == loading[to]) continue;
      loading[to] = merged;
      work.push_back(to);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if ((touched(shader.code[i]) & loading[i]).any()) shader.code[i].texture_wait = true;
  }
  shader.code[shader.end].texture_wait = true;
}

}  // namespace raddle::ctm
