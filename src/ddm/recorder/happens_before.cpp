#include "ddm/recorder/happens_before.h"

#include <algorithm>

namespace raddle::ddm {

void HappensBefore::grow(Node last) {
  while (nodes_.size() <= last) {
    Place place;
    place.depth = 1;
    place.first_producer = producers_.size();
    nodes_.push_back(place);
  }
}

void HappensBefore::add_arc(std::uint32_t from, std::uint32_t to) {
  const Node producer = from + 1;
  const Node node = to + 1;
  grow(node);
  producers_.push_back(producer);
  const bool is_first = nodes_[node].producers++ == 0;
  set_dominator(node, is_first ? producer : common_dominator(nodes_[node].dominator, producer));
}

void HappensBefore::set_dominator(Node node, Node dominator) {
  const Place& above = nodes_[dominator];
  const Place& jump = nodes_[above.jump];
  Place& place = nodes_[node];
  place.dominator = dominator;
  place.depth = above.depth + 1;
  const bool equal_steps = above.depth - jump.depth == jump.depth - nodes_[jump.jump].depth;
  place.jump = equal_steps ? jump.jump : dominator;
}

HappensBefore::Node HappensBefore::common_dominator(Node a, Node b) const {
  if (nodes_[a].depth < nodes_[b].depth) std::swap(a, b);
  const std::uint32_t depth = nodes_[b].depth;
  while (nodes_[a].depth > depth) {
    const Node jump = nodes_[a].jump;
    a = nodes_[jump].depth >= depth ? jump : nodes_[a].dominator;
  }
  while (a != b) {
    const bool jumps = nodes_[a].jump != nodes_[b].jump;
    a = jumps ? nodes_[a].jump : nodes_[a].dominator;
    b = jumps ? nodes_[b].jump : nodes_[b].dominator;
  }
  return a;
}

// Every way to a thread leads through its dominators. So an earlier thread comes before it if it
// comes before the first dominator with a higher number than its own.
bool HappensBefore::ordered(std::uint32_t before, std::uint32_t after) {
  const Node wanted = before + 1;
  const Node last = after + 1;
  grow(last);
  Node node = last;
  while (node != wanted && nodes_[node].dominator >= wanted) {
    node = nodes_[node].jump >= wanted ? nodes_[node].jump : nodes_[node].dominator;
  }
  if (node == wanted) return true;
  if (node != last) {
    constexpr std::size_t kMaxShared = 4096;
    if (shared_.size() > kMaxShared) shared_.clear();
    return reaches(shared_[node], node, wanted);
  }
  if (searched_ != last) {
    searched_ = last;
    search_.frontier.clear();
    search_.found.clear();
  }
  return reaches(search_, last, wanted);
}

bool HappensBefore::reaches(Search& search, Node start, Node wanted) {
  const Node floor = nodes_[start].dominator;
  if (search.found.empty()) add_producers(search, start, floor);
  while (!search.found.contains(wanted) && !search.frontier.empty() &&
         search.frontier.front() > wanted) {
    std::ranges::pop_heap(search.frontier);
    const Node next = search.frontier.back();
    search.frontier.pop_back();
    add_producers(search, next, floor);
  }
  return search.found.contains(wanted);
}

void HappensBefore::add_producers(Search& search, Node of, Node floor) const {
  const Place& place = nodes_[of];
  for (std::uint64_t i = 0; i < place.producers; ++i) {
    const Node producer = producers_[place.first_producer + i];
    if (producer <= floor || !search.found.insert(producer).second) continue;
    search.frontier.push_back(producer);
    std::ranges::push_heap(search.frontier);
  }
}

}  // namespace raddle::ddm
