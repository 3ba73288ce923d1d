// A replica of the graph that a core is configured with: the threads inside it and where they come
// from.
#pragma once

#include <cstdint>

#include "machine/cgra/fabric/fabric_injector.h"
#include "machine/cgra/fabric/fabric_records.h"

namespace raddle::machine::cgra {

struct FabricReplica {
  FabricRecords records;
  FabricInjector injector;
  std::uint64_t seen = 0;  // threads injected before this cycle
  bool is_occupied = false;
};

}  // namespace raddle::machine::cgra
