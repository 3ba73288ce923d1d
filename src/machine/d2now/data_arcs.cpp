#include "machine/d2now/data_arcs.h"

#include <algorithm>
#include <unordered_set>

namespace raddle::machine::d2now {

DataArcs::DataArcs(std::span<const Edge> edges, std::span<const std::uint32_t> join_of)
    : edges_(edges), join_of_(join_of) {
  for (const Edge& edge : edges) {
    const bool from_join = join_of[edge.from] != kNone, to_join = join_of[edge.to] != kNone;
    if (to_join && !from_join) gathered_by_.emplace_back(edge.from, join_of[edge.to]);
    if (from_join && !to_join) passed_by_.emplace_back(edge.to, edge.from);
  }
  std::ranges::sort(gathered_by_);
  std::ranges::sort(passed_by_);
}

std::uint32_t DataArcs::waiting_part(std::uint32_t producer, std::uint32_t consumer) const {
  for (const auto& [thread, part] :
       std::ranges::equal_range(passed_by_, consumer, {}, &Pair::first)) {
    if (std::ranges::binary_search(gathered_by_, Pair(producer, join_of_[part]))) return part;
  }
  return kNone;
}

void DataArcs::add_undeclared(const MissingArc& pair) {
  ++undeclared_inputs_;
  if (missing_ || may_be_ordered(pair.producer, pair.consumer)) return;
  missing_ = pair;
}

std::span<const Edge> DataArcs::edges_of(std::uint32_t thread) const {
  const auto found = std::ranges::equal_range(edges_, thread, {}, &Edge::from);
  return {found.begin(), found.end()};
}

// Threads are numbered in the order in which they ran, so a path leads to higher numbers only; a
// part of a join stands where the join does.
bool DataArcs::may_be_ordered(std::uint32_t before, std::uint32_t after) {
  const auto number = [this](std::uint32_t thread) {
    return join_of_[thread] == kNone ? thread : join_of_[thread];
  };
  std::unordered_set<std::uint32_t> seen{before};
  std::vector<std::uint32_t> open{before};
  while (!open.empty()) {
    const std::uint32_t thread = open.back();
    open.pop_back();
    for (const Edge& edge : edges_of(thread)) {
      if (edge.to == after || ++steps_ > kStepsOfAll || seen.size() > kStepsOfCheck) return true;
      if (number(edge.to) < after && seen.insert(edge.to).second) open.push_back(edge.to);
    }
  }
  return false;
}

}  // namespace raddle::machine::d2now
