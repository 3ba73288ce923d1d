#include "machine/cgra/map/placement.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "base/error.h"
#include "base/splitmix64.h"
#include "base/stop_token.h"
#include "machine/cgra/compile/graph_paths.h"

namespace raddle::machine::cgra {

namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return next_splitmix64(state_); }
  std::uint32_t below(std::uint32_t limit) {
    return static_cast<std::uint32_t>(((next() >> 32) * limit) >> 32);
  }
  // Exponentially distributed with base 2 and a mean of about 1.5, in 1/65536: -log2 of a random
  // number, where the logarithm of the mantissa is taken as linear.
  std::uint64_t exponential() {
    const std::uint64_t bits = next() | 1;
    const auto zeros = static_cast<std::uint64_t>(std::countl_zero(bits));
    const std::uint64_t mantissa = (bits << zeros) >> 47 & 0xffff;
    return ((zeros + 1) << 16) - mantissa;
  }

 private:
  std::uint64_t state_;
};

constexpr std::size_t kSourceSlots = kUnitClasses;  // after the classes of units
constexpr std::size_t kExitSlots = kUnitClasses + 1;
constexpr std::size_t kSlotKinds = kUnitClasses + 2;
constexpr std::int64_t kWeight = 16;  // of a link of an edge with all the time in the world
constexpr std::uint32_t kEmpty = ~0u;
constexpr std::uint32_t kMovesBetweenLooks = 1024;

std::size_t slot_kind(const Node& node) {
  if (node.unit != UnitClass::kPort) return static_cast<std::size_t>(node.unit);
  return node.kind == NodeKind::kSource ? kSourceSlots : kExitSlots;
}

// A place for one node.
struct Slot {
  std::uint32_t vertex = 0;
  std::uint32_t place = 0;  // unit or port
  std::uint32_t first_neighbour = 0;
  std::uint32_t neighbours = 0;
};

class Annealer {
 public:
  Annealer(const DataflowGraph& graph, std::uint32_t copies, const Grid& grid, const SubGrid& part,
           const Distances& distances)
      : graph_(graph),
        grid_(grid),
        distances_(distances),
        paths_(graph),
        random_(grid.parameters().seed),
        nodes_(static_cast<std::uint32_t>(graph.nodes.size())),
        copies_(copies) {
    make_slots(part);
    place_first();
    make_edges();
  }

  Placement run() {
    weigh_edges();
    const std::uint32_t moves = moves_at_a_temperature();
    std::uint64_t temperature = first_temperature();
    // A step of one link backwards is then taken once in a thousand times.
    constexpr std::uint64_t kColdest = static_cast<std::uint64_t>(kWeight) * 256 / 10;
    while (temperature > kColdest) {
      weigh_edges();
      const std::uint32_t accepted = anneal(moves, temperature);
      cool(temperature, accepted * 100 / moves);
    }
    reach_ = 256;
    weigh_edges();
    for (int pass = 0; pass < 20 && improve(); ++pass) {
    }
    return result();
  }

 private:
  // About the 4/3 power of the number of nodes, as FPGA placers take.
  std::uint32_t moves_at_a_temperature() const {
    const std::uint64_t elements = slot_of_.size();
    std::uint64_t power = 1;
    while (power * power * power < elements * elements * elements * elements) ++power;
    return static_cast<std::uint32_t>(
        std::max<std::uint64_t>(power * 3 * grid_.parameters().effort / 100, 1));
  }

  void make_slots(const SubGrid& part) {
    std::array<std::uint32_t, kSlotKinds> wanted{};
    for (const Node& node : graph_.nodes) wanted[slot_kind(node)] += copies_;
    const auto ports = static_cast<std::uint32_t>(part.ports.size());
    for (std::size_t kind = 0; kind < kSlotKinds; ++kind) {
      first_slot_[kind] = static_cast<std::uint32_t>(slots_.size());
      if (kind < kUnitClasses) {
        for (const std::uint32_t unit : part.units[kind])
          slots_.push_back({.vertex = grid_.units()[unit].tile, .place = unit});
      } else {
        for (std::uint32_t i = 0; i < (wanted[kind] + ports - 1) / ports; ++i) {
          for (const std::uint32_t port : part.ports)
            slots_.push_back({.vertex = grid_.tiles() + port, .place = port});
        }
      }
      RADDLE_ASSERT(slots_.size() - first_slot_[kind] >= wanted[kind]);
    }
    first_slot_[kSlotKinds] = static_cast<std::uint32_t>(slots_.size());
    occupant_.assign(slots_.size(), kEmpty);
    for (std::size_t kind = 0; kind < kSlotKinds; ++kind) {
      for (std::uint32_t slot = first_slot_[kind]; slot < first_slot_[kind + 1]; ++slot)
        list_neighbours(kind, slot);
    }
  }

  // All other slots of the kind, nearest first.
  void list_neighbours(std::size_t kind, std::uint32_t slot) {
    slots_[slot].first_neighbour = static_cast<std::uint32_t>(neighbours_.size());
    for (std::uint32_t other = first_slot_[kind]; other < first_slot_[kind + 1]; ++other) {
      if (other != slot) neighbours_.push_back(other);
    }
    slots_[slot].neighbours =
        static_cast<std::uint32_t>(neighbours_.size()) - slots_[slot].first_neighbour;
    std::stable_sort(neighbours_.begin() + slots_[slot].first_neighbour, neighbours_.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                       return distance(slots_[slot].vertex, slots_[a].vertex) <
                              distance(slots_[slot].vertex, slots_[b].vertex);
                     });
  }

  void place_first() {
    auto next = first_slot_;
    slot_of_.reserve(std::size_t{nodes_} * copies_);
    for (std::uint32_t copy = 0; copy < copies_; ++copy) {
      for (const Node& node : graph_.nodes) {
        const std::uint32_t slot = next[slot_kind(node)]++;
        occupant_[slot] = static_cast<std::uint32_t>(slot_of_.size());
        slot_of_.push_back(slot);
      }
    }
    for (const std::uint32_t slot : slot_of_) vertex_of_.push_back(slots_[slot].vertex);
  }

  // Every edge twice: with the element at either end.
  struct Neighbour {
    std::uint32_t element;
    std::uint32_t edge;  // over all copies
  };

  void make_edges() {
    const auto edges = paths_.edges();
    const std::size_t elements = slot_of_.size();
    first_edge_.assign(elements + 1, 0);
    weight_.assign(edges.size() * copies_, kWeight);
    hops_.resize(edges.size());
    for (const bool counting : {true, false}) {
      std::vector<std::uint32_t> fill(first_edge_.begin(), first_edge_.end() - 1);
      for (std::uint32_t copy = 0; copy < copies_; ++copy) {
        for (std::uint32_t i = 0; i < edges.size(); ++i) {
          const std::uint32_t from = copy * nodes_ + edges[i].from;
          const std::uint32_t to = copy * nodes_ + edges[i].to;
          if (from == to) continue;  // its length is what it is
          const auto edge = static_cast<std::uint32_t>(copy * edges.size() + i);
          if (counting) {
            ++first_edge_[from + 1];
            ++first_edge_[to + 1];
          } else {
            adjacent_[fill[from]++] = {to, edge};
            adjacent_[fill[to]++] = {from, edge};
          }
        }
      }
      if (!counting) break;
      for (std::size_t i = 0; i < elements; ++i) first_edge_[i + 1] += first_edge_[i];
      adjacent_.resize(first_edge_.back());
    }
  }

  // Edges on the longest path weigh twice as much as those that could be longer without harm, those
  // in between grow with the square of their share of it.
  void weigh_edges() {
    const auto edges = paths_.edges();
    for (std::uint32_t copy = 0; copy < copies_; ++copy) {
      for (std::size_t i = 0; i < edges.size(); ++i) {
        hops_[i] = distance(vertex_of_[copy * nodes_ + edges[i].from],
                            vertex_of_[copy * nodes_ + edges[i].to]);
      }
      const Cycle path = std::max(Cycle(1), paths_.longest(hops_, grid_.parameters().hop_cycles));
      const auto longest = static_cast<std::int64_t>(path.count());
      for (std::size_t i = 0; i < edges.size(); ++i) {
        const auto used = static_cast<std::int64_t>((path - paths_.slack(i)).count());
        std::int64_t& weight = weight_[copy * edges.size() + i];
        weight = edges[i].recurrent ? kWeight * kRecurrenceWeight
                                    : kWeight + kWeight * used * used / (longest * longest);
      }
    }
  }

  std::uint32_t distance(std::uint32_t from, std::uint32_t to) const {
    return distances_.between(from, to);
  }

  // What it costs more when the element is at `vertex`, not counting edges to `partner`: it moves
  // the other way, and their distance stays.
  std::int64_t cost_of_moving(std::uint32_t element, std::uint32_t vertex,
                              std::uint32_t partner) const {
    const std::uint32_t here = vertex_of_[element];
    std::int64_t cost = 0;
    for (std::uint32_t i = first_edge_[element]; i < first_edge_[element + 1]; ++i) {
      const Neighbour& neighbour = adjacent_[i];
      if (neighbour.element == partner) continue;
      const std::uint32_t there = vertex_of_[neighbour.element];
      cost += weight_[neighbour.edge] *
              (std::int64_t{distance(vertex, there)} - std::int64_t{distance(here, there)});
    }
    return cost;
  }

  struct Move {
    std::uint32_t element = 0;
    std::uint32_t slot = 0;
    std::int64_t cost = 0;
  };

  std::int64_t cost_of(std::uint32_t element, std::uint32_t slot) const {
    const std::uint32_t other = occupant_[slot];
    std::int64_t cost = cost_of_moving(element, slots_[slot].vertex, other);
    if (other != kEmpty) cost += cost_of_moving(other, vertex_of_[element], element);
    return cost;
  }

  // To an empty or a taken slot among the nearest of its kind; false where there is no other.
  bool draw(Move& move) {
    move.element = random_.below(static_cast<std::uint32_t>(slot_of_.size()));
    const Slot& here = slots_[slot_of_[move.element]];
    if (here.neighbours == 0) return false;
    const std::uint32_t reachable =
        std::max(std::min(here.neighbours, 3u), here.neighbours * reach_ / 256);
    move.slot = neighbours_[here.first_neighbour + random_.below(reachable)];
    move.cost = cost_of(move.element, move.slot);
    return true;
  }

  void make(const Move& move) {
    const std::uint32_t from = slot_of_[move.element];
    const std::uint32_t other = occupant_[move.slot];
    occupant_[from] = other;
    occupant_[move.slot] = move.element;
    slot_of_[move.element] = move.slot;
    vertex_of_[move.element] = slots_[move.slot].vertex;
    if (other == kEmpty) return;
    slot_of_[other] = from;
    vertex_of_[other] = slots_[from].vertex;
  }

  // In 1/256 of a cost. Hot enough that nearly every move is taken.
  std::uint64_t first_temperature() {
    std::uint64_t sum = 0;
    const std::size_t tries = slot_of_.size() * 2;
    Move move;
    reach_ = 256;
    for (std::size_t i = 0; i < tries; ++i) {
      if (!draw(move)) continue;
      sum += static_cast<std::uint64_t>(std::abs(move.cost));
      make(move);
    }
    return sum * 4 * 256 / tries + 1;
  }

  std::uint32_t anneal(std::uint32_t moves, std::uint64_t temperature) {
    std::uint32_t accepted = 0;
    Move move;
    for (std::uint32_t i = 0; i < moves; ++i) {
      if (i % kMovesBetweenLooks == 0) throw_if_stopped("placing");
      if (!draw(move)) continue;
      if (move.cost > 0 &&
          static_cast<std::uint64_t>(move.cost) << 24 > temperature * random_.exponential())
        continue;
      make(move);
      ++accepted;
    }
    return accepted;
  }

  // Betz and Rose's schedule: slowest where a little less than half of all moves are taken, and
  // moves as far as keeps it so.
  void cool(std::uint64_t& temperature, std::uint32_t percent) {
    const std::uint64_t keep = percent > 96 ? 50 : percent > 80 ? 90 : percent > 15 ? 95 : 80;
    temperature = temperature * keep / 100;
    reach_ = std::clamp(reach_ * (56 + percent) / 100, 1u, 256u);
  }

  // The best move of every node in turn; false when there was none.
  bool improve() {
    bool improved = false;
    for (std::uint32_t element = 0; element < slot_of_.size(); ++element) {
      const Slot& here = slots_[slot_of_[element]];
      Move best;
      for (std::uint32_t i = 0; i < here.neighbours; ++i) {
        const std::uint32_t slot = neighbours_[here.first_neighbour + i];
        const std::int64_t cost = cost_of(element, slot);
        if (cost < best.cost) best = {element, slot, cost};
      }
      if (best.cost == 0) continue;
      make(best);
      improved = true;
    }
    return improved;
  }

  Placement result() const {
    Placement placement(copies_);
    for (std::uint32_t copy = 0; copy < copies_; ++copy) {
      for (std::uint32_t node = 0; node < nodes_; ++node)
        placement[copy].push_back(slots_[slot_of_[copy * nodes_ + node]].place);
    }
    return placement;
  }

  const DataflowGraph& graph_;
  const Grid& grid_;
  const Distances& distances_;
  GraphPaths paths_;
  Random random_;
  std::uint32_t nodes_;
  std::uint32_t copies_;

  std::vector<Slot> slots_;  // by kind
  std::array<std::uint32_t, kSlotKinds + 1> first_slot_{};
  std::vector<std::uint32_t> neighbours_;
  std::vector<std::uint32_t> occupant_;   // by slot
  std::vector<std::uint32_t> slot_of_;    // by element: copy and node
  std::vector<std::uint32_t> vertex_of_;  // by element
  std::vector<Neighbour> adjacent_;
  std::vector<std::uint32_t> first_edge_;
  std::vector<std::int64_t> weight_;  // by copy and edge
  std::vector<std::uint32_t> hops_;   // by edge, of one copy at a time
  std::uint32_t reach_ = 256;         // of a move, in 1/256 of the slots of its kind
};

}  // namespace

Placement place(const DataflowGraph& graph, std::uint32_t copies, const Grid& grid,
                const SubGrid& part, const Distances& distances) {
  return Annealer(graph, copies, grid, part, distances).run();
}

}  // namespace raddle::machine::cgra
