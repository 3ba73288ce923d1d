// A test stand for a core of the fabric: a graph built node by node, threads whose accesses and
// receives are given by functions, and a memory that answers every request after a fixed time. Says
// in which cycle each thread left.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/units.h"
#include "machine/cgra/fabric/fabric_core.h"
#include "sim/engine.h"
#include "sim/timed_queue.h"

namespace raddle::machine::cgra {

using namespace unit_literals;

// Answers all but write-backs some cycles after it has seen them.
class FixedMemory : public sim::Component {
 public:
  FixedMemory(memory::MemorySystem::RequestChannel& in, memory::MemorySystem::ReplyChannel& out)
      : Component("memory"), in_(in), out_(out) {}

  std::function<Cycle(Address)> latency;
  std::vector<memory::Access> seen;

  Cycle tick(Cycle now) override;

 private:
  memory::MemorySystem::RequestChannel& in_;
  memory::MemorySystem::ReplyChannel& out_;
  sim::TimedQueue<memory::Access> answers_;
};

struct StandResult {
  Cycle cycles;             // from the first injection until the core was idle
  std::vector<Cycle> left;  // by thread, from the first injection
  std::vector<std::vector<std::uint32_t>> asked;  // by replica: first threads of its groups
  FabricNodeCounts nodes;
  FabricCounts counts;
};

class FabricStand : public ThreadFeed, public ConfigurationFeed {
 public:
  using AddressOf = std::function<std::optional<std::uint64_t>(std::uint32_t thread)>;
  using Bit = std::function<bool(std::uint32_t thread)>;

  FabricStand();
  ~FabricStand();

  // --- the graph; every edge has one hop
  std::uint32_t node(NodeKind kind, UnitClass unit, const std::vector<Input>& inputs,
                     Cycle latency = 1_cycles);
  static std::vector<Input> from(const std::vector<std::uint32_t>& nodes);
  std::uint32_t compute(const std::vector<std::uint32_t>& senders, Cycle latency = 1_cycles) {
    return node(NodeKind::kCompute, UnitClass::kAlu, from(senders), latency);
  }
  std::uint32_t exit(const std::vector<std::uint32_t>& senders) {
    return node(NodeKind::kExit, UnitClass::kPort, from(senders));
  }
  std::uint32_t memory(const std::vector<std::uint32_t>& senders, MemoryPort port,
                       AddressOf address, bool writes = false);
  std::uint32_t load(const std::vector<std::uint32_t>& senders, AddressOf address) {
    return memory(senders, MemoryPort::kGlobal, std::move(address));
  }
  std::uint32_t store(const std::vector<std::uint32_t>& senders, AddressOf address) {
    return memory(senders, MemoryPort::kGlobal, std::move(address), true);
  }
  // Thread q receives from q - shift, if both are of the same window.
  std::uint32_t receive(std::int32_t shift, std::uint32_t window);
  // The last of a cascade, or the only one.
  std::uint32_t elevator(std::uint32_t data, std::uint32_t trigger, std::int32_t shift,
                         std::uint32_t receive);
  // One that passes on.
  std::uint32_t passing(std::uint32_t data, std::int32_t shift, std::uint32_t receive);
  std::uint32_t buffer(std::uint32_t data) { return passing(data, 0, 0); }
  std::uint32_t receive_load(std::uint32_t sender, std::int32_t shift, std::uint32_t receive,
                             AddressOf address);

  DataflowGraph graph;
  std::vector<std::vector<std::uint32_t>> hops;  // by node and input
  std::vector<AddressOf> addresses;              // by access
  std::vector<Bit> has_producer, is_consumed;    // by receive

  FabricParameters parameters;
  std::uint32_t threads = 1;
  std::uint32_t group_threads = 1;
  std::uint32_t replicas = 1;
  std::uint32_t runs = 1;     // of the same configuration, one after the other
  bool stays_loaded = false;  // from the second run on it need not be configured
  Cycle memory_latency{10};
  std::function<Cycle(Address)> latency_of;  // if set: instead of that

  StandResult run();
  const FixedMemory& behind() const { return *memory_; }
  std::size_t records_kept() const { return core_->records_kept(); }

  bool next_configuration(Configuration& configuration, Cycle cycle) override;
  FeedAnswer next(std::uint32_t replica, ThreadGroup& group) override;
  void left(std::uint32_t first) override;

 private:
  void fill(ThreadGroup& group, std::uint32_t first, std::uint32_t count);

  void make();

  sim::Clock clock_{"core", Hertz(1e9)};
  Mapping mapping_;
  std::unique_ptr<sim::Engine> engine_;
  sim::ClockDomain* domain_ = nullptr;
  std::unique_ptr<memory::MemorySystem::RequestChannel> requests_;
  std::unique_ptr<memory::MemorySystem::ReplyChannel> replies_;
  std::unique_ptr<FabricCore> core_;
  std::unique_ptr<FixedMemory> memory_;
  std::uint32_t next_thread_ = 0;
  std::uint32_t runs_done_ = 0;
  Cycle begun_;
  StandResult result_;
};

// The address of element q of an array of floats.
inline FabricStand::AddressOf element(std::uint64_t base) {
  return [base](std::uint32_t q) { return base + 4 * std::uint64_t{q}; };
}

}  // namespace raddle::machine::cgra
