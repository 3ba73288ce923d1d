#include "machine/cgra/fabric/core_work.h"

#include <algorithm>

#include "machine/cgra/compile/strong_components.h"

namespace raddle::machine::cgra {

namespace {

// By piece: whether an exit leads back to it, over others or not.
std::vector<bool> pieces_of_loops(const FabricKernel& kernel) {
  std::vector<std::vector<std::uint32_t>> next;
  for (const Piece& piece : kernel.pieces) {
    next.emplace_back();
    for (const Exit& exit : piece.exits) {
      if (exit.piece < kernel.pieces.size()) next.back().push_back(exit.piece);
    }
  }
  std::vector<bool> in_loop(next.size());
  for (const std::vector<std::uint32_t>& component : strong_components(next)) {
    for (const std::uint32_t p : component)
      in_loop[p] = component.size() > 1 || std::ranges::find(next[p], p) != next[p].end();
  }
  return in_loop;
}

}  // namespace

CoreWork::CoreWork(CoreThreads threads, const FabricKernel& kernel,
                   const std::vector<Mapping>& mappings, std::vector<FabricNodeCounts>& counts,
                   std::optional<std::uint32_t> tracks)
    : threads_(std::move(threads)),
      kernel_(kernel),
      mappings_(mappings),
      counts_(counts),
      tracks_(tracks),
      comes_again_(pieces_of_loops(kernel)) {}

void CoreWork::describe(std::uint32_t piece, Configuration& configuration) {
  configuration.graph = &kernel_.pieces[piece].graph.graph;
  configuration.mapping = &mappings_[piece];
  configuration.threads = &threads_;
  configuration.is_loaded = loaded_ == piece;
  configuration.counts = &counts_[piece];
  configuration.block_threads = kernel_.block_threads;
  configuration.comes_again = comes_again_[piece];
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
