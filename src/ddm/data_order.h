// Arcs between instances of a context that follow from what they declare to read and write. In
// program order (by step, then declaration, then index) an instance comes after the last one that
// wrote a byte it reads or writes (RAW, WAW) and after all that have read a byte it writes since
// then (WAR). The bytes of operands are compared, so sections may overlap in any way.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "raddle/ddm/function_ref.h"
#include "raddle/ddm/graph.h"

namespace raddle::ddm {

class DataOrder {
 public:
  // An instance by thread and slot: how executors number the instances of a thread.
  struct Instance {
    std::uint32_t thread;
    std::uint32_t slot;
  };
  using SlotOf = FunctionRef<std::size_t(std::uint32_t thread, const Coordinates& at)>;

  // `slots`: of each thread, more than any number of a slot. Throws GraphError if there are too
  // many.
  DataOrder(const BlockGraph& block, void* frame, std::span<const Extents> extents,
            std::span<const std::size_t> slots, SlotOf slot_of);

  // The instances that wait for one.
  [[nodiscard]] std::span<const Instance> after(std::uint32_t thread, std::size_t slot) const {
    const auto number = first_of_[thread] + slot;
    if (number >= first_of_[thread + 1]) return {};  // declares nothing
    return std::span(successors_).subspan(begins_[number], begins_[number + 1] - begins_[number]);
  }

 private:
  class Builder;

  std::vector<std::size_t> first_of_;  // by thread: the number of its first slot; and the end
  std::vector<std::size_t> begins_;    // by number: of its successors; and the end
  std::vector<Instance> successors_;
};

// Whether inferred arcs may lead to or from a thread.
inline bool declares_data(const ThreadTemplate& thread) { return thread.reads || thread.writes; }

}  // namespace raddle::ddm
