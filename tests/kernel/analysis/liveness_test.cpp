#include "kernel/analysis/liveness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/analysis/interpreter.h"

namespace raddle::kernel {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names(const Function& function, const BitSet& set) {
  std::vector<std::string> result;
  set.for_each([&](RegisterId id) { result.push_back(function.registers[id].name); });
  return result;
}

TEST(DefUse, VisitsGuardsSourcesAndSeveralDestinations) {
  const Function function = function_from("e:\n  @!%p %a, _, %b, %c = ld.global.b32 [%x]\n  ret\n");
  const Instruction& load = function.blocks[0].instructions[0];
  std::vector<std::string> used, defined;
  for_each_use(load, [&](RegisterId id) { used.push_back(function.registers[id].name); });
  for_each_def(load, [&](RegisterId id) { defined.push_back(function.registers[id].name); });
  EXPECT_THAT(used, ElementsAre("p", "x"));
  EXPECT_THAT(defined, ElementsAre("a", "b", "c"));
  EXPECT_TRUE(is_partial_write(load));
}

TEST(Liveness, OfALoop) {
  const Function function = function_from(
      "e:\n  %a = mov.b32 0\n  %b = mov.b32 7\nl:\n  %c = add.s32 %a, 1\n  %a = add.s32 %c, %c\n"
      "  %p = setp.lt.s32 %a, %b\n  @%p bra l\nx:\n  st.global.b32 [%x], %a\n  ret\n");
  const ControlFlowGraph graph(function);
  const Liveness liveness(function, graph);
  EXPECT_THAT(names(function, liveness.live_in(0)), ElementsAre("x"));
  EXPECT_THAT(names(function, liveness.live_out(0)), ElementsAre("a", "b", "x"));
  EXPECT_THAT(names(function, liveness.live_out(1)), ElementsAre("a", "b", "x"));
  EXPECT_THAT(names(function, liveness.live_in(2)), ElementsAre("a", "x"));
  EXPECT_THAT(names(function, liveness.live_out(2)), IsEmpty());
  std::vector<std::vector<std::string>> behind;
  liveness.walk_backwards(
      1, [&](std::size_t, const BitSet& live) { behind.push_back(names(function, live)); });
  EXPECT_THAT(behind, ElementsAre(ElementsAre("a", "b", "x"), ElementsAre("p", "a", "b", "x"),
                                  ElementsAre("a", "b", "x"), ElementsAre("b", "c", "x")));
}

TEST(Liveness, GuardedWritesKeepTheOldValueAlive) {
  const Function function = function_from(
      "e:\n  %a = mov.b32 1\n  @%p %a = mov.b32 2\n  st.global.b32 [%x], %a\n  ret\n");
  const ControlFlowGraph graph(function);
  const Liveness liveness(function, graph);
  std::vector<bool> live_out(4);
  liveness.walk_backwards(
      0, [&](std::size_t i, const BitSet& live) { live_out[i] = live.contains(2); });
  EXPECT_TRUE(live_out[0]);
  EXPECT_THAT(names(function, liveness.live_in(0)), ElementsAre("p", "x"));
}

TEST(Liveness, InSsaFormAGuardedWriteBeginsALife) {
  const Function function =
      function_from("e:\n  @%p %a = mov.b32 2\n  %b = selp.b32 %a, 1, %p\n  ret\n");
  const Liveness liveness(function, ControlFlowGraph(function), GuardedWrite::kReplacesValue);
  EXPECT_THAT(names(function, liveness.live_in(0)), ElementsAre("p"));
}

TEST(Liveness, PhisReadAtTheEndOfTheirPredecessors) {
  const Function function = function_from(
      "e:\n  %a = mov.b32 1\n  @%p bra j\no:\n  %b = mov.b32 2\nj:\n  %c = phi.b32 %a, %b\n  "
      "st.global.b32 [%x], %c\n  ret\n");
  const ControlFlowGraph graph(function);
  const Liveness liveness(function, graph);
  EXPECT_THAT(names(function, liveness.live_out(0)), ElementsAre("a", "x"));
  EXPECT_THAT(names(function, liveness.live_out(1)), ElementsAre("b", "x"));
  EXPECT_THAT(names(function, liveness.live_in(2)), ElementsAre("x"));
  EXPECT_THAT(names(function, liveness.live_in(1)), ElementsAre("x"));
}

TEST(Liveness, NothingIsLiveInUnreachableCode) {
  const Function function = function_from("e:\n  bra x\nu:\n  st.global.b32 [%x], %a\nx:\n  ret\n");
  const Liveness liveness(function, ControlFlowGraph(function));
  EXPECT_EQ(liveness.live_in(1).count(), 0u);
}

// Whether some path from instruction `index` of `block` reads the register before writing it for
// certain.
bool read_later(const Function& function, BlockId block, std::size_t index, RegisterId id,
                std::vector<bool>& seen) {
  const auto& code = function.blocks[block].instructions;
  for (; index < code.size(); ++index) {
    bool read = false;
    bool written = false;
    for_each_use(code[index], [&](RegisterId other) { read = read || other == id; });
    for_each_def(code[index], [&](RegisterId other) { written = written || other == id; });
    if (read) return true;
    if (written && !code[index].guard.present()) return false;
  }
  for (const BlockId next : successors(function, block)) {
    if (seen[next]) continue;
    seen[next] = true;
    if (read_later(function, next, 0, id, seen)) return true;
  }
  return false;
}

TEST(Liveness, AgreesWithItsDefinitionOnRandomFunctions) {
  std::mt19937 random(21);
  for (int round = 0; round < 60; ++round) {
    const Function function = RandomFunction(random).make(random_edges(random, 1 + random() % 8));
    const ControlFlowGraph graph(function);
    const Liveness liveness(function, graph);
    for (const BlockId block : graph.reverse_post_order()) {
      liveness.walk_backwards(block, [&](std::size_t index, const BitSet& live) {
        for (RegisterId id = 0; id < function.registers.size(); ++id) {
          std::vector<bool> seen(function.blocks.size());
          ASSERT_EQ(live.contains(id), read_later(function, block, index + 1, id, seen))
              << "round " << round << ", block " << block << ", instruction " << index
              << ", register " << id;
        }
      });
    }
  }
}

}  // namespace
}  // namespace raddle::kernel
