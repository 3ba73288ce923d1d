// How fast a core of the dataflow fabric simulates. The bar: 20 million firings a second on one
// host thread for a graph that keeps a hundred units busy. The same graph with loads that hold it
// up and one that waits for DRAM cost more a firing. The cost of a thread and the memory used do
// not grow with the number of threads.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "machine/cgra/fabric/fabric.h"
#include "tests/memory/gtx480_memory.h"

namespace {

using namespace raddle;
using namespace raddle::machine::cgra;

constexpr std::uint32_t kTile = 16;  // a block is a square of so many threads
constexpr std::uint32_t kBlock = kTile * kTile;

// A graph whose threads are fed in blocks.
class Workload : public ThreadFeed, public ConfigurationFeed {
 public:
  // Every array has so many bytes, and is used again and again.
  Workload(std::uint32_t replicas, std::uint64_t array_bytes)
      : array_bytes_(array_bytes), replicas_(replicas) {
    graph_.name = "bench";
    add(NodeKind::kSource, UnitClass::kPort, {});
  }

  std::uint32_t add(NodeKind kind, UnitClass unit, const std::vector<std::uint32_t>& from,
                    Cycle latency = Cycle(1)) {
    Node node;
    node.kind = kind;
    node.unit = unit;
    node.latency = latency;
    for (const std::uint32_t sender : from) node.inputs.push_back({sender, false, 0});
    graph_.nodes.push_back(node);
    return static_cast<std::uint32_t>(graph_.nodes.size() - 1);
  }
  std::uint32_t compute(const std::vector<std::uint32_t>& from, UnitClass unit, Cycle latency) {
    return add(NodeKind::kCompute, unit, from, latency);
  }
  std::uint32_t memory(const std::vector<std::uint32_t>& from, bool writes = false) {
    const std::uint32_t node = add(NodeKind::kMemory, UnitClass::kLoadStore, from);
    graph_.nodes[node].port = MemoryPort::kGlobal;
    graph_.nodes[node].writes = writes;
    graph_.nodes[node].number = graph_.accesses++;
    return node;
  }
  // The first `shift` threads of a stretch of so many load, and the others receive.
  std::uint32_t receive_load(std::uint32_t from, std::int32_t shift, std::uint32_t stretch) {
    const std::uint32_t node = memory({from});
    graph_.nodes[node].kind = NodeKind::kReceiveLoad;
    graph_.nodes[node].receive = graph_.receives++;
    graph_.nodes[node].loop_shift = shift;
    receives_.push_back({static_cast<std::uint32_t>(shift), stretch});
    return node;
  }

  void start(std::uint32_t threads) {
    mapping_.replicas.assign(replicas_, {});
    for (Replica& replica : mapping_.replicas) {
      for (const Node& node : graph_.nodes) replica.hops.emplace_back(node.inputs.size(), 2);
    }
    threads_ = threads;
    next_ = 0;
    is_configured_ = false;
  }

  bool next_configuration(Configuration& configuration, Cycle /*cycle*/) override {
    if (is_configured_) return false;
    is_configured_ = true;
    configuration = {&graph_, &mapping_, this};
    return true;
  }
  FeedAnswer next(std::uint32_t /*replica*/, ThreadGroup& group) override {
    if (next_ == threads_) return FeedAnswer::kEnd;
    group.id = group.first_slot = next_;
    group.threads = std::min(kBlock, threads_ - next_);
    const std::uint32_t count = group.threads;
    group.addresses.resize(std::size_t{graph_.accesses} * count);
    group.active.assign(group.addresses.size(), 1);
    group.has_producer.assign(std::size_t{graph_.receives} * count, 1);
    group.is_consumed.assign(group.has_producer.size(), 1);
    for (std::uint32_t a = 0; a < graph_.accesses; ++a) {
      for (std::uint32_t i = 0; i < count; ++i)
        group.addresses[a * count + i] = a * (array_bytes_ + 4) + 4ull * (next_ + i) % array_bytes_;
    }
    for (std::uint32_t r = 0; r < graph_.receives; ++r) {
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t place = i % receives_[r].stretch;
        const std::uint32_t shift = receives_[r].shift;
        group.active[r * count + i] = place < shift;
        group.is_consumed[r * count + i] =
            place + shift < receives_[r].stretch && i + shift < count;
      }
    }
    next_ += count;
    return FeedAnswer::kGroup;
  }
  void left(std::uint32_t /*id*/) override {}

 private:
  DataflowGraph graph_;
  Mapping mapping_;
  struct Receive {
    std::uint32_t shift;
    std::uint32_t stretch;
  };
  std::vector<Receive> receives_;
  std::uint64_t array_bytes_;
  std::uint32_t replicas_;
  std::uint32_t threads_ = 0;
  std::uint32_t next_ = 0;
  bool is_configured_ = false;
};

// A tile of a matrix product whose rows and columns are forwarded from thread to thread: 100 nodes.
// All arrays fit into the L1. Of the elements that go along rows, one of so many threads loads.
Workload product(std::uint32_t row) {
  Workload work(1, 1024);
  constexpr std::uint32_t kSteps = 15;
  std::vector<std::uint32_t> terms;
  for (std::uint32_t k = 0; k < kSteps; ++k) {
    const std::uint32_t a = work.receive_load(work.compute({0}, UnitClass::kAlu, Cycle(1)), 1, row);
    const std::uint32_t b = work.receive_load(work.compute({0}, UnitClass::kAlu, Cycle(1)),
                                              static_cast<std::int32_t>(kTile), kBlock);
    terms.push_back(work.compute({a, b}, UnitClass::kFpu, Cycle(4)));
  }
  while (terms.size() > 1) {
    std::vector<std::uint32_t> sums;
    for (std::size_t i = 0; i + 1 < terms.size(); i += 2)
      sums.push_back(work.compute({terms[i], terms[i + 1]}, UnitClass::kFpu, Cycle(4)));
    if (terms.size() % 2 == 1) sums.push_back(terms.back());
    terms = sums;
  }
  std::uint32_t sum = terms[0];
  for (int i = 0; i < 8; ++i) sum = work.compute({sum}, UnitClass::kControl, Cycle(1));
  work.add(NodeKind::kExit, UnitClass::kPort, {work.memory({sum}, true)});
  return work;
}

// One of 256 threads loads: nothing holds the others up.
Workload busy_product() { return product(kBlock); }
// One of 16: they wait for it, and a token buffer holds no more than these.
Workload matrix_product() { return product(kTile); }

// c[i] = a[i] + b[i], in four replicas.
Workload vector_sum() {
  Workload work(4, 1ull << 32);
  const std::uint32_t a = work.memory({work.compute({0}, UnitClass::kAlu, Cycle(1))});
  const std::uint32_t b = work.memory({work.compute({0}, UnitClass::kAlu, Cycle(1))});
  const std::uint32_t c = work.compute({0}, UnitClass::kAlu, Cycle(1));
  const std::uint32_t sum = work.compute({a, b}, UnitClass::kFpu, Cycle(4));
  work.add(NodeKind::kExit, UnitClass::kPort, {work.memory({c, sum}, true)});
  return work;
}

FabricParameters parameters() {
  FabricParameters p;
  p.l1.bytes = Bytes(65536);
  p.l1.hit_latency = Cycle(20);
  p.l1.mshrs = 64;
  p.l1.accesses_per_mshr = 32;
  p.memory = memory::gtx480_memory(1, Hertz(1.4e9));
  return p;
}

void simulate(benchmark::State& state, Workload (*make)()) {
  Workload work = make();
  const FabricParameters p = parameters();
  const auto threads = static_cast<std::uint32_t>(state.range(0));
  std::uint64_t firings = 0;
  Cycle cycles;
  Cycle last_cycles;
  for (auto _ : state) {
    Fabric fabric(p);
    work.start(threads);
    fabric.cores()[0]->begin(work, Cycle(0));
    fabric.run();
    const FabricCounts counts = fabric.counts();
    firings += std::accumulate(counts.firings.begin(), counts.firings.end(), std::uint64_t{0});
    last_cycles = fabric.cores()[0]->idle_since();
    cycles += last_cycles;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto rate = [](double count) {
    return benchmark::Counter(count, benchmark::Counter::kIsRate);
  };
  state.counters["firings_per_second"] = rate(static_cast<double>(firings));
  state.counters["cycles_per_second"] = rate(cycles.as_double());
  state.counters["cycles_per_thread"] = last_cycles.as_double() / threads;
  state.counters["peak_memory_bytes"] = static_cast<double>(usage.ru_maxrss) * 1024.0;
}

BENCHMARK_CAPTURE(simulate, busy_product, busy_product)
    ->Arg(4 << 10)
    ->Arg(64 << 10)
    ->Arg(1 << 20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate, matrix_product, matrix_product)
    ->Arg(4 << 10)
    ->Arg(64 << 10)
    ->Arg(1 << 20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate, vector_sum, vector_sum)
    ->Arg(4 << 10)
    ->Arg(64 << 10)
    ->Arg(1 << 20)
    ->Unit(benchmark::kMillisecond);

}  // namespace
