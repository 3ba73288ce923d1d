// Two levels of cache above a memory: latencies add up, dirty lines wander down, and what the first
// level does not keep the second does.
#include <gtest/gtest.h>

#include "memory/cache_component.h"
#include "memory/memory_stand.h"

namespace raddle::memory {
namespace {

CacheComponentParameters level(std::uint64_t bytes, std::uint64_t hit_latency, WritePolicy write) {
  CacheComponentParameters p;
  p.cache.bytes = Bytes(bytes);
  p.cache.ways = 2;
  p.cache.hit_latency = Cycle(hit_latency);
  p.cache.write = write;
  if (write.hit != WriteHit::kWriteBack) p.cache.atomics = AtomicPlace::kBelow;
  return p;
}

class CacheHierarchy : public testing::Test {
 public:
  // Runs the script of the asker to its end.
  void run_with(WritePolicy l1_writes) {
    const WritePolicy write_back{WriteHit::kWriteBack, WriteMiss::kFetchOnWrite};
    l1 = std::make_unique<CacheComponent>("L1", level(512, 4, l1_writes),
                                          CachePorts{down, up, l1_down, l1_up});
    l2 = std::make_unique<CacheComponent>("L2", level(4096, 20, write_back),
                                          CachePorts{l1_down, l1_up, l2_down, l2_up});
    sim::ClockDomain& domain = engine.add_clock(clock);
    engine.add(asker, domain);
    engine.add(*l1, domain);
    engine.add(*l2, domain);
    engine.add(memory, domain);
    down.connect(asker, *l1);
    up.connect(*l1, asker);
    l1_down.connect(*l1, *l2);
    l1_up.connect(*l2, *l1);
    l2_down.connect(*l2, memory);
    l2_up.connect(memory, *l2);
    memory.latency = Cycle(100);
    asker.wake(Cycle(0));
    engine.run_until(sim::kEndOfTime);
    EXPECT_TRUE(l1->idle());
    EXPECT_TRUE(l2->idle());
  }
  void ask(std::uint64_t at, AccessKind kind, std::uint64_t address, std::uint64_t token) {
    asker.ask(at, {address, 4, kind, 0, token});
  }
  std::uint64_t waited(std::uint64_t token) {
    EXPECT_EQ(asker.got.count(token), 1U);
    return asker.got.find(token)->second.first - asker.sent[token];
  }

  AccessChannel down{8}, up{8}, l1_down{8}, l1_up{8}, l2_down{8}, l2_up{8};
  sim::Clock clock{"core", Hertz(1e9)};
  sim::Engine engine;
  Asker asker{down, up};
  PlainMemory memory{l2_down, l2_up};
  std::unique_ptr<CacheComponent> l1, l2;
};

TEST_F(CacheHierarchy, AddsUpTheLatenciesOfTheLevels) {
  ask(0, AccessKind::kLoad, 0x000, 1);
  ask(1000, AccessKind::kLoad, 0x000, 2);
  ask(2000, AccessKind::kLoad, 0x200, 3);  // these two throw 0x000 out of the L1
  ask(3000, AccessKind::kLoad, 0x400, 4);
  ask(4000, AccessKind::kLoad, 0x000, 5);
  run_with({WriteHit::kWriteEvict, WriteMiss::kNoAllocate});
  EXPECT_EQ(waited(1), 3U + 100 + 3) << "three channels down, three up";
  EXPECT_EQ(waited(2), 1U + 4 + 1);
  EXPECT_EQ(waited(5), 2U + 20 + 2);
}

TEST_F(CacheHierarchy, KeepsEvictedStoresInTheSecondLevel) {
  ask(0, AccessKind::kLoad, 0x000, 1);
  ask(1000, AccessKind::kStore, 0x000, 2);
  ask(2000, AccessKind::kLoad, 0x000, 3);
  ask(3000, AccessKind::kAtomic, 0x000, 4);
  run_with({WriteHit::kWriteEvict, WriteMiss::kNoAllocate});
  EXPECT_EQ(waited(2), 2U + 20 + 2) << "the store is answered by the L2";
  EXPECT_EQ(waited(3), 2U + 20 + 2) << "the L1 no longer has the line";
  EXPECT_EQ(waited(4), 2U + 20 + 2);
  EXPECT_EQ(l2->cache().state(0x000), LineState::kDirty);
  EXPECT_EQ(memory.seen.size(), 1U);
}

TEST_F(CacheHierarchy, WritesADirtyLineBackLevelByLevel) {
  ask(0, AccessKind::kStore, 0x000, 1);
  ask(1000, AccessKind::kLoad, 0x200, 2);
  ask(2000, AccessKind::kLoad, 0x400, 3);
  run_with({WriteHit::kWriteBack, WriteMiss::kFetchOnWrite});
  EXPECT_EQ(l1->cache().state(0x000), LineState::kInvalid);
  EXPECT_EQ(l1->cache().stats().write_backs, 1U);
  EXPECT_EQ(l2->cache().stats().write_backs_taken, 1U);
  EXPECT_EQ(l2->cache().state(0x000), LineState::kDirty);
  EXPECT_EQ(memory.seen.size(), 3U) << "three lines fetched, none written";
}

}  // namespace
}  // namespace raddle::memory
