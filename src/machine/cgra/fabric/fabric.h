// The whole fabric: cores and what lies below them, on the time line of all their clocks. Caches
// and clocks live on from launch to launch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "machine/cgra/fabric/fabric_core.h"
#include "memory/memory_system.h"

namespace raddle::machine::cgra {

class FabricTrace;

class Fabric {
 public:
  // Throws Error for parameters that no fabric can have.
  explicit Fabric(const FabricParameters& parameters);

  const FabricParameters& parameters() const { return parameters_; }
  std::vector<std::unique_ptr<FabricCore>>& cores() { return cores_; }
  // The present cycle of the core clock: nothing has happened in it yet.
  Cycle now() const { return now_; }
  // All cores have done their work, and since when; now() if they have not.
  bool is_idle() const;
  Cycle worked_until() const;
  sim::Instant instant() const { return memory_.instant(); }
  // The length of a quantum, in whole core cycles.
  Cycle quantum_cycles() const { return core_clock_.first_from(memory_.quantum()); }

  // Runs quantum after quantum until all cores are idle and nothing is on its way, or `between`,
  // told the core cycle that comes next, returns true. Returns whether it did. Throws Error when
  // threads of a core wait for each other. Where it throws, now() is the time that was reached.
  bool run(const std::function<bool(Cycle)>& between = {});
  // The same; `at_limit` is called at that core cycle and throws if the run must end there.
  bool run(const std::function<bool(Cycle)>& between, Cycle limit,
           const std::function<void()>& at_limit);

  // The host copied these bytes to device memory.
  void host_wrote(Address address, Bytes bytes) { memory_.host_wrote(address, bytes); }
  void flush_core_caches();
  // Null: nobody wants to know. Between launches.
  void trace_with(FabricTrace* trace);
  // What all parts have counted until now.
  FabricCounts counts();
  Cycle dram_cycles() const { return memory_.dram_cycles(); }
  Cycle network_cycles() const { return memory_.network_cycles(); }
  Cycle l2_cycles() const { return memory_.l2_cycles(); }
  memory::MemorySystem& memory() { return memory_; }

 private:
  FabricParameters parameters_;
  sim::Clock core_clock_;
  memory::MemorySystem memory_;
  std::vector<std::unique_ptr<FabricCore>> cores_;
  Cycle now_;
};

}  // namespace raddle::machine::cgra
