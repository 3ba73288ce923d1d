#include "kernel/analysis/ssa.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/analysis/def_use.h"
#include "kernel/analysis/interpreter.h"
#include "kernel/analysis/liveness.h"
#include "kernel/verifier.h"

namespace raddle::kernel {
namespace {

using testing::ElementsAre;

std::string text_of(const Function& function) {
  PrintOptions options;
  options.locations = false;
  Module module;
  Function named = function;
  named.call_slots.clear();
  named.parameters.clear();
  return print(module, named, options);
}

// The function's blocks as text, without declarations.
std::string body_of(const Function& function) {
  const std::string text = text_of(function);
  return text.substr(text.find("\n\n") + 2);
}

TEST(Ssa, StraightCodeGetsAVersionForEachWrite) {
  const SsaForm ssa = construct_ssa(
      function_from("e:\n  %a = mov.b32 1\n  %a = add.s32 %a, %a\n  %b = mov.b32 %a\n  ret\n"));
  EXPECT_EQ(body_of(ssa.function),
            "e:\n  %a.1 = mov.b32 1\n  %a.2 = add.s32 %a.1, %a.1\n  %b = mov.b32 %a.2\n  ret\n}\n");
  EXPECT_EQ(ssa.original.back(), 2u);
  EXPECT_EQ(ssa.original[3], 3u);
}

TEST(Ssa, DiamondGetsAPhiWhereTheValueIsRead) {
  const SsaForm ssa =
      construct_ssa(function_from("e:\n  @%p bra o\nt:\n  %a = mov.b32 1\n  %b = mov.b32 3\n  bra "
                                  "j\no:\n  %a = mov.b32 2\n  %b = mov.b32 4\n"
                                  "j:\n  st.global.b32 [%x], %a\n  ret\n"));
  // b is not read at the join: no phi for it.
  EXPECT_EQ(body_of(ssa.function),
            "e:\n  @%p bra o\n\nt:\n  %a.1 = mov.b32 1\n  %b.1 = mov.b32 3\n  bra j\n\n"
            "o:\n  %a.2 = mov.b32 2\n  %b.2 = mov.b32 4\n\nj:\n  %a.3 = phi.b32 %a.1, %a.2\n"
            "  st.global.b32 [%x], %a.3\n  ret\n}\n");
}

TEST(Ssa, LoopCounterGetsAPhiInTheHeader) {
  const SsaForm ssa =
      construct_ssa(function_from("e:\n  %a = mov.b32 0\nl:\n  %a = add.s32 %a, 1\n  %p = "
                                  "setp.lt.s32 %a, 9\n  @%p bra l\nx:\n  ret\n"));
  EXPECT_EQ(body_of(ssa.function),
            "e:\n  %a.1 = mov.b32 0\n\nl:\n  %a.2 = phi.b32 %a.1, %a.3\n  %a.3 = add.s32 %a.2, 1\n"
            "  %p = setp.lt.s32 %a.3, 9\n  @%p bra l\n\nx:\n  ret\n}\n");
}

TEST(Ssa, GuardedWriteKeepsTheOldValueAsAnInput) {
  const SsaForm ssa =
      construct_ssa(function_from("e:\n  %a = mov.b32 1\n  @%p %a = mov.b32 2\n  @!%p %a = mov.b32 "
                                  "3\n  st.global.b32 [%x], %a\n  ret\n"));
  EXPECT_EQ(body_of(ssa.function),
            "e:\n  %a.3 = mov.b32 1\n  @%p %a.1 = mov.b32 2\n  %a.4 = selp.b32 %a.1, %a.3, %p\n"
            "  @!%p %a.2 = mov.b32 3\n  %a.5 = selp.b32 %a.4, %a.2, %p\n  st.global.b32 [%x], "
            "%a.5\n  ret\n}\n");
}

TEST(Ssa, GuardedWriteWithoutAValueBeforeNeedsNoMerge) {
  const SsaForm ssa = construct_ssa(
      function_from("e:\n  @%p %a = mov.b32 2\n  @%p st.global.b32 [%x], %a\n  ret\n"));
  EXPECT_EQ(ssa.function.blocks[0].instructions.size(), 3u);
}

TEST(Ssa, GuardThatItsOwnInstructionOverwritesIsReadBefore) {
  const SsaForm ssa = construct_ssa(
      function_from("e:\n  %p = setp.eq.s32 %a, 1\n  %q = mov.pred %p\n  @%p %p, %q = setp.eq.s32 "
                    "%a, 2\n  @%q bra e2\ne2:\n  @%p ret\nx:\n  ret\n"));
  const auto& code = ssa.function.blocks[0].instructions;
  ASSERT_EQ(code.size(), 6u);
  const RegisterId first = code[0].destinations[0].index;
  EXPECT_EQ(code[3].sources[2].index, first);
  EXPECT_EQ(code[4].sources[2].index, first);
  EXPECT_EQ(code[4].type, Type::kPred);
}

TEST(Ssa, EntryThatIsALoopHeaderGetsABlockInFront) {
  const SsaForm ssa =
      construct_ssa(function_from("e:\n  %a = add.s32 %a, 1\n  @%p bra e\nx:\n  ret\n"));
  ASSERT_EQ(ssa.function.blocks.size(), 3u);
  EXPECT_TRUE(ssa.function.blocks[0].instructions.empty());
  const Instruction& phi = ssa.function.blocks[1].instructions[0];
  EXPECT_EQ(phi.opcode, Opcode::kPhi);
  // What comes from outside was never written and keeps its number.
  EXPECT_EQ(phi.sources[0].index, 2u);
}

TEST(Ssa, UnreachableBlocksBecomeTraps) {
  const SsaForm ssa = construct_ssa(function_from(
      "e:\n  bra x\nu:\n  %a = add.s32 %a, 1\n  bra x\nx:\n  %b = mov.b32 %a\n  ret\n"));
  ASSERT_EQ(ssa.function.blocks[1].instructions.size(), 1u);
  EXPECT_EQ(ssa.function.blocks[1].instructions[0].opcode, Opcode::kTrap);
}

TEST(Ssa, FunctionWithoutBlocksStaysEmpty) {
  EXPECT_TRUE(construct_ssa(Function{}).function.blocks.empty());
}

TEST(Ssa, RandomFunctionsDoTheSameInSsaForm) {
  std::mt19937 random(31);
  std::size_t phis = 0;
  for (int round = 0; round < 250; ++round) {
    const Function function = RandomFunction(random).make(random_edges(random, 1 + random() % 9));
    const SsaForm ssa = construct_ssa(function);

    Module module;
    module.functions.push_back(ssa.function);
    for (const VerifierMessage& message : verify(module))
      FAIL() << message.text << "\n" << text_of(ssa.function);
    ASSERT_EQ(ssa.original.size(), ssa.function.registers.size());

    const int extra = static_cast<int>(ssa.function.blocks.size() - function.blocks.size());
    for (std::uint64_t thread = 0; thread < 3; ++thread) {
      Interpreter before(function);
      Interpreter after(ssa.function);
      before.specials = {{SpecialRegister::kTidX, thread}, {SpecialRegister::kCtaidX, round % 3}};
      after.specials = before.specials;
      ASSERT_EQ(after.run(60 + extra), before.run(60))
          << "round " << round << "\n"
          << text_of(function) << text_of(ssa.function);
    }

    // Pruned: what a phi gives is read.
    const ControlFlowGraph graph(ssa.function);
    const Liveness liveness(ssa.function, graph, GuardedWrite::kReplacesValue);
    for (const BlockId block : graph.reverse_post_order()) {
      liveness.walk_backwards(block, [&](std::size_t index, const BitSet& live) {
        const Instruction& instruction = ssa.function.blocks[block].instructions[index];
        if (!is_phi(instruction)) return;
        ++phis;
        ASSERT_TRUE(live.contains(instruction.destinations[0].index)) << text_of(ssa.function);
      });
    }
  }
  EXPECT_GT(phis, 200u);
}

}  // namespace
}  // namespace raddle::kernel
