#include "machine/cgra/compile/staying_loops.h"

#include <algorithm>

#include "machine/cgra/compile/memory_order.h"

namespace raddle::machine::cgra {

namespace {

constexpr std::uint32_t kSource = 0;

bool goes_round(const PieceCode& piece, SegmentId entry) {
  const auto leads_back = [&](const PieceExit& exit) { return exit.to == entry; };
  return std::ranges::any_of(piece.exits, leads_back) &&
         !std::ranges::all_of(piece.exits, leads_back);
}

// The injector knows which way threads go, because it has computed that itself.
bool leaves_together(const DataflowGraph& graph) {
  return std::ranges::all_of(graph.nodes, [](const Node& node) {
    return node.kind != NodeKind::kExit || std::ranges::all_of(node.inputs, [](const Input& input) {
             return input.from == kSource;
           });
  });
}

bool talks_to_others(const PieceCode& piece) {
  return std::ranges::any_of(piece.code, [](const kernel::Instruction& i) {
    return group_of(i.opcode) == kernel::OpcodeGroup::kInterThread;
  });
}

}  // namespace

bool may_stay(const PieceCode& piece, SegmentId entry, const PieceGraph& graph,
              const std::vector<bool>& shared, const CompileOptions& options) {
  // Values of a turn wait in the entries for accesses; senders may be a token buffer ahead.
  if (options.accesses < kTurnThreads + options.graph.token_buffer ||
      options.block_threads() % kTurnThreads != 0)
    return false;
  if (piece.entry != Entry::kFree || !goes_round(piece, entry) || !leaves_together(graph.graph) ||
      talks_to_others(piece) || !turns_may_overlap(piece.code))
    return false;
  const auto is_shared = [&](kernel::RegisterId value) {
    return value < shared.size() && shared[value];
  };
  const auto comes_in = [&](const TurnValue& turn) {
    return piece.is_uniform(turn.slot) || std::ranges::count(piece.live_ins, turn.slot) != 0;
  };
  return std::ranges::none_of(piece.live_ins, is_shared) &&
         std::ranges::none_of(piece.live_outs, is_shared, &LiveOut::slot) &&
         std::ranges::all_of(piece.turn_values, comes_in);
}

}  // namespace raddle::machine::cgra
