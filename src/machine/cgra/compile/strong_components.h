// Strongly connected components of a small graph, each after those it needs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace raddle::machine::cgra {

// `needs`: by node, the nodes it needs. Nodes of a component in increasing order.
inline std::vector<std::vector<std::uint32_t>> strong_components(
    const std::vector<std::vector<std::uint32_t>>& needs) {
  struct Visit {
    std::uint32_t node;
    std::size_t next;
  };
  constexpr std::uint32_t kNone = 0xffffffffu;
  std::vector<std::vector<std::uint32_t>> components;
  std::vector<std::uint32_t> number(needs.size(), kNone), low(needs.size(), 0), open;
  std::vector<bool> is_open(needs.size(), false);
  std::uint32_t count = 0;
  for (std::uint32_t root = 0; root < needs.size(); ++root) {
    if (number[root] != kNone) continue;
    std::vector<Visit> path{{root, 0}};
    while (!path.empty()) {
      const std::uint32_t node = path.back().node;
      if (path.back().next == 0) {
        number[node] = low[node] = count++;
        open.push_back(node);
        is_open[node] = true;
      }
      if (path.back().next < needs[node].size()) {
        const std::uint32_t other = needs[node][path.back().next++];
        if (number[other] == kNone) {
          path.push_back({other, 0});
        } else if (is_open[other]) {
          low[node] = std::min(low[node], number[other]);
        }
        continue;
      }
      if (low[node] == number[node]) {
        std::vector<std::uint32_t> component;
        do {
          component.push_back(open.back());
          is_open[open.back()] = false;
          open.pop_back();
        } while (component.back() != node);
        std::sort(component.begin(), component.end());
        components.push_back(std::move(component));
      }
      path.pop_back();
      if (!path.empty()) low[path.back().node] = std::min(low[path.back().node], low[node]);
    }
  }
  return components;
}

}  // namespace raddle::machine::cgra
