// How the data that a thread reads of another node relates to the arcs of the program. Data whose
// producer a join gathers is awaited by the thread that passes the join on, once for all its
// consumers. Data without any arc is awaited by its reader; if no other arcs put writer and reader
// in order either, the program has a race.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ddm/recording/recording.h"

namespace raddle::machine::d2now {

struct Edge {
  std::uint32_t from = 0, to = 0;  // threads
};

// A thread reads what one on another node wrote, and no arcs put them in order.
struct MissingArc {
  std::uint32_t producer = 0, consumer = 0;
  ddm::recording::Region region;
};

class DataArcs {
 public:
  // All edges, sorted by where they begin. `join_of` gives for each thread the join that it is or
  // is a part of, or kNone. Both must outlive this.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  DataArcs(std::span<const Edge> edges, std::span<const std::uint32_t> join_of);

  // Who waits for what `producer` sends to the node of `consumer`: a join's part there, or kNone.
  std::uint32_t waiting_part(std::uint32_t producer, std::uint32_t consumer) const;
  // Counts a pair without an arc, and looks whether others put it in order. That is given up after
  // some steps: a race may stay unseen, but none is seen where there is order.
  void add_undeclared(const MissingArc& pair);

  std::uint64_t undeclared_inputs() const { return undeclared_inputs_; }
  const std::optional<MissingArc>& missing() const { return missing_; }

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  static constexpr std::uint64_t kStepsOfCheck = 20'000, kStepsOfAll = 1'000'000;

  std::span<const Edge> edges_of(std::uint32_t thread) const;
  // A path may lead from one to the other, or nobody knows.
  bool may_be_ordered(std::uint32_t before, std::uint32_t after);

  std::span<const Edge> edges_;
  std::span<const std::uint32_t> join_of_;
  std::vector<Pair> gathered_by_;  // (thread, join), sorted
  std::vector<Pair> passed_by_;    // (thread, part), sorted
  std::uint64_t steps_ = 0;
  std::uint64_t undeclared_inputs_ = 0;
  std::optional<MissingArc> missing_;
};

}  // namespace raddle::machine::d2now
