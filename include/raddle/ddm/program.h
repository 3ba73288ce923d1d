// Declaring data-driven programs: a Program is a code block where the run begins; further blocks
// are invoked by call threads (a known number of times) or by dynamic threads (any number). Bodies
// are functions of the block's frame and the thread's index; either may be left out. They are
// shared by all workers, so they must be callable as const.
#pragma once

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "raddle/ddm/async_run.h"
#include "raddle/ddm/declare.h"
#include "raddle/ddm/executor.h"
#include "raddle/ddm/grain.h"
#include "raddle/ddm/grained_thread.h"
#include "raddle/ddm/graph.h"
#include "raddle/ddm/thread.h"

namespace raddle::ddm {

// Given to dynamic threads that ask for it: spawn(block, frame) invokes a block. The thread's
// consumers wait for all.
class Spawn {
 public:
  explicit Spawn(Invoker& invoker) : invoker_(invoker) {}

  template <class CalleeFrame>
  void operator()(const Block<CalleeFrame>& callee, std::type_identity_t<CalleeFrame> frame) const {
    invoker_.invoke(callee.graph(), &frame, kHere);
  }
  // On another node.
  template <class CalleeFrame>
  void on(int node, const Block<CalleeFrame>& callee,
          std::type_identity_t<CalleeFrame> frame) const {
    static_assert(
        std::is_trivially_copyable_v<CalleeFrame> || detail::kSerializedFrame<CalleeFrame>,
        "a block can be invoked on another node only if its frame is trivially copyable, "
        "or made without arguments and serialized: serialize(archive, frame)");
    invoker_.invoke(callee.graph(), &frame, node);
  }

 private:
  Invoker& invoker_;
};

template <class Frame>
class Block {
  static_assert(std::is_object_v<Frame> && std::is_move_constructible_v<Frame>,
                "a frame is a movable object");

 public:
  explicit Block(BlockGraph* graph) : graph_(graph) {}

  // A thread that runs once, or once for each index of a range.
  template <class Body>
  Thread<Frame, 0> thread(std::string name, Body body) const {
    return {graph_, add_thread<0>(std::move(name), {}, std::move(body))};
  }
  template <class... Sizes, class Body>
  Thread<Frame, sizeof...(Sizes)> thread(std::string name, Range<Sizes...> range, Body body) const {
    return {graph_,
            add_thread<sizeof...(Sizes)>(std::move(name), std::move(range), std::move(body))};
  }

  // One instance for each chunk of the range.
  template <class... Sizes, class Body>
  GrainedThread<Frame, Sizes...> thread(std::string name, GrainedRange<Sizes...> range,
                                        Body body) const {
    return grained_thread(std::move(name), std::move(range), std::move(body),
                          std::index_sequence_for<Sizes...>{});
  }

  // A switch thread: what its body returns (bool, an integer or an enumeration) says which
  // consumers run.
  template <class Body>
  auto choose(std::string name, Body body) const {
    return add_switch<0>(std::move(name), Range<>{}, std::move(body));
  }
  template <class... Sizes, class Body>
  auto choose(std::string name, Range<Sizes...> range, Body body) const {
    return add_switch<sizeof...(Sizes)>(std::move(name), std::move(range), std::move(body));
  }

  // A thread that starts something outside the run: its body takes a Completion as last parameter,
  // and what follows it waits until that is called, by whichever thread of the process.
  template <class Body>
  Thread<Frame, 0> external(std::string name, Body body) const {
    return {graph_, add_external<0>(std::move(name), Range<>{}, std::move(body))};
  }
  template <class... Sizes, class Body>
  Thread<Frame, sizeof...(Sizes)> external(std::string name, Range<Sizes...> range,
                                           Body body) const {
    return {graph_,
            add_external<sizeof...(Sizes)>(std::move(name), std::move(range), std::move(body))};
  }

  // Invokes a block: make(frame, index…) is the frame of the new context; take(frame, index…, its
  // frame) reads the results when it has ended.
  template <class CalleeFrame, class Make>
  Call<Frame, 0, CalleeFrame> call(std::string name, const Block<CalleeFrame>& callee,
                                   Make make) const {
    return {graph_, add_call<0>(std::move(name), Range<>{}, callee, std::move(make))};
  }
  template <class CalleeFrame, class Make, class Take>
  Call<Frame, 0, CalleeFrame> call(std::string name, const Block<CalleeFrame>& callee, Make make,
                                   Take take) const {
    return {graph_,
            add_call<0>(std::move(name), Range<>{}, callee, std::move(make), std::move(take))};
  }
  template <class... Sizes, class CalleeFrame, class Make>
  Call<Frame, sizeof...(Sizes), CalleeFrame> call(std::string name, Range<Sizes...> range,
                                                  const Block<CalleeFrame>& callee,
                                                  Make make) const {
    return {graph_,
            add_call<sizeof...(Sizes)>(std::move(name), std::move(range), callee, std::move(make))};
  }
  template <class... Sizes, class CalleeFrame, class Make, class Take>
  Call<Frame, sizeof...(Sizes), CalleeFrame> call(std::string name, Range<Sizes...> range,
                                                  const Block<CalleeFrame>& callee, Make make,
                                                  Take take) const {
    return {graph_, add_call<sizeof...(Sizes)>(std::move(name), std::move(range), callee,
                                               std::move(make), std::move(take))};
  }

  // The inlet thread runs before all others of a context and may set what their ranges depend on;
  // the outlet thread runs after all others.
  template <class Body>
  void inlet(Body body) const {
    ++graph_->revision;
    graph_->inlet = around_context(std::move(body));
  }
  template <class Body>
  void outlet(Body body) const {
    ++graph_->revision;
    graph_->outlet = around_context(std::move(body));
  }

  // Among ready instances, those come first from which the longest chain of arcs leads to the end.
  // Threads with a priority(…) keep theirs.
  void critical_path_first() const {
    ++graph_->revision;
    graph_->critical_path_first = true;
  }

  [[nodiscard]] const BlockGraph& graph() const { return *graph_; }

 protected:
  static FrameType frame_type() {
    const Codec* codec = nullptr;
    void (*make)(void*) = nullptr;
    if constexpr (detail::kSerializedFrame<Frame>) {
      codec = &detail::kCodec<Frame>;
      make = [](void* frame) { new (frame) Frame(); };
    }
    return {sizeof(Frame),
            alignof(Frame),
            std::is_trivially_copyable_v<Frame>,
            codec,
            make,
            [](void* to, void* from) { new (to) Frame(std::move(*static_cast<Frame*>(from))); },
            [](void* frame) { static_cast<Frame*>(frame)->~Frame(); }};
  }
  friend struct BlockMaker;

 private:
  template <class... Sizes, class Body, std::size_t... n>
  GrainedThread<Frame, Sizes...> grained_thread(std::string name, GrainedRange<Sizes...> range,
                                                Body body, std::index_sequence<n...>) const {
    const std::tuple<detail::ChunkCount<Sizes>...> counts{
        detail::ChunkCount<Sizes>{std::get<n>(range.sizes), range.grain[n]}...};
    const auto made =
        thread(std::move(name), ddm::range(detail::chunk_extent(std::get<n>(counts))...),
               detail::over_chunks<Frame>(counts, std::move(body)));
    return {made, counts};
  }

  template <class Body>
  static std::function<void(void*)> around_context(Body body) {
    static_assert(detail::takes_index<0, Frame, Body>(),
                  "inlet and outlet threads take the frame, or nothing");
    return [body](void* frame) {
      detail::call_at<0>(body, static_cast<Frame*>(frame), Coordinates{});
    };
  }

  template <class... Sizes>
  ThreadTemplate make_template(std::string name, Range<Sizes...> range) const {
    ThreadTemplate made;
    made.name = std::move(name);
    made.indices = sizeof...(Sizes);
    made.dimensions = std::min(made.indices, kMaxDimensions);
    if constexpr (sizeof...(Sizes) > kMaxDimensions) {
      made.folded = [range](const void* frame, std::size_t* sizes) {
        if constexpr (detail::kFixed<Sizes...>) {
          detail::folded_sizes(range, NoFrame{}, sizes);
        } else {
          detail::folded_sizes(range, *static_cast<const Frame*>(frame), sizes);
        }
      };
    }
    if constexpr (detail::kFixed<Sizes...>) {
      made.fixed_extents = detail::extents_of(range, NoFrame{});
      made.extents = [extents = *made.fixed_extents](const void*) { return extents; };
    } else {
      made.extents = [range = std::move(range)](const void* frame) {
        return detail::extents_of(range, *static_cast<const Frame*>(frame));
      };
    }
    return made;
  }

  std::uint32_t add(ThreadTemplate made) const {
    if (!graph_->thread_names.insert(made.name).second) {
      throw GraphError(
          "this name is used twice", "thread '" + made.name + "' of block '" + graph_->name + "'",
          "threads of a block are told apart by name in messages, traces and drawings");
    }
    ++graph_->revision;
    graph_->threads.push_back(std::move(made));
    return static_cast<std::uint32_t>(graph_->threads.size() - 1);
  }

  template <int dimensions, class... Sizes, class Body>
  std::uint32_t add_thread(std::string name, Range<Sizes...> range, Body body) const {
    constexpr bool kPlain = detail::takes_index<dimensions, Frame, Body>();
    constexpr bool kDynamic = detail::takes_index<dimensions, Frame, Body, Spawn>();
    static_assert(kPlain || kDynamic,
                  "a thread's body takes (frame, one index for each dimension, Spawn), where the "
                  "frame and Spawn may be "
                  "left out, and is callable as const");
    ThreadTemplate made = make_template(std::move(name), std::move(range));
    made.code.body = code_of<dimensions>(made, std::move(body));
    if constexpr (kPlain) {
      made.code.run = [](const void* code, void* frame, Batch& batch) {
        for_each_cell(batch, [&](unsigned cell) {
          call_cell<dimensions, Body>(code, frame, batch.origin, cell);
        });
      };
    } else if constexpr (kDynamic) {
      made.kind = ThreadKind::kDynamic;
      made.code.run_dynamic = [](const void* code, void* frame, const Coordinates& at,
                                 Invoker& invoker) {
        call_code<dimensions, Body>(code, frame, at, Spawn(invoker));
      };
    }
    return add(std::move(made));
  }

  template <int dimensions, class... Sizes, class Body>
  std::uint32_t add_external(std::string name, Range<Sizes...> range, Body body) const {
    static_assert(
        detail::takes_index<dimensions, Frame, Body, Completion>(),
        "the body of external(…) takes (frame, one index for each dimension, Completion), "
        "where the frame may be left out, and is callable as const");
    ThreadTemplate made = make_template(std::move(name), std::move(range));
    made.kind = ThreadKind::kExternal;
    made.code.body = code_of<dimensions>(made, std::move(body));
    made.code.run_external = [](const void* code, void* frame, const Coordinates& at,
                                Completion done) {
      call_code<dimensions, Body>(code, frame, at, std::move(done));
    };
    return add(std::move(made));
  }

  // A body with what makes its indices.
  template <int dimensions, class Body>
  struct FoldedCode {
    Body body;
    detail::Folding<dimensions> folding;
  };
  template <int dimensions, class Body>
  static std::shared_ptr<const void> code_of(const ThreadTemplate& made, Body body) {
    if constexpr (dimensions <= kMaxDimensions) {
      return std::make_shared<const Body>(std::move(body));
    } else {
      using Code = FoldedCode<dimensions, Body>;
      return std::make_shared<const Code>(Code{std::move(body), detail::Folding<dimensions>(made)});
    }
  }
  template <int dimensions, class Body, class... Rest>
  static decltype(auto) call_code(const void* code, void* frame, const Coordinates& at,
                                  Rest&&... rest) {
    if constexpr (dimensions <= kMaxDimensions) {
      return detail::call_at<dimensions>(*static_cast<const Body*>(code),
                                         static_cast<Frame*>(frame), at,
                                         std::forward<Rest>(rest)...);
    } else {
      const auto& folded = *static_cast<const FoldedCode<dimensions, Body>*>(code);
      return detail::call_at<dimensions>(folded.body, static_cast<Frame*>(frame),
                                         folded.folding.indices(frame, at),
                                         std::forward<Rest>(rest)...);
    }
  }

  template <int dimensions, class... Sizes, class Body>
  auto add_switch(std::string name, Range<Sizes...> range, Body body) const {
    static_assert(detail::takes_index<dimensions, Frame, Body>(),
                  "a switch thread's body takes (frame, one index for each dimension) and is "
                  "callable as const");
    using Choice = std::remove_cvref_t<detail::ResultAt<dimensions, Frame, Body>>;
    static_assert(std::is_integral_v<Choice> || std::is_enum_v<Choice>,
                  "a switch thread returns bool, an integer or an enumeration");
    ThreadTemplate made = make_template(std::move(name), std::move(range));
    made.kind = ThreadKind::kSwitch;
    made.code.body = code_of<dimensions>(made, std::move(body));
    made.code.run = [](const void* code, void* frame, Batch& batch) {
      for_each_cell(batch, [&](unsigned cell) {
        batch.choices[cell] =
            static_cast<std::int64_t>(call_cell<dimensions, Body>(code, frame, batch.origin, cell));
      });
    };
    return Switch<Frame, dimensions, Choice>(graph_, add(std::move(made)));
  }

  template <int dimensions, class Body>
  static decltype(auto) call_cell(const void* body, void* frame, const Coordinates& origin,
                                  unsigned cell) {
    const Coordinates in_tile = kTileShapes[std::min(dimensions, kMaxDimensions)].coordinates(cell);
    const Coordinates at{origin[0] + in_tile[0], origin[1] + in_tile[1], origin[2] + in_tile[2]};
    return call_code<dimensions, Body>(body, frame, at);
  }

  template <int dimensions, class... Sizes, class CalleeFrame, class Make, class... Take>
  std::uint32_t add_call(std::string name, Range<Sizes...> range, const Block<CalleeFrame>& callee,
                         Make make, Take... take) const {
    static_assert(detail::takes_index<dimensions, Frame, Make>(),
                  "call(…) takes a function of the frame and the thread's index that gives the "
                  "callee's frame");
    static_assert(std::is_convertible_v<detail::ResultAt<dimensions, Frame, Make>, CalleeFrame>,
                  "the function passed to call(…) must give the callee's frame");
    static_assert((detail::takes_index<dimensions, Frame, Take, CalleeFrame&>() && ...),
                  "results are taken by a function of (frame, one index for each dimension, the "
                  "callee's frame)");
    ThreadTemplate made = make_template(std::move(name), std::move(range));
    made.kind = ThreadKind::kCall;
    made.invocation.callee = callee.graph_;
    const detail::Folding<dimensions> folding(made);
    made.invocation.make = [make, folding](void* frame, const Coordinates& at, void* place) {
      new (place) CalleeFrame(detail::call_at<dimensions>(make, static_cast<Frame*>(frame),
                                                          folding.indices(frame, at)));
    };
    if constexpr (sizeof...(Take) == 1) {
      made.invocation.take_results = [take..., folding](void* frame, const Coordinates& at,
                                                        void* results) {
        (detail::call_at<dimensions>(take, static_cast<Frame*>(frame), folding.indices(frame, at),
                                     *static_cast<CalleeFrame*>(results)),
         ...);
      };
    }
    return add(std::move(made));
  }

  template <class Other>
  friend class Block;

  BlockGraph* graph_;
};

// Makes the graph of a block; apart so that a Program can make its first one before it is a Block
// itself.
struct BlockMaker {
  template <class Frame>
  static BlockGraph* make(ProgramGraph& program, std::string name) {
    auto block = std::make_unique<BlockGraph>();
    block->name = std::move(name);
    block->frame = Block<Frame>::frame_type();
    program.blocks.push_back(std::move(block));
    return program.blocks.back().get();
  }
};

namespace detail {
struct OwnedGraph {
  std::unique_ptr<ProgramGraph> program = std::make_unique<ProgramGraph>();
};
}  // namespace detail

// A program can be run any number of times, with the same or with other frames, without being
// declared again.
template <class Frame = NoFrame>
class Program : private detail::OwnedGraph, public Block<Frame> {
 public:
  explicit Program(std::string name = "main")
      : Block<Frame>(BlockMaker::make<Frame>(*program, std::move(name))) {}

  template <class CalleeFrame = NoFrame>
  Block<CalleeFrame> block(std::string name) {
    return Block<CalleeFrame>(BlockMaker::make<CalleeFrame>(*program, std::move(name)));
  }

  // Runs until nothing is left to do. Throws GraphError before, or StarvationError after, if
  // threads wait for inputs that never come; and whatever a thread throws.
  Report run(Frame& frame, const Options& options = {}) {
    return run_on(default_executor(), frame, options);
  }
  Report run(const Options& options = {}) {
    static_assert(std::is_default_constructible_v<Frame>,
                  "this program's frame is not made without arguments: pass one, run(frame)");
    Frame frame{};
    return run(frame, options);
  }
  Report run_on(Executor& executor, Frame& frame, const Options& options = {}) {
    check();
    return executor.run(*program, &frame, options);
  }

  // Starts a run and returns at once. The program and the frame must outlive it, and the program
  // must not be declared further meanwhile. Programs that run at the same time share the cores.
  AsyncRun run_async(Frame& frame, const Options& options = {}) {
    return AsyncRun(options, [this, &frame](const Options& mine) { return run(frame, mine); });
  }
  AsyncRun run_async(const Options& options = {}) {
    return AsyncRun(options, [this](const Options& mine) { return run(mine); });
  }

  void check() const { ddm::check(*program); }
  [[nodiscard]] std::string dot() const { return ddm::dot(*program); }
  [[nodiscard]] const ProgramGraph& program_graph() const { return *program; }
};

}  // namespace raddle::ddm
