// The cache against a naive model, for every combination of policies.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <tuple>

#include "memory/naive_cache.h"

namespace raddle::memory {
namespace {

using Policies = std::tuple<WritePolicy, Allocation, AtomicPlace, Replacement>;

std::vector<Access> copy(std::span<const Access> accesses) {
  return {accesses.begin(), accesses.end()};
}

class CacheAgainstModel : public testing::TestWithParam<Policies> {
 protected:
  CacheAgainstModel() : parameters_(parameters()), cache_(parameters_), model_(parameters_) {}

  static CacheParameters parameters() {
    CacheParameters p;
    p.bytes = Bytes(32 * 3 * 4);  // three sets of four lines
    p.line_bytes = ShortBytes(32);
    p.ways = 4;
    p.mshrs = 6;
    p.accesses_per_mshr = 3;
    std::tie(p.write, p.allocation, p.atomics, p.replacement) = GetParam();
    return p;
  }

  Access random_access() {
    constexpr std::array kKinds{AccessKind::kLoad,  AccessKind::kLoad,   AccessKind::kStore,
                                AccessKind::kStore, AccessKind::kAtomic, AccessKind::kWriteBack};
    const auto bytes = static_cast<std::uint32_t>(std::uint64_t{1} << random_() % 6);
    const std::uint64_t address = random_() % 40 * 32 + random_() % (32 / bytes) * bytes;
    return {Address(address), ShortBytes(bytes), kKinds[random_() % kKinds.size()],
            static_cast<std::uint32_t>(random_() % 4), token_++};
  }
  void compare_access() {
    const Access access = random_access();
    const Outcome found = cache_.access(access, Cycle(token_));
    const NaiveOutcome expected = model_.access(access);
    ASSERT_EQ(found.verdict, expected.verdict);
    ASSERT_EQ(found.refusal, expected.refusal);
    ASSERT_EQ(copy(found.down), expected.down);
    ++verdicts_[static_cast<std::size_t>(found.verdict)];
    refusals_[static_cast<std::size_t>(found.refusal)] +=
        found.verdict == Verdict::kRefused ? 1 : 0;
    sent_ += expected.down.size();
  }
  void compare_fill() {
    const std::vector<Address> awaited = model_.awaited();
    ASSERT_EQ(awaited.size(), cache_.mshrs().size());
    if (awaited.empty()) return;
    const Address line = awaited[random_() % awaited.size()];
    const Fill found = cache_.fill(line);
    const NaiveCache::Filled expected = model_.fill(line);
    ASSERT_EQ(copy(found.waiting), expected.waiting);
    ASSERT_EQ(copy(found.down), expected.down);
    sent_ += expected.down.size();
  }
  void compare_flush() {
    const std::vector<Access> found = cache_.flush();
    const std::vector<Access> expected = model_.flush();
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_TRUE(std::is_permutation(found.begin(), found.end(), expected.begin()));
    sent_ += found.size();
  }
  void compare_states() {
    for (std::uint64_t line = 0; line < 40; ++line)
      ASSERT_EQ(cache_.state(Address(32 * line)), model_.state(Address(32 * line)))
          << "line " << line;
  }

  CacheParameters parameters_;
  Cache cache_;
  NaiveCache model_;
  std::mt19937_64 random_{31};
  std::uint64_t token_ = 0;
  std::array<std::uint64_t, 6> verdicts_{};
  std::array<std::uint64_t, 4> refusals_{};
  std::uint64_t sent_ = 0;
};

TEST_P(CacheAgainstModel, AgreesOverALongRandomRun) {
  for (int step = 0; step < 20000; ++step) {
    SCOPED_TRACE(step);
    // Phases in which few lines come, so that everything runs full, and others in which most do.
    const bool fills_freely = step / 500 % 2 == 0;
    if (random_() % (fills_freely ? 2 : 12) == 0) {
      compare_fill();
    } else {
      compare_access();
    }
    if (step % 777 == 0) compare_flush();
    if (step % 100 == 0) compare_states();
    if (HasFatalFailure()) return;
  }
  const CacheStats& stats = cache_.stats();
  const auto verdict = [&](Verdict v) { return verdicts_[static_cast<std::size_t>(v)]; };
  const auto refusal = [&](Refusal r) { return refusals_[static_cast<std::size_t>(r)]; };
  EXPECT_GT(verdict(Verdict::kHit), 300U) << "the run meets what it is to compare";
  EXPECT_GT(verdict(Verdict::kMiss), 300U);
  EXPECT_EQ(stats.loads + stats.stores + stats.atomics + stats.write_backs_taken,
            stats.hits + stats.misses + stats.merged);
  EXPECT_EQ(stats.forwarded, verdict(Verdict::kForwarded));
  EXPECT_EQ(stats.refused_no_mshr, refusal(Refusal::kNoMshr));
  EXPECT_EQ(stats.refused_merge_list_full, refusal(Refusal::kMergeListFull));
  EXPECT_EQ(stats.refused_set_reserved, refusal(Refusal::kSetReserved));
  EXPECT_EQ(stats.forwarded + stats.fetches + stats.write_backs, sent_);
  EXPECT_EQ(stats.fetches, stats.fills + cache_.mshrs().size());
  if (parameters_.allocation == Allocation::kOnMiss) {
    EXPECT_GT(stats.refused_set_reserved, 0U);
  } else {
    EXPECT_EQ(stats.refused_set_reserved, 0U) << "nothing is reserved before it comes";
  }
}

// Those that CacheParameters::check() lets pass.
std::vector<Policies> every_combination() {
  using enum WriteHit;
  using enum WriteMiss;
  std::vector<std::pair<WritePolicy, AtomicPlace>> writes;
  for (const WriteMiss miss : {kNoAllocate, kFetchOnWrite, kValidateOnWrite}) {
    writes.push_back({{kWriteBack, miss}, AtomicPlace::kHere});
    writes.push_back({{kWriteBack, miss}, AtomicPlace::kBelow});
    writes.push_back({{kWriteThrough, miss}, AtomicPlace::kBelow});
  }
  writes.push_back({{kWriteEvict, kNoAllocate}, AtomicPlace::kBelow});
  std::vector<Policies> all;
  for (const auto& [write, atomics] : writes) {
    for (const auto allocation : {Allocation::kOnMiss, Allocation::kOnFill}) {
      for (const auto replacement : {Replacement::kLru, Replacement::kFifo})
        all.emplace_back(write, allocation, atomics, replacement);
    }
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<Policies>& info) {
  const auto& [write, allocation, atomics, replacement] = info.param;
  constexpr std::array kHits{"WriteBack", "WriteThrough", "WriteEvict"};
  constexpr std::array kMisses{"NoAllocate", "FetchOnWrite", "ValidateOnWrite"};
  return std::string(kHits[static_cast<std::size_t>(write.hit)]) +
         kMisses[static_cast<std::size_t>(write.miss)] +
         (allocation == Allocation::kOnMiss ? "OnMiss" : "OnFill") +
         (atomics == AtomicPlace::kHere ? "AtomicsHere" : "AtomicsBelow") +
         (replacement == Replacement::kLru ? "Lru" : "Fifo");
}

INSTANTIATE_TEST_SUITE_P(EveryPolicy, CacheAgainstModel, testing::ValuesIn(every_combination()),
                         name_of);

}  // namespace
}  // namespace raddle::memory
