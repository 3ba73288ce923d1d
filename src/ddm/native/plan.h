// The graph memory (GM) of the software TSU: a program's blocks, threads and arcs in the form that
// firing needs, made once and kept until the program is declared anew.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "ddm/native/tile_grid.h"
#include "raddle/ddm/graph.h"

namespace raddle::ddm::native {

class Bindings;
struct ContextShape;

enum class Delivery : std::uint8_t {
  kOffset,  // by index
  kSingle,  // one instance to one instance
  kAll,     // counts producers, then enables every consumer
  kMap,     // by function
  kAlone,   // a loop's way back or a merge: the consumer is ready at once
  kData,    // to those that follow because of their data, as the context's shape says
};

inline constexpr std::uint32_t kNoArc = 0xffffffff;

struct ArcPlan {
  const Arc* arc = nullptr;  // null, and no number: kData, where `to` is the producer itself
  std::uint32_t number = 0;
  std::uint32_t to = 0;
  Delivery delivery = Delivery::kAll;
  bool conditional = false;
  std::int64_t when = 0;
  bool within_thread = false;  // by offset to the same thread
  TileOffset offset;
};

struct ThreadPlan {
  const ThreadTemplate* thread = nullptr;
  const void* body = nullptr;
  void (*run)(const void* body, void* frame, Batch& batch) = nullptr;
  ThreadKind kind = ThreadKind::kPlain;
  bool counted = true;  // fires exactly once an instance, so that a missing one means starvation
  bool has_reads = false;
  bool bound = false;        // instances belong to workers
  bool prioritised = false;  // instances come in the order of their priorities
  // Any of these, or completed from outside: see special_threads.cpp.
  [[nodiscard]] bool special() const {
    return bound || prioritised || kind == ThreadKind::kExternal;
  }
  std::vector<ArcPlan> consumers;
  std::uint32_t callee = 0;   // block of a call
  std::uint32_t ordinal = 0;  // among all threads of the program
};

struct BlockPlan {
  const BlockGraph* block = nullptr;
  std::uint32_t number = 0;
  std::vector<ThreadPlan> threads;
  bool has_conditional = false;  // threads that may never run
  bool rearms = false;           // threads may run more than once
  // The shape of all contexts, where no frame can change it; else null.
  std::shared_ptr<const ContextShape> fixed_shape;
  bool shape_depends_on_extents_alone = false;
  bool has_bound = false;    // threads whose instances belong to workers
  bool has_special = false;  // threads of special_threads.cpp
  bool bindings_depend_on_frame = false;
  // Whose they are, where no frame can change it; kept for the latest number of workers.
  mutable std::mutex bindings_mutex;
  mutable std::shared_ptr<const Bindings> bindings;
};

struct ProgramPlan {
  std::vector<std::unique_ptr<BlockPlan>> blocks;
  std::uint32_t threads = 0;
  bool has_reads = false;
  bool has_bound = false;
  bool has_priorities = false;
  bool has_external = false;
  bool has_special = false;  // any of these three
};

std::shared_ptr<const ProgramPlan> make_plan(const ProgramGraph& program);

}  // namespace raddle::ddm::native
