// What a core of the fabric does during a launch: piece after piece, each with the threads that
// need it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/cgra/fabric/core_threads.h"
#include "machine/cgra/fabric/fabric_configuration.h"
#include "machine/cgra/map/mapping.h"

namespace raddle::machine::cgra {

class CoreWork : public ConfigurationFeed {
 public:
  // `mappings` and `counts`: by piece.
  CoreWork(CoreThreads threads, const FabricKernel& kernel, const std::vector<Mapping>& mappings,
           std::vector<FabricNodeCounts>& counts)
      : threads_(std::move(threads)), kernel_(kernel), mappings_(mappings), counts_(counts) {}

  bool next_configuration(Configuration& configuration, Cycle cycle) override;
  const CoreThreads& threads() const { return threads_; }

 private:
  CoreThreads threads_;
  const FabricKernel& kernel_;
  const std::vector<Mapping>& mappings_;
  std::vector<FabricNodeCounts>& counts_;
  std::optional<std::uint32_t> loaded_;
};

}  // namespace raddle::machine::cgra
