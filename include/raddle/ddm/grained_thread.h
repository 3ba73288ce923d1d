// A thread over chunks of a range: what it reads and writes may be said of chunks, as its body is.
#pragma once

#include <concepts>
#include <tuple>
#include <utility>

#include "raddle/ddm/grain.h"
#include "raddle/ddm/thread.h"

namespace raddle::ddm {

template <class Frame, class... Sizes>
class GrainedThread : public Thread<Frame, sizeof...(Sizes)> {
  using Base = Thread<Frame, sizeof...(Sizes)>;

 public:
  GrainedThread(Base thread, std::tuple<detail::ChunkCount<Sizes>...> counts)
      : Base(thread), counts_(std::move(counts)) {}

  // f(frame, a Chunk or the number of a chunk for each dimension) gives data(…).
  template <class Function>
  const GrainedThread& reads(Function function) const {
    Base::reads(of_chunks(std::move(function)));
    return *this;
  }
  template <class Function>
  const GrainedThread& writes(Function function) const {
    Base::writes(of_chunks(std::move(function)));
    return *this;
  }
  template <class Function>
  const GrainedThread& updates(Function function) const {
    return reads(function).writes(std::move(function));
  }

 private:
  template <class Function>
  auto of_chunks(Function function) const {
    if constexpr (detail::takes_chunks<Function, Frame>(std::index_sequence_for<Sizes...>{})) {
      return
          [counts = counts_, function = std::move(function)]<std::same_as<std::size_t>... Number>(
              Frame& frame, Number... number)
        requires(sizeof...(Number) == sizeof...(Sizes))
      {
        return std::apply(
            [&](const auto&... chunk) {
              return detail::call_with_frame(function, &frame, chunk...);
            },
            detail::chunks_of(counts, frame, number...));
      };
    } else {
      return function;
    }
  }

  std::tuple<detail::ChunkCount<Sizes>...> counts_;
};

}  // namespace raddle::ddm
