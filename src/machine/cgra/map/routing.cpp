#include "machine/cgra/map/routing.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "base/stop_token.h"

namespace raddle::machine::cgra {

namespace {

// A hop costs so much more than taking another track: tokens go a shortest way and of those the
// one that shares most links with the rest of its net.
constexpr std::uint64_t kHopCost = 1024;
constexpr std::uint64_t kTrackCost = 1;
constexpr int kMaxRounds = 60;
constexpr int kPatience = 15;  // rounds without a new least number of conflicts
constexpr std::uint32_t kNone = ~0u;

struct Sink {
  std::uint32_t vertex = 0;
  std::uint32_t distance = 0;
};

struct Net {
  std::uint32_t source = 0;         // vertex
  std::vector<Sink> sinks;          // nearest first, each vertex once
  std::vector<std::uint32_t> tree;  // links
};

class Router {
 public:
  Router(const Grid& grid, const SubGrid& part, const Distances& distances, std::uint32_t tracks)
      : grid_(grid),
        distances_(distances),
        tracks_(tracks),
        usage_(grid.links().size()),
        history_(grid.links().size()),
        inside_(grid.vertices()),
        depth_(grid.vertices(), kNone),
        cost_(grid.vertices()),
        came_by_(grid.vertices()) {
    for (std::uint32_t vertex = 0; vertex < grid.vertices(); ++vertex)
      inside_[vertex] = part.has_vertex(grid, vertex);
  }

  void route_all(std::vector<Net>& nets) {
    std::size_t fewest = grid_.links().size() + 1;
    int since = 0;
    for (int round = 0; round < kMaxRounds && since < kPatience; ++round, ++since) {
      for (Net& net : nets) {
        if (round > 0 && !in_conflict(net)) continue;
        throw_if_stopped("routing");
        for (const std::uint32_t link : net.tree) --usage_[link];
        grow(net);
        for (const std::uint32_t link : net.tree) ++usage_[link];
      }
      const std::size_t conflicts = count_conflicts();
      undisturbed_ = round == 0;
      if (conflicts == 0) return;
      if (conflicts < fewest) {
        fewest = conflicts;
        since = 0;
      }
      pressure_ = round == 0 ? kHopCost / 2 : std::min(pressure_ * 3 / 2, kHopCost * 1024);
    }
    undisturbed_ = false;
  }

  bool undisturbed() const { return undisturbed_; }

  std::vector<CongestedLink> congested() const {
    std::vector<CongestedLink> links;
    for (std::uint32_t link = 0; link < usage_.size(); ++link) {
      if (usage_[link] > tracks_) links.push_back({link, usage_[link]});
    }
    return links;
  }

  std::uint64_t links_used() const {
    std::uint64_t sum = 0;
    for (const std::uint32_t usage : usage_) sum += usage;
    return sum;
  }

 private:
  bool in_conflict(const Net& net) const {
    return std::any_of(net.tree.begin(), net.tree.end(),
                       [this](std::uint32_t link) { return usage_[link] > tracks_; });
  }

  std::size_t count_conflicts() {
    std::size_t conflicts = 0;
    for (std::size_t link = 0; link < usage_.size(); ++link) {
      if (usage_[link] <= tracks_) continue;
      conflicts += usage_[link] - tracks_;
      history_[link] += kHopCost / 4 * (usage_[link] - tracks_);
    }
    return conflicts;
  }

  std::uint64_t cost_of(std::uint32_t link) const {
    const std::uint64_t wanted = usage_[link] + 1;
    const std::uint64_t over = wanted > tracks_ ? wanted - tracks_ : 0;
    return kHopCost + kTrackCost + history_[link] + pressure_ * over;
  }

  void grow(Net& net) {
    net.tree.clear();
    depth_[net.source] = 0;
    on_tree_.assign(1, net.source);
    for (const Sink& sink : net.sinks) connect(net, sink.vertex);
    for (const std::uint32_t vertex : on_tree_) depth_[vertex] = kNone;
  }

  struct Candidate {
    std::uint64_t estimate;  // of the whole way
    std::uint32_t vertex;
    std::uint64_t cost;
    auto operator<=>(const Candidate&) const = default;
  };

  // Dijkstra's search, directed towards the sink (A*), from all of the net's tree. Starting deeper
  // in the tree costs the hops that lead there.
  void connect(Net& net, std::uint32_t sink) {
    if (depth_[sink] != kNone) return;
    std::fill(cost_.begin(), cost_.end(), ~std::uint64_t{0});
    heap_.clear();
    const auto push = [&](std::uint32_t vertex, std::uint64_t cost) {
      cost_[vertex] = cost;
      heap_.push_back({cost + kHopCost * distances_.between(vertex, sink), vertex, cost});
      std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    };
    for (const std::uint32_t vertex : on_tree_) {
      came_by_[vertex] = kNone;
      if (!grid_.is_port(vertex) || vertex == net.source) push(vertex, kHopCost * depth_[vertex]);
    }
    while (true) {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      const Candidate here = heap_.back();
      heap_.pop_back();
      if (here.vertex == sink) break;
      if (here.cost != cost_[here.vertex]) continue;  // a dearer way to a vertex seen before
      const std::uint32_t end = grid_.first_link(here.vertex + 1);
      for (std::uint32_t link = grid_.first_link(here.vertex); link < end; ++link) {
        const std::uint32_t to = grid_.links()[link].to;
        if (!inside_[to] || depth_[to] != kNone || (grid_.is_port(to) && to != sink)) continue;
        const std::uint64_t cost = here.cost + cost_of(link);
        if (cost >= cost_[to]) continue;
        came_by_[to] = link;
        push(to, cost);
      }
    }
    add_branch(net, sink);
  }

  void add_branch(Net& net, std::uint32_t sink) {
    const std::size_t first = net.tree.size();
    for (std::uint32_t vertex = sink; came_by_[vertex] != kNone;
         vertex = grid_.links()[came_by_[vertex]].from)
      net.tree.push_back(came_by_[vertex]);
    for (std::size_t i = net.tree.size(); i-- > first;) {
      const Link& link = grid_.links()[net.tree[i]];
      depth_[link.to] = depth_[link.from] + 1;
      on_tree_.push_back(link.to);
    }
  }

  const Grid& grid_;
  const Distances& distances_;
  std::uint32_t tracks_;
  std::vector<std::uint32_t> usage_;    // by link: nets
  std::vector<std::uint64_t> history_;  // by link: what earlier conflicts added to its cost
  std::uint64_t pressure_ = 0;          // cost of a conflict now
  bool undisturbed_ = false;
  std::vector<bool> inside_;  // by vertex

  // Of the net at hand.
  std::vector<std::uint32_t> on_tree_;
  std::vector<std::uint32_t> depth_;  // by vertex: hops from the source; kNone: not on the tree

  // Of the search at hand.
  std::vector<std::uint64_t> cost_;
  std::vector<std::uint32_t> came_by_;  // by vertex: link
  std::vector<Candidate> heap_;
};

std::vector<Net> nets_of(const DataflowGraph& graph, const Placement& placement, const Grid& grid,
                         const Distances& distances) {
  std::vector<Net> nets;
  for (const auto& copy : placement) {
    const std::size_t first = nets.size();
    const auto vertex_of = [&](std::size_t node) {
      return grid.vertex_of(graph.nodes[node].unit, copy[node]);
    };
    for (std::size_t node = 0; node < graph.nodes.size(); ++node)
      nets.push_back({.source = vertex_of(node), .sinks = {}, .tree = {}});
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
      for (const Input& input : graph.nodes[node].inputs) {
        Net& net = nets[first + input.from];
        const std::uint32_t vertex = vertex_of(node);
        if (vertex == net.source) continue;
        net.sinks.push_back({vertex, distances.between(net.source, vertex)});
      }
    }
  }
  for (Net& net : nets) {
    std::sort(net.sinks.begin(), net.sinks.end(), [](const Sink& a, const Sink& b) {
      return std::pair(a.distance, a.vertex) < std::pair(b.distance, b.vertex);
    });
    const auto same = [](const Sink& a, const Sink& b) { return a.vertex == b.vertex; };
    net.sinks.erase(std::unique(net.sinks.begin(), net.sinks.end(), same), net.sinks.end());
  }
  return nets;
}

// The way from the net's source to every vertex that takes its tokens.
void trace_paths(const DataflowGraph& graph, const Placement& placement, const Grid& grid,
                 std::span<const Net> nets, Routing& routing) {
  const std::size_t nodes = graph.nodes.size();
  std::vector<std::uint32_t> came_by(grid.vertices(), kNone);
  routing.paths.resize(placement.size());
  for (std::size_t copy = 0; copy < placement.size(); ++copy) {
    auto& paths = routing.paths[copy];
    paths.resize(nodes);
    for (std::size_t node = 0; node < nodes; ++node)
      paths[node].resize(graph.nodes[node].inputs.size());
    for (std::uint32_t from = 0; from < nodes; ++from) {
      const Net& net = nets[copy * nodes + from];
      for (const std::uint32_t link : net.tree) came_by[grid.links()[link].to] = link;
      for (std::size_t node = 0; node < nodes; ++node) {
        for (std::size_t input = 0; input < paths[node].size(); ++input) {
          if (graph.nodes[node].inputs[input].from != from) continue;
          Path& path = paths[node][input];
          std::uint32_t vertex = grid.vertex_of(graph.nodes[node].unit, placement[copy][node]);
          for (; vertex != net.source; vertex = grid.links()[came_by[vertex]].from)
            path.push_back(came_by[vertex]);
          std::reverse(path.begin(), path.end());
        }
      }
    }
  }
}

}  // namespace

Routing route(const DataflowGraph& graph, const Placement& placement, const Grid& grid,
              const SubGrid& part, const Distances& distances, std::uint32_t tracks) {
  std::vector<Net> nets = nets_of(graph, placement, grid, distances);
  Router router(grid, part, distances, tracks);
  router.route_all(nets);
  Routing routing{.paths = {},
                  .links_used = router.links_used(),
                  .undisturbed = router.undisturbed(),
                  .congested = router.congested()};
  if (routing.congested.empty()) trace_paths(graph, placement, grid, nets, routing);
  return routing;
}

}  // namespace raddle::machine::cgra
