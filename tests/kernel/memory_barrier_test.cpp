// Phases of a barrier in shared memory.
#include "kernel/memory_barrier.h"

#include <gtest/gtest.h>

namespace raddle::kernel {
namespace {

TEST(MemoryBarrier, EndsItsPhaseWithTheLastArrival) {
  std::uint64_t word = barrier_word(3, 3, 0, 0);
  word = barrier_after_arrival(word, 2);
  EXPECT_EQ(word, barrier_word(1, 3, 0, 0));
  word = barrier_after_arrival(word, 1);
  EXPECT_EQ(word, barrier_word(3, 3, 0, 1));
}

TEST(MemoryBarrier, ExpectsFewerAfterADrop) {
  EXPECT_EQ(barrier_after_drop(barrier_word(2, 2, 0, 1), 1), barrier_word(1, 1, 0, 1));
  EXPECT_EQ(barrier_after_drop(barrier_word(1, 2, 0, 1), 1), barrier_word(1, 1, 0, 0));
}

TEST(MemoryBarrier, WaitsForBytesThatMayComeBeforeTheyAreExpected) {
  std::uint64_t word = barrier_word(1, 1, 0, 0);
  word = barrier_after_bytes(word, 100);
  word = barrier_expecting(word, 100);
  word = barrier_after_arrival(word, 1);
  EXPECT_EQ(word, barrier_word(1, 1, 0, 1));
  word = barrier_expecting(word, 8);
  word = barrier_after_arrival(word, 1);
  EXPECT_EQ(word, barrier_word(0, 1, 8, 1));
  EXPECT_EQ(barrier_after_bytes(word, 8), barrier_word(1, 1, 0, 0));
}

}  // namespace
}  // namespace raddle::kernel
