#include "machine/cgra/fabric/core_work.h"

namespace raddle::machine::cgra {

void CoreWork::describe(std::uint32_t piece, Configuration& configuration) {
  configuration.graph = &kernel_.pieces[piece].graph.graph;
  configuration.mapping = &mappings_[piece];
  configuration.threads = &threads_;
  configuration.is_loaded = loaded_ == piece;
  configuration.counts = &counts_[piece];
  loaded_ = piece;
}

bool CoreWork::next_configuration(Configuration& configuration, Cycle /*cycle*/) {
  const std::optional<std::uint32_t> piece = threads_.choose_piece();
  if (!piece) return false;
  describe(*piece, configuration);
  return true;
}

bool CoreWork::following_configuration(Configuration& configuration, Cycle /*cycle*/) {
  if (!tracks_) return false;
  const std::optional<std::uint32_t> piece = threads_.piece_ahead();
  if (!piece || !fit_together(*loaded_, *piece)) return false;
  threads_.begin_piece(*piece);
  describe(*piece, configuration);
  return true;
}

// Tokens of both are on the links while one takes over from the other.
bool CoreWork::fit_together(std::uint32_t before, std::uint32_t piece) {
  const auto [found, fresh] = fit_.try_emplace({before, piece});
  if (fresh) {
    found->second = before == piece ||
                    share_links(kernel_.pieces[before].graph.graph, mappings_[before],
                                kernel_.pieces[piece].graph.graph, mappings_[piece], *tracks_);
  }
  return found->second;
}

}  // namespace raddle::machine::cgra
