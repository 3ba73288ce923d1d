// The memory system below the cores of a machine, asked by cores that only send and note.
#include "memory/memory_system.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "memory/gtx480_memory.h"

namespace raddle::memory {
namespace {

// Sends its accesses as soon as the network takes them.
class Prober : public sim::Component {
 public:
  Prober(MemorySystem& memory, std::uint32_t core)
      : Component("prober"),
        core_(core),
        map_(memory.map()),
        requests_(memory.requests(core)),
        replies_(memory.replies(core)) {}

  std::vector<Access> script;
  std::vector<std::pair<std::uint64_t, Access>> answers;  // cycle

  Cycle tick(Cycle now) override {
    while (replies_.ready(now)) answers.emplace_back(now.count(), replies_.pop(now));
    while (sent_ < script.size()) {
      Access access = script[sent_];
      access.source = core_;
      const ShortBytes bytes =
          ShortBytes(8) + (is_write(access.kind) ? access.bytes : ShortBytes(0));
      if (!requests_.try_send({map_.slice_of(access.address), bytes, access}, now)) break;
      ++sent_;
    }
    return replies_.next_ready();
  }

 private:
  std::uint32_t core_;
  SliceMap map_;
  MemorySystem::RequestChannel& requests_;
  MemorySystem::ReplyChannel& replies_;
  std::size_t sent_ = 0;
};

struct Rig {
  explicit Rig(std::uint32_t cores, Hertz core_clock = Hertz(700e6))
      : clock("core", core_clock), memory(gtx480_memory(cores), "core") {
    for (std::uint32_t i = 0; i < cores; ++i) {
      probers.push_back(std::make_unique<Prober>(memory, i));
      memory.connect(i, *probers.back(), clock);
    }
  }
  void run(unsigned host_threads = 1) {
    for (const auto& prober : probers) prober->wake(Cycle(0));
    EXPECT_FALSE(memory.run(host_threads, [](sim::Instant) { return false; }));
  }

  sim::Clock clock;
  MemorySystem memory;
  std::vector<std::unique_ptr<Prober>> probers;
};

Access load(std::uint64_t address) {
  return {Address(address), ShortBytes(128), AccessKind::kLoad, 0, address};
}

TEST(MemorySystem, AnswersFromTheL2WhatTheHostHasWritten) {
  Rig rig(1);
  rig.memory.host_wrote(Address(4096), Bytes(128));
  rig.probers[0]->script = {load(4096)};
  rig.run();
  ASSERT_EQ(rig.probers[0]->answers.size(), 1u);
  // A cycle to the port, 8 on the wires, 120 before the L2, 1 for the hit, 1 to the port, 8 on the
  // wires and 3 more for the last of 4 flits, 1 to the core.
  EXPECT_EQ(rig.probers[0]->answers[0].first, 1u + 8 + 120 + 1 + 1 + 8 + 3 + 1);
  EXPECT_EQ(rig.memory.counts().l2.hits, 1u);
  EXPECT_EQ(rig.memory.counts().dram.reads, 0u);
}

TEST(MemorySystem, FetchesFromDramWhatTheL2DoesNotHave) {
  Rig rig(1);
  rig.probers[0]->script = {load(4096)};
  rig.run();
  ASSERT_EQ(rig.probers[0]->answers.size(), 1u);
  EXPECT_GT(rig.probers[0]->answers[0].first, 143u + 100);
  const MemorySystemCounts counts = rig.memory.counts();
  EXPECT_EQ(counts.l2.misses, 1u);
  EXPECT_EQ(counts.dram.reads, 1u);
  EXPECT_EQ(counts.request_network.packets, 1u);
  EXPECT_EQ(counts.reply_network.packets, 1u);
  EXPECT_EQ(counts.reply_network.flits, 4u);
}

TEST(MemorySystem, CoreOfAnotherClockCountsItsOwnCycles) {
  Rig rig(1, Hertz(1.4e9));
  rig.memory.host_wrote(Address(4096), Bytes(128));
  rig.probers[0]->script = {load(4096)};
  rig.run();
  ASSERT_EQ(rig.probers[0]->answers.size(), 1u);
  const auto cycles = static_cast<double>(rig.probers[0]->answers[0].first);
  EXPECT_NEAR(cycles, 2 * 143, 4);
}

TEST(MemorySystem, DifferenceOfCountsIsWhatHappenedBetween) {
  Rig rig(1);
  rig.probers[0]->script = {load(0)};
  rig.run();
  const MemorySystemCounts before = rig.memory.counts();
  rig.probers[0]->script.push_back(load(0));
  rig.probers[0]->script.push_back(load(1 << 20));
  rig.run();
  MemorySystemCounts counts = rig.memory.counts();
  counts -= before;
  EXPECT_EQ(counts.l2.hits, 1u);
  EXPECT_EQ(counts.l2.misses, 1u);
  EXPECT_EQ(counts.dram.reads, 1u);
  EXPECT_EQ(counts.partitions.taken, 2u);
}

TEST(MemorySystem, IsTheSameWithSeveralHostThreads) {
  const auto run = [](unsigned host_threads) {
    Rig rig(4);
    for (std::uint32_t core = 0; core < 4; ++core) {
      for (std::uint64_t i = 0; i < 300; ++i)
        rig.probers[core]->script.push_back(load((i * 7 + core * 13) % 500 * 128));
    }
    rig.run(host_threads);
    std::vector<std::vector<std::pair<std::uint64_t, Access>>> answers;
    for (const auto& prober : rig.probers) answers.push_back(prober->answers);
    return answers;
  };
  const auto one = run(1);
  EXPECT_EQ(one[3].size(), 300u);
  EXPECT_EQ(one, run(3));
}

TEST(MemorySystem, StopsWhenAskedTo) {
  Rig rig(1);
  rig.probers[0]->script = {load(0)};
  rig.probers[0]->wake(Cycle(0));
  EXPECT_TRUE(rig.memory.run(1, [](sim::Instant) { return true; }));
  EXPECT_EQ(rig.memory.instant(), rig.memory.quantum());
  EXPECT_TRUE(rig.probers[0]->answers.empty());
}

}  // namespace
}  // namespace raddle::memory
