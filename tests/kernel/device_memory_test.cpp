#include "kernel/device_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <vector>

namespace raddle::kernel {
namespace {

constexpr std::uint64_t kMegabyte = 1u << 20;

TEST(DeviceMemory, TakesTheLowestPlaceThatFits) {
  DeviceMemory memory(kMegabyte);
  const std::uint64_t a = *memory.allocate(1000);
  const std::uint64_t b = *memory.allocate(2000);
  const std::uint64_t c = *memory.allocate(1000);
  EXPECT_EQ(b, a + 1024);
  EXPECT_EQ(c, b + 2048);
  memory.release(b);
  EXPECT_EQ(*memory.allocate(3000), c + 1024);
  EXPECT_EQ(*memory.allocate(500), b);
  EXPECT_EQ(*memory.allocate(500), b + 512);
  EXPECT_EQ(*memory.allocate(8, AllocationKind::kHeap, 16), a + 1008);
}

// The definition of first fit, one gap after the other.
class NaiveFirstFit {
 public:
  NaiveFirstFit(std::uint64_t begin, std::uint64_t end) : begin_(begin), end_(end) {}
  std::optional<std::uint64_t> allocate(std::uint64_t bytes, std::uint64_t alignment) {
    std::uint64_t start = begin_;
    for (const auto& [address, size] : taken_) {
      if (start + bytes <= address) break;
      start = (address + size + alignment - 1) / alignment * alignment;
    }
    if (start + bytes > end_) return std::nullopt;
    taken_[start] = bytes;
    return start;
  }
  void release(std::uint64_t address) { taken_.erase(address); }

 private:
  std::uint64_t begin_;
  std::uint64_t end_;
  std::map<std::uint64_t, std::uint64_t> taken_;
};

TEST(DeviceMemory, GivesTheAddressesOfFirstFit) {
  DeviceMemory memory(kMegabyte);
  const std::uint64_t first = *memory.allocate(1);
  memory.release(first);
  NaiveFirstFit naive(first, first + kMegabyte);
  std::mt19937 random(7);
  std::vector<std::uint64_t> live;
  int refused = 0;
  for (int step = 0; step < 5000; ++step) {
    if (random() % 5 < 3 || live.empty()) {
      const std::uint64_t bytes = 1 + random() % (random() % 8 == 0 ? 60000 : 4000);
      const std::uint64_t alignment = random() % 2 == 0 ? 256 : 16;
      const auto place = memory.allocate(bytes, AllocationKind::kDevice, alignment);
      ASSERT_EQ(place, naive.allocate(bytes, alignment)) << "step " << step;
      if (place) live.push_back(*place);
      refused += place ? 0 : 1;
    } else {
      const std::size_t which = random() % live.size();
      EXPECT_TRUE(memory.release(live[which]));
      naive.release(live[which]);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }
  EXPECT_GT(refused, 50) << "the memory must have been full at times";
}

double seconds_for(const std::function<void()>& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(DeviceMemory, ManyAllocationsTakeLittleTimeInAnyOrderOfReleases) {
  constexpr std::uint64_t kCount = 200'000;
  DeviceMemory memory(kCount * 2048);
  std::vector<std::uint64_t> places;
  const double taken = seconds_for([&] {
    for (std::uint64_t i = 0; i < kCount; ++i) places.push_back(*memory.allocate(300));
    for (std::uint64_t i = 0; i < kCount; i += 2) memory.release(places[i]);
    // None of the holes left is large enough.
    for (std::uint64_t i = 0; i < kCount; i += 2) places[i] = *memory.allocate(400);
    for (const std::uint64_t place : places) memory.release(place);
  });
  EXPECT_EQ(memory.free_bytes(), memory.capacity());
  EXPECT_LT(taken, 60.0) << "a walk over all allocations takes minutes";
  EXPECT_EQ(*memory.allocate(kCount * 2048), places[1] - 512) << "neighbours must merge again";
}

TEST(DeviceMemory, RefusesWhatDoesNotFitAndFindsTheLastRoomThereIs) {
  DeviceMemory memory(kMegabyte);
  EXPECT_FALSE(memory.allocate(kMegabyte + 1));
  EXPECT_FALSE(memory.allocate(~std::uint64_t{0}));
  // A hundred holes that are large enough but for their alignment, then one that is.
  std::vector<std::uint64_t> places;
  for (int i = 0; i < 200; ++i)
    places.push_back(*memory.allocate(i % 2 == 0 ? 16 : 496, AllocationKind::kDevice, 16));
  for (std::size_t i = 1; i < places.size(); i += 2) memory.release(places[i]);
  const std::uint64_t hole = *memory.allocate(1024);
  ASSERT_TRUE(memory.allocate(memory.free_bytes() - 100 * 496 - 1024));
  memory.release(hole);
  EXPECT_EQ(memory.allocate(400), hole);
  EXPECT_FALSE(memory.allocate(4096));
}

TEST(DeviceMemory, ManagedMemoryKeepsItsPagesToItself) {
  DeviceMemory memory(kMegabyte);
  const std::uint64_t before = *memory.allocate(100);
  const std::uint64_t managed = *memory.allocate(100, AllocationKind::kManaged);
  EXPECT_EQ(managed % 4096, 0u);
  EXPECT_EQ(*memory.allocate(100), before + 256);
  const std::uint64_t behind = *memory.allocate(5000);
  EXPECT_EQ(behind, managed + 4096);
  memory.release(managed);
  EXPECT_EQ(*memory.allocate(4096), before + 512) << "its pages are as any other again";
}

TEST(DeviceMemory, PinnedMemoryTakesNoneOfTheDevices) {
  DeviceMemory memory(kMegabyte);
  const std::uint64_t device = *memory.allocate(kMegabyte / 2);
  const auto pinned = memory.allocate(kMegabyte, AllocationKind::kPinnedHost);
  ASSERT_TRUE(pinned);
  EXPECT_EQ(memory.free_bytes(), kMegabyte / 2);
  EXPECT_FALSE(memory.allocate(1, AllocationKind::kPinnedHost)) << "as much as the device has";
  EXPECT_EQ(memory.allocate(kMegabyte / 2), device + kMegabyte / 2);
  // The host and the device see the same bytes.
  *reinterpret_cast<char*>(*pinned + kMegabyte - 1) = 'x';
  ASSERT_TRUE(memory.in_arena(*pinned, kMegabyte));
  EXPECT_EQ(*memory.view(*pinned + kMegabyte - 1), std::byte{'x'});
  EXPECT_TRUE(memory.release(*pinned));
  EXPECT_EQ(memory.allocate(kMegabyte, AllocationKind::kPinnedHost), pinned);
}

TEST(DeviceMemory, KnowsWhatItHandedOut) {
  DeviceMemory memory(kMegabyte);
  const std::uint64_t place = *memory.allocate(100, AllocationKind::kVariable, 256, "table");
  ASSERT_NE(memory.find(place + 99), nullptr);
  EXPECT_EQ(memory.find(place + 99)->name, "table");
  EXPECT_EQ(memory.find(place + 100), nullptr);
  EXPECT_EQ(memory.nearest_below(place + 100)->address, place);
  EXPECT_EQ(memory.nearest_below(place - 1), nullptr);
  EXPECT_FALSE(memory.release(place + 1));
  EXPECT_TRUE(memory.release(place));
  EXPECT_FALSE(memory.release(place)) << "released twice";
}

// --- released memory is kept for checks

TEST(KeptMemory, IsNotHandedOutWhileThereIsOtherRoom) {
  DeviceMemory memory(kMegabyte);
  memory.keep_released(true);
  const std::uint64_t a = *memory.allocate(1000);
  memory.release(a);
  const std::uint64_t b = *memory.allocate(1000);
  EXPECT_GE(b, a + 1000 + 256) << "allocations lie apart";
  ASSERT_NE(memory.find_released(a + 10), nullptr);
  EXPECT_EQ(memory.find_released(a + 10)->bytes, 1000u);
  EXPECT_EQ(memory.find(a), nullptr);
  EXPECT_EQ(memory.free_bytes(), memory.capacity() - 1000);
}

TEST(KeptMemory, IsReusedOldestFirstWhenNothingElseFits) {
  DeviceMemory memory(16 * kMegabyte);
  memory.keep_released(true);
  const std::uint64_t a = *memory.allocate(5 * kMegabyte);
  const std::uint64_t b = *memory.allocate(5 * kMegabyte);
  const std::uint64_t c = *memory.allocate(5 * kMegabyte);
  memory.release(b);
  memory.release(a);
  EXPECT_EQ(memory.allocate(4 * kMegabyte), b);
  EXPECT_EQ(memory.find_released(b), nullptr);
  EXPECT_NE(memory.find_released(a), nullptr);
  EXPECT_EQ(memory.allocate(5 * kMegabyte), a);
  EXPECT_EQ(memory.find(c)->bytes, 5 * kMegabyte);
}

TEST(KeptMemory, JoinsNeighboursForALargeAllocation) {
  DeviceMemory memory(16 * kMegabyte);
  memory.keep_released(true);
  const std::uint64_t first = *memory.allocate(kMegabyte);
  std::vector<std::uint64_t> others;
  for (int i = 0; i < 15; ++i) others.push_back(*memory.allocate(kMegabyte));
  for (const std::uint64_t place : others) memory.release(place);
  EXPECT_EQ(memory.allocate(14 * kMegabyte), others[0]);
  EXPECT_NE(memory.find(first), nullptr);
}

TEST(DeviceMemory, RemembersWhatWasReleasedAlsoWhenItsSpaceIsFree) {
  DeviceMemory memory(kMegabyte);
  const std::uint64_t place = *memory.allocate(1000);
  memory.release(place);
  EXPECT_NE(memory.find_released(place), nullptr);
  EXPECT_EQ(memory.allocate(1000), place);
  memory.release(place);
  memory.keep_released(true);
  EXPECT_EQ(memory.find_released(place), nullptr);
  EXPECT_EQ(memory.allocate(1000), place + 256);
}

TEST(KeptMemory, LastsThroughAllocationsOfManyTimesTheCapacity) {
  DeviceMemory memory(64 * kMegabyte);
  memory.keep_released(true);
  const std::uint64_t keeper = *memory.allocate(100);
  for (int i = 0; i < 200; ++i) {
    const auto place = memory.allocate(16 * kMegabyte);
    ASSERT_TRUE(place) << "round " << i;
    EXPECT_EQ(*memory.view(*place + 12345), std::byte{0}) << "what it held is gone";
    *memory.view(*place + 12345) = std::byte{1};
    ASSERT_TRUE(memory.release(*place));
  }
  EXPECT_NE(memory.find(keeper), nullptr);
}

TEST(KeptMemory, HoldsTheWholeCapacityInSeveralPieces) {
  DeviceMemory memory(64 * kMegabyte);
  memory.keep_released(true);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(memory.allocate(16 * kMegabyte)) << i;
  EXPECT_FALSE(memory.allocate(1));
}

std::uint64_t shared_pages_of_this_process() {
  std::uint64_t kilobytes = 0;
  std::FILE* status = std::fopen("/proc/self/status", "r");
  char line[256];
  while (std::fgets(line, sizeof line, status) != nullptr) {
    if (std::sscanf(line, "RssShmem: %lu", &kilobytes) == 1) break;
  }
  std::fclose(status);
  return kilobytes / 4;
}

TEST(KeptMemory, KeepsNoPagesOfWhatWasReleased) {
  DeviceMemory memory(256 * kMegabyte);
  memory.keep_released(true);
  const std::uint64_t before = shared_pages_of_this_process();
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t place = *memory.allocate(16 * kMegabyte);
    std::memset(memory.view(place), 1, 16 * kMegabyte);
    memory.release(place);
  }
  EXPECT_LT(shared_pages_of_this_process(), before + 1024);
}

TEST(KeptMemory, FindsRoomForManySmallAllocationsInAShortTime) {
  DeviceMemory memory(64 * kMegabyte);
  memory.keep_released(true);
  const double taken = seconds_for([&] {
    for (int i = 0; i < 500'000; ++i) {
      const auto place = memory.allocate(200);
      ASSERT_TRUE(place);
      memory.release(*place);
    }
  });
  EXPECT_LT(taken, 60.0);
}

}  // namespace
}  // namespace raddle::kernel
