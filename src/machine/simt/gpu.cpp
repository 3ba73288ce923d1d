#include "machine/simt/gpu.h"

#include <fmt/format.h>

#include <algorithm>

namespace raddle::machine::simt {

using memory::Access;
using memory::CrossbarPacket;

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

// What joins a multiprocessor to the two networks.
struct Gpu::CorePorts {
  CorePorts(const std::string& name, std::uint32_t index, memory::CrossbarWires<Access>& requests,
            memory::CrossbarWires<Access>& replies)
      : request_packets(kPortEntries),
        delivered(kPortEntries),
        request_port(name + ".requests", requests, index, request_packets),
        reply_port(name + ".replies", replies, index, delivered) {}

  sim::Channel<CrossbarPacket<Access>> request_packets;
  sim::Channel<Access> delivered;
  memory::CrossbarInputPort<Access> request_port;
  memory::CrossbarOutputPort<Access> reply_port;
};

// L2 slices, their ports, and the DRAM channel behind them.
struct Gpu::Partition {
  struct SlicePort {
    SlicePort(const std::string& name, std::uint32_t slice, const GpuParameters& p,
              memory::CrossbarWires<Access>& requests, memory::CrossbarWires<Access>& replies)
        : arrived(p.l2_queue + p.l2_latency, Cycle(std::max(1u, p.l2_latency))),
          answers(kPortEntries),
          request_port(name + ".requests", requests, slice, arrived),
          reply_port(name + ".replies", replies, slice, answers) {}
    sim::Channel<Access> arrived;
    sim::Channel<CrossbarPacket<Access>> answers;
    memory::CrossbarOutputPort<Access> request_port;
    memory::CrossbarInputPort<Access> reply_port;
  };

  Partition(std::uint32_t index, const GpuParameters& p, const memory::SliceMap& map,
            memory::CrossbarWires<Access>& requests, memory::CrossbarWires<Access>& replies)
      : to_dram(p.dram_queue + p.dram_latency, Cycle(std::max(1u, p.dram_latency))),
        from_dram(p.dram_queue) {
    std::vector<memory::MemoryPartition::SlicePorts> ports;
    for (std::uint32_t s = 0; s < p.slices_per_channel; ++s) {
      const std::uint32_t slice = index + s * p.channels;
      slices.push_back(
          std::make_unique<SlicePort>(fmt::format("L2.{}", slice), slice, p, requests, replies));
      ports.push_back({&slices.back()->arrived, &slices.back()->answers});
    }
    l2 = std::make_unique<memory::MemoryPartition>(fmt::format("partition.{}", index), p.partition,
                                                   map, ports, to_dram, from_dram);
    dram = std::make_unique<memory::DramChannel>(fmt::format("dram.{}", index), p.dram, index,
                                                 to_dram, from_dram);
  }

  sim::Channel<Access> to_dram, from_dram;
  std::vector<std::unique_ptr<SlicePort>> slices;
  std::unique_ptr<memory::MemoryPartition> l2;
  std::unique_ptr<memory::DramChannel> dram;
};

Gpu::Gpu(const GpuParameters& parameters)
    : parameters_(parameters),
      core_clock_("core", parameters.core_clock),
      network_clock_("network", parameters.network_clock),
      l2_clock_("L2", parameters.l2_clock),
      dram_clock_("DRAM", parameters.dram_clock),
      map_{parameters.channels, parameters.slices(), parameters.chunk_bytes},
      requests_(parameters.request_network),
      replies_(parameters.reply_network),
      quantum_(std::min(requests_.quantum(network_clock_), replies_.quantum(network_clock_))) {
  for (std::uint32_t i = 0; i < parameters_.cores; ++i) {
    const std::string name = fmt::format("SM.{}", i);
    engines_.push_back(std::make_unique<sim::Engine>());
    ports_.push_back(std::make_unique<CorePorts>(name, i, requests_, replies_));
    CorePorts& ports = *ports_.back();
    cores_.push_back(std::make_unique<Multiprocessor>(name, parameters_, i, map_,
                                                      ports.request_packets, ports.delivered));
    Multiprocessor& core = *cores_.back();
    Domains domains(*engines_.back());
    domains.add(ports.reply_port, network_clock_);
    domains.add(core, core_clock_);
    domains.add(ports.request_port, network_clock_);
    ports.request_packets.connect(core, ports.request_port);
    ports.delivered.connect(ports.reply_port, core);
  }
  for (std::uint32_t i = 0; i < parameters_.channels; ++i) {
    engines_.push_back(std::make_unique<sim::Engine>());
    partitions_.push_back(std::make_unique<Partition>(i, parameters_, map_, requests_, replies_));
    Partition& partition = *partitions_.back();
    Domains domains(*engines_.back());
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

Gpu::~Gpu() = default;

bool Gpu::run(unsigned host_threads, const std::function<bool(std::uint64_t)>& between) {
  sim::ParallelRun quanta(quantum_, host_threads);
  for (const auto& engine : engines_) quanta.add(*engine);
  requests_.add_to(quanta);
  replies_.add_to(quanta);
  bool stopped = false;
  quanta.run([&](sim::Instant end) {
    instant_ = end;
    now_ = core_clock_.first_from(end).count();
    stopped = between(now_);
    return stopped;
  });
  return stopped;
}

void Gpu::host_wrote(std::uint64_t address, std::uint64_t bytes) {
  if (!parameters_.copies_fill_l2 || bytes == 0) return;
  const std::uint64_t line = parameters_.partition.slice.line_bytes;
  const std::uint64_t capacity = parameters_.partition.slice.bytes.count() * parameters_.slices();
  // Of a long copy only the end stays.
  const std::uint64_t last = (address + bytes - 1) / line;
  const std::uint64_t first = std::max(address / line, last - std::min(last, 2 * capacity / line));
  for (std::uint64_t l = first; l <= last; ++l) {
    const std::uint32_t slice = map_.slice_of(l * line);
    partitions_[map_.channel_of_slice(slice)]->l2->preload(slice / map_.channels, l * line);
  }
}

void Gpu::flush_core_caches() {
  for (const auto& core : cores_) core->flush_caches();
}

std::uint64_t Gpu::dram_cycles() const { return dram_clock_.first_from(instant_).count(); }
std::uint64_t Gpu::l2_cycles() const { return l2_clock_.first_from(instant_).count(); }
std::uint64_t Gpu::network_cycles() const { return network_clock_.first_from(instant_).count(); }

std::size_t Gpu::dram_waiting(std::size_t channel) const {
  return partitions_[channel]->dram->waiting();
}

void Gpu::trace_with(GpuTrace* trace) {
  for (std::size_t i = 0; i < cores_.size(); ++i)
    cores_[i]->trace_with(trace == nullptr ? nullptr : &trace->core(i));
  for (std::size_t i = 0; i < partitions_.size(); ++i)
    partitions_[i]->l2->observe_with(trace == nullptr ? nullptr : &trace->partition(i));
}

GpuCounts Gpu::counts() {
  GpuCounts all;
  for (const auto& core : cores_) {
    core->settle(now_);
    const CoreCounts& c = core->counts();
    for (std::size_t i = 0; i < c.slots.size(); ++i) all.slots[i] += c.slots[i];
    all.busy_cycles += c.busy_cycles;
    all.warp_cycles += c.warp_cycles;
    all.instructions += c.instructions;
    all.thread_instructions += c.thread_instructions;
    all.register_bank_conflicts += core->pipeline().bank_conflicts();
    all.sp_busy += core->pipeline().sp_busy();
    all.sfu_busy += core->pipeline().sfu_busy();
    all.load_store += core->load_store().stats();
    all.l1 += core->load_store().l1_stats();
    all.constant += core->load_store().constant_stats();
    all.texture += core->load_store().texture_stats();
    all.instruction += core->fetch().stats();
  }
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
    partition->dram->settle(Cycle(dram_cycles()));
    all.dram += partition->dram->stats();
  }
  return all;
}

}  // namespace raddle::machine::simt
