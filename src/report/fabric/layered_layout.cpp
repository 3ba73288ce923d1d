#include "report/fabric/layered_layout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"

namespace raddle::report {

namespace {

constexpr int kOrderSweeps = 24;
constexpr int kPlaceSweeps = 30;
constexpr int kStraightSweeps = 6;
constexpr double kStraightWeight = 20;
constexpr double kBendWidth = 8;     // of an edge that passes a layer
constexpr double kStraightness = 4;  // how much more edges between bends want to be straight

// A box, or the bend of a bundle in a layer between its ends.
struct Item {
  double width = 0;
  std::size_t layer = 0;
  std::size_t place = 0;  // within the layer
  double x = 0;           // centre
  bool bend = false;
  std::vector<std::size_t> above;
  std::vector<std::size_t> below;
};

class Layouter {
 public:
  explicit Layouter(const LayeredGraph& graph) : graph_(graph) {
    choose_layers();
    move_towards_receivers();
    make_items();
    order_layers();
    place_items();
  }

  LayeredLayout result() const {
    LayeredLayout layout;
    std::vector<double> height(layers_.size());
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      height[layer_[i]] = std::max(height[layer_[i]], graph_.nodes[i].height);
    std::vector<double> middle(layers_.size());
    double y = 0;
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
      middle[layer] = y + height[layer] / 2;
      y += height[layer] + graph_.layer_gap;
    }
    layout.height = layers_.empty() ? 0 : y - graph_.layer_gap;
    double left = 0, right = 0;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      left = i == 0 ? items_[i].x - items_[i].width / 2
                    : std::min(left, items_[i].x - items_[i].width / 2);
      right = i == 0 ? items_[i].x + items_[i].width / 2
                     : std::max(right, items_[i].x + items_[i].width / 2);
    }
    layout.width = right - left;
    const auto point_of = [&](std::size_t item) {
      return Point{items_[item].x - left, middle[items_[item].layer]};
    };
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) layout.centres.push_back(point_of(i));
    std::vector<bool> passed(items_.size());  // bends that an earlier edge goes through
    for (std::size_t edge = 0; edge < graph_.edges.size(); ++edge) {
      const LayeredEdge& ends = graph_.edges[edge];
      const Point from = layout.centres[ends.from];
      const Point to = layout.centres[ends.to];
      std::vector<Point> line{{from.x, from.y + graph_.nodes[ends.from].height / 2}};
      std::size_t shared = 0;
      for (const std::size_t bend : bends_[edge]) {
        if (passed[bend]) shared = line.size() + 2;
        passed[bend] = true;
        // Straight past the boxes of the layer.
        const Point passing = point_of(bend);
        const double half = height[items_[bend].layer] / 2;
        line.push_back({passing.x, passing.y - half});
        line.push_back({passing.x, passing.y + half});
      }
      line.push_back({to.x, to.y - graph_.nodes[ends.to].height / 2});
      layout.lines.push_back(std::move(line));
      layout.shared.push_back(shared);
    }
    return layout;
  }

 private:
  // By node: edges on the longest way down from it.
  std::vector<std::size_t> edges_below(const std::vector<std::vector<std::size_t>>& receivers,
                                       std::vector<std::size_t> missing) const {
    const std::size_t nodes = graph_.nodes.size();
    std::vector<std::size_t> order;  // senders before receivers
    for (std::size_t i = 0; i < nodes; ++i) {
      if (missing[i] == 0) order.push_back(i);
    }
    for (std::size_t next = 0; next < order.size(); ++next) {
      for (const std::size_t to : receivers[order[next]]) {
        if (--missing[to] == 0) order.push_back(to);
      }
    }
    RADDLE_ASSERT(order.size() == nodes);
    std::vector<std::size_t> below(nodes);
    for (std::size_t i = nodes; i-- > 0;) {
      for (const std::size_t to : receivers[order[i]])
        below[order[i]] = std::max(below[order[i]], below[to] + 1);
    }
    return below;
  }

  // As a list scheduler does: every layer takes the nodes that are ready and have most below them.
  void choose_layers() {
    const std::size_t nodes = graph_.nodes.size();
    std::vector<std::vector<std::size_t>> receivers(nodes);
    std::vector<std::size_t> missing(nodes);
    for (const LayeredEdge& edge : graph_.edges) {
      receivers[edge.from].push_back(edge.to);
      ++missing[edge.to];
    }
    const std::vector<std::size_t> below = edges_below(receivers, missing);
    layer_.assign(nodes, 0);
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < nodes; ++i) {
      if (missing[i] == 0) ready.push_back(i);
    }
    for (std::size_t layer = 0; !ready.empty(); ++layer) {
      std::stable_sort(ready.begin(), ready.end(),
                       [&](std::size_t a, std::size_t b) { return below[a] > below[b]; });
      const std::size_t taken = std::min<std::size_t>(ready.size(), graph_.most_in_layer);
      const auto end = ready.begin() + static_cast<std::ptrdiff_t>(taken);
      const std::vector<std::size_t> now(ready.begin(), end);
      ready.erase(ready.begin(), end);
      for (const std::size_t node : now) {
        layer_[node] = layer;
        for (const std::size_t to : receivers[node]) {
          if (--missing[to] == 0) ready.push_back(to);
        }
      }
      layers_.resize(layer + 1);
    }
  }

  // Down to above the first receiver, where that shortens more lines than it lengthens.
  void move_towards_receivers() {
    std::vector<std::size_t> in_layer(layers_.size());
    for (const std::size_t layer : layer_) ++in_layer[layer];
    for (int pass = 0; pass < 4; ++pass) {
      for (std::size_t node = graph_.nodes.size(); node-- > 0;) {
        const std::size_t lowest = lowest_layer(node);
        if (lowest <= layer_[node] || lines_shortened(node, lowest) <= 0) continue;
        std::size_t target = lowest;
        while (target > layer_[node] && in_layer[target] >= graph_.most_in_layer) --target;
        --in_layer[layer_[node]];
        ++in_layer[target];
        layer_[node] = target;
      }
    }
  }

  // Where the node still lies above its receivers; its own where it has none.
  std::size_t lowest_layer(std::size_t node) const {
    std::size_t lowest = layers_.size();
    for (const LayeredEdge& edge : graph_.edges) {
      if (edge.from == node) lowest = std::min(lowest, layer_[edge.to] - 1);
    }
    return lowest == layers_.size() ? layer_[node] : lowest;
  }

  // By moving the node down. A bundle that goes down so far anyway becomes no longer.
  std::ptrdiff_t lines_shortened(std::size_t node, std::size_t layer) const {
    std::set<std::uint32_t> leaving;
    std::set<std::uint32_t> lengthened;
    for (const LayeredEdge& edge : graph_.edges) {
      if (edge.from == node) leaving.insert(edge.bundle);
      if (edge.to == node) lengthened.insert(edge.bundle);
    }
    for (const LayeredEdge& edge : graph_.edges) {
      if (edge.to != node && layer_[edge.to] >= layer) lengthened.erase(edge.bundle);
    }
    return static_cast<std::ptrdiff_t>(leaving.size()) -
           static_cast<std::ptrdiff_t>(lengthened.size());
  }

  void connect(std::size_t upper, std::size_t lower) {
    items_[upper].below.push_back(lower);
    items_[lower].above.push_back(upper);
  }

  void make_items() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      Item& item = items_.emplace_back();
      item.width = graph_.nodes[i].width;
      item.layer = layer_[i];
    }
    std::map<std::pair<std::uint32_t, std::size_t>, std::size_t> bends;  // by bundle and layer
    bends_.resize(graph_.edges.size());
    for (std::size_t edge = 0; edge < graph_.edges.size(); ++edge) {
      const LayeredEdge& ends = graph_.edges[edge];
      std::size_t last = ends.from;
      for (std::size_t layer = layer_[ends.from] + 1; layer < layer_[ends.to]; ++layer) {
        const auto [known, fresh] = bends.try_emplace({ends.bundle, layer}, items_.size());
        if (fresh) {
          Item& item = items_.emplace_back();
          item.width = kBendWidth;
          item.layer = layer;
          item.bend = true;
          connect(last, known->second);
        }
        last = known->second;
        bends_[edge].push_back(last);
      }
      connect(last, ends.to);
    }
    // To begin with, lines pass in the middle of a layer.
    for (std::size_t i = 0; i < items_.size(); ++i) {
      auto& layer = layers_[items_[i].layer];
      const std::size_t place = items_[i].bend ? layer.size() / 2 : layer.size();
      layer.insert(layer.begin() + static_cast<std::ptrdiff_t>(place), i);
    }
    for (const auto& layer : layers_) number(layer);
  }

  std::size_t crossings() const {
    std::size_t count = 0;
    std::vector<std::pair<std::size_t, std::size_t>> lines;
    for (const auto& layer : layers_) {
      lines.clear();
      for (const std::size_t item : layer) {
        for (const std::size_t below : items_[item].below)
          lines.emplace_back(items_[item].place, items_[below].place);
      }
      for (std::size_t a = 0; a < lines.size(); ++a) {
        for (std::size_t b = a + 1; b < lines.size(); ++b) {
          if ((lines[a].first < lines[b].first && lines[a].second > lines[b].second) ||
              (lines[a].first > lines[b].first && lines[a].second < lines[b].second))
            ++count;
        }
      }
    }
    return count;
  }

  // Sorts layer after layer by the mean place of neighbours, down and up; keeps the best.
  void order_layers() {
    auto best = layers_;
    std::size_t fewest = crossings();
    for (int sweep = 0; sweep < kOrderSweeps && fewest > 0; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (std::size_t i = 1; i < layers_.size(); ++i)
        sort_layer(layers_[down ? i : layers_.size() - 1 - i], down);
      const std::size_t now = crossings();
      if (now >= fewest) continue;
      fewest = now;
      best = layers_;
    }
    layers_ = std::move(best);
    for (const auto& layer : layers_) number(layer);
  }

  void number(const std::vector<std::size_t>& layer) {
    for (std::size_t place = 0; place < layer.size(); ++place) items_[layer[place]].place = place;
  }

  void sort_layer(std::vector<std::size_t>& layer, bool by_above) {
    std::vector<std::pair<double, std::size_t>> keys;
    for (const std::size_t item : layer) {
      const auto& neighbours = by_above ? items_[item].above : items_[item].below;
      double sum = 0;
      for (const std::size_t neighbour : neighbours)
        sum += static_cast<double>(items_[neighbour].place);
      keys.emplace_back(neighbours.empty() ? static_cast<double>(items_[item].place)
                                           : sum / static_cast<double>(neighbours.size()),
                        item);
    }
    std::stable_sort(keys.begin(), keys.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < layer.size(); ++i) layer[i] = keys[i].second;
    number(layer);
  }

  double separation(std::size_t left, std::size_t right) const {
    const double gap =
        items_[left].bend || items_[right].bend ? graph_.node_gap / 2 : graph_.node_gap;
    return (items_[left].width + items_[right].width) / 2 + gap;
  }

  void place_items() {
    for (const auto& layer : layers_) {
      double x = 0;
      for (std::size_t i = 0; i < layer.size(); ++i) {
        if (i > 0) x += separation(layer[i - 1], layer[i]);
        items_[layer[i]].x = x;
      }
      for (const std::size_t item : layer) items_[item].x -= x / 2;
    }
    for (int sweep = 0; sweep < kPlaceSweeps; ++sweep) {
      for (std::size_t i = 0; i < layers_.size(); ++i)
        settle(layers_[sweep % 2 == 0 ? i : layers_.size() - 1 - i]);
    }
    // Lines that have found their place then fall straight down, and turn once at the end.
    straight_ = true;
    for (int sweep = 0; sweep < kStraightSweeps; ++sweep) {
      for (const auto& layer : layers_) settle(layer);
    }
  }

  // Every item as near to the mean of its neighbours as the others of the layer let it: least
  // squares under an order, by pooling those that would overlap.
  void settle(const std::vector<std::size_t>& layer) {
    struct Pool {
      double sum = 0;
      double weight = 0;
      std::size_t items = 0;
      double mean() const { return sum / weight; }
    };
    std::vector<Pool> pools;
    double offset = 0;
    std::vector<double> offsets;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      if (i > 0) offset += separation(layer[i - 1], layer[i]);
      offsets.push_back(offset);
      const auto [wish, weight] = wish_of(items_[layer[i]]);
      pools.push_back({(wish - offset) * weight, weight, 1});
      while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
        const Pool last = pools.back();
        pools.pop_back();
        pools.back().sum += last.sum;
        pools.back().weight += last.weight;
        pools.back().items += last.items;
      }
    }
    std::size_t i = 0;
    for (const Pool& pool : pools) {
      for (std::size_t end = i + pool.items; i < end; ++i)
        items_[layer[i]].x = pool.mean() + offsets[i];
    }
  }

  std::pair<double, double> wish_of(const Item& item) const {
    if (straight_ && item.bend && items_[item.above.front()].bend)
      return {items_[item.above.front()].x, kStraightWeight};
    double sum = 0;
    double weight = 0;
    for (const auto* neighbours : {&item.above, &item.below}) {
      for (const std::size_t neighbour : *neighbours) {
        const double w = (item.bend && items_[neighbour].bend ? kStraightness : 1) /
                         static_cast<double>(neighbours->size());
        sum += w * items_[neighbour].x;
        weight += w;
      }
    }
    if (weight == 0) return {item.x, 0.1};
    return {sum / weight, weight};
  }

  const LayeredGraph& graph_;
  std::vector<std::size_t> layer_;                // by node
  std::vector<std::vector<std::size_t>> layers_;  // items from left to right
  std::vector<Item> items_;                       // nodes, then bends
  std::vector<std::vector<std::size_t>> bends_;   // by edge: items
  bool straight_ = false;
};

}  // namespace

LayeredLayout lay_out(const LayeredGraph& graph) { return Layouter(graph).result(); }

}  // namespace raddle::report
