#include "machine/cgra/compile/slack_matching.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "machine/cgra/compile/graph_editor.h"
#include "machine/cgra/map/unit_pattern.h"

namespace raddle::machine::cgra {

namespace {

constexpr std::uint32_t kSource = 0;

// Units that can pass a token on as it is. The first of those that are equally free is taken.
constexpr std::array kBufferClasses{UnitClass::kSplitJoin, UnitClass::kControl, UnitClass::kAlu,
                                    UnitClass::kFpu, UnitClass::kSpecial};

bool is_buffer(const Node& node) {
  return node.kind == NodeKind::kElevator && !node.delivers && node.inputs[0].shift == 0;
}

// Units lie in these proportions, so a graph that needs them so takes the smallest part of a grid.
constexpr UnitModule kModule;
constexpr std::uint32_t kMaxCopies = 1024;

constexpr double kMinRate = 0.02;  // threads a cycle
constexpr double kRateStep = 0.95;
constexpr double kUnknown = 1e9;

// When threads follow each other at a certain rate, each node works on a thread so many threads
// after its injection.
class SlackMatching {
 public:
  SlackMatching(const PieceGraph& piece, const GraphOptions& options)
      : piece_(piece),
        options_(options),
        places_(options.token_buffer),
        consumers_(piece.graph.nodes.size(), 0),
        rate_(1 / longest_interval(piece.graph).as_double()) {
    for (const Node& node : piece.graph.nodes) {
      for (const Input& input : node.inputs) ++consumers_[input.from];
    }
  }

  // The rates that are tried, fastest first, each with the buffers it needs.
  struct Plan {
    double rate = kMinRate;
    std::vector<double> lag;  // by node; empty: no such rate is known
    std::uint32_t buffers = 0;
  };
  // The fastest with so many buffers at most.
  const Plan& plan_with(std::uint32_t spare) {
    for (std::size_t next = 0;; ++next) {
      if (next == plans_.size() && !add_plan()) return none_;
      if (plans_[next].buffers <= spare) return plans_[next];
    }
  }

  void apply(const Plan& plan, PieceGraph& piece) const {
    GraphEditor editor(piece, options_);
    for (std::size_t n = 0; n < plan.lag.size(); ++n) {
      for (std::size_t i = 0; i < piece.graph.nodes[n].inputs.size(); ++i) {
        const Input input = piece.graph.nodes[n].inputs[i];
        const std::int32_t stages = buffers_for(n, input, plan.rate, plan.lag);
        if (stages == 0) continue;
        const std::uint32_t from = editor.buffered(input.from, stages);
        piece.graph.nodes[n].inputs[i].from = from;
      }
    }
    editor.renumber();
  }

 private:
  Cycle latency(std::uint32_t n) const {
    const Node& node = piece_.graph.nodes[n];
    // What goes round a loop does not come from the cache.
    const bool reads = node.kind == NodeKind::kMemory || node.kind == NodeKind::kReceiveLoad ||
                       (node.kind == NodeKind::kLiveIn && node.loop_shift == 0);
    if (!reads) return options_.route_latency + node.latency;
    // Threads that are injected in order wait for the same line.
    const bool may_miss = piece_.graph.whole_blocks && node.kind == NodeKind::kMemory &&
                          !node.writes && node.port != MemoryPort::kShared;
    return options_.route_latency + (may_miss ? options_.miss_latency : options_.memory_latency);
  }

  // Threads that come while a token is on its way from the node to the next.
  double threads_behind(std::uint32_t n, double rate) const {
    return rate * latency(n).as_double();
  }

  // As early as operands are there. False: a recurrence does not come round so fast.
  bool find_lags(double rate, std::vector<double>& lag) const {
    const auto& nodes = piece_.graph.nodes;
    lag.assign(nodes.size(), 0);
    for (std::size_t round = 0; round <= nodes.size(); ++round) {
      bool changed = false;
      for (std::size_t n = 0; n < nodes.size(); ++n) {
        for (const Input& input : nodes[n].inputs) {
          const double least = lag[input.from] + threads_behind(input.from, rate) - input.shift;
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
    bool changed = true;
    for (std::size_t round = 0; changed && round <= nodes.size(); ++round) {
      changed = false;
      for (std::size_t n = nodes.size(); n-- > 0;) {
        for (const Input& input : nodes[n].inputs) {
          if (latest[n] == kUnknown || input.from == kSource) continue;
          const double most = latest[n] - threads_behind(input.from, rate) + input.shift;
          if (most >= latest[input.from]) continue;
          latest[input.from] = most;
          changed = true;
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

  // What goes round a loop waits in the unit's entries for accesses.
  bool is_turn(std::size_t n, const Input& input) const {
    return input.shift != 0 && piece_.graph.nodes[n].kind == NodeKind::kLiveIn;
  }

  // Buffers that an edge needs so that its tokens do not hold up their sender.
  std::int32_t buffers_for(std::size_t n, const Input& input, double rate,
                           const std::vector<double>& lag) const {
    if (is_within_cascade(n, input) || is_turn(n, input)) return 0;
    const double waiting =
        lag[n] + input.shift - lag[input.from] - threads_behind(input.from, rate);
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

  // The next slower rate at which recurrences come round. False: there is none.
  bool add_plan() {
    for (; rate_ > kMinRate; rate_ *= kRateStep) {
      Plan plan;
      plan.rate = rate_;
      if (!find_lags(rate_, plan.lag)) continue;
      delay(rate_, plan.lag);
      plan.buffers = count_buffers(rate_, plan.lag);
      plans_.push_back(std::move(plan));
      rate_ *= kRateStep;
      return true;
    }
    return false;
  }

  const PieceGraph& piece_;
  const GraphOptions& options_;
  double places_;
  std::vector<std::uint32_t> consumers_;  // by node
  double rate_;                           // that is tried next
  std::deque<Plan> plans_;
  Plan none_;
};

// What is left for buffers of each copy.
std::uint32_t spare_units(const UnitBudget& needed, const UnitBudget& units, std::uint32_t copies) {
  std::uint32_t spare = 0;
  for (const UnitClass unit : kBufferClasses) {
    const auto u = static_cast<std::size_t>(unit);
    spare += units[u] / copies - needed[u];
  }
  return spare;
}

struct Choice {
  std::uint32_t copies = 1;
  const SlackMatching::Plan* plan = nullptr;

  double threads_a_cycle() const { return copies * plan->rate; }
};

Choice choose_copies(SlackMatching& balance, const UnitBudget& needed, const UnitBudget& units,
                     std::uint32_t most) {
  Choice best{most, &balance.plan_with(spare_units(needed, units, most))};
  for (std::uint32_t copies = most; copies-- > 1;) {
    if (copies <= best.threads_a_cycle()) break;
    const Choice choice{copies, &balance.plan_with(spare_units(needed, units, copies))};
    if (choice.threads_a_cycle() > best.threads_a_cycle()) best = choice;
  }
  return best;
}

}  // namespace

std::uint32_t copies_within(const UnitBudget& needed, const UnitBudget& units) {
  std::uint32_t copies = ~0u;
  for (std::size_t u = 0; u < needed.size(); ++u) {
    if (needed[u] > 0) copies = std::min(copies, units[u] / needed[u]);
  }
  return copies;
}

CopiesAndRate balanced_copies(const PieceGraph& piece, const GraphOptions& options,
                              const UnitBudget& units, std::uint32_t most) {
  const UnitBudget needed = piece.graph.units_needed();
  const std::uint32_t fit = copies_within(needed, units);
  if (fit == 0 || fit == ~0u) return {};
  SlackMatching balance(piece, options);
  const Choice best = choose_copies(balance, needed, units, std::min(fit, most));
  return {best.copies, best.plan->rate};
}

void match_slack(PieceGraph& piece, const GraphOptions& options, const UnitBudget& units,
                 std::uint32_t most) {
  const UnitBudget needed = piece.graph.units_needed();
  const std::uint32_t fit = copies_within(needed, units);
  if (fit == 0 || fit == ~0u) return;
  const PieceGraph before = piece;
  SlackMatching balance(before, options);
  balance.apply(*choose_copies(balance, needed, units, std::min(fit, most)).plan, piece);
  place_buffers(piece.graph, units, most);
}

void place_buffers(DataflowGraph& graph, const UnitBudget& units, std::uint32_t most) {
  UnitBudget needed{};
  std::uint32_t buffers = 0;
  for (const Node& node : graph.nodes) {
    if (is_buffer(node)) {
      ++buffers;
    } else if (node.unit != UnitClass::kPort) {
      ++needed[static_cast<std::size_t>(node.unit)];
    }
  }
  if (buffers == 0) return;
  // As many copies as the buffers leave room for.
  std::uint32_t copies = std::min({copies_within(needed, units), most, kMaxCopies});
  while (copies > 1 && spare_units(needed, units, copies) < buffers) --copies;
  copies = std::max(copies, 1u);
  for (Node& node : graph.nodes) {
    if (!is_buffer(node)) continue;
    const auto has_room = [&](std::size_t u) { return (needed[u] + 1) * copies <= units[u]; };
    const auto goes_before = [&](UnitClass a, UnitClass b) {
      const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
      if (has_room(x) != has_room(y)) return has_room(x);
      return (needed[x] + 1) * kModule.units[y] < (needed[y] + 1) * kModule.units[x];
    };
    node.unit = *std::min_element(kBufferClasses.begin(), kBufferClasses.end(), goes_before);
    ++needed[static_cast<std::size_t>(node.unit)];
  }
}

}  // namespace raddle::machine::cgra
