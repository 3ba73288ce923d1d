// A core of the fabric: its units, L1, scratchpad and live-value cache, joined to the memory
// system. Takes configurations from a feed and runs each until all its threads have left; the next
// one takes units over as the last threads are done with them. Every unit spends every cycle in
// exactly one way.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machine/cgra/fabric/fabric_array.h"
#include "machine/cgra/fabric/fabric_configuration.h"
#include "machine/cgra/fabric/fabric_parameters.h"
#include "sim/component.h"

namespace raddle::machine::cgra {

class FabricCore : public sim::Component {
 public:
  // The parameters outlive it.
  FabricCore(std::string name, const FabricParameters& parameters, std::uint32_t index,
             const memory::SliceMap& map, memory::MemorySystem::RequestChannel& requests,
             memory::MemorySystem::ReplyChannel& replies);

  Cycle tick(Cycle now) override;

  // --- between quanta
  // Starts to work at that cycle; must be idle. The feed is asked from here on, in ticks as well.
  void begin(ConfigurationFeed& work, Cycle cycle);
  // It has done all its work.
  bool is_idle() const { return current_.array == nullptr && !is_loading_; }
  // The first cycle of that.
  Cycle idle_since() const { return idle_since_; }
  // Threads wait for each other and nothing can move.
  bool is_stuck() const { return is_stuck_; }
  // Throws the Error that says which threads wait for what.
  [[noreturn]] void report_deadlock() const;
  // Throws all lines of the L1 out; those that were written go to the L2.
  void flush_l1(Cycle cycle);
  // Null: nobody wants to know. Between launches.
  void trace_with(FabricCoreTrace* trace);
  // What was done before that cycle, without what lies below the core.
  const FabricCounts& counts(Cycle cycle);
  // The most threads whose records were kept at a time.
  std::size_t records_kept() const { return records_kept_; }

 private:
  struct Running {
    Configuration configuration;
    std::unique_ptr<FabricArray> array;
    std::uint32_t slot = 0;
  };

  void next_configuration(Cycle cycle);
  void load(const Configuration& configuration, Cycle cycle);
  void start(Cycle cycle);
  void run_cycle(Cycle now);
  void end_current(Cycle cycle);
  void settle(Cycle cycle);

  const FabricParameters& parameters_;
  DataCache data_;
  ScratchBanks scratchpad_;
  LiveValueCache live_values_;
  TurnPrefetch turns_;
  ConfigurationFeed* work_ = nullptr;
  Running current_;  // its threads may be leaving
  Running next_;     // whose threads enter meanwhile
  bool is_loading_ = false;
  Configuration loading_;
  Cycle start_;             // when it is loaded
  std::uint32_t slot_ = 0;  // of the last one that was loaded
  bool is_stuck_ = false;
  Cycle idle_since_;
  Cycle settled_until_;
  std::size_t records_kept_ = 0;
  FabricCounts counts_;
  FabricCoreTrace* trace_ = nullptr;
};

}  // namespace raddle::machine::cgra
