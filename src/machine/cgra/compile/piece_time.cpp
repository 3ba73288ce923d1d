#include "machine/cgra/compile/piece_time.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "machine/cgra/compile/graph_paths.h"
#include "machine/cgra/compile/joint_units.h"
#include "machine/cgra/compile/slack_matching.h"

namespace raddle::machine::cgra {

namespace {

// Units meet at banks without knowing of each other: so much of what banks could do is done when
// all are wanted; and less where threads of different groups take turns, which are after words in
// the same place of their rows.
constexpr double kBankShare = 0.6;
constexpr double kBankShareInTurns = 0.3;

// What each thread wants from memories.
struct Accesses {
  double live_values = 0;
  double shared = 0;
  double loads = 0;  // through the L1, by threads that are injected in any order
  bool loads_in_order = false;
  bool may_miss = false;
};

Accesses accesses_of(const DataflowGraph& graph) {
  Accesses all;
  for (const Node& node : graph.nodes) {
    switch (node.kind) {
      case NodeKind::kLiveIn:
      case NodeKind::kLiveOut: all.live_values += graph.stays ? 1 / kTurns : 1; break;
      case NodeKind::kReceiveLoad: all.may_miss = true; break;
      case NodeKind::kMemory:
        if (node.port == MemoryPort::kShared) {
          all.shared += 1;
          break;
        }
        if (node.writes) break;  // nobody waits for it
        all.may_miss = true;
        all.loads += 1;
        all.loads_in_order = all.loads_in_order || graph.whole_blocks;
        break;
      default: break;
    }
  }
  return all;
}

// Cycles from one thread to the next in a copy.
double interval_of(const Accesses& accesses, double rate, const CompileOptions& options) {
  double interval = 1 / rate;
  // Neighbours wait for the same line, and so many of them at most.
  if (accesses.loads_in_order)
    interval = std::max(interval, options.graph.miss_latency.as_double() / options.accesses);
  return interval;
}

// How many of the copies have a block at a time, where a block's threads stay together.
double busy_copies(const DataflowGraph& graph, std::uint32_t copies, double threads,
                   const CompileOptions& options) {
  if (!graph.whole_blocks) return copies;
  const double blocks = std::max(1.0, std::floor(threads / options.block_threads()));
  return blocks / std::ceil(blocks / copies);
}

double time_as_is(const PieceGraph& piece, double threads, const CompileOptions& options) {
  const Accesses accesses = accesses_of(piece.graph);
  CopiesAndRate best = balanced_copies(piece, options.graph, options.units,
                                       options.most_copies(piece.graph.whole_blocks));
  // Threads that nothing is to be done for only pass the ports.
  if (piece.graph.units_needed() == UnitBudget{}) best.copies = options.ports;
  const double copies = busy_copies(piece.graph, best.copies, threads, options);
  const double shared_share = accesses.loads > 0 ? kBankShareInTurns : kBankShare;
  const double stream = std::max({interval_of(accesses, best.rate, options) / copies,
                                  accesses.live_values / (kBankShare * options.live_banks),
                                  accesses.shared / (shared_share * options.shared_banks)});
  const double lines = accesses.loads * options.l2_cycles.as_double() /
                       (double{1} * options.lines * options.threads_a_line);
  GraphPaths paths(piece.graph);
  const std::vector<std::uint32_t> hops(paths.edges().size(), 1);
  const Cycle start = options.reconfigure_cycles +
                      paths.longest(hops, options.graph.route_latency) +
                      (accesses.may_miss ? options.l2_cycles : Cycle(0));
  return stream + lines + start.as_double() / threads;
}

}  // namespace

double piece_time(const PieceGraph& piece, double threads, const CompileOptions& options) {
  if (longest_interval(piece.graph) == Cycle(1)) return time_as_is(piece, threads, options);
  PieceGraph shared = piece;
  join_units(shared, options.graph, options.units, options.most_copies(piece.graph.whole_blocks));
  return time_as_is(shared, threads, options);
}

}  // namespace raddle::machine::cgra
