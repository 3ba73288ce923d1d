#include "machine/cgra/compile/temporal_edges.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "machine/cgra/compile/graph_editor.h"

namespace raddle::machine::cgra {

namespace {

constexpr std::uint32_t kSource = 0;

// By how many threads each node lags behind; empty if no such numbers exist.
std::vector<std::int32_t> find_skews(const DataflowGraph& graph) {
  std::vector<std::int32_t> skew(graph.nodes.size(), 0);
  for (std::size_t round = 0; round <= graph.nodes.size(); ++round) {
    bool changed = false;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      const Node& node = graph.nodes[n];
      if (node.kind == NodeKind::kReceiveLoad && node.loop_shift <= 0) return {};
      for (const Input& input : node.inputs) {
        const std::int32_t least = skew[input.from] - input.shift;
        if (skew[n] >= least) continue;
        skew[n] = least;
        changed = true;
      }
    }
    if (!changed) return skew;
  }
  return {};
}

void turn_round(PieceGraph& piece) {
  piece.descending = !piece.descending;
  for (Node& node : piece.graph.nodes) {
    node.loop_shift = -node.loop_shift;
    for (Input& input : node.inputs) input.shift = -input.shift;
  }
}

class Fitter {
 public:
  Fitter(PieceGraph& piece, const GraphOptions& options)
      : piece_(piece),
        editor_(piece, options),
        places_(static_cast<std::int32_t>(options.token_buffer)) {}

  void run() {
    open_long_loops();
    std::vector<std::int32_t> skew = find_skews(piece_.graph);
    if (skew.empty()) {
      turn_round(piece_);
      skew = find_skews(piece_.graph);
    }
    if (skew.empty()) fail();
    add_places(skew);
    editor_.renumber();
  }

 private:
  [[noreturn]] void fail() const {
    throw CircularWait(
        fmt::format("{}: threads wait for each other in a cycle", piece_.graph.name), {},
        "a value that depends on itself in another thread must come from one direction only: from "
        "earlier threads, or from later ones");
  }

  // Figure 10b: a multiplexer takes the loaded or the looped value, a second one sends it round
  // through elevators again. The token of the load says whether there is anything loaded.
  void open_long_loops() {
    for (std::uint32_t n = 0; n < piece_.graph.nodes.size(); ++n) {
      if (piece_.graph.nodes[n].kind != NodeKind::kReceiveLoad) continue;
      const std::int32_t shift = piece_.graph.nodes[n].loop_shift;
      if (std::abs(shift) <= places_) continue;
      const std::uint32_t last = editor_.new_control(n, NodeKind::kCompute, "mux out");
      const std::uint32_t first = editor_.new_control(n, NodeKind::kCompute, "mux in");
      const std::uint32_t elevator = editor_.new_control(n, NodeKind::kElevator, "loop");
      redirect(n, last);
      Node& load = piece_.graph.nodes[n];
      load.kind = NodeKind::kMemory;
      load.loop_shift = 0;
      load.label = "load if";
      piece_.graph.nodes[elevator].inputs = {{.from = first, .control = false, .shift = shift},
                                             {.from = kSource, .control = true}};
      piece_.graph.nodes[last].inputs = {{.from = n}, {.from = elevator}};
      piece_.graph.nodes[first].inputs = {{.from = n}, {.from = last}};
    }
  }

  void redirect(std::uint32_t from, std::uint32_t to) {
    for (Node& node : piece_.graph.nodes) {
      for (Input& input : node.inputs) {
        if (input.from == from) input.from = to;
      }
    }
  }

  // An elevator shifts by no more than its buffer has places. Where a node waits for later threads,
  // there must be places for all of those in between, and for as many more as may have overtaken
  // them on the way: a unit does not wait for slow threads, but lets none pass that is a whole
  // buffer after.
  void add_places(const std::vector<std::int32_t>& skew) {
    const std::size_t nodes = piece_.graph.nodes.size();
    for (std::uint32_t n = 0; n < nodes; ++n) {
      for (std::size_t i = 0; i < piece_.graph.nodes[n].inputs.size(); ++i) {
        const Input input = piece_.graph.nodes[n].inputs[i];
        const std::int32_t lag = skew[n] - skew[input.from] + input.shift;
        const std::int32_t needed = input.shift != 0 ? std::max(lag, std::abs(input.shift))
                                    : lag > 0        ? lag + places_ - 1
                                                     : 0;
        if (needed <= places_) continue;
        const std::int32_t stages = (needed + places_ - 1) / places_ - 1;
        const std::uint32_t from =
            input.shift != 0 ? cascade(n, input, stages) : editor_.buffered(input.from, stages);
        piece_.graph.nodes[n].inputs[i].from = from;
      }
    }
  }

  // Elevators before the last one take as much of the distance as a buffer has places.
  std::uint32_t cascade(std::uint32_t last, const Input& input, std::int32_t stages) {
    std::int32_t left = input.shift;
    std::uint32_t from = input.from;
    for (std::int32_t s = 0; s < stages; ++s) {
      const std::int32_t shift = std::clamp(left, -places_, places_);
      left -= shift;
      const std::uint32_t stage = editor_.new_control(last, NodeKind::kElevator, "elevator");
      piece_.graph.nodes[stage].delivers = false;
      piece_.graph.nodes[stage].inputs = {{.from = from, .control = false, .shift = shift}};
      from = stage;
    }
    for (Input& own : piece_.graph.nodes[last].inputs) {
      if (own == input) own.shift = left;
    }
    return from;
  }

  PieceGraph& piece_;
  GraphEditor editor_;
  std::int32_t places_;
};

}  // namespace

void fit_in_time(PieceGraph& piece, const GraphOptions& options) {
  if (piece.graph.receives == 0 || piece.graph.stays) return;
  Fitter(piece, options).run();
}

}  // namespace raddle::machine::cgra
