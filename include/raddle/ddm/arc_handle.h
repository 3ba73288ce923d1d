// A handle to a declared arc: what it carries to other nodes.
#pragma once

#include <utility>

#include "raddle/ddm/declare.h"
#include "raddle/ddm/graph.h"

namespace raddle::ddm {

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
      arc.carries = [function, of = producer()](void* frame, const Coordinates& at,
                                                const Coordinates&, OperandSink sink) {
        for (const Operand& operand :
             detail::call_at<from>(function, static_cast<Frame*>(frame), of.indices(frame, at)))
          sink(operand);
      };
    } else {
      static_assert(
          detail::takes_index<from + to, Frame, Function>(),
          "carries(…) takes a function of the frame and the producer's index, or of both indices");
      arc.carries_by_consumer = true;
      const detail::Folding<to> consumer(block_->threads[arc.to]);
      arc.carries = [function, of = producer(), consumer](void* frame, const Coordinates& at,
                                                          const Coordinates& target,
                                                          OperandSink sink) {
        for (const Operand& operand :
             call_both(function, static_cast<Frame*>(frame), of.indices(frame, at),
                       consumer.indices(frame, target)))
          sink(operand);
      };
    }
    return *this;
  }

 private:
  template <class Function, class At, class Target>
  static auto call_both(const Function& function, Frame* frame, const At& at,
                        const Target& target) {
    return [&]<std::size_t... p, std::size_t... c>(std::index_sequence<p...>,
                                                   std::index_sequence<c...>) {
      return detail::call_with_frame(function, frame, at[at.size() - from + p]...,
                                     target[target.size() - to + c]...);
    }(std::make_index_sequence<from>{}, std::make_index_sequence<to>{});
  }
  [[nodiscard]] detail::Folding<from> producer() const {
    return detail::Folding<from>(block_->threads[block_->arcs[arc_].from]);
  }

  BlockGraph* block_;
  std::size_t arc_;
};

}  // namespace raddle::ddm
