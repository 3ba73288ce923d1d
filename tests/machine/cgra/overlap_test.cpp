#include <numeric>

#include "machine/cgra/fabric_machine.h"

namespace raddle::machine::cgra {
namespace {

// Three pieces, cut at barriers: each thread adds its neighbour's word twice.
const std::string kThreePieces = kernel_of(R"(
  shl.b32 %r10, %r2, 2;
  mov.u32 %r11, tile;
  add.u32 %r12, %r11, %r10;
  st.shared.u32 [%r12], %r3;
  bar.sync 0;
  xor.b32 %r13, %r10, 4;
  add.u32 %r14, %r11, %r13;
  ld.shared.u32 %r15, [%r14];
  add.u32 %r15, %r15, %r3;
  bar.sync 0;
  st.shared.u32 [%r12], %r15;
  bar.sync 0;
  ld.shared.u32 %r16, [%r14];
  st.global.u32 [%rd2], %r16;
)");

struct Launched {
  LaunchResult result;
  std::vector<std::uint32_t> words;
};

Launched run(bool overlap, std::uint32_t blocks) {
  FabricMachine machine(kThreePieces, {overlap ? "tokens.overlap=true" : "tokens.overlap=false"});
  Launched done{machine.run_k(blocks, 128, 0, 65536), {}};
  done.words = machine.words(std::size_t{blocks} * 128);
  return done;
}

double sum_of_stalls(const LaunchResult& result) {
  return std::accumulate(result.stalls.begin(), result.stalls.end(), 0.0,
                         [](double sum, const Stall& stall) { return sum + stall.cycles; });
}

TEST(Overlap, ThreadsEnterTheNextPieceWhileOthersLeaveTheLast) {
  for (const std::uint32_t blocks : {1u, 3u, 100u}) {
    const Launched with = run(true, blocks), without = run(false, blocks);
    ASSERT_TRUE(with.result.complete && without.result.complete);
    // The threads of a single block all leave a piece before the barrier lets one of them go on.
    if (blocks == 1) {
      EXPECT_EQ(with.result.cycles, without.result.cycles);
    } else {
      EXPECT_LT(with.result.cycles, without.result.cycles) << blocks;
    }
    EXPECT_EQ(with.result.thread_instructions, without.result.thread_instructions);
    for (std::uint32_t i = 0; i < with.words.size(); ++i)
      ASSERT_EQ(with.words[i], i + (i ^ 1)) << "thread " << i << " of " << blocks << " blocks";
  }
}

TEST(Overlap, EveryUnitSpendsEveryCycleInOneWay) {
  for (const bool overlap : {true, false}) {
    const Launched done = run(overlap, 40);
    EXPECT_EQ(sum_of_stalls(done.result), 140.0 * static_cast<double>(done.result.cycles));
  }
}

}  // namespace
}  // namespace raddle::machine::cgra
