// Handles to declared threads and arcs: what follows what, what is read, what is carried, where it
// runs. They are small values that refer to their program, which must outlive them.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include "raddle/ddm/declare.h"
#include "raddle/ddm/error.h"
#include "raddle/ddm/graph.h"

namespace raddle::ddm {

template <class Frame>
class Block;

// An arc between a producer with `from` dimensions and a consumer with `to`.
template <class Frame, int from, int to>
class ArcHandle {
 public:
  ArcHandle(BlockGraph* block, std::size_t arc) : block_(block), arc_(arc) {}

  // What the consumer needs of the producer's results when they run on different nodes: f(frame,
  // producer's index…) or f(frame, producer's index…, consumer's index…) gives data(…). The same
  // places are written on the consumer's node.
  template <class Function>
  ArcHandle& carries(Function function) {
    auto& arc = block_->arcs[arc_];
    ++block_->revision;
    if constexpr (detail::takes_index<from, Frame, Function>()) {
      static_assert(detail::GivesData<detail::ResultAt<from, Frame, Function>>,
                    "the function passed to carries(…) must give data(…)");
      arc.carries = [function](void* frame, const Coordinates& at, const Coordinates&,
                               OperandSink sink) {
        for (const Operand& operand :
             detail::call_at<from>(function, static_cast<Frame*>(frame), at))
          sink(operand);
      };
    } else {
      static_assert(
          detail::takes_index<from + to, Frame, Function>(),
          "carries(…) takes a function of the frame and the producer's index, or of both indices");
      arc.carries_by_consumer = true;
      arc.carries = [function](void* frame, const Coordinates& at, const Coordinates& target,
                               OperandSink sink) {
        for (const Operand& operand : call_both(function, static_cast<Frame*>(frame), at, target))
          sink(operand);
      };
    }
    return *this;
  }

 private:
  template <class Function>
  static auto call_both(const Function& function, Frame* frame, const Coordinates& at,
                        const Coordinates& target) {
    return [&]<std::size_t... p, std::size_t... c>(std::index_sequence<p...>,
                                                   std::index_sequence<c...>) {
      return detail::call_with_frame(function, frame, at[kMaxDimensions - from + p]...,
                                     target[kMaxDimensions - to + c]...);
    }(std::make_index_sequence<from>{}, std::make_index_sequence<to>{});
  }

  BlockGraph* block_;
  std::size_t arc_;
};

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
      return connect(consumer, offset_arc({}), {});
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
      return connect(consumer, offset_arc(distance.distance), {});
  }
  // f(frame, index…, to) calls to(index…) for each instance of the consumer that this instance
  // enables.
  template <int to, class Function>
    requires(!std::is_same_v<Function, All> && !detail::kIsOffset<Function>)
  ArcHandle<Frame, dimensions, to> then(const Thread<Frame, to>& consumer,
                                        Function function) const {
    return connect(consumer, map_arc<to>(std::move(function)), {});
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
    Arc arc = offset_arc({});
    arc.again = true;
    return connect(consumer, std::move(arc), {});
  }

  // One of several that may enable the consumer, of which only one comes (after a switch): each
  // fires it on its own.
  template <int to>
  ArcHandle<Frame, dimensions, to> merge(const Thread<Frame, to>& consumer) const {
    return again(consumer);
  }

  // Declares the inputs of an instance, data(…), which are then in the cache when it fires (DOP1,
  // DOP2 or a list of them).
  template <class Function>
  const Thread& reads(Function function) const {
    static_assert(detail::takes_index<dimensions, Frame, Function>(),
                  "reads(…) takes a function of the frame and the thread's index");
    static_assert(detail::GivesData<detail::ResultAt<dimensions, Frame, Function>>,
                  "the function passed to reads(…) must give data(…)");
    self().reads = [function](void* frame, const Coordinates& at, OperandSink sink) {
      for (const Operand& operand :
           detail::call_at<dimensions>(function, static_cast<Frame*>(frame), at))
        sink(operand);
    };
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
    self().exists = [function](const void* frame, const Coordinates& at) {
      return static_cast<bool>(
          detail::call_at<dimensions>(function, static_cast<const Frame*>(frame), at));
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
    self().node = [function](const void* frame, const Coordinates& at, int nodes) {
      return static_cast<int>(
          detail::call_at<dimensions>(function, static_cast<const Frame*>(frame), at, nodes));
    };
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
    if (self().kind == ThreadKind::kCall || self().kind == ThreadKind::kDynamic) {
      throw GraphError("a thread that invokes blocks cannot be bound to a worker",
                       "thread '" + name() + "' of block '" + block_->name + "'",
                       "bind threads of the block that it invokes");
    }
    self().worker_depends_on_frame = !takes_only_index<Function, int>();
    self().worker = [function](const void* frame, const Coordinates& at, int workers) {
      return static_cast<int>(
          detail::call_at<dimensions>(function, static_cast<const Frame*>(frame), at, workers));
    };
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
  static Arc offset_arc(const std::array<std::ptrdiff_t, dimensions>& distance) {
    Arc arc;
    arc.kind = dimensions == 0 ? ArcKind::kAll : ArcKind::kOffset;
    for (int i = 0; i < dimensions; ++i) arc.offset[kMaxDimensions - dimensions + i] = distance[i];
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
  static Arc map_arc(Function function) {
    static_assert(detail::takes_index<dimensions, const Frame, Function, To<to>>(),
                  "a mapping takes the frame, the producer's index and `to`, which it calls for "
                  "each consumer");
    Arc arc;
    arc.kind = ArcKind::kMap;
    arc.map_depends_on_frame = !takes_only_index<Function, To<to>>();
    arc.map = [function](const void* frame, const Coordinates& at, IndexSink sink) {
      detail::call_at<dimensions>(function, static_cast<const Frame*>(frame), at, To<to>(sink));
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
  template <class Function, class... Rest>
  static consteval bool takes_only_index() {
    return []<std::size_t... n>(std::index_sequence<n...>) {
      return !detail::TakesFrame<Function, const Frame,
                                 decltype(static_cast<void>(n), std::size_t{})..., Rest...>;
    }(std::make_index_sequence<dimensions>{});
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
      this->connect(consumer, this->offset_arc({}), case_of(choice));
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
      this->connect(consumer, this->template map_arc<to>(std::move(mapping)), case_of(choice));
    } else if constexpr (Thread<Frame, dimensions>::template fits_offset<to, Function::kSteps>()) {
      this->connect(consumer, this->offset_arc(mapping.distance), case_of(choice));
    }
    return *this;
  }

 private:
  // Of a boolean switch true or false, of an enumeration its own values, of integers any.
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
    static_assert(std::is_trivially_copyable_v<CalleeFrame>,
                  "a block can be invoked on another node only if its frame is trivially copyable");
    Thread<Frame, dimensions>::on(std::move(function));
    return *this;
  }
};

}  // namespace raddle::ddm
