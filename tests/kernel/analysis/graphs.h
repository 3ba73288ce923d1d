// Functions with a control flow drawn in a few characters, for tests of analyses.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/module.h"
#include "kernel/text_form.h"

namespace raddle::kernel {

// The function that this body makes, with registers enough for tests.
inline Function function_from(std::string_view body,
                              std::string_view head = "kernel @f(n[4], a[8])") {
  const std::string text =
      "module \"t\" ptx 7.5 target 70\nconst @limits[64]\nglobal @data[64] align 8\n"
      "shared @tile[64] align 4\nextern function @g() -> (r[4])\n" +
      std::string(head) +
      " {\n  call_slot out[4]\n  register pred p, q\n  register b32 a, b, c, d, e\n"
      "  register b64 x, y, z\n" +
      std::string(body) + "}\n";
  return parse_text(text, "test.rir").functions.back();
}

// A function of `edges.size()` blocks: block i goes to the blocks in edges[i], or ends if there are
// none. Two ways are a guarded branch where the second is the next block, else a brx.
inline Function function_of(const std::vector<std::vector<BlockId>>& edges) {
  Function function;
  function.name = "graph";
  function.registers = {{"p", Type::kPred}, {"i", Type::kU32}};
  for (BlockId i = 0; i < edges.size(); ++i) {
    Block block;
    block.label = "b" + std::to_string(i);
    Instruction last;
    const auto& targets = edges[i];
    if (targets.empty()) {
      last.opcode = Opcode::kRet;
    } else if (targets.size() == 1) {
      last.opcode = Opcode::kBra;
      last.targets = targets;
    } else if (targets.size() == 2 && targets[1] == i + 1) {
      last.opcode = Opcode::kBra;
      last.guard.predicate = 0;
      last.targets = {targets[0]};
    } else {
      last.opcode = Opcode::kBrx;
      last.sources = {Operand::reg(1)};
      last.targets = targets;
    }
    block.instructions.push_back(last);
    function.blocks.push_back(block);
  }
  return function;
}

// Edges of a random graph; some of its blocks may be unreachable, some loops without end.
inline std::vector<std::vector<BlockId>> random_edges(std::mt19937& random, std::size_t blocks) {
  std::vector<std::vector<BlockId>> edges(blocks);
  for (auto& targets : edges) {
    const std::size_t ways = random() % 8 == 0 ? 0 : 1 + random() % 2 + (random() % 8 == 0 ? 1 : 0);
    while (targets.size() < ways) {
      const auto target = static_cast<BlockId>(random() % blocks);
      bool known = false;
      for (const BlockId other : targets) known = known || other == target;
      if (known && blocks > 3) continue;
      if (known) break;
      targets.push_back(target);
    }
  }
  return edges;
}

}  // namespace raddle::kernel
