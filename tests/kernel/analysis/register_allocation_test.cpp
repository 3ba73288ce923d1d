#include "kernel/analysis/register_allocation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/analysis/interpreter.h"
#include "kernel/analysis/liveness.h"

namespace raddle::kernel {
namespace {

using testing::ElementsAre;

// What the code needs as it stands.
RegisterAllocation needed_registers(const Function& function, RegisterLimits limits = {}) {
  limits.as_compiled = false;
  return allocate_registers(function, limits);
}

TEST(RegisterAllocation, EmptyKernelTakesTheLeast) {
  const RegisterAllocation allocation = needed_registers(function_from("e:\n  ret\n"));
  EXPECT_EQ(allocation.registers_per_thread, 2u);
  EXPECT_EQ(allocation.predicates_per_thread, 0u);
}

TEST(RegisterAllocation, RegistersAreSharedWhenLivesDoNotOverlap) {
  RegisterLimits limits;
  limits.least_registers = 0;
  const RegisterAllocation allocation =
      needed_registers(function_from("e:\n  %a = mov.u32 %tid.x\n  %b = add.s32 %a, 1\n  %c = "
                                     "add.s32 %b, 1\n  %d = add.s32 %c, %b\n"
                                     "  st.shared.b32 [@tile], %d\n  ret\n"),
                       limits);
  EXPECT_EQ(allocation.registers_per_thread, 2u);
}

TEST(RegisterAllocation, WideValuesTakeAlignedPairs) {
  const RegisterAllocation allocation = needed_registers(function_from(
      "e:\n  %a = mov.u32 %tid.x\n  %x = cvt.u64.u32 %a\n  %b = mov.u32 %tid.y\n  %y = cvt.u64.u32 "
      "%b\n"
      "  %x = add.s64 %x, %y\n  st.global.b32 [%x], %a\n  st.global.b32 [%y], %b\n  ret\n"));
  EXPECT_EQ(allocation.physical[7] % 2, 0u);
  EXPECT_EQ(allocation.physical[8] % 2, 0u);
  EXPECT_EQ(allocation.registers_per_thread, 6u);
}

TEST(RegisterAllocation, ConstantsOfTheLaunchLieInTheConstantBank) {
  const Function function = function_from(
      "e:\n  %a = ld.param.u32 [n]\n  %x = ld.param.u64 [a]\n  %y = cvta.to.global.u64 %x\n  %b = "
      "mov.u32 %tid.x\n"
      "  %c = add.s32 %a, %b\n  st.global.b32 [%y], %c\n  ret\n");
  const RegisterAllocation allocation = needed_registers(function);
  EXPECT_EQ(allocation.physical[2], kNoId);
  EXPECT_EQ(allocation.physical[7], kNoId);
  EXPECT_EQ(allocation.physical[8], kNoId);
  EXPECT_EQ(allocation.registers_per_thread, 2u);
  RegisterLimits limits;
  limits.constant_bank = false;
  EXPECT_GT(needed_registers(function, limits).registers_per_thread, 3u);
}

TEST(RegisterAllocation, MovesShareARegister) {
  const RegisterAllocation allocation = needed_registers(function_from(
      "e:\n  %a = mov.u32 %tid.x\n  %b = mov.u32 %tid.y\n  %c = mov.b32 %a\n  %d = add.s32 %c, %b\n"
      "  st.shared.b32 [@tile], %d\n  ret\n"));
  EXPECT_EQ(allocation.physical[4], allocation.physical[2]);
}

TEST(RegisterAllocation, PredicatesHaveTheirOwnFile) {
  const RegisterAllocation allocation =
      needed_registers(function_from("e:\n  %a = mov.u32 %tid.x\n  %p, %q = setp.eq.u32 %a, 0\n  "
                                     "@%p %a = mov.b32 1\n  @%q %a = mov.b32 2\n"
                                     "  st.shared.b32 [@tile], %a\n  ret\n"));
  EXPECT_EQ(allocation.predicates_per_thread, 2u);
  EXPECT_EQ(allocation.registers_per_thread, 2u);
}

Function many_live(std::uint32_t count, Type type) {
  Function function;
  function.is_entry = true;
  function.registers.assign(count, {"r", type});
  Block block;
  for (RegisterId id = 0; id < count; ++id) {
    Instruction instruction;
    instruction.opcode = type == Type::kPred ? Opcode::kSetp : Opcode::kMov;
    instruction.type = type == Type::kPred ? Type::kU32 : type;
    instruction.compare = Compare::kEq;
    instruction.destinations = {Operand::reg(id)};
    instruction.sources = {Operand::special_register(SpecialRegister::kTidX),
                           Operand::immediate(id)};
    if (type != Type::kPred) instruction.sources.pop_back();
    block.instructions.push_back(instruction);
  }
  for (RegisterId id = 0; id < count; ++id) {
    Instruction use;
    use.opcode = Opcode::kSt;
    use.type = Type::kB32;
    use.space = Space::kGlobal;
    use.sources = {Operand::immediate(0), Operand::reg(id)};
    block.instructions.push_back(use);
  }
  Instruction ret;
  ret.opcode = Opcode::kRet;
  block.instructions.push_back(ret);
  function.blocks.push_back(block);
  return function;
}

TEST(RegisterAllocation, SpillsWhatDoesNotFitAndCountsIt) {
  Function function = many_live(20, Type::kB32);
  EXPECT_EQ(needed_registers(function).registers_per_thread, 20u);
  function.max_registers = 16;
  const RegisterAllocation allocation = needed_registers(function);
  EXPECT_EQ(allocation.registers_per_thread, 16u);
  EXPECT_EQ(allocation.spilled.size(), 4u);
  EXPECT_EQ(allocation.spill_bytes, 16u);
  EXPECT_EQ(allocation.spill_loads, 4u);
  EXPECT_EQ(allocation.spill_stores, 4u);
  for (const RegisterId id : allocation.spilled) EXPECT_EQ(allocation.physical[id], kNoId);
  const RegisterAllocation wide = needed_registers(many_live(200, Type::kB64));
  EXPECT_EQ(wide.registers_per_thread, 254u);
  EXPECT_EQ(wide.spilled.size(), 73u);
}

TEST(RegisterAllocation, LoadsAreEarlyAsFarAsAnInstructionCanNameRegisters) {
  std::string registers = "  register b32 l0";
  std::string body = "e:\n  %a = mov.u32 %tid.x\n  %c = mov.u32 0\n";
  for (int i = 0; i < 40; ++i) {
    const std::string loaded = "l" + std::to_string(i);
    if (i > 0) registers += ", " + loaded;
    body += "  %" + loaded + " = ld.shared.b32 [%a+" + std::to_string(4 * i) +
            "]\n  %c = add.s32 %c, %" + loaded + "\n";
  }
  const Function function =
      function_from(registers + "\n" + body + "  st.shared.b32 [%a], %c\n  ret\n");
  RegisterLimits limits;
  EXPECT_GT(allocate_registers(function, limits).registers_per_thread, 30u);
  limits.scheduled_registers = 20;
  EXPECT_EQ(allocate_registers(function, limits).registers_per_thread, 20u);
  // What the code needs as it stands it has.
  EXPECT_GE(allocate_registers(many_live(30, Type::kB32), limits).registers_per_thread, 30u);
}

TEST(RegisterAllocation, LoopsKeepTheirRegistersAndOthersAreSpilled) {
  // c is read in the loop, d only before and after it.
  Function function = function_from(
      "e:\n  %c = mov.u32 %tid.x\n  %d = mov.u32 %tid.y\n  %a = mov.u32 %tid.z\nl:\n  %a = add.s32 "
      "%a, %c\n"
      "  %p = setp.lt.u32 %a, 100\n  @%p bra l\nx:\n  %a = add.s32 %a, %d\n  st.shared.b32 "
      "[@tile], %a\n  ret\n");
  function.max_registers = 2;
  EXPECT_THAT(needed_registers(function).spilled, ElementsAre(5));
}

TEST(RegisterAllocation, EightPredicatesDoNotFit) {
  const RegisterAllocation allocation = needed_registers(many_live(8, Type::kPred));
  EXPECT_EQ(allocation.predicates_per_thread, 7u);
  EXPECT_EQ(allocation.spilled_predicates.size(), 1u);
  EXPECT_EQ(allocation.registers_per_thread, 3u);
}

TEST(RegisterAllocation, RandomFunctionsDoTheSameWithPhysicalRegisters) {
  std::mt19937 random(51);
  RegisterLimits limits;
  limits.constant_bank = false;
  for (int round = 0; round < 150; ++round) {
    const Function function = RandomFunction(random).make(random_edges(random, 1 + random() % 8));
    const RegisterAllocation allocation = needed_registers(function, limits);
    ASSERT_TRUE(allocation.spilled.empty());
    const auto place = [&](RegisterId id) -> std::uint32_t {
      // What is never live has no register; predicates come after the others.
      if (allocation.physical[id] == kNoId) return 60;
      return allocation.physical[id] + (function.registers[id].type == Type::kPred ? 32 : 0);
    };
    for (std::uint64_t thread = 0; thread < 3; ++thread) {
      Interpreter virtual_registers(function);
      Interpreter physical_registers(function, place);
      virtual_registers.specials = {{SpecialRegister::kTidX, thread},
                                    {SpecialRegister::kCtaidX, 1}};
      physical_registers.specials = virtual_registers.specials;
      ASSERT_EQ(physical_registers.run(60), virtual_registers.run(60)) << "round " << round;
    }
    // No fewer than are live at once.
    const ControlFlowGraph graph(function);
    const Liveness liveness(function, graph);
    std::uint32_t most = 0;
    for (const BlockId block : graph.reverse_post_order()) {
      std::uint32_t live_here = 0;
      liveness.live_in(block).for_each([&](RegisterId id) {
        const Type type = function.registers[id].type;
        if (type != Type::kPred) live_here += size_of(type) == 8 && !allocation.narrow[id] ? 2 : 1;
      });
      most = std::max(most, live_here);
    }
    ASSERT_GE(allocation.registers_per_thread, most);
    ASSERT_LE(allocation.registers_per_thread, 8u);
  }
}

}  // namespace
}  // namespace raddle::kernel
