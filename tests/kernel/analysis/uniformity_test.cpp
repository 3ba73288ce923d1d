#include "kernel/analysis/uniformity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "kernel/analysis/interpreter.h"

namespace raddle::kernel {
namespace {

using enum Uniformity;

struct Analysis {
  explicit Analysis(Function analysed)
      : function(std::move(analysed)),
        graph(function),
        liveness(function, graph),
        uniformity(function, graph, liveness) {}

  Uniformity of(std::string_view name) const {
    for (RegisterId id = 0; id < function.registers.size(); ++id) {
      if (function.registers[id].name == name) return uniformity.of_register(id);
    }
    throw std::logic_error("no such register");
  }

  Function function;
  ControlFlowGraph graph;
  Liveness liveness;
  UniformityAnalysis uniformity;
};

TEST(Uniformity, FollowsSpecialRegistersThroughArithmetic) {
  const Analysis analysis(
      function_from("e:\n  %a = mov.u32 %tid.x\n  %b = mov.u32 %ctaid.x\n  %c = mov.u32 %ntid.x\n  "
                    "%d = mad.lo.s32 %b, %c, %c\n"
                    "  %e = add.s32 %d, %a\n  ret\n"));
  EXPECT_EQ(analysis.of("a"), kDivergent);
  EXPECT_EQ(analysis.of("b"), kBlock);
  EXPECT_EQ(analysis.of("c"), kGrid);
  EXPECT_EQ(analysis.of("d"), kBlock);
  EXPECT_EQ(analysis.of("e"), kDivergent);
}

TEST(Uniformity, LoadsAreUniformFromReadOnlyMemoryAlone) {
  const Analysis analysis(function_from(
      "e:\n  %a = ld.param.u32 [n]\n  %x = ld.param.u64 [a]\n  %b = ld.const.u32 [@limits+4]\n"
      "  %c = ld.global.u32 [%x]\n  %d = ld.global.nc.u32 [%x]\n  %y = mov.u64 @data\n  call @g() "
      "-> (out)\n"
      "  %e = ld.param.b32 [out]\n  ret\n"));
  EXPECT_EQ(analysis.of("a"), kGrid);
  EXPECT_EQ(analysis.of("b"), kGrid);
  EXPECT_EQ(analysis.of("c"), kDivergent);
  EXPECT_EQ(analysis.of("d"), kGrid);
  EXPECT_EQ(analysis.of("y"), kGrid);
  EXPECT_EQ(analysis.of("e"), kDivergent);
}

TEST(Uniformity, ParametersOfDeviceFunctionsMayDiffer) {
  const Analysis analysis(
      function_from("e:\n  %a = ld.param.u32 [n]\n  ret\n", "function @f(n[4], a[8])"));
  EXPECT_EQ(analysis.of("a"), kDivergent);
}

TEST(Uniformity, WarpOperationsAndBarriersGiveOneAnswer) {
  const Analysis analysis(function_from(
      "e:\n  %a = vote.sync.ballot.b32 %p, -1\n  %b = activemask.b32\n  %c = bar.red.popc.u32 0, "
      "_, %p\n"
      "  %d = shfl.sync.idx.b32 %a, 0, 31, -1\n  %e = atom.global.add.u32 [%x], 1\n  ret\n"));
  EXPECT_EQ(analysis.of("a"), kWarp);
  EXPECT_EQ(analysis.of("b"), kWarp);
  EXPECT_EQ(analysis.of("c"), kBlock);
  EXPECT_EQ(analysis.of("d"), kDivergent);
  EXPECT_EQ(analysis.of("e"), kDivergent);
}

TEST(Uniformity, RowsOfWholeWarpsShareTheirRow) {
  const std::string_view body =
      "e:\n  %a = mov.u32 %tid.y\n  %b = mov.u32 %tid.z\n  %c = mov.u32 %warpid\n  ret\n";
  EXPECT_EQ(Analysis(function_from(body)).of("a"), kDivergent);
  Function function = function_from(body);
  function.required_threads = {16, 2, 4};
  const Analysis planes(function);
  EXPECT_EQ(planes.of("a"), kDivergent);
  EXPECT_EQ(planes.of("b"), kWarp);
  EXPECT_EQ(planes.of("c"), kWarp);
  function.required_threads = {64, 2, 1};
  EXPECT_EQ(Analysis(function).of("a"), kWarp);
}

TEST(Uniformity, GuardsTaintWhatTheyWrite) {
  const Analysis analysis(
      function_from("e:\n  %a = mov.u32 %tid.x\n  %p = setp.eq.u32 %a, 0\n  %b = mov.b32 1\n  @%p "
                    "%b = mov.b32 2\n  ret\n"));
  EXPECT_EQ(analysis.of("p"), kDivergent);
  EXPECT_EQ(analysis.of("b"), kDivergent);
}

TEST(Uniformity, ValuesThatMeetBehindADivergentBranchAreDivergent) {
  const std::string_view body =
      "e:\n  %a = mov.u32 %SPECIAL\n  %p = setp.eq.u32 %a, 0\n  @%p bra o\nt:\n  %b = mov.b32 1\n  "
      "%c = mov.b32 1\n"
      "  %d = add.s32 %c, 1\n  bra j\no:\n  %b = mov.b32 2\nj:\n  st.global.b32 [%x], %b\n  ret\n";
  for (const auto& [special, expected] : {std::pair{"tid.x", kDivergent},
                                          {"warpid", kWarp},
                                          {"ctaid.x", kBlock},
                                          {"nctaid.x", kGrid}}) {
    std::string text(body);
    text.replace(text.find("SPECIAL"), 7, special);
    const Analysis analysis(function_from(text));
    EXPECT_EQ(analysis.uniformity.of_branch(0), expected) << special;
    EXPECT_EQ(analysis.of("b"), expected) << special;
    EXPECT_EQ(analysis.of("d"), kGrid) << "read within one side only";
    EXPECT_EQ(analysis.uniformity.of_block(1), expected);
    EXPECT_EQ(analysis.uniformity.of_block(3), kGrid);
  }
}

TEST(Uniformity, PhisBehindADivergentBranchAreDivergent) {
  const Analysis analysis(function_from(
      "e:\n  %a = mov.u32 %tid.x\n  %p = setp.eq.u32 %a, 0\n  @%p bra j\nt:\n  %b = mov.b32 1\nj:\n"
      "  %c = phi.b32 1, %b\n  ret\n"));
  EXPECT_EQ(analysis.of("c"), kDivergent);
  EXPECT_EQ(analysis.of("b"), kGrid);
}

TEST(Uniformity, LoopsThatThreadsLeaveAtDifferentTimesGiveDivergentResults) {
  const Analysis analysis(function_from(
      "e:\n  %a = mov.u32 %tid.x\n  %b = mov.b32 0\nl:\n  %b = add.s32 %b, 1\n  %c = add.s32 %b, "
      "%b\n"
      "  %p = setp.lt.u32 %b, %a\n  @%p bra l\nx:\n  st.global.b32 [%x], %b\n  ret\n"));
  EXPECT_EQ(analysis.of("b"), kDivergent);
  EXPECT_EQ(analysis.uniformity.of_branch(1), kDivergent);
}

TEST(Uniformity, UniformLoopInsideADivergentBranchStaysUniform) {
  // if (tid < n) for (i = 0; i < n; ++i) …: the counter is the same for all threads that are there.
  const Analysis analysis(function_from(
      "e:\n  %a = mov.u32 %tid.x\n  %c = ld.param.u32 [n]\n  %p = setp.ge.u32 %a, %c\n  @%p bra x\n"
      "h:\n  %b = mov.b32 0\nl:\n  %b = add.s32 %b, 1\n  %q = setp.lt.u32 %b, %c\n  @%q bra "
      "l\nx:\n  ret\n"));
  EXPECT_EQ(analysis.of("b"), kGrid);
  EXPECT_EQ(analysis.uniformity.of_branch(2), kGrid);
  EXPECT_EQ(analysis.uniformity.of_block(2), kDivergent);
  EXPECT_EQ(analysis.uniformity.of_block(3), kGrid);
}

TEST(Uniformity, SwitchesDivergeWithTheirIndex) {
  const Analysis analysis(function_from(
      "e:\n  %a = mov.u32 %laneid\n  brx.idx %a -> s, t\ns:\n  %b = mov.b32 1\n  bra j\n"
      "t:\n  %b = mov.b32 2\nj:\n  %c = mov.b32 %b\n  ret\n"));
  EXPECT_EQ(analysis.uniformity.of_branch(0), kDivergent);
  EXPECT_EQ(analysis.of("c"), kDivergent);
}

// Without loops every block runs at most once in a thread, so that threads can be compared write by
// write.
TEST(Uniformity, WhatIsCalledUniformIsEqualInEveryThreadOfRandomFunctions) {
  std::mt19937 random(41);
  int compared = 0;
  for (int round = 0; round < 200; ++round) {
    const std::size_t blocks = 3 + random() % 7;
    std::vector<std::vector<BlockId>> edges(blocks);
    for (BlockId i = 0; i + 1 < blocks; ++i) {
      const auto forward = [&] {
        return static_cast<BlockId>(i + 1 + random() % (blocks - i - 1));
      };
      edges[i] = {forward()};
      if (edges[i][0] != i + 1 && random() % 4 != 0) edges[i].push_back(i + 1);
    }
    const Function function = RandomFunction(random).make(edges);
    const Analysis analysis(function);
    // By group and place: the value that the first thread of the group had there.
    std::map<std::vector<std::uint64_t>, std::uint64_t> first;
    const auto check = [&](std::uint64_t group, std::uint64_t place, std::uint64_t index,
                           RegisterId id, std::uint64_t value) {
      const auto [entry, is_first] = first.try_emplace({group, place, index, id}, value);
      if (!is_first) ++compared;
      ASSERT_EQ(entry->second, value)
          << "round " << round << ", block " << place << ", register " << id;
    };
    for (std::uint64_t thread = 0; thread < 12; ++thread) {
      const std::uint64_t block_index = thread / 4;
      Interpreter interpreter(function);
      interpreter.specials = {{SpecialRegister::kTidX, thread % 4},
                              {SpecialRegister::kCtaidX, block_index}};
      const auto group_of = [&](RegisterId id) -> std::optional<std::uint64_t> {
        switch (analysis.uniformity.of_register(id)) {
          case kGrid: return 100;
          case kBlock: return block_index;
          default: return std::nullopt;
        }
      };
      interpreter.on_write = [&](BlockId block, std::size_t index, RegisterId id,
                                 std::uint64_t value) {
        if (const auto group = group_of(id)) check(*group, block, index, id, value);
      };
      interpreter.on_block = [&](BlockId block) {
        analysis.liveness.live_in(block).for_each([&](RegisterId id) {
          if (const auto group = group_of(id)) check(*group, block, 999, id, interpreter.value(id));
        });
      };
      interpreter.run(50);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace raddle::kernel
