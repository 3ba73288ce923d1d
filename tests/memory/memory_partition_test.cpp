// A memory partition of two L2 slices before a plain memory, cycle by cycle. What is asked in cycle
// 0 is taken by the slice in 1; an answer that leaves in cycle n is with the asker in n + 1.
#include "memory/memory_partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "memory/memory_stand.h"

namespace raddle::memory {
namespace {

// Slices 0 and 1 of one channel take turns every 256 bytes.
constexpr SliceMap kMap{1, 2, ShortBytes(256)};

MemoryPartitionSpec small_partition() {
  MemoryPartitionSpec spec;
  spec.slice.bytes = Bytes(4096);
  spec.slice.ways = 4;
  spec.slice.hit_latency = Cycle(3);
  spec.slice.mshrs = 4;
  spec.slice.accesses_per_mshr = 4;
  spec.slice.write = {WriteHit::kWriteBack, WriteMiss::kValidateOnWrite};
  spec.slice.slices = kMap.slices;
  spec.slice.slice_bytes = kMap.chunk_bytes;
  return spec;
}

class PartitionStand {
 public:
  explicit PartitionStand(const MemoryPartitionSpec& spec = small_partition())
      : memory(to_dram_, from_dram_) {
    std::vector<MemoryPartition::SlicePorts> ports;
    for (Slice& slice : slices_) ports.push_back({&slice.requests, &slice.replies});
    partition =
        std::make_unique<MemoryPartition>("partition", spec, kMap, ports, to_dram_, from_dram_);
    sim::ClockDomain& domain = engine_.add_clock(clock_);
    engine_.add(asker_, domain);
    engine_.add(*partition, domain);
    engine_.add(memory, domain);
    for (Slice& slice : slices_) {
      slice.requests.connect(asker_, *partition);
      slice.replies.connect(*partition, asker_);
    }
    to_dram_.connect(*partition, memory);
    from_dram_.connect(memory, *partition);
  }

  std::uint64_t ask(std::uint64_t at, AccessKind kind, std::uint64_t address,
                    std::uint32_t bytes = 32, std::uint32_t passes = 0) {
    const std::uint64_t token = ++tokens_;
    asker_.script.push_back({at,
                             {Address(address), ShortBytes(bytes), kind, 7,
                              passes == 0 ? token : with_passes(token, passes)}});
    return token;
  }
  void run() {
    asker_.wake(Cycle(0));
    memory.wake(memory.takes_from);
    engine_.run_until(sim::Instant(1'000'000'000'000));
  }
  std::uint64_t answered(std::uint64_t token) const {
    EXPECT_EQ(asker_.got.count(token), 1U) << "answers to access " << token;
    return asker_.got.count(token) == 0 ? 0 : asker_.got.find(token)->second.first;
  }
  std::uint32_t answer_bytes(std::uint64_t token) const {
    return asker_.got.find(token)->second.second;
  }
  std::size_t answers() const { return asker_.got.size(); }

 private:
  struct Slice {
    sim::Channel<Access> requests{64};
    sim::Channel<CrossbarPacket<Access>> replies{64};
  };
  struct Asker : sim::Component {
    explicit Asker(std::array<Slice, 2>& slices) : Component("asker"), slices_(slices) {}
    Cycle tick(Cycle now) override {
      Cycle next = sim::kNever;
      for (Slice& slice : slices_) {
        while (slice.replies.ready(now)) {
          const CrossbarPacket<Access> packet = slice.replies.pop(now);
          EXPECT_EQ(packet.output, 7U);
          const std::uint64_t token = packet.payload.token & 0xffff;
          got.emplace(token, std::pair(now.count(), packet.bytes.count()));
        }
        next = std::min(next, slice.replies.next_ready());
      }
      for (auto& [at, access] : script) {
        if (at == now.count()) {
          EXPECT_TRUE(slices_[kMap.slice_of(access.address)].requests.try_send(access, now));
        } else if (at > now.count()) {
          next = std::min(next, Cycle(at));
        }
      }
      return next;
    }
    std::vector<std::pair<std::uint64_t, Access>> script;
    std::multimap<std::uint64_t, std::pair<std::uint64_t, std::uint32_t>> got;
    std::array<Slice, 2>& slices_;
  };

  std::array<Slice, 2> slices_;
  sim::Channel<Access> to_dram_{64}, from_dram_{64};
  sim::Clock clock_{"l2", Hertz(1e9)};
  sim::Engine engine_;
  Asker asker_{slices_};
  std::uint64_t tokens_ = 0;

 public:
  PlainMemory memory;
  std::unique_ptr<MemoryPartition> partition;
};

TEST(SliceMap, DealsChunksToSlicesAndSlicesToChannels) {
  const SliceMap map{6, 12, ShortBytes(256)};
  EXPECT_EQ(map.slice_of(Address(0)), 0U);
  EXPECT_EQ(map.slice_of(Address(255)), 0U);
  EXPECT_EQ(map.slice_of(Address(256)), 1U);
  EXPECT_EQ(map.slice_of(Address(12 * 256)), 0U);
  EXPECT_EQ(map.channel_of_slice(7), 1U);
}

TEST(MemoryPartition, AnswersAHitAfterItsLatency) {
  PartitionStand stand;
  stand.partition->preload(0, Address(0x100 * 2));
  const std::uint64_t hit = stand.ask(0, AccessKind::kLoad, 0x200);
  stand.run();
  EXPECT_EQ(stand.answered(hit), 1U + 3 + 1);
  EXPECT_EQ(stand.answer_bytes(hit), 8U + 32);
  EXPECT_TRUE(stand.memory.seen.empty());
}

TEST(MemoryPartition, FetchesTheLineOfAMissFromDram) {
  PartitionStand stand;
  const std::uint64_t miss = stand.ask(0, AccessKind::kLoad, 0x220);
  stand.run();
  ASSERT_EQ(stand.memory.seen.size(), 1U);
  EXPECT_EQ(stand.memory.seen[0].first, 2U);
  EXPECT_EQ(stand.memory.seen[0].second.address, Address(0x200));
  EXPECT_EQ(stand.memory.seen[0].second.bytes, ShortBytes(128));
  // 2 + 10 sent by memory, taken in 13 and answered at once, seen in 14.
  EXPECT_EQ(stand.answered(miss), 14U);
}

TEST(MemoryPartition, TakesOneAccessOfEachSliceACycle) {
  PartitionStand stand;
  stand.partition->preload(0, Address(0));
  stand.partition->preload(1, Address(0x100));
  std::vector<std::uint64_t> first, second;
  for (int i = 0; i < 4; ++i) {
    first.push_back(stand.ask(0, AccessKind::kLoad, 0));
    second.push_back(stand.ask(0, AccessKind::kLoad, 0x100));
  }
  stand.run();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(stand.answered(first[i]), 5 + i);
    EXPECT_EQ(stand.answered(second[i]), 5 + i);
  }
  EXPECT_EQ(stand.partition->stats().taken, 8U);
}

TEST(MemoryPartition, AnswersAStoreWithoutDataAndKeepsIt) {
  PartitionStand stand;
  const std::uint64_t store = stand.ask(0, AccessKind::kStore, 0x200);
  const std::uint64_t load = stand.ask(10, AccessKind::kLoad, 0x200);
  stand.run();
  EXPECT_EQ(stand.answered(store), 5U);
  EXPECT_EQ(stand.answer_bytes(store), 8U);
  EXPECT_EQ(stand.answered(load), 15U);
  EXPECT_TRUE(stand.memory.seen.empty()) << "written bytes need no fetch";
}

TEST(MemoryPartition, WritesADirtyLineBackWhenItIsThrownOut) {
  PartitionStand stand;
  // A slice has 4 KB of 4 ways: 8 sets; every 8th line of the slice is in one set.
  stand.ask(0, AccessKind::kStore, 0);
  for (std::uint64_t i = 1; i <= 4; ++i) stand.ask(20 * i, AccessKind::kStore, i * 8 * 256);
  stand.run();
  EXPECT_EQ(stand.answers(), 5U);
  ASSERT_EQ(stand.memory.seen.size(), 1U);
  EXPECT_EQ(stand.memory.seen[0].second.kind, AccessKind::kWriteBack);
  EXPECT_EQ(stand.memory.seen[0].second.address, Address(0));
}

TEST(MemoryPartition, CarriesAnAtomicOutInAsManyPassesAsItsTokenSays) {
  PartitionStand stand;
  stand.partition->preload(0, Address(0));
  const std::uint64_t atomic = stand.ask(0, AccessKind::kAtomic, 0, 32, 32);
  const std::uint64_t next = stand.ask(0, AccessKind::kLoad, 0);
  stand.run();
  EXPECT_EQ(stand.answered(atomic), 5U);
  EXPECT_EQ(stand.answered(next), 5U + 32);
  EXPECT_EQ(stand.partition->stats().busy_cycles, Cycle(33));
}

TEST(MemoryPartition, AnswersEachAccessThatWaitsForALine) {
  PartitionStand stand;
  std::vector<std::uint64_t> tokens;
  for (std::uint64_t i = 0; i < 4; ++i) tokens.push_back(stand.ask(0, AccessKind::kLoad, 32 * i));
  stand.run();
  EXPECT_EQ(stand.memory.seen.size(), 1U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(stand.answered(tokens[i]), 14 + i);
}

TEST(MemoryPartition, AnswersEverythingOnceThoughDramIsShutForAWhile) {
  MemoryPartitionSpec spec = small_partition();
  spec.down_entries = 1;
  spec.reply_entries = 1;
  PartitionStand stand(spec);
  stand.memory.takes_from = Cycle(500);
  stand.memory.holds = 2;
  std::vector<std::uint64_t> tokens;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const AccessKind kind = i % 3 == 0   ? AccessKind::kStore
                            : i % 3 == 1 ? AccessKind::kLoad
                                         : AccessKind::kAtomic;
    tokens.push_back(stand.ask(i / 4, kind, i * 640 % 16384 / 32 * 32));
  }
  stand.run();
  for (const std::uint64_t token : tokens) EXPECT_GT(stand.answered(token), 0U);
  EXPECT_EQ(stand.answers(), 50U);
  EXPECT_GT(stand.partition->stats().stalled_mshr + stand.partition->stats().stalled_dram, 0U);
}

}  // namespace
}  // namespace raddle::memory
