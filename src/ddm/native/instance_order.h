// The instances of a context in an order that its arcs allow, found by running the arcs without the
// threads. What cannot be reached that way starves; the longest way from an instance to the end is
// found by going through the order backwards. Arcs that a switch decides on count as taken, ways
// back of loops do not count.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ddm/native/context_shape.h"

namespace raddle::ddm::native {

class InstanceOrder {
 public:
  struct Instance {
    std::uint32_t thread;
    std::uint32_t tile;
    std::uint32_t cell;
  };

  InstanceOrder(const BlockPlan& plan, const ContextShape& shape, const void* frame);

  [[nodiscard]] const std::vector<Instance>& instances() const { return order_; }
  [[nodiscard]] bool reaches(std::uint32_t thread, std::uint32_t tile, unsigned cell) const {
    return remaining_[thread][slot(thread, tile, cell)] == kRan;
  }
  [[nodiscard]] std::size_t slot(std::uint32_t thread, std::uint32_t tile, unsigned cell) const {
    return shape_.threads[thread].grid.cells_per_tile() * tile + cell;
  }

  // Instances that wait for one; those that wait for all of its thread are left to `all`, by arc.
  using Successor = FunctionRef<void(const Instance&)>;
  void for_each_successor(const Instance& from, Successor successor,
                          FunctionRef<void(std::uint32_t arc)> all) const;
  // All consumers of an arc from all to all.
  void for_each_consumer(std::uint32_t arc, Successor consumer) const;

 private:
  static constexpr std::uint32_t kNotAnInstance = 0xffffffff;
  static constexpr std::uint32_t kRan = 0xfffffffe;

  void for_each_instance(std::uint32_t thread, Successor instance) const;
  std::uint32_t& at(const Instance& instance) {
    return remaining_[instance.thread][slot(instance.thread, instance.tile, instance.cell)];
  }

  const BlockPlan& plan_;
  const ContextShape& shape_;
  const void* frame_;
  std::vector<std::vector<std::uint32_t>> remaining_;  // inputs, by thread and slot
  std::vector<Instance> order_;
};

// The longest chain of arcs from each instance to the end, by thread and slot. Without weights: how
// many instances it has.
class LongestChains {
 public:
  using Instance = InstanceOrder::Instance;
  using Weight = FunctionRef<double(std::uint32_t thread, std::size_t slot)>;
  LongestChains(const BlockPlan& plan, const ContextShape& shape, const void* frame, Weight weight);

  // The first instance of the longest of all, and the next one after an instance of it.
  [[nodiscard]] std::optional<Instance> first() const;
  [[nodiscard]] std::optional<Instance> next(const Instance& instance) const;
  [[nodiscard]] double length(const Instance& from) const {
    return lengths_[from.thread][order_.slot(from.thread, from.tile, from.cell)];
  }
  [[nodiscard]] std::size_t slot(const Instance& of) const {
    return order_.slot(of.thread, of.tile, of.cell);
  }
  std::vector<std::vector<double>> take_lengths() { return std::move(lengths_); }

 private:
  InstanceOrder order_;
  std::vector<std::vector<double>> lengths_;
  std::vector<std::optional<Instance>>
      after_all_;  // by arc from all to all: where the longest begins
};

}  // namespace raddle::ddm::native
