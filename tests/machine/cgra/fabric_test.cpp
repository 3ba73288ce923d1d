// Whole fabrics: cores with their memory system, launches one after the other.
#include "machine/cgra/fabric/fabric.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "memory/gtx480_memory.h"

namespace raddle::machine::cgra {
namespace {

FabricParameters small_fabric(std::uint32_t cores) {
  FabricParameters p;
  p.cores = cores;
  p.l1.bytes = Bytes(65536);
  p.l1.hit_latency = Cycle(10);
  p.l1.accesses_per_mshr = 32;
  p.memory = memory::gtx480_memory(cores, Hertz(1.4e9));
  return p;
}

// Each thread loads an element, stores it elsewhere and leaves; threads come in groups of 32, and
// each group passes as often as it is told to.
class Copying : public ThreadFeed, public ConfigurationFeed {
 public:
  Copying(std::uint32_t first, std::uint32_t threads, std::uint32_t passes = 1)
      : first_(first), groups_((threads + 31) / 32), threads_(threads), passes_(passes) {
    graph_.name = "copy";
    graph_.accesses = 2;
    add(NodeKind::kSource, UnitClass::kPort, {});
    add(NodeKind::kMemory, UnitClass::kLoadStore, {0});
    add(NodeKind::kMemory, UnitClass::kLoadStore, {0, 1});
    add(NodeKind::kExit, UnitClass::kPort, {2});
    graph_.nodes[1].port = graph_.nodes[2].port = MemoryPort::kGlobal;
    graph_.nodes[2].number = 1;
    graph_.nodes[2].writes = true;
    mapping_.replicas.assign(2, {});
    for (Replica& replica : mapping_.replicas) {
      for (const Node& node : graph_.nodes) replica.hops.emplace_back(node.inputs.size(), 1);
    }
    for (std::uint32_t g = 0; g < groups_; ++g) waiting_.push_back(g);
    passed_.resize(groups_);
  }

  bool next_configuration(Configuration& configuration, Cycle /*cycle*/) override {
    if (is_done_) return false;
    is_done_ = true;
    configuration = {&graph_, &mapping_, this};
    return true;
  }
  FeedAnswer next(std::uint32_t /*replica*/, ThreadGroup& group) override {
    if (waiting_.empty()) return inside_ > 0 ? FeedAnswer::kLater : FeedAnswer::kEnd;
    group.id = waiting_.front();
    waiting_.erase(waiting_.begin());
    ++inside_;
    group.threads = std::min(32u, threads_ - group.id * 32);
    group.first_slot = group.id * 32;
    group.addresses.resize(2 * group.threads);
    group.active.assign(2 * group.threads, 1);
    for (std::uint32_t i = 0; i < group.threads; ++i) {
      const std::uint64_t element = first_ + group.id * 32 + i;
      group.addresses[i] = 4 * element;
      group.addresses[group.threads + i] = (1 << 24) + 4 * element;
    }
    return FeedAnswer::kGroup;
  }
  void left(std::uint32_t id) override {
    --inside_;
    // As a loop: only if it has to come back does the feed say `later` for it.
    if (++passed_[id] < passes_) waiting_.push_back(id);
  }

  std::uint32_t inside() const { return inside_; }
  const std::vector<std::uint32_t>& passed() const { return passed_; }

 private:
  void add(NodeKind kind, UnitClass unit, const std::vector<std::uint32_t>& from) {
    Node node;
    node.kind = kind;
    node.unit = unit;
    for (const std::uint32_t sender : from) node.inputs.push_back({sender, false, 0});
    graph_.nodes.push_back(node);
  }

  DataflowGraph graph_;
  Mapping mapping_;
  std::uint32_t first_, groups_, threads_, passes_;
  std::vector<std::uint32_t> waiting_;
  std::vector<std::uint32_t> passed_;
  std::uint32_t inside_ = 0;
  bool is_done_ = false;
};

Cycle unit_cycles(const FabricCounts& counts) {
  Cycle all;
  for (std::size_t unit = 0; unit < kUnitClasses; ++unit) all += counts.cycles[unit].sum();
  return all;
}

TEST(Fabric, CoresShareTheMemorySystem) {
  Fabric fabric(small_fabric(2));
  Copying one(0, 1000);
  Copying two(4096, 1500);
  fabric.cores()[0]->begin(one, Cycle(0));
  fabric.cores()[1]->begin(two, Cycle(0));
  EXPECT_FALSE(fabric.run());
  const FabricCounts counts = fabric.counts();
  EXPECT_EQ(counts.tokens.threads, 2500u);
  EXPECT_EQ(counts.l1.loads, 2500u);
  EXPECT_EQ(counts.l1.stores, 2500u);
  // Lines of 32 elements: loads fetch them, and so do stores.
  EXPECT_EQ(counts.memory.l2.loads, 2u * (32 + 47));
  EXPECT_EQ(unit_cycles(counts), 2u * 140 * fabric.now());
  EXPECT_GT(fabric.cores()[1]->idle_since(), fabric.cores()[0]->idle_since());
}

TEST(Fabric, GroupsMayComeBackOnceTheyHaveLeft) {
  Fabric fabric(small_fabric(1));
  Copying work(0, 100, 3);
  fabric.cores()[0]->begin(work, Cycle(0));
  fabric.run();
  EXPECT_TRUE(fabric.cores()[0]->is_idle());
  EXPECT_EQ(work.inside(), 0u);
  EXPECT_EQ(work.passed(), (std::vector<std::uint32_t>{3, 3, 3, 3}));
  EXPECT_EQ(fabric.counts().tokens.threads, 300u);
}

TEST(Fabric, LaunchIsTheDifferenceOfCounts) {
  Fabric fabric(small_fabric(1));
  Copying first(0, 320);
  fabric.cores()[0]->begin(first, Cycle(0));
  fabric.run();
  const FabricCounts before = fabric.counts();
  const Cycle start = fabric.now();
  Copying again(0, 320);
  fabric.cores()[0]->begin(again, start);
  fabric.run();
  FabricCounts counts = fabric.counts();
  counts -= before;
  EXPECT_EQ(counts.tokens.threads, 320u);
  EXPECT_EQ(counts.tokens.configurations, 1u);
  EXPECT_EQ(counts.l1.hits, 640u);  // all in the L1 from the first one
  EXPECT_EQ(counts.memory.l2.loads, 0u);
  EXPECT_EQ(unit_cycles(counts), 140 * (fabric.now() - start));
}

TEST(Fabric, FlushSendsWhatWasWrittenToTheL2) {
  Fabric fabric(small_fabric(1));
  Copying work(0, 320);
  fabric.cores()[0]->begin(work, Cycle(0));
  fabric.run();
  EXPECT_EQ(fabric.counts().memory.l2.write_backs_taken, 0u);
  fabric.flush_core_caches();
  fabric.run();
  EXPECT_EQ(fabric.counts().memory.l2.write_backs_taken, 10u);
}

TEST(Fabric, HostsCopiesAreFoundInTheL2) {
  const auto cycles = [](bool is_written) {
    Fabric fabric(small_fabric(1));
    if (is_written) fabric.host_wrote(Address(0), Bytes(4 * 3200));
    Copying work(0, 3200);
    fabric.cores()[0]->begin(work, Cycle(0));
    fabric.run();
    return fabric.cores()[0]->idle_since();
  };
  EXPECT_LT(cycles(true), cycles(false));
}

TEST(Fabric, RunStopsWhenAskedTo) {
  Fabric fabric(small_fabric(1));
  Copying work(0, 320);
  fabric.cores()[0]->begin(work, Cycle(0));
  EXPECT_TRUE(fabric.run([](Cycle) { return true; }));
  EXPECT_FALSE(fabric.cores()[0]->is_idle());
  // Quanta in which nothing happens are passed over: the core is being configured.
  EXPECT_EQ(fabric.now(), Cycle(40));
  EXPECT_EQ(fabric.quantum_cycles(), Cycle(8));
  EXPECT_FALSE(fabric.run());
  EXPECT_TRUE(fabric.cores()[0]->is_idle());
}

// All threads wait for the one before them, the first one, too.
class Waiting : public ThreadFeed, public ConfigurationFeed {
 public:
  Waiting() {
    graph_.name = "wait";
    graph_.receives = 1;
    graph_.nodes.resize(3);
    graph_.nodes[0].kind = NodeKind::kSource;
    graph_.nodes[0].unit = UnitClass::kPort;
    graph_.nodes[1].kind = NodeKind::kElevator;
    graph_.nodes[1].inputs = {{1, false, 1}, {0, true, 0}};
    graph_.nodes[2].kind = NodeKind::kExit;
    graph_.nodes[2].inputs = {{1, false, 0}};
    mapping_.replicas.emplace_back();
    mapping_.replicas[0].hops = {{}, {1, 1}, {1}};
  }
  bool next_configuration(Configuration& configuration, Cycle /*cycle*/) override {
    configuration = {&graph_, &mapping_, this};
    return true;
  }
  FeedAnswer next(std::uint32_t /*replica*/, ThreadGroup& group) override {
    if (std::exchange(is_fed_, true)) return FeedAnswer::kEnd;
    group.threads = 1;
    group.has_producer = {1};
    group.is_consumed = {0};
    return FeedAnswer::kGroup;
  }
  void left(std::uint32_t /*id*/) override {}

 private:
  DataflowGraph graph_;
  Mapping mapping_;
  bool is_fed_ = false;
};

TEST(Fabric, SaysWhenThreadsWaitForEachOther) {
  Fabric fabric(small_fabric(2));
  Copying other(0, 10'000);
  Waiting work;
  fabric.cores()[0]->begin(other, Cycle(0));
  fabric.cores()[1]->begin(work, Cycle(0));
  try {
    fabric.run();
    FAIL() << "a thread waits for nobody";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "wait: threads wait for each other: thread 0 waits at node 1 (elevator) for input "
                 "0 from node 1 (elevator) of thread -1");
  }
}

TEST(Fabric, SameWorkTakesTheSameCycles) {
  const auto run = [] {
    Fabric fabric(small_fabric(3));
    Copying a(0, 999), b(10'000, 1111), c(500, 777);
    fabric.cores()[0]->begin(a, Cycle(0));
    fabric.cores()[1]->begin(b, Cycle(0));
    fabric.cores()[2]->begin(c, Cycle(0));
    fabric.run();
    std::vector<Cycle> cycles;
    for (const auto& core : fabric.cores()) cycles.push_back(core->idle_since());
    return std::pair(cycles, fabric.counts().cycles);
  };
  EXPECT_EQ(run(), run());
}

std::string message_of(const FabricParameters& parameters) {
  try {
    parameters.check();
  } catch (const Error& error) {
    return error.full_text();
  }
  return "";
}

TEST(FabricParameters, SayWhatNoFabricCanHave) {
  EXPECT_EQ(message_of(small_fabric(1)), "");
  FabricParameters p = small_fabric(1);
  p.token_buffer = 12;
  EXPECT_EQ(message_of(p),
            "the size of a token buffer cannot be 12\nhint: take a power of two, at most 64");
  p = small_fabric(1);
  p.token_buffer = 128;
  EXPECT_EQ(message_of(p),
            "the size of a token buffer cannot be 128\nhint: take a power of two, at most 64");
  p = small_fabric(1);
  p.hop_cycles = Cycle(0);
  EXPECT_EQ(message_of(p), "the hop latency cannot be 0\nhint: take at least 1");
  p = small_fabric(1);
  p.scratchpad.banks = 33;
  EXPECT_EQ(
      message_of(p),
      "the number of banks of the scratchpad cannot be 33\nhint: take a power of two, at most 64");
  p = small_fabric(1);
  p.live_values.latency = Cycle(0);
  EXPECT_EQ(message_of(p),
            "the latency of the live-value cache cannot be 0\nhint: take at least 1");
  p = small_fabric(1);
  p.cores = 2;
  EXPECT_EQ(message_of(p),
            "the request network has 1 inputs for 2 cores\nhint: give it one input per core");
}

}  // namespace
}  // namespace raddle::machine::cgra
