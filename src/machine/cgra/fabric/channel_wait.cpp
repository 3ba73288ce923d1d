// What is said when a thread receives what its sender has not tagged, or what it has tagged over.
#include <fmt/format.h>

#include "machine/cgra/fabric/piece_executor.h"

namespace raddle::machine::cgra {

using kernel::exec::FaultKind;
using kernel::exec::kLanes;

namespace {

std::string thread_text(std::uint32_t thread, const kernel::exec::Dim3& block) {
  return fmt::format("({},{},{})", thread % block.x, thread / block.x % block.y,
                     thread / block.x / block.y);
}

// "node 4 (receive +1) of piece 2".
std::string node_text(const PieceGraph& piece, std::uint32_t place, std::uint32_t number) {
  for (std::uint32_t n = 0; n < piece.graph.nodes.size(); ++n) {
    if (piece.node_code[n] == place)
      return fmt::format("node {} ({}) of piece {}", n, piece.graph.nodes[n].label, number);
  }
  return fmt::format("piece {}", number);  // nobody uses what it receives
}

}  // namespace

void PieceExecutor::report_wait(const Receive& receive, const Block& block, std::uint32_t thread,
                                const ChannelTurns::Turn& turn) const {
  const auto& names = kernel_.function.channels;
  const std::string channel = receive.channel < names.size()
                                  ? fmt::format("channel \"{}\"", names[receive.channel])
                                  : fmt::format("channel {}", receive.channel);
  const std::string receiver = thread_text(thread, grid_.launch.block);
  const std::string sender = thread_text(receive.senders[thread], grid_.launch.block);
  const std::string node =
      node_text(kernel_.pieces[receive.piece].graph, receive.place, receive.piece);
  const kernel::exec::WarpState& warp = block.threads.warps()[thread / kLanes];
  const Decoded& d = decoded(receive.piece, receive.place);
  const auto lane = static_cast<int>(thread % kLanes);
  if (turn.tagged < turn.received) {
    grid_.stop(FaultKind::kDeadlock,
               fmt::format("deadlock: thread {} waits for thread {} on {} at {}: it receives value "
                           "{}, and {} were tagged",
                           receiver, sender, channel, node, turn.received, turn.tagged),
               warp, function(), d, lane);
  }
  grid_.stop(FaultKind::kUnsupported,
             fmt::format("thread {} receives value {} of thread {} on {} at {}, but {} were tagged "
                         "and only the last is kept: receive as often as values are tagged",
                         receiver, turn.received, sender, channel, node, turn.tagged),
             warp, function(), d, lane);
}

}  // namespace raddle::machine::cgra
