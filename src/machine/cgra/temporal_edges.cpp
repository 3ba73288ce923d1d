#include "machine/cgra/temporal_edges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace raddle::machine::cgra {

namespace {

constexpr std::uint32_t kSource = 0;

// Units that can pass a token on as it is. The first of those that are equally free is taken.
constexpr std::array kBufferClasses{UnitClass::kSplitJoin, UnitClass::kControl, UnitClass::kAlu,
                                    UnitClass::kFpu, UnitClass::kSpecial};

bool is_buffer(const Node& node) {
  return node.kind == NodeKind::kElevator && !node.delivers && node.inputs[0].shift == 0;
}

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
        options_(options),
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
    renumber();
  }

  // The token of `producer` behind so many buffers; consumers share them.
  std::uint32_t buffered(std::uint32_t producer, std::int32_t stages) {
    std::vector<std::uint32_t>& chain = buffers_[producer];
    while (static_cast<std::int32_t>(chain.size()) < stages) {
      const std::uint32_t before = chain.empty() ? producer : chain.back();
      const std::uint32_t buffer = new_control(producer, NodeKind::kElevator, "buffer");
      piece_.graph.nodes[buffer].delivers = false;
      piece_.graph.nodes[buffer].inputs = {{.from = before}};
      chain.push_back(buffer);
    }
    return chain[static_cast<std::size_t>(stages - 1)];
  }

  // Inputs come from earlier nodes, but for what closes a recurrence.
  void renumber() {
    DataflowGraph& graph = piece_.graph;
    std::vector<std::uint32_t> place(graph.nodes.size(), kNoCode);
    std::vector<std::uint32_t> order;
    std::vector<std::uint8_t> state(graph.nodes.size(), 0);
    const auto visit = [&](auto& self, std::uint32_t n) -> void {
      if (state[n] != 0) return;
      state[n] = 1;
      for (const Input& input : graph.nodes[n].inputs) self(self, input.from);
      place[n] = static_cast<std::uint32_t>(order.size());
      order.push_back(n);
    };
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) visit(visit, n);
    std::vector<Node> nodes;
    std::vector<std::uint32_t> codes;
    for (const std::uint32_t n : order) {
      Node node = std::move(graph.nodes[n]);
      for (Input& input : node.inputs) input.from = place[input.from];
      nodes.push_back(std::move(node));
      codes.push_back(piece_.node_code[n]);
    }
    graph.nodes = std::move(nodes);
    piece_.node_code = std::move(codes);
  }

 private:
  [[noreturn]] void fail() const {
    throw CircularWait(
        fmt::format("{}: threads wait for each other in a circle", piece_.graph.name), {},
        "a value that depends on itself in another thread must come from one direction only: from "
        "earlier threads, or from later ones");
  }

  std::uint32_t new_control(std::uint32_t like, NodeKind kind, std::string label) {
    Node node;
    node.kind = kind;
    node.unit = UnitClass::kControl;
    node.latency =
        kind == NodeKind::kElevator ? options_.latencies.elevator : options_.latencies.control;
    node.receive = piece_.graph.nodes[like].receive;
    node.bytes = piece_.graph.nodes[like].bytes;
    node.location = piece_.graph.nodes[like].location;
    node.label = std::move(label);
    piece_.graph.nodes.push_back(std::move(node));
    piece_.node_code.push_back(kNoCode);
    return static_cast<std::uint32_t>(piece_.graph.nodes.size() - 1);
  }

  // Figure 10b: a multiplexer takes the loaded or the looped value, a second one sends it round
  // through elevators again. The token of the load says whether there is anything loaded.
  void open_long_loops() {
    for (std::uint32_t n = 0; n < piece_.graph.nodes.size(); ++n) {
      if (piece_.graph.nodes[n].kind != NodeKind::kReceiveLoad) continue;
      const std::int32_t shift = piece_.graph.nodes[n].loop_shift;
      if (std::abs(shift) <= places_) continue;
      const std::uint32_t last = new_control(n, NodeKind::kCompute, "mux out");
      const std::uint32_t first = new_control(n, NodeKind::kCompute, "mux in");
      const std::uint32_t elevator = new_control(n, NodeKind::kElevator, "loop");
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
  // buffer behind.
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
            input.shift != 0 ? cascade(n, input, stages) : buffered(input.from, stages);
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
      const std::uint32_t stage = new_control(last, NodeKind::kElevator, "elevator");
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
  const GraphOptions& options_;
  std::int32_t places_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> buffers_;  // by producer
};

// When threads follow each other at a certain rate, each node works on a thread so many threads
// after its injection.
class PathBalance {
 public:
  PathBalance(PieceGraph& piece, const GraphOptions& options, std::uint32_t spare)
      : piece_(piece),
        options_(options),
        fitter_(piece, options),
        places_(options.token_buffer),
        spare_(spare),
        consumers_(piece.graph.nodes.size(), 0) {
    for (const Node& node : piece.graph.nodes) {
      for (const Input& input : node.inputs) ++consumers_[input.from];
    }
  }

  void run() {
    for (double rate = 1; rate > kLeastRate; rate *= kRateStep) {
      std::vector<double> lag;
      if (!find_lags(rate, lag)) continue;
      delay(rate, lag);
      if (count_buffers(rate, lag) > spare_) continue;
      add_buffers(rate, lag);
      fitter_.renumber();
      return;
    }
  }

 private:
  static constexpr double kLeastRate = 0.02;
  static constexpr double kRateStep = 0.95;
  static constexpr double kUnknown = 1e9;

  double latency(std::uint32_t n) const {
    const Node& node = piece_.graph.nodes[n];
    const bool reads = node.kind == NodeKind::kMemory || node.kind == NodeKind::kReceiveLoad ||
                       node.kind == NodeKind::kLiveIn;
    return options_.route_latency + (reads ? options_.memory_latency : node.latency);
  }

  // As early as operands are there. False: a recurrence does not come round so fast.
  bool find_lags(double rate, std::vector<double>& lag) const {
    const auto& nodes = piece_.graph.nodes;
    lag.assign(nodes.size(), 0);
    for (std::size_t round = 0; round <= nodes.size(); ++round) {
      bool changed = false;
      for (std::size_t n = 0; n < nodes.size(); ++n) {
        for (const Input& input : nodes[n].inputs) {
          const double least = lag[input.from] + rate * latency(input.from) - input.shift;
          if (lag[n] >= least - 1e-6) continue;
          lag[n] = least;
          changed = true;
        }
      }
      if (!changed) return true;
    }
    return false;
  }

  // As late as consumers allow: tokens wait near their origin, where consumers share buffers.
  void delay(double rate, std::vector<double>& lag) const {
    const auto& nodes = piece_.graph.nodes;
    const std::vector<double> earliest = lag;
    std::vector<double> latest(nodes.size(), kUnknown);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (consumers_[n] == 0 || n == kSource) latest[n] = earliest[n];
    }
    for (std::size_t round = 0; round <= nodes.size(); ++round) {
      for (std::size_t n = nodes.size(); n-- > 0;) {
        for (const Input& input : nodes[n].inputs) {
          if (latest[n] == kUnknown) continue;
          const double most = latest[n] - rate * latency(input.from) + input.shift;
          if (input.from != kSource) latest[input.from] = std::min(latest[input.from], most);
        }
      }
    }
    for (std::size_t n = 0; n < nodes.size(); ++n)
      lag[n] = latest[n] == kUnknown ? earliest[n] : std::max(latest[n], earliest[n]);
  }

  // Tokens that an elevator has shifted belong to some threads alone, and go straight to the next.
  bool is_within_cascade(std::size_t n, const Input& input) const {
    const Node& to = piece_.graph.nodes[n];
    const Node& from = piece_.graph.nodes[input.from];
    const bool is_shifted = from.kind == NodeKind::kElevator && !from.delivers && !is_buffer(from);
    return input.shift != 0 && (!to.delivers || is_shifted);
  }

  // Buffers that an edge needs so that its tokens do not hold up their sender.
  std::int32_t buffers_for(std::size_t n, const Input& input, double rate,
                           const std::vector<double>& lag) const {
    if (is_within_cascade(n, input)) return 0;
    const double waiting = lag[n] + input.shift - lag[input.from] - rate * latency(input.from);
    return std::max(0, static_cast<std::int32_t>(std::ceil(waiting / places_ - 1e-6)) - 1);
  }

  std::uint32_t count_buffers(double rate, const std::vector<double>& lag) const {
    std::vector<std::int32_t> chains(piece_.graph.nodes.size(), 0);
    for (std::size_t n = 0; n < piece_.graph.nodes.size(); ++n) {
      for (const Input& input : piece_.graph.nodes[n].inputs)
        chains[input.from] = std::max(chains[input.from], buffers_for(n, input, rate, lag));
    }
    return static_cast<std::uint32_t>(std::accumulate(chains.begin(), chains.end(), 0));
  }

  void add_buffers(double rate, const std::vector<double>& lag) {
    const std::size_t nodes = lag.size();
    for (std::size_t n = 0; n < nodes; ++n) {
      for (std::size_t i = 0; i < piece_.graph.nodes[n].inputs.size(); ++i) {
        const Input input = piece_.graph.nodes[n].inputs[i];
        const std::int32_t stages = buffers_for(n, input, rate, lag);
        if (stages == 0) continue;
        const std::uint32_t from = fitter_.buffered(input.from, stages);
        piece_.graph.nodes[n].inputs[i].from = from;
      }
    }
  }

  PieceGraph& piece_;
  const GraphOptions& options_;
  Fitter fitter_;
  double places_;
  std::uint32_t spare_;
  std::vector<std::uint32_t> consumers_;  // by node
};

}  // namespace

void balance_paths(PieceGraph& piece, const GraphOptions& options, const UnitBudget& units) {
  const UnitBudget needed = piece.graph.units_needed();
  std::uint32_t copies = ~0u;
  for (std::size_t u = 0; u < needed.size(); ++u) {
    if (needed[u] > 0) copies = std::min(copies, units[u] / needed[u]);
  }
  if (copies == 0 || copies == ~0u) return;
  std::uint32_t spare = 0;
  for (const UnitClass unit : kBufferClasses) {
    const auto u = static_cast<std::size_t>(unit);
    spare += units[u] / copies - needed[u];
  }
  PathBalance(piece, options, spare).run();
  place_buffers(piece.graph, units);
}

void place_buffers(DataflowGraph& graph, const UnitBudget& units) {
  UnitBudget needed{};
  for (const Node& node : graph.nodes) {
    if (node.unit != UnitClass::kPort && !is_buffer(node))
      ++needed[static_cast<std::size_t>(node.unit)];
  }
  for (Node& node : graph.nodes) {
    if (!is_buffer(node)) continue;
    const auto fuller = [&](UnitClass a, UnitClass b) {
      const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
      return std::uint64_t{needed[x] + 1} * units[y] < std::uint64_t{needed[y] + 1} * units[x];
    };
    node.unit = *std::min_element(kBufferClasses.begin(), kBufferClasses.end(), fuller);
    ++needed[static_cast<std::size_t>(node.unit)];
  }
}

void fit_in_time(PieceGraph& piece, const GraphOptions& options) {
  if (piece.graph.receives == 0) return;
  Fitter(piece, options).run();
}

}  // namespace raddle::machine::cgra
