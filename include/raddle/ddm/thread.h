// Handles to declared threads and arcs: what follows what, what is read, what is carried, where it
// runs. They are small values that refer to their program, which must outlive them.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include "raddle/ddm/arc_handle.h"
#include "raddle/ddm/declare.h"
#include "raddle/ddm/error.h"
#include "raddle/ddm/graph.h"

namespace raddle::ddm {

template <class Frame>
class Block;

template <class Frame, int dimensions>
class Thread {
 public:
  static constexpr int kDimensions = dimensions;

  Thread(BlockGraph* block, std::uint32_t number) : block_(block), number_(number) {}

  // The consumer runs after this: index by index if both have the same number of dimensions, else
  // after all instances.
  template <int to>
  ArcHandle<Frame, dimensions, to> then(const Thread<Frame, to>& consumer) const {
    if constexpr (to == dimensions && to > 0) {
      return connect(consumer, offset_arc(consumer, {}), {});
    } else {
      return then(consumer, all);
    }
  }
  template <int to>
  ArcHandle<Frame, dimensions, to> then(const Thread<Frame, to>& consumer, All) const {
    return connect(consumer, {}, {});
  }
  template <int to, int steps>
  ArcHandle<Frame, dimensions, to> then(const Thread<Frame, to>& consumer,
                                        const Offset<steps>& distance) const {
    if constexpr (fits_offset<to, steps>())
      return connect(consumer, offset_arc(consumer, distance.distance), {});
  }
  // f(frame, index…, to) calls to(index…) for each instance of the consumer that this instance
  // enables.
  template <int to, class Function>
    requires(!std::is_same_v<Function, All> && !detail::kIsOffset<Function>)
  ArcHandle<Frame, dimensions, to> then(const Thread<Frame, to>& consumer,
                                        Function function) const {
    return connect(consumer, map_arc<to>(consumer, std::move(function)), {});
  }
  template <class Other, int to, class... How>
  void then(const Thread<Other, to>&, How...) const {
    static_assert(std::is_same_v<Other, Frame>,
                  "an arc joins threads of one block; another block is invoked with call(…)");
  }

  // A loop's way back: the consumer fires once more, whatever its ready count.
  template <int to>
  ArcHandle<Frame, dimensions, to> again(const Thread<Frame, to>& consumer) const {
    static_assert(to == dimensions,
                  "again(…) and merge(…) lead from index to index: both threads have the same "
                  "number of dimensions");
    Arc arc;
    arc.kind = dimensions == 0 ? ArcKind::kAll : ArcKind::kOffset;
    arc.again = true;
    return connect(consumer, std::move(arc), {});
  }

  // One of several that may enable the consumer, of which only one comes (after a switch): each
  // fires it on its own.
  template <int to>
  ArcHandle<Frame, dimensions, to> merge(const Thread<Frame, to>& consumer) const {
    return again(consumer);
  }

  // What an instance reads, data(…): it is in the cache when it fires (DOP1, DOP2 or a list of
  // them).
  template <class Function>
  const Thread& reads(Function function) const {
    add_operands(self().reads, std::move(function));
    return *this;
  }
  // What an instance writes. In a block whose threads say so, arcs follow from the data: an
  // instance runs after those before it, in program order, that write what it reads or writes, and
  // those that read what it writes. Program order is the order of steps, then of declaration, then
  // of indices.
  template <class Function>
  const Thread& writes(Function function) const {
    block_->infers_arcs = true;
    add_operands(self().writes, std::move(function));
    return *this;
  }
  template <class Function>
  const Thread& updates(Function function) const {
    return reads(function).writes(std::move(function));
  }
  // The step of the sequential program that an instance belongs to, as a number: f(frame, index…).
  // Without it all belong to step 0.
  template <class Function>
  const Thread& step(Function function) const {
    self().step = number_of(std::move(function));
    return *this;
  }

  // Among instances that are ready, those with the highest number come first; without one it is 0.
  template <class Function>
  const Thread& priority(Function function) const {
    if constexpr (std::is_integral_v<Function>) {
      self().priority = [function](const void*, const Coordinates&) {
        return static_cast<std::int64_t>(function);
      };
    } else {
      self().priority = number_of(std::move(function));
    }
    return *this;
  }

  // Only those indices of the range exist for which f(frame, index…) holds.
  template <class Function>
  const Thread& where(Function function) const {
    static_assert(detail::takes_index<dimensions, const Frame, Function>(),
                  "where(…) takes a condition on the frame and the thread's index");
    static_assert(std::is_convertible_v<detail::ResultAt<dimensions, const Frame, Function>, bool>,
                  "the function passed to where(…) must give true or false");
    self().exists_depends_on_frame = !takes_only_index<Function>();
    self().exists = [function, folding = folding()](const void* frame, const Coordinates& at) {
      return static_cast<bool>(detail::call_at<dimensions>(
          function, static_cast<const Frame*>(frame), folding.indices(frame, at)));
    };
    return *this;
  }

  // Places instances on nodes: f(frame, index…, nodes) is the number of a node.
  template <class Function>
  const Thread& on(Function function) const {
    static_assert(
        detail::takes_index<dimensions, const Frame, Function, int>(),
        "on(…) takes a function of the frame, the thread's index and the number of nodes");
    static_assert(
        std::is_convertible_v<detail::ResultAt<dimensions, const Frame, Function, int>, int>,
        "the function passed to on(…) must give the number of a node");
    self().node = place_of(std::move(function));
    return *this;
  }

  // Binds instances to workers: f(frame, index…, workers) is the number of a worker of this node.
  // Nobody else runs them, so what they use stays in that core's cache, and inputs from other
  // workers come as messages.
  template <class Function>
  const Thread& worker(Function function) const {
    static_assert(
        detail::takes_index<dimensions, const Frame, Function, int>(),
        "worker(…) takes a function of the frame, the thread's index and the number of workers");
    static_assert(
        std::is_convertible_v<detail::ResultAt<dimensions, const Frame, Function, int>, int>,
        "the function passed to worker(…) must give the number of a worker");
    check_can_be_bound();
    self().worker_depends_on_frame = !takes_only_index<Function, int>();
    self().worker = place_of(std::move(function));
    return *this;
  }
  // The same with a NUMA node of this machine: f(frame, index…, NUMA nodes). Of its workers each
  // has a share of the instances.
  template <class Function>
  const Thread& memory_node(Function function) const {
    static_assert(
        detail::takes_index<dimensions, const Frame, Function, int>(),
        "memory_node(…) takes a function of the frame, the thread's index and the number of nodes");
    check_can_be_bound();
    self().worker_depends_on_frame = !takes_only_index<Function, int>();
    self().memory_node = place_of(std::move(function));
    return *this;
  }

  // States how many inputs each instance waits for; the run refuses a graph whose arcs give another
  // number.
  const Thread& expects(std::size_t ready_count) const {
    self().declared_ready_count = ready_count;
    return *this;
  }

  [[nodiscard]] const std::string& name() const { return block_->threads[number_].name; }
  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] BlockGraph* block() const { return block_; }

 protected:
  Arc offset_arc(const Thread& consumer,
                 const std::array<std::ptrdiff_t, dimensions>& distance) const {
    Arc arc;
    if constexpr (dimensions > kMaxDimensions) {
      // Outer indices are folded: a step may lead from one row to the next, where it must not.
      arc.kind = ArcKind::kMap;
      arc.map_may_miss = true;
      arc.map_depends_on_frame = !has_fixed_range() || !consumer.has_fixed_range();
      arc.map = [distance, from = folding(), to = consumer.folding()](
                    const void* frame, const Coordinates& at, IndexSink sink) {
        const Indices index = from.indices(frame, at);
        std::array<std::size_t, dimensions> target;
        for (int i = 0; i < dimensions; ++i)
          target[i] = index[kMaxIndices - dimensions + i] + static_cast<std::size_t>(distance[i]);
        sink(to.coordinates(frame, target));
      };
    } else {
      arc.kind = dimensions == 0 ? ArcKind::kAll : ArcKind::kOffset;
      for (int i = 0; i < dimensions; ++i)
        arc.offset[kMaxDimensions - dimensions + i] = distance[i];
    }
    return arc;
  }

  template <int to, int steps>
  static consteval bool fits_offset() {
    constexpr bool kFits = to == dimensions && to == steps;
    static_assert(kFits,
                  "an offset needs a producer and a consumer with the same number of dimensions, "
                  "and one step for each");
    return kFits;
  }

  template <int to, class Function>
  Arc map_arc(const Thread<Frame, to>& consumer, Function function) const {
    static_assert(detail::takes_index<dimensions, const Frame, Function, To<to>>(),
                  "a mapping takes the frame, the producer's index and `to`, which it calls for "
                  "each consumer");
    Arc arc;
    arc.kind = ArcKind::kMap;
    arc.map_depends_on_frame = !takes_only_index<Function, To<to>>() ||
                               (to > kMaxDimensions && !consumer.has_fixed_range());
    arc.map = [function, from = folding(), target = consumer.folding()](
                  const void* frame, const Coordinates& at, IndexSink sink) {
      detail::call_at<dimensions>(function, static_cast<const Frame*>(frame),
                                  from.indices(frame, at), To<to>(sink, target, frame));
    };
    return arc;
  }

  template <int to>
  ArcHandle<Frame, dimensions, to> connect(const Thread<Frame, to>& consumer, Arc arc,
                                           std::optional<std::int64_t> when) const {
    if (consumer.block() != block_) {
      throw GraphError("its consumer '" + consumer.name() + "' belongs to block '" +
                           consumer.block()->name + "'",
                       "thread '" + name() + "' of block '" + block_->name + "'",
                       "arcs join threads of one block; another block is invoked with call(…)");
    }
    arc.from = number_;
    arc.to = consumer.number();
    arc.when = when;
    const auto number = static_cast<std::uint32_t>(block_->arcs.size());
    block_->arcs.push_back(std::move(arc));
    self().consumers.push_back(number);
    block_->threads[consumer.number()].producers.push_back(number);
    return {block_, number};
  }

  // For changes.
  [[nodiscard]] ThreadTemplate& self() const {
    ++block_->revision;
    return block_->threads[number_];
  }

 private:
  template <class Other, int any>
  friend class Thread;

  [[nodiscard]] detail::Folding<dimensions> folding() const {
    return detail::Folding<dimensions>(block_->threads[number_]);
  }
  [[nodiscard]] bool has_fixed_range() const {
    return block_->threads[number_].fixed_extents.has_value();
  }

  // Whether a function can be called without a frame. Folded indices need that of their range.
  template <class Function, class... Rest>
  [[nodiscard]] bool takes_only_index() const {
    constexpr bool kNoFrame = []<std::size_t... n>(std::index_sequence<n...>) {
      return !detail::TakesFrame<Function, const Frame,
                                 decltype(static_cast<void>(n), std::size_t{})..., Rest...>;
    }(std::make_index_sequence<dimensions>{});
    return kNoFrame && (dimensions <= kMaxDimensions || has_fixed_range());
  }

  using Operands = std::function<void(void* frame, const Coordinates& at, OperandSink)>;
  // To those declared before.
  template <class Function>
  void add_operands(Operands& operands, Function function) const {
    static_assert(detail::takes_index<dimensions, Frame, Function>(),
                  "reads(…) and writes(…) take a function of the frame and the thread's index");
    static_assert(detail::GivesData<detail::ResultAt<dimensions, Frame, Function>>,
                  "the function passed to reads(…) or writes(…) must give data(…)");
    operands = [before = std::move(operands), function = std::move(function), folding = folding()](
                   void* frame, const Coordinates& at, OperandSink sink) {
      if (before) before(frame, at, sink);
      for (const Operand& operand : detail::call_at<dimensions>(
               function, static_cast<Frame*>(frame), folding.indices(frame, at)))
        sink(operand);
    };
  }

  template <class Function>
  auto number_of(Function function) const {
    static_assert(detail::takes_index<dimensions, const Frame, Function>(),
                  "step(…) and priority(…) take a function of the frame and the thread's index");
    static_assert(
        std::is_convertible_v<detail::ResultAt<dimensions, const Frame, Function>, std::int64_t>,
        "the function passed to step(…) or priority(…) must give a whole number");
    return [function = std::move(function), folding = folding()](const void* frame,
                                                                 const Coordinates& at) {
      return static_cast<std::int64_t>(detail::call_at<dimensions>(
          function, static_cast<const Frame*>(frame), folding.indices(frame, at)));
    };
  }

  template <class Function>
  auto place_of(Function function) const {
    return [function = std::move(function), folding = folding()](
               const void* frame, const Coordinates& at, int places) {
      return static_cast<int>(detail::call_at<dimensions>(
          function, static_cast<const Frame*>(frame), folding.indices(frame, at), places));
    };
  }

  void check_can_be_bound() const {
    const auto kind = block_->threads[number_].kind;
    if (kind == ThreadKind::kPlain || kind == ThreadKind::kSwitch) return;
    const bool external = kind == ThreadKind::kExternal;
    throw GraphError(
        external ? "a thread that is completed from outside cannot be bound to a worker"
                 : "a thread that invokes blocks cannot be bound to a worker",
        "thread '" + name() + "' of block '" + block_->name + "'",
        external ? "bind threads that follow it" : "bind threads of the block that it invokes");
  }

  BlockGraph* block_;
  std::uint32_t number_;
};

// A thread whose result says which of its consumers run.
template <class Frame, int dimensions, class Choice>
class Switch : public Thread<Frame, dimensions> {
 public:
  using Thread<Frame, dimensions>::Thread;

  template <class Value, int to>
  const Switch& when(Value choice, const Thread<Frame, to>& consumer) const {
    if constexpr (to == dimensions && to > 0) {
      this->connect(consumer, this->offset_arc(consumer, {}), case_of(choice));
    } else {
      static_assert(
          dimensions == 0,
          "a switch over a range needs an offset or a mapping to a consumer of another range");
      this->connect(consumer, {}, case_of(choice));
    }
    return *this;
  }
  template <class Value, int to, class Function>
  const Switch& when(Value choice, const Thread<Frame, to>& consumer, Function mapping) const {
    if constexpr (!detail::kIsOffset<Function>) {
      this->connect(consumer, this->template map_arc<to>(consumer, std::move(mapping)),
                    case_of(choice));
    } else if constexpr (Thread<Frame, dimensions>::template fits_offset<to, Function::kSteps>()) {
      this->connect(consumer, this->offset_arc(consumer, mapping.distance), case_of(choice));
    }
    return *this;
  }

 private:
  // True or false for a boolean switch, its own values for an enumeration, any for integers.
  template <class Value>
  static std::int64_t case_of(Value choice) {
    constexpr bool kNumbers =
        std::is_integral_v<Value> && std::is_integral_v<Choice> && !std::is_same_v<Choice, bool>;
    static_assert(std::is_same_v<Value, Choice> || kNumbers,
                  "when(…) takes a value of the type that the switch thread returns");
    if constexpr (std::is_same_v<Value, Choice> || kNumbers)
      return static_cast<std::int64_t>(static_cast<Choice>(choice));
    return 0;
  }
};

// A thread that invokes a block.
template <class Frame, int dimensions, class CalleeFrame>
class Call : public Thread<Frame, dimensions> {
 public:
  using Thread<Frame, dimensions>::Thread;

  template <class Function>
  const Call& on(Function function) const {
    static_assert(
        std::is_trivially_copyable_v<CalleeFrame> || detail::kSerializedFrame<CalleeFrame>,
        "a block can be invoked on another node only if its frame is trivially copyable, "
        "or made without arguments and serialized: serialize(archive, frame)");
    Thread<Frame, dimensions>::on(std::move(function));
    return *this;
  }
};

}  // namespace raddle::ddm
