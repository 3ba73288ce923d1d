// What a core of the fabric does during a launch: piece after piece, each with the threads that
// need it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "machine/cgra/fabric/core_threads.h"
#include "machine/cgra/fabric/fabric_configuration.h"
#include "machine/cgra/map/mapping.h"

namespace raddle::machine::cgra {

class CoreWork : public ConfigurationFeed {
 public:
  // `mappings` and `counts`: by piece. `tracks`: of a link; none if a configuration starts only
  // after the threads of the last one have left.
  CoreWork(CoreThreads threads, const FabricKernel& kernel, const std::vector<Mapping>& mappings,
           std::vector<FabricNodeCounts>& counts, std::optional<std::uint32_t> tracks);

  bool next_configuration(Configuration& configuration, Cycle cycle) override;
  bool following_configuration(Configuration& configuration, Cycle cycle) override;
  CoreThreads& threads() { return threads_; }
  const CoreThreads& threads() const { return threads_; }

 private:
  void describe(std::uint32_t piece, Configuration& configuration);
  bool fit_together(std::uint32_t before, std::uint32_t piece);

  CoreThreads threads_;
  const FabricKernel& kernel_;
  const std::vector<Mapping>& mappings_;
  std::vector<FabricNodeCounts>& counts_;
  std::optional<std::uint32_t> tracks_;
  std::vector<bool> comes_again_;  // by piece: threads may
  std::optional<std::uint32_t> loaded_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> fit_;
};

}  // namespace raddle::machine::cgra
