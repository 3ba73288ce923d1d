#include <fmt/format.h>

#include <algorithm>

#include "kernel/analysis/cfg.h"
#include "kernel/analysis/def_use.h"
#include "kernel/analysis/dominators.h"
#include "kernel/verify/context.h"

namespace raddle::kernel {
namespace {

// Where a register is written; block kNoId: nowhere, which is allowed for a value that is never
// defined.
struct Definition {
  BlockId block = kNoId;
  std::size_t index = 0;
};

class SsaChecker {
 public:
  explicit SsaChecker(VerifyContext& context)
      : context_(context),
        function_(context.function()),
        graph_(function_),
        tree_(graph_),
        definitions_(function_.registers.size()) {}

  void check() {
    for (BlockId block = 0; block < function_.blocks.size(); ++block) find_definitions(block);
    for (const BlockId block : graph_.reverse_post_order()) check_uses(block);
  }

 private:
  void find_definitions(BlockId block) {
    context_.enter_block(block);
    bool among_phis = true;
    const auto& instructions = function_.blocks[block].instructions;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      context_.enter_instruction(&instructions[i]);
      if (!is_phi(instructions[i])) {
        among_phis = false;
      } else {
        if (!among_phis) context_.report("a phi follows other instructions");
        check_phi(instructions[i], block);
      }
      for_each_def(instructions[i], [&](RegisterId id) {
        if (definitions_[id].block != kNoId) {
          context_.report(fmt::format("{} is written a second time", context_.text().reg(id)));
        } else {
          definitions_[id] = {block, i};
        }
      });
    }
  }

  void check_phi(const Instruction& phi, BlockId block) {
    const std::size_t predecessors = graph_.predecessors(block).size();
    if (phi.sources.size() != predecessors) {
      context_.report(fmt::format("the phi has {} sources, but its block has {} predecessors",
                                  phi.sources.size(), predecessors));
    }
    if (phi.guard.present()) context_.report("a phi cannot be guarded");
  }

  // Whether the register's value is there when control is at the given place.
  bool reaches(RegisterId id, BlockId block, std::size_t index) const {
    const Definition& definition = definitions_[id];
    if (definition.block == kNoId) return true;
    if (definition.block == block) return definition.index < index;
    return tree_.dominates(definition.block, block);
  }

  void check_uses(BlockId block) {
    context_.enter_block(block);
    const auto& instructions = function_.blocks[block].instructions;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      context_.enter_instruction(&instructions[i]);
      if (is_phi(instructions[i])) {
        check_phi_uses(instructions[i], block);
        continue;
      }
      for_each_use(instructions[i], [&](RegisterId id) {
        if (!reaches(id, block, i)) {
          context_.report(fmt::format("{} is read where it may not have been written",
                                      context_.text().reg(id)));
        }
      });
    }
  }

  void check_phi_uses(const Instruction& phi, BlockId block) {
    const auto& predecessors = graph_.predecessors(block);
    for (std::size_t i = 0; i < std::min(predecessors.size(), phi.sources.size()); ++i) {
      const Operand& source = phi.sources[i];
      if (!source.is_register() || !graph_.reachable(predecessors[i])) continue;
      if (reaches(source.index, predecessors[i], ~std::size_t{0})) continue;
      context_.report(fmt::format("{} may not have been written at the end of block {}",
                                  context_.text().reg(source.index),
                                  context_.text().block(predecessors[i])));
    }
  }

  VerifyContext& context_;
  const Function& function_;
  ControlFlowGraph graph_;
  DominatorTree tree_;
  std::vector<Definition> definitions_;
};

}  // namespace

void verify_ssa(VerifyContext& context) { SsaChecker(context).check(); }

}  // namespace raddle::kernel
