#include "memory/memory_system.h"

#include <fmt/format.h>

#include <algorithm>

namespace raddle::memory {

namespace {

constexpr std::size_t kPortEntries = 2;  // of channels to and from a crossbar: one a cycle

// Clocks of one frequency share a domain, so that what belongs together ticks together.
class Domains {
 public:
  explicit Domains(sim::Engine& engine) : engine_(engine) {}
  sim::ClockDomain& of(const sim::Clock& clock) {
    for (sim::ClockDomain* domain : domains_) {
      if (domain->clock().frequency() == clock.frequency()) return *domain;
    }
    domains_.push_back(&engine_.add_clock(clock));
    return *domains_.back();
  }
  void add(sim::Component& component, const sim::Clock& clock) {
    engine_.add(component, of(clock));
  }

 private:
  sim::Engine& engine_;
  std::vector<sim::ClockDomain*> domains_;
};

}  // namespace

MemorySystemCounts& MemorySystemCounts::operator-=(const MemorySystemCounts& earlier) {
  request_network = request_network - earlier.request_network;
  reply_network = reply_network - earlier.reply_network;
  l2 = l2 - earlier.l2;
  partitions = partitions - earlier.partitions;
  dram = dram - earlier.dram;
  return *this;
}

// What joins a core to the two networks.
struct MemorySystem::CorePorts {
  CorePorts(const std::string& name, std::uint32_t index, CrossbarWires<Access>& requests,
            CrossbarWires<Access>& replies)
      : request_packets(kPortEntries),
        delivered(kPortEntries),
        request_port(name + ".requests", requests, index, request_packets),
        reply_port(name + ".replies", replies, index, delivered) {}

  RequestChannel request_packets;
  ReplyChannel delivered;
  CrossbarInputPort<Access> request_port;
  CrossbarOutputPort<Access> reply_port;
};

// L2 slices, their ports, and the DRAM channel below them.
struct MemorySystem::Partition {
  struct SlicePort {
    SlicePort(const std::string& name, std::uint32_t slice, const MemorySystemSpec& spec,
              CrossbarWires<Access>& requests, CrossbarWires<Access>& replies)
        : arrived(spec.l2_queue + spec.l2_latency.count(), std::max(Cycle(1), spec.l2_latency)),
          answers(kPortEntries),
          request_port(name + ".requests", requests, slice, arrived),
          reply_port(name + ".replies", replies, slice, answers) {}
    sim::Channel<Access> arrived;
    sim::Channel<CrossbarPacket<Access>> answers;
    CrossbarOutputPort<Access> request_port;
    CrossbarInputPort<Access> reply_port;
  };

  Partition(std::uint32_t index, const MemorySystemSpec& spec, const SliceMap& map,
            CrossbarWires<Access>& requests, CrossbarWires<Access>& replies)
      : to_dram(spec.dram_queue + spec.dram_latency.count(), std::max(Cycle(1), spec.dram_latency)),
        from_dram(spec.dram_queue) {
    std::vector<MemoryPartition::SlicePorts> ports;
    for (std::uint32_t s = 0; s < spec.slices_per_channel; ++s) {
      const std::uint32_t slice = index + s * spec.channels;
      slices.push_back(
          std::make_unique<SlicePort>(fmt::format("L2.{}", slice), slice, spec, requests, replies));
      ports.push_back({&slices.back()->arrived, &slices.back()->answers});
    }
    l2 = std::make_unique<MemoryPartition>(fmt::format("partition.{}", index), spec.partition, map,
                                           ports, to_dram, from_dram);
    dram = std::make_unique<DramChannel>(fmt::format("dram.{}", index), spec.dram, index, to_dram,
                                         from_dram);
  }

  sim::Channel<Access> to_dram, from_dram;
  std::vector<std::unique_ptr<SlicePort>> slices;
  std::unique_ptr<MemoryPartition> l2;
  std::unique_ptr<DramChannel> dram;
};

MemorySystem::MemorySystem(const MemorySystemSpec& spec, const std::string& core_name)
    : spec_(spec),
      network_clock_("network", spec.network_clock),
      l2_clock_("L2", spec.l2_clock),
      dram_clock_("DRAM", spec.dram_clock),
      map_{spec.channels, spec.slices(), spec.chunk_bytes},
      requests_(spec.request_network),
      replies_(spec.reply_network),
      quantum_(std::min(requests_.quantum(network_clock_), replies_.quantum(network_clock_))) {
  for (std::uint32_t i = 0; i < spec_.request_network.inputs; ++i) {
    core_engines_.push_back(std::make_unique<sim::Engine>());
    ports_.push_back(
        std::make_unique<CorePorts>(fmt::format("{}.{}", core_name, i), i, requests_, replies_));
  }
  for (std::uint32_t i = 0; i < spec_.channels; ++i) {
    partition_engines_.push_back(std::make_unique<sim::Engine>());
    partitions_.push_back(std::make_unique<Partition>(i, spec_, map_, requests_, replies_));
    Partition& partition = *partitions_.back();
    Domains domains(*partition_engines_.back());
    for (const auto& slice : partition.slices) domains.add(slice->request_port, network_clock_);
    domains.add(*partition.l2, l2_clock_);
    domains.add(*partition.dram, dram_clock_);
    for (const auto& slice : partition.slices) {
      domains.add(slice->reply_port, network_clock_);
      slice->arrived.connect(slice->request_port, *partition.l2);
      slice->answers.connect(*partition.l2, slice->reply_port);
    }
    partition.to_dram.connect(*partition.l2, *partition.dram);
    partition.from_dram.connect(*partition.dram, *partition.l2);
  }
}

MemorySystem::~MemorySystem() = default;

MemorySystem::RequestChannel& MemorySystem::requests(std::uint32_t core) {
  return ports_[core]->request_packets;
}

MemorySystem::ReplyChannel& MemorySystem::replies(std::uint32_t core) {
  return ports_[core]->delivered;
}

void MemorySystem::connect(std::uint32_t core, sim::Component& component, const sim::Clock& clock) {
  CorePorts& ports = *ports_[core];
  Domains domains(*core_engines_[core]);
  domains.add(ports.reply_port, network_clock_);
  domains.add(component, clock);
  domains.add(ports.request_port, network_clock_);
  ports.request_packets.connect(component, ports.request_port);
  ports.delivered.connect(ports.reply_port, component);
}

bool MemorySystem::run(unsigned host_threads, const std::function<bool(sim::Instant)>& between,
                       const sim::ParallelRun::Limit& limit) {
  sim::ParallelRun quanta(quantum_, host_threads);
  for (const auto& engine : core_engines_) quanta.add(*engine);
  for (const auto& engine : partition_engines_) quanta.add(*engine);
  requests_.add_to(quanta);
  replies_.add_to(quanta);
  bool stopped = false;
  const auto look = [&](sim::Instant end) {
    instant_ = end;
    stopped = between(end);
    return stopped;
  };
  try {
    quanta.run(look, limit);
  } catch (...) {
    instant_ = quanta.now();
    throw;
  }
  return stopped;
}

void MemorySystem::host_wrote(Address address, Bytes bytes) {
  if (!spec_.copies_fill_l2 || bytes == Bytes(0)) return;
  const Bytes line = spec_.partition.slice.line_bytes;
  const Bytes capacity = spec_.partition.slice.bytes * spec_.slices();
  // Only the end of a long copy stays.
  const std::uint64_t last = (address + bytes - Bytes(1)) / line;
  const std::uint64_t first = std::max(address / line, last - std::min(last, 2 * capacity / line));
  for (std::uint64_t number = first; number <= last; ++number) {
    const Address start = Address(0) + number * line;
    const std::uint32_t slice = map_.slice_of(start);
    partitions_[map_.channel_of_slice(slice)]->l2->preload(slice / map_.channels, start);
  }
}

std::size_t MemorySystem::dram_waiting(std::size_t channel) const {
  return partitions_[channel]->dram->waiting();
}

void MemorySystem::observe_with(std::size_t channel, PartitionObserver* observer) {
  partitions_[channel]->l2->observe_with(observer);
}

MemorySystemCounts MemorySystem::counts() {
  MemorySystemCounts all;
  for (const auto& ports : ports_) {
    all.request_network += ports->request_port.stats();
    all.reply_network += ports->reply_port.stats();
  }
  for (const auto& partition : partitions_) {
    for (const auto& slice : partition->slices) {
      all.request_network += slice->request_port.stats();
      all.reply_network += slice->reply_port.stats();
    }
    all.l2 += partition->l2->cache_stats();
    all.partitions += partition->l2->stats();
    partition->dram->settle(dram_cycles());
    all.dram += partition->dram->stats();
  }
  return all;
}

}  // namespace raddle::memory
