// A live invocation of a code block: its data frame, its synchronization memory (SM) and who waits
// for it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "ddm/native/context_shape.h"
#include "ddm/native/plan.h"

namespace raddle::ddm::native {

// A dynamic thread whose invocations have not all ended.
struct Join {
  std::atomic<std::uint32_t> open;
};

// One invocation less; whether it was the last, which is so without a join.
inline bool is_last_of(Join* join) {
  if (join == nullptr) return true;
  if (join->open.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  delete join;
  return true;
}

class ContextProfile;
class Placement;

struct Context {
  Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  // Low part: items of this context that are queued or run, and invocations it waits for; the
  // context ends when none is left. High part: instances that ran, of threads that run exactly once
  // an instance.
  static constexpr int kFiredShift = 28;
  static constexpr std::uint64_t kOpenMask = (std::uint64_t{1} << kFiredShift) - 1;

  const BlockPlan* plan = nullptr;
  const ContextShape* shape = nullptr;
  std::shared_ptr<const ContextShape> kept_shape;  // where the shape is this context's alone
  void* frame = nullptr;
  std::atomic<std::uint64_t> activity{1};
  // Synchronization memory. Of threads that belong to workers each worker uses a copy of its own,
  // so that no two write to the same cache line.
  std::unique_ptr<std::atomic<std::uint64_t>[]> words;
  std::unique_ptr<std::atomic<std::uint32_t>[]> counts;
  unsigned copies = 1;
  std::size_t words_per_copy = 0;
  std::size_t counts_per_copy = 0;
  std::shared_ptr<const Bindings> bindings;

  // The instance that invoked this context.
  Context* caller = nullptr;
  Join* join = nullptr;  // of a dynamic thread
  std::uint32_t caller_thread = 0;
  std::uint32_t caller_tile = 0;
  unsigned caller_cell = 0;
  std::uint64_t ticket = 0;  // of an invocation that came from another node; 0: none
  int from_node = 0;
  Context* root = nullptr;  // the program's first context, which waits for such an invocation
  std::unique_ptr<Placement> placement;  // of a first context that is spread over nodes

  std::unique_ptr<ContextProfile> profile;  // where the run is to have one

  Context* next_free = nullptr;

  void set_shape(const ContextShape& loaded, unsigned wanted_copies = 1) {
    if (shape != &loaded || copies != wanted_copies) {
      shape = &loaded;
      copies = wanted_copies;
      words_per_copy = apart(loaded.words.size(), sizeof words[0]);
      counts_per_copy = apart(loaded.counts.size(), sizeof counts[0]);
      words = loaded.words.empty()
                  ? nullptr
                  : std::make_unique<std::atomic<std::uint64_t>[]>(words_per_copy * copies);
      counts = loaded.counts.empty()
                   ? nullptr
                   : std::make_unique<std::atomic<std::uint32_t>[]>(counts_per_copy * copies);
    }
    for (unsigned copy = 0; copy < copies; ++copy) {
      for (std::size_t i = 0; i < loaded.words.size(); ++i)
        words[copy * words_per_copy + i].store(loaded.words[i], std::memory_order_relaxed);
      for (std::size_t i = 0; i < loaded.counts.size(); ++i)
        counts[copy * counts_per_copy + i].store(loaded.counts[i], std::memory_order_relaxed);
    }
  }

  [[nodiscard]] std::atomic<std::uint64_t>& pair_bits(const ThreadShape& thread, std::uint32_t tile,
                                                      unsigned worker) const {
    if (thread.bound) [[unlikely]]
      return words[worker * words_per_copy + thread.first_word + tile];
    return words[thread.first_word + tile];
  }
  [[nodiscard]] std::atomic<std::uint32_t>& count(const ThreadShape& thread, std::uint32_t tile,
                                                  unsigned cell, unsigned worker) const {
    const auto in_copy = thread.first_count + thread.grid.cells_per_tile() * tile + cell;
    if (thread.bound) [[unlikely]]
      return counts[worker * counts_per_copy + in_copy];
    return counts[in_copy];
  }
  [[nodiscard]] std::atomic<std::uint64_t>& producers_left(std::uint32_t arc) const {
    return words[shape->first_arc_word + arc];
  }

 private:
  // So many that the next copy begins two cache lines after the end of this one.
  static std::size_t apart(std::size_t count, std::size_t size) {
    const std::size_t line = 128 / size;
    return (count + line - 1) / line * line + line;
  }
};

// The error of a context that ended although threads wait, if there are any. `fired`: instances
// that ran, on all nodes, of threads that run exactly once an instance.
std::exception_ptr find_starvation(const Context& context, std::uint64_t fired);

}  // namespace raddle::ddm::native
