// A cache component between the asker and the memory of memory_stand.h, and sentences to try it:
// ask, run, answered. Every channel takes one cycle: what is asked in cycle 0 is taken by the cache
// in 1, sent down in 1, seen by the memory in 2.
#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "memory/cache_component.h"
#include "memory/memory_stand.h"

namespace raddle::memory {

using Cycles = std::vector<std::uint64_t>;

inline CacheComponentParameters small_cache() {
  CacheComponentParameters p;
  p.cache.bytes = Bytes(4096);
  p.cache.ways = 4;
  p.cache.hit_latency = Cycle(5);
  p.cache.mshrs = 4;
  p.cache.accesses_per_mshr = 4;
  p.port = 9;
  return p;
}

inline CacheComponentParameters write_through_cache() {
  CacheComponentParameters p = small_cache();
  p.cache.write = {WriteHit::kWriteThrough, WriteMiss::kNoAllocate};
  p.cache.atomics = AtomicPlace::kBelow;
  return p;
}

// Notes how often it is ticked.
class CountedCache : public CacheComponent {
 public:
  using CacheComponent::CacheComponent;
  Cycle tick(Cycle now) override {
    ++ticks;
    return CacheComponent::tick(now);
  }
  int ticks = 0;
};

class CacheStand {
 public:
  explicit CacheStand(const CacheComponentParameters& parameters, std::size_t capacity = 64,
                      bool reversed = false)
      : down(capacity),
        up(capacity),
        request(capacity),
        fill(capacity),
        asker(down, up),
        cache("cache", parameters, {down, up, request, fill}),
        memory(request, fill) {
    sim::ClockDomain& domain = engine.add_clock(clock);
    std::vector<sim::Component*> parts{&asker, &cache, &memory};
    if (reversed) std::swap(parts.front(), parts.back());
    for (sim::Component* part : parts) engine.add(*part, domain);
    down.connect(asker, cache);
    up.connect(cache, asker);
    request.connect(cache, memory);
    fill.connect(memory, cache);
  }

  // Returns the token by which the answer is known.
  std::uint64_t ask(std::uint64_t at, AccessKind kind, std::uint64_t address,
                    std::uint32_t bytes = 4) {
    asker.ask(at, {address, bytes, kind, 7, ++tokens_});
    return tokens_;
  }
  std::uint64_t load(std::uint64_t at, std::uint64_t address, std::uint32_t bytes = 4) {
    return ask(at, AccessKind::kLoad, address, bytes);
  }
  std::uint64_t store(std::uint64_t at, std::uint64_t address, std::uint32_t bytes = 4) {
    return ask(at, AccessKind::kStore, address, bytes);
  }
  // Makes the line there before the run begins.
  void warm(std::uint64_t line, bool dirty = false) {
    const auto kind = dirty ? AccessKind::kStore : AccessKind::kLoad;
    ASSERT_EQ(cache.cache().access({line, 4, kind, 0, 0}, Cycle(0)).verdict, Verdict::kMiss);
    cache.cache().fill(line);
  }
  void run() {
    asker.wake(Cycle(0));
    memory.wake(memory.takes_from);
    engine.run_until(sim::Instant(1'000'000'000'000));
  }
  // The cycle in which the one answer reached the asker.
  std::uint64_t answered(std::uint64_t token) const {
    EXPECT_EQ(asker.got.count(token), 1U) << "answers to access " << token;
    const auto found = asker.got.find(token);
    return found == asker.got.end() ? 0 : found->second.first;
  }
  Cycles answered(const std::vector<std::uint64_t>& tokens) const {
    Cycles cycles;
    for (const std::uint64_t token : tokens) cycles.push_back(answered(token));
    return cycles;
  }

  AccessChannel down, up, request, fill;
  sim::Clock clock{"core", Hertz(1e9)};
  sim::Engine engine;
  Asker asker;
  CountedCache cache;
  PlainMemory memory;

 private:
  std::uint64_t tokens_ = 0;
};

}  // namespace raddle::memory
