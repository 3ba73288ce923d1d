// A trace of a fabric: kernels, what each core is configured for, what every unit does in every
// cycle, memory requests of the cores, L2 slices and DRAM. Stretches of one kind that follow each
// other are one slice. A slice in which a unit fires bears the name of its node.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/cgra/fabric_configuration.h"
#include "machine/partition_trace.h"
#include "machine/trace_lanes.h"
#include "machine/trace_time.h"
#include "memory/access.h"
#include "sim/trace.h"

namespace raddle::machine::cgra {

class Fabric;
struct FabricParameters;

class FabricCoreTrace {
 public:
  FabricCoreTrace(sim::TraceStream& stream, const sim::Clock& clock, std::uint32_t index);

  // The units are configured from cycle `begin` on and work from `start` on.
  void begin_configuration(const Configuration& configuration, std::uint64_t begin,
                           std::uint64_t start);
  // From that cycle on the node of a replica spends its time so.
  void unit_does(std::uint32_t replica, std::uint32_t node, UnitUse use, std::uint64_t cycle);
  void end_configuration(std::uint64_t cycle);

  // A request that could have left in cycle `ready` has left for the network.
  void request_sent(const memory::Access& access, std::uint64_t ready, std::uint64_t now);
  void reply(const memory::Access& access, std::uint64_t now);

  // The launch was stopped there; what comes begins a new time behind it.
  void restart(std::uint64_t cycle, sim::Instant start);

 private:
  struct Unit {
    sim::Track track;
    std::string fires;  // the name of its node
    UnitUse use = UnitUse::kNoThread;
    std::uint64_t since = 0;
  };

  sim::Track track_of(UnitClass unit, std::uint32_t place);
  void write(const Unit& unit, std::uint64_t end);

  sim::TraceStream& stream_;
  TraceTime time_;
  sim::Track track_, configuration_;
  TraceLanes requests_;
  std::vector<sim::Track> tracks_;  // by unit of the grid; none before it is first used
  std::vector<Unit> units_;         // by replica and node
  std::uint32_t nodes_ = 0;
  std::string name_;
  std::uint64_t started_ = 0;
  bool is_configured_ = false;
};

class FabricTrace {
 public:
  FabricTrace(sim::TraceFile& file, const std::string& machine, const FabricParameters& fabric);

  const sim::TraceFile* file() const { return &file_; }
  FabricCoreTrace& core(std::size_t index) { return *cores_[index]; }
  PartitionTrace& partition(std::size_t index) { return *partitions_[index]; }

  // Between quanta: counters, and what the streams hold goes to the file once it is much.
  void look_at(Fabric& fabric, std::uint64_t cycle);
  void kernel_ended(std::string_view name, std::uint64_t begin, std::uint64_t end);
  // A launch was stopped in that cycle; the fabric begins anew.
  void restart(std::uint64_t cycle);

 private:
  sim::TraceFile& file_;
  TraceTime time_;
  sim::TraceStream& stream_;
  TraceLanes kernels_;
  std::vector<std::unique_ptr<FabricCoreTrace>> cores_;
  std::vector<std::unique_ptr<PartitionTrace>> partitions_;
  std::uint64_t looks_ = 0;
};

}  // namespace raddle::machine::cgra
