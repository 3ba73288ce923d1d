// What a core of the fabric is to do next: a graph, its mapping, and who gives it threads.
#pragma once

#include <cstdint>

#include "machine/cgra/fabric/fabric_counts.h"
#include "machine/cgra/fabric/fabric_feed.h"
#include "machine/cgra/map/mapping.h"

namespace raddle::machine::cgra {

struct Configuration {
  const DataflowGraph* graph = nullptr;
  const Mapping* mapping = nullptr;
  ThreadFeed* threads = nullptr;
  bool is_loaded = false;              // as the one before: the units need not be configured
  FabricNodeCounts* counts = nullptr;  // if not null: what the nodes did is added
  std::uint32_t block_threads = 1;
  bool comes_again = false;  // threads may come to this piece more than once
};

class ConfigurationFeed {
 public:
  virtual ~ConfigurationFeed() = default;
  // All threads of the last one have left the core, which works on from that cycle. False: there is
  // nothing more to do. What the configuration points to stays as it is until the next call.
  virtual bool next_configuration(Configuration& configuration, Cycle cycle) = 0;
  // No more threads of the last one come, but some are still in the core. False: none is to take
  // over from it, or not yet.
  virtual bool following_configuration(Configuration& /*configuration*/, Cycle /*cycle*/) {
    return false;
  }
};

}  // namespace raddle::machine::cgra
