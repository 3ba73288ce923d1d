// The graph of a data-driven program without its types: code blocks, threads with their
// synchronization templates, and arcs. This is what executors read (worker threads of this machine,
// MPI ranks, the recorder of a simulated machine); the typed front of it is program.h. Words are
// those of the DDM paper, section 2.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "raddle/ddm/completion.h"
#include "raddle/ddm/function_ref.h"
#include "raddle/ddm/index.h"

namespace raddle::ddm {

struct BlockGraph;

// How an object whose bytes do not move as they are goes to another node (see serialize.h).
struct Codec {
  void (*write)(const void* object, std::vector<std::byte>& bytes) = nullptr;
  // False: this is not what write(…) has made of such an object.
  bool (*read)(void* object, const std::byte* bytes, std::size_t count) = nullptr;
};

// Bytes of a data frame, or reachable from it: what a thread reads (a data offset pointer, DOP) or
// writes, or what an arc carries.
struct Operand {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  const Codec* codec = nullptr;  // null: the bytes themselves are sent
};

// Some instances of one thread, to be run one after another: those cells of a tile whose bits are
// set.
struct Batch {
  Coordinates origin;  // of cell 0
  std::uint64_t left;  // cells not yet begun or just running; what remains on return
  const std::atomic<std::uint32_t>*
      attention;  // the runner stops after the present instance when this is not zero
  std::int64_t* choices = nullptr;  // switch threads: what the instance of each cell chose
};

// In place of a node: where the invoking thread runs.
inline constexpr int kHere = -1;

// How dynamic threads invoke code blocks; given by the executor. The invoking thread's consumers
// wait for all of them.
class Invoker {
 public:
  virtual ~Invoker() = default;
  // Makes a context of `block` whose frame is moved from `frame`, on a node.
  virtual void invoke(const BlockGraph& block, void* frame, int node) = 0;
};

// The frame type of a block: how to make, move and drop one. `bytes_move` says that a copy of its
// bytes is a frame too, so that it can go to another node; else it goes by its codec, if it has
// one.
struct FrameType {
  std::size_t size = 0;
  std::size_t alignment = 1;
  bool bytes_move = false;
  const Codec* codec = nullptr;
  void (*make)(void* frame) = nullptr;  // an empty one, for the codec
  void (*move)(void* to, void* from) = nullptr;
  void (*destroy)(void* frame) = nullptr;
};

enum class ThreadKind : std::uint8_t {
  kPlain,     // runs to completion, then all its arcs fire
  kSwitch,    // runs to completion, then those arcs fire whose case it chose
  kCall,      // invokes a code block; its arcs fire when that has returned
  kDynamic,   // invokes any number of code blocks; its arcs fire when all have returned
  kExternal,  // starts something outside the run; its arcs fire when that says that it is done
};

// The code of a thread: a batch of instances (plain and switch threads), or one instance of a
// dynamic thread.
struct ThreadCode {
  std::shared_ptr<const void> body;
  void (*run)(const void* body, void* frame, Batch& batch) = nullptr;
  void (*run_dynamic)(const void* body, void* frame, const Coordinates& at,
                      Invoker& invoker) = nullptr;
  void (*run_external)(const void* body, void* frame, const Coordinates& at,
                       Completion done) = nullptr;
};

// Block invocation with return values.
struct Invocation {
  BlockGraph* callee = nullptr;
  // Makes the callee's frame in `frame`; afterwards reads results out of it, if there are any to
  // read.
  std::function<void(void* caller, const Coordinates& at, void* frame)> make;
  std::function<void(void* caller, const Coordinates& at, void* frame)> take_results;
};

using OperandSink = FunctionRef<void(Operand)>;
using IndexSink = FunctionRef<void(const Coordinates&)>;

// A thread with its synchronization template. The ready count is not stored: it follows from the
// arcs.
struct ThreadTemplate {
  std::string name;
  ThreadKind kind = ThreadKind::kPlain;
  int dimensions = 0;
  // More than three indices: the outer ones are folded into the first coordinate.
  int indices = 0;
  std::function<void(const void* frame, std::size_t* sizes)> folded;  // sizes of the outer ones
  ThreadCode code;
  Invocation invocation;
  std::optional<Extents> fixed_extents;  // known without a frame
  std::function<Extents(const void* frame)> extents;
  std::function<bool(const void* frame, const Coordinates& at)>
      exists;  // empty: every index of the range
  std::function<void(void* frame, const Coordinates& at, OperandSink)>
      reads;  // declared inputs; may be empty
  std::function<void(void* frame, const Coordinates& at, OperandSink)>
      writes;  // declared outputs; may be empty
  // The step of the sequential program that an instance belongs to; empty: the first.
  std::function<std::int64_t(const void* frame, const Coordinates& at)> step;
  // Which of the ready instances comes first: the highest; empty: 0.
  std::function<std::int64_t(const void* frame, const Coordinates& at)> priority;
  // Which of `nodes` nodes runs an instance; empty: contiguous shares of the range (a call: where
  // its caller is).
  std::function<int(const void* frame, const Coordinates& at, int nodes)> node;
  // Which of `workers` workers of its node runs an instance; empty: whoever has time.
  std::function<int(const void* frame, const Coordinates& at, int workers)> worker;
  bool worker_depends_on_frame = false;
  // Which of `nodes` NUMA nodes of this machine has the workers for an instance; empty: any.
  std::function<int(const void* frame, const Coordinates& at, int nodes)> memory_node;
  std::optional<std::size_t> declared_ready_count;
  bool exists_depends_on_frame = false;
  std::vector<std::uint32_t> consumers;  // arcs out, by number in BlockGraph::arcs
  std::vector<std::uint32_t> producers;  // arcs in
};

enum class ArcKind : std::uint8_t {
  kOffset,  // index i enables index i + offset, where that exists
  kAll,     // once every instance of the producer has run, each instance of the consumer is enabled
  kMap,     // index i enables those that `map` names
};

// A producer/consumer relation between two threads of a block.
struct Arc {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  ArcKind kind = ArcKind::kAll;
  Distance offset{0, 0, 0};
  std::function<void(const void* frame, const Coordinates& at, IndexSink)> map;
  bool map_depends_on_frame = false;
  bool map_may_miss = false;         // what it names beyond the consumer's range does not count
  std::optional<std::int64_t> when;  // fires only if the switch thread chose this case
  bool again = false;  // a loop's way back: fires the consumer on its own, and may do so many times
  // What must be where the consumer runs: evaluated on the producer's node to be sent, on the
  // consumer's to be stored.
  std::function<void(void* frame, const Coordinates& from, const Coordinates& to, OperandSink)>
      carries;
  bool carries_by_consumer = false;  // whether `carries` looks at the consumer's index
};

// A re-entrant code block. Threads without producers start when the block is invoked, after its
// inlet thread if it has one; the outlet thread runs when nothing of the context is left to do.
struct BlockGraph {
  std::string name;
  FrameType frame;
  std::vector<ThreadTemplate> threads;
  std::unordered_set<std::string> thread_names;
  std::vector<Arc> arcs;
  std::function<void(void* frame)> inlet;
  std::function<void(void* frame)> outlet;
  bool infers_arcs = false;          // from what threads declare to read and write
  bool critical_path_first = false;  // priorities follow from the longest way to the end
  std::uint64_t revision = 0;        // changes with each declaration
};

struct ProgramGraph {
  // What an executor has made of this program, kept while its revisions stay the same.
  mutable std::shared_ptr<const void> prepared;
  mutable std::uint64_t prepared_revision = 0;

  std::vector<std::unique_ptr<BlockGraph>>
      blocks;  // the first is the program's own, where a run begins
};

// The cells of a batch one by one; stops early when attention is asked for. The present cell stays
// in `left` while it runs, so that a thrown exception can be told from the batch.
template <class Cell>
void for_each_cell(Batch& batch, Cell&& cell) {
  std::uint64_t left = batch.left;
  do {
    batch.left = left;
    cell(static_cast<unsigned>(std::countr_zero(left)));
    left &= left - 1;
  } while (left != 0 && batch.attention->load(std::memory_order_relaxed) == 0);
  batch.left = left;
}

}  // namespace raddle::ddm
