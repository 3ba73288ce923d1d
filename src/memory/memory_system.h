// What lies below the cores of a machine: a request and a reply crossbar, L2 slices and DRAM
// channels, each in an engine of its own and run in quanta together with the cores, on one or
// several host threads. Its caches and clocks live on from launch to launch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "memory/crossbar_port.h"
#include "memory/dram.h"
#include "memory/memory_partition.h"
#include "sim/parallel_run.h"

namespace raddle::memory {

struct MemorySystemSpec {
  Hertz network_clock{}, l2_clock{}, dram_clock{};
  std::uint32_t channels = 6;
  std::uint32_t slices_per_channel = 2;
  CrossbarSpec request_network;  // cores to slices
  CrossbarSpec reply_network;    // slices to cores
  ShortBytes chunk_bytes{256};   // that lie in one slice before the next one's turn
  Cycle l2_latency{120};         // before an access is looked up
  std::uint32_t l2_queue = 64;
  MemoryPartitionSpec partition;
  bool copies_fill_l2 = true;
  Cycle dram_latency{100};  // from the L2 to the queue of the DRAM's scheduler
  std::uint32_t dram_queue = 64;
  DramSpec dram;

  std::uint32_t slices() const { return channels * slices_per_channel; }
};

// What all parts have counted: what a launch did is the difference of two of these.
struct MemorySystemCounts {
  CrossbarStats request_network, reply_network;
  CacheStats l2;
  MemoryPartitionStats partitions;
  DramStats dram;

  MemorySystemCounts& operator-=(const MemorySystemCounts& earlier);
};

class MemorySystem {
 public:
  using RequestChannel = sim::Channel<CrossbarPacket<Access>>;
  using ReplyChannel = sim::Channel<Access>;

  // As many cores as the request network has inputs; `core_name` is for their ports.
  MemorySystem(const MemorySystemSpec& spec, const std::string& core_name);
  ~MemorySystem();

  const MemorySystemSpec& spec() const { return spec_; }
  const SliceMap& map() const { return map_; }
  // The core's two ends. A request goes to output map().slice_of(address); its source is the core.
  RequestChannel& requests(std::uint32_t core);
  ReplyChannel& replies(std::uint32_t core);
  // Gives the core an engine, together with its ports. Every core is connected once, before run();
  // core and clock live as long as this does.
  void connect(std::uint32_t core, sim::Component& component, const sim::Clock& clock);

  // Runs quantum after quantum; after each, `between` is told the time reached and returns true to
  // stop. False: it did not stop, but nothing is left to do.
  bool run(unsigned host_threads, const std::function<bool(sim::Instant)>& between,
           const sim::ParallelRun::Limit& limit = {});
  // What has been reached, also where a component or the limit threw.
  sim::Instant instant() const { return instant_; }
  sim::Instant quantum() const { return quantum_; }

  // The host copied these bytes to device memory.
  void host_wrote(Address address, Bytes bytes);
  MemorySystemCounts counts();
  Cycle network_cycles() const { return network_clock_.first_from(instant_); }
  Cycle l2_cycles() const { return l2_clock_.first_from(instant_); }
  Cycle dram_cycles() const { return dram_clock_.first_from(instant_); }
  // Requests in the queue of a DRAM channel.
  std::size_t dram_waiting(std::size_t channel) const;
  // Null: nobody wants to know.
  void observe_with(std::size_t channel, PartitionObserver* observer);

 private:
  struct CorePorts;
  struct Partition;

  MemorySystemSpec spec_;
  sim::Clock network_clock_, l2_clock_, dram_clock_;
  SliceMap map_;
  CrossbarWires<Access> requests_, replies_;
  std::vector<std::unique_ptr<sim::Engine>> core_engines_, partition_engines_;
  std::vector<std::unique_ptr<CorePorts>> ports_;
  std::vector<std::unique_ptr<Partition>> partitions_;
  sim::Instant quantum_;
  sim::Instant instant_{0};
};

}  // namespace raddle::memory
