// Which threads of a run come before which others by its arcs, taken transitively. Threads are
// numbered so that arcs lead from lower to higher numbers, and all arcs to a thread are given
// before the next thread is. A query costs little where the graph is made of phases: it climbs the
// dominator tree to the phase and searches that phase alone.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace raddle::ddm {

class HappensBefore {
 public:
  HappensBefore() : nodes_(1) {}

  void add_arc(std::uint32_t from, std::uint32_t to);
  // Whether arcs lead from the first to the second, which has the higher number.
  bool ordered(std::uint32_t before, std::uint32_t after);

 private:
  using Node = std::uint32_t;  // the number of a thread + 1; 0 comes before all

  // Jump pointers as in skew-binary numbers: ancestors in the dominator tree in logarithmic time.
  struct Place {
    Node dominator = 0;
    Node jump = 0;
    std::uint32_t depth = 0;
    std::uint32_t producers = 0;
    std::uint64_t first_producer = 0;
  };
  // What is known of the ancestors of a thread: those with the highest numbers are found first.
  struct Search {
    std::vector<Node> frontier;  // a heap
    std::unordered_set<Node> found;
  };

  void grow(Node last);
  void set_dominator(Node node, Node dominator);
  Node common_dominator(Node a, Node b) const;
  bool reaches(Search& search, Node start, Node wanted);
  void add_producers(Search& search, Node of, Node floor) const;

  std::vector<Place> nodes_;
  std::vector<Node> producers_;
  Node searched_ = 0;  // whose search this is
  Search search_;
  std::unordered_map<Node, Search> shared_;  // of threads that dominate others
};

}  // namespace raddle::ddm
