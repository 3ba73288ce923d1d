#include "machine/cgra/fabric/core_work.h"

namespace raddle::machine::cgra {

bool CoreWork::next_configuration(Configuration& configuration, Cycle /*cycle*/) {
  const std::optional<std::uint32_t> piece = threads_.choose_piece();
  if (!piece) return false;
  configuration.graph = &kernel_.pieces[*piece].graph.graph;
  configuration.mapping = &mappings_[*piece];
  configuration.threads = &threads_;
  configuration.is_loaded = loaded_ == piece;
  configuration.counts = &counts_[*piece];
  loaded_ = piece;
  return true;
}

}  // namespace raddle::machine::cgra
