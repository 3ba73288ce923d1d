// What all contexts of a block with equal extents have in common: how many instances each thread
// has, how many inputs each waits for, and which can start at once. Loading a code block into the
// TSU is copying the initial synchronization memory that is kept here.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ddm/data_order.h"
#include "ddm/native/plan.h"
#include "ddm/native/tile_grid.h"

namespace raddle::ddm::native {

// How the ready counts of a thread are kept.
enum class Sync : std::uint8_t {
  kNone,   // one input at most: it makes the instance ready
  kPair,   // two inputs at most: a bit an instance, flipped by each input; the second one finds it
           // set
  kCount,  // a counter an instance
};

struct ThreadShape {
  TileGrid grid;
  Sync sync = Sync::kNone;
  bool bound = false;    // instances belong to workers
  bool special = false;  // see special_threads.cpp
  std::uint64_t instances = 0;
  std::vector<std::uint64_t> existing;  // by tile; empty: all within the extents
  std::vector<std::uint64_t>
      expects_one;  // kPair: cells with a single input, whose bit is set from the start; by tile
  std::vector<std::uint32_t> counts;  // kCount: inputs by tile and cell
  std::size_t first_word = 0;         // of this thread in the context's synchronization memory
  std::size_t first_count = 0;

  [[nodiscard]] std::uint64_t existing_at(std::uint32_t tile, const TilePosition& at) const {
    return existing.empty() ? grid.in_range(at) : existing[tile];
  }
  [[nodiscard]] std::uint64_t existing_at(std::uint32_t tile) const {
    return existing.empty() ? grid.in_range(grid.position(tile)) : existing[tile];
  }
};

// Instances that start without inputs.
struct Source {
  std::uint32_t thread;
  std::uint32_t tile;
  std::uint32_t tiles;  // more than one: all existing cells of each
  std::uint64_t cells;
};

struct ContextShape {
  ContextShape(const BlockPlan& plan, const void* frame, std::vector<Extents> extents);

  std::vector<ThreadShape> threads;
  std::vector<Source> sources;
  std::vector<std::uint64_t> producers;  // by arc: instances that a kAll arc waits for
  std::vector<Extents> extents;
  std::optional<DataOrder> order;  // arcs that follow from data
  std::vector<std::vector<double>>
      distances;  // to the end, by thread and slot, where priorities follow from them
  std::vector<std::uint64_t>
      words;  // initial synchronization memory: pair bits, then a counter for each arc
  std::vector<std::uint32_t> counts;  // initial counters
  std::size_t first_arc_word = 0;
  std::uint64_t counted_instances = 0;  // of threads that run exactly once an instance

  // Inputs that an instance waits for.
  [[nodiscard]] std::size_t expected_inputs(std::uint32_t thread, std::uint32_t tile,
                                            unsigned cell) const;

 private:
  struct Planes;
  void count_inputs(const BlockPlan& plan, const void* frame, std::vector<Planes>& planes);
  void infer_arcs(const BlockPlan& plan, const void* frame, std::vector<Planes>& planes);
  void find_sources(const BlockPlan& plan, const std::vector<Planes>& planes);
  void lay_out(std::vector<Planes>& planes);
  void check_declared_counts(const BlockPlan& plan, const std::vector<Planes>& planes) const;
};

}  // namespace raddle::ddm::native
