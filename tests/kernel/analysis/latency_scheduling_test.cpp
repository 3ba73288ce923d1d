#include "kernel/analysis/latency_scheduling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "kernel/analysis/interpreter.h"

namespace raddle::kernel {
namespace {

using testing::ElementsAre;

std::vector<Opcode> opcodes(const Function& function) {
  std::vector<Opcode> all;
  for (const Instruction& i : function.blocks[0].instructions) all.push_back(i.opcode);
  return all;
}

TEST(LatencyScheduling, PutsLoadsBeforeTheUsesOfEarlierOnes) {
  const Function function = schedule_for_latency(function_from(
      "e:\n  %x = ld.param.u64 [a]\n  %y = cvta.to.global.u64 %x\n"
      "  %a = ld.global.b32 [%y]\n  %c = add.s32 %a, %a\n"
      "  %b = ld.global.b32 [%y+4]\n  %c = xor.b32 %c, %b\n  st.global.b32 [%y], %c\n  ret\n"));
  EXPECT_THAT(opcodes(function),
              ElementsAre(Opcode::kLd, Opcode::kCvta, Opcode::kLd, Opcode::kLd, Opcode::kAdd,
                          Opcode::kXor, Opcode::kSt, Opcode::kRet));
}

TEST(LatencyScheduling, PutsLoadsFromSharedMemoryAsEarlyAsOthers) {
  const Function function = schedule_for_latency(function_from(
      "e:\n  %a = mov.u32 %tid.x\n  %b = ld.shared.b32 [%a]\n  %e = add.s32 %a, %b\n"
      "  %c = ld.shared.b32 [%a+4]\n  %e = add.s32 %e, %c\n"
      "  %d = ld.shared.b32 [%a+8]\n  %e = add.s32 %e, %d\n  st.shared.b32 [%a], %e\n  ret\n"));
  EXPECT_THAT(opcodes(function),
              ElementsAre(Opcode::kMov, Opcode::kLd, Opcode::kLd, Opcode::kLd, Opcode::kAdd,
                          Opcode::kAdd, Opcode::kAdd, Opcode::kSt, Opcode::kRet));
}

std::vector<Opcode> with_store_to(const std::string& space) {
  return opcodes(schedule_for_latency(
      function_from("e:\n  %x = ld.param.u64 [a]\n  %a = mov.u32 %tid.x\n  %y = cvt.u64.u32 %a\n"
                    "  %b = add.s32 %a, 1\n  %c = add.s32 %b, 2\n  %d = add.s32 %c, 3\n"
                    "  st." +
                    space +
                    ".b32 [%x], %d\n  %e = ld.global.b32 [%y]\n  st.global.b32 [%y+4], %e\n"
                    "  ret\n")));
}

TEST(LatencyScheduling, KeepsALoadBehindAStoreThatMayBeToItsAddress) {
  const auto load_is_first = [](const std::vector<Opcode>& all) {
    const auto store = std::find(all.begin(), all.end(), Opcode::kSt);
    return std::count(all.begin(), store, Opcode::kLd) == 2;  // the parameter and this one
  };
  EXPECT_FALSE(load_is_first(with_store_to("global")));
  EXPECT_TRUE(load_is_first(with_store_to("shared")));
}

TEST(LatencyScheduling, NothingPassesABarrier) {
  const std::vector<Opcode> all = opcodes(schedule_for_latency(
      function_from("e:\n  %x = ld.param.u64 [a]\n  %a = mov.u32 %tid.x\n  %b = add.s32 %a, 1\n"
                    "  st.shared.b32 [@tile], %b\n  bar.sync 0\n  %c = ld.global.b32 [%x]\n"
                    "  st.global.b32 [%x+4], %c\n  ret\n")));
  EXPECT_EQ(all[4], Opcode::kBar);
  EXPECT_EQ(all[5], Opcode::kLd);
}

TEST(LatencyScheduling, RandomFunctionsDoTheSameInTheNewOrder) {
  std::mt19937 random(17);
  for (int round = 0; round < 150; ++round) {
    const Function function = RandomFunction(random).make(random_edges(random, 1 + random() % 8));
    const Function scheduled = schedule_for_latency(function);
    for (std::uint64_t thread = 0; thread < 3; ++thread) {
      Interpreter as_written(function);
      Interpreter in_new_order(scheduled);
      as_written.specials = {{SpecialRegister::kTidX, thread}, {SpecialRegister::kCtaidX, 1}};
      in_new_order.specials = as_written.specials;
      ASSERT_EQ(in_new_order.run(60), as_written.run(60)) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace raddle::kernel
