// The words in which a cache refuses parameters that make none.
#include "memory/cache_parameters.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace raddle::memory {
namespace {

CacheParameters small() {
  CacheParameters p;
  p.bytes = Bytes(512);
  p.line_bytes = ShortBytes(128);
  p.ways = 2;
  return p;
}

std::string complaint(const CacheParameters& parameters) {
  try {
    parameters.check();
  } catch (const Error& error) {
    return error.full_text();
  }
  return "taken";
}

TEST(CacheParameters, AreTakenForAnL2WithoutAPowerOfTwo) {
  CacheParameters p;
  p.bytes = Bytes(786 * 1024);
  p.ways = 16;
  EXPECT_EQ(complaint(p), "taken");
  EXPECT_EQ(p.shape().sets, 393U);
}

TEST(CacheParameters, AreRefusedForAShapeThatIsNone) {
  CacheParameters p = small();
  p.line_bytes = ShortBytes(96);
  EXPECT_EQ(complaint(p),
            "invalid cache line size: 96 bytes\nhint: take a power of two, at least 4");
  p = small();
  p.ways = 65;
  EXPECT_EQ(complaint(p), "invalid number of cache ways: 65\nhint: take 1 to 64");
  p = small();
  p.bytes = Bytes(500);
  EXPECT_EQ(complaint(p),
            "a cache of 500 bytes is not a whole number of sets\n"
            "hint: 2 lines of 128 bytes make sets of 256 bytes");
  p = small();
  p.bytes = Bytes(0);
  EXPECT_EQ(complaint(p),
            "a cache of 0 bytes is not a whole number of sets\n"
            "hint: 2 lines of 128 bytes make sets of 256 bytes");
  p = small();
  p.bytes = Bytes(std::uint64_t{1} << 40);
  EXPECT_EQ(
      complaint(p),
      "a cache of 1099511627776 bytes has too many lines\nhint: take at most 4294967295 lines");
  p = small();
  p.slices = 0;
  EXPECT_EQ(complaint(p),
            "a cache cannot have 0 slices\nhint: take 1 for a cache that is not sliced");
  p = small();
  p.slice_bytes = ShortBytes(64);
  EXPECT_EQ(complaint(p),
            "invalid interleaving of cache slices: 64 bytes\n"
            "hint: take a power of two, at least the line's 128 bytes");
}

TEST(CacheParameters, AreRefusedForNothingToWorkWith) {
  CacheParameters p = small();
  p.hit_latency = Cycle(0);
  EXPECT_EQ(complaint(p), "a cache hit cannot take 0 cycles\nhint: take at least 1");
  p = small();
  p.mshrs = 0;
  EXPECT_EQ(complaint(p), "a cache cannot have 0 MSHRs\nhint: take at least 1");
  p = small();
  p.accesses_per_mshr = 0;
  EXPECT_EQ(complaint(p), "an MSHR cannot hold 0 accesses\nhint: take at least 1");
}

TEST(CacheParameters, AreRefusedForPoliciesThatContradictEachOther) {
  CacheParameters p = small();
  p.write = {WriteHit::kWriteEvict, WriteMiss::kFetchOnWrite};
  p.atomics = AtomicPlace::kBelow;
  EXPECT_EQ(complaint(p),
            "a cache cannot evict on a write hit and allocate on a write miss\n"
            "hint: write-evict goes with no-allocate");
  p = small();
  p.write = {WriteHit::kWriteThrough, WriteMiss::kNoAllocate};
  EXPECT_EQ(complaint(p),
            "a cache that does not write back cannot execute atomics\nhint: execute atomics in the "
            "level below");
}

}  // namespace
}  // namespace raddle::memory
