// A trace of a fabric: kernels, what each core is configured for, what every unit does in every
// cycle, memory requests of the cores, L2 slices and DRAM. Stretches of one kind that follow each
// other are one slice. A slice in which a unit fires bears the name of its node.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "machine/cgra/fabric/fabric_configuration.h"
#include "machine/run/launch_trace.h"
#include "memory/access.h"

namespace raddle::machine::cgra {

class FabricCoreTrace {
 public:
  FabricCoreTrace(sim::TraceFile& file, sim::Clock clock, std::uint32_t index);
  FabricCoreTrace(const FabricCoreTrace&) = delete;
  FabricCoreTrace& operator=(const FabricCoreTrace&) = delete;

  // The units are configured from cycle `begin` on and work from `start` on. Two configurations
  // may be there at a time, in slots 0 and 1.
  void begin_configuration(std::uint32_t slot, const Configuration& configuration, Cycle begin,
                           Cycle start);
  // From that cycle on the node of a replica spends its time so.
  void unit_does(std::uint32_t slot, std::uint32_t replica, std::uint32_t node, UnitUse use,
                 Cycle cycle);
  // The other configuration has the node's unit up to that cycle, or from it on.
  void unit_begins(std::uint32_t slot, std::uint32_t replica, std::uint32_t node, Cycle cycle);
  void unit_ends(std::uint32_t slot, std::uint32_t replica, std::uint32_t node, Cycle cycle);
  void end_configuration(std::uint32_t slot, Cycle cycle);

  // A request that could have left in cycle `ready` has left for the network.
  void request_sent(const memory::Access& access, Cycle ready, Cycle now);
  void reply(const memory::Access& access, Cycle now) { requests_.reply(access, now); }

  // The launch was stopped there; what comes begins a new time after it.
  void restart(Cycle cycle, sim::Instant start);

 private:
  struct Unit {
    sim::Track track;
    std::string fires;  // the name of its node
    UnitUse use = UnitUse::kNoThread;
    Cycle since;
    bool is_there = true;
  };
  struct Configured {
    sim::Track track;
    std::vector<Unit> units;  // by replica and node
    std::uint32_t nodes = 0;
    std::string name;
    Cycle started;
    bool is_there = false;

    Unit& unit(std::uint32_t replica, std::uint32_t node) {
      return units[std::size_t{replica} * nodes + node];
    }
  };

  sim::Track track_of(UnitClass unit, std::uint32_t place);
  void write(const Unit& unit, Cycle end);

  TraceWriter writer_;
  sim::Track track_;
  std::array<Configured, 2> configured_;
  RequestLanes requests_;
  std::vector<sim::Track> tracks_;  // by unit of the grid; none before it is first used
};

class FabricTrace : public LaunchTrace<FabricCoreTrace> {
 public:
  using LaunchTrace::LaunchTrace;
};

}  // namespace raddle::machine::cgra
