// Ranges that are run in chunks: range(n).grain(g) makes one thread of g indices, range(n).grain()
// chooses g. The body takes the indices one by one, or a Chunk for each dimension.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <thread>
#include <utility>

#include "raddle/ddm/declare.h"

namespace raddle::ddm {

// The indices from `first` up to, but not including, `last`: for (auto i : chunk).
struct Chunk {
  std::size_t first = 0;
  std::size_t last = 0;

  struct Iterator {
    std::size_t index;
    std::size_t operator*() const { return index; }
    Iterator& operator++() {
      ++index;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;
  };
  [[nodiscard]] Iterator begin() const { return {first}; }
  [[nodiscard]] Iterator end() const { return {last}; }
  [[nodiscard]] std::size_t size() const { return last - first; }
};

namespace detail {

// How many indices a chunk has where nobody says: 256 chunks, or 16 for each core if that is more,
// so that workers that are done early find something to take over.
inline std::size_t automatic_grain(std::size_t count) {
  static const std::size_t chunks =
      std::max<std::size_t>(256, std::size_t{16} * std::thread::hardware_concurrency());
  return std::max<std::size_t>(1, (count + chunks - 1) / chunks);
}

// The number of chunks, as an extent of the thread.
template <class Size>
struct ChunkCount {
  Size size;
  std::size_t grain;  // 0: automatic

  [[nodiscard]] static std::size_t chunks(std::size_t count, std::size_t grain) {
    const std::size_t each = grain != 0 ? grain : automatic_grain(count);
    return (count + each - 1) / each;
  }
  template <class Frame>
  std::size_t operator()(const Frame& frame) const {
    return chunks(extent_of(size, frame), grain);
  }
  // The indices of a chunk.
  template <class Frame>
  [[nodiscard]] Chunk chunk(const Frame& frame, std::size_t number) const {
    const std::size_t count = extent_of(size, frame);
    const std::size_t each = grain != 0 ? grain : automatic_grain(count);
    return {number * each, std::min(count, (number + 1) * each)};
  }
};

// An extent that is known now stays known.
template <class Size>
auto chunk_extent(const ChunkCount<Size>& count) {
  if constexpr (std::is_convertible_v<Size, std::size_t>) {
    return ChunkCount<Size>::chunks(static_cast<std::size_t>(count.size), count.grain);
  } else {
    return count;
  }
}

template <class Body, class Frame, std::size_t... n>
consteval bool takes_chunks(std::index_sequence<n...>) {
  return TakesFrame<Body, Frame, decltype(static_cast<void>(n), Chunk{})...> ||
         TakesNoFrame<Body, decltype(static_cast<void>(n), Chunk{})...>;
}

// Calls a body for every index of some chunks.
template <class Frame, class Body, class... Index>
void for_each_index(const Body& body, Frame* frame, Chunk chunk, Index... index) {
  for (std::size_t i = chunk.first; i < chunk.last; ++i) call_with_frame(body, frame, index..., i);
}
template <std::size_t dimension = 0, class Frame, class Body, std::size_t dimensions,
          class... Index>
void for_all_indices(const Body& body, Frame* frame, const std::array<Chunk, dimensions>& chunks,
                     Index... index) {
  if constexpr (dimension + 1 == dimensions) {
    for_each_index(body, frame, chunks[dimension], index...);
  } else {
    for (const std::size_t i : chunks[dimension])
      for_all_indices<dimension + 1>(body, frame, chunks, index..., i);
  }
}

// The chunks of an instance.
template <class Frame, class... Sizes, class... Number>
std::array<Chunk, sizeof...(Sizes)> chunks_of(const std::tuple<ChunkCount<Sizes>...>& counts,
                                              const Frame& frame, Number... number) {
  return std::apply(
      [&](const auto&... count) {
        return std::array<Chunk, sizeof...(Sizes)>{count.chunk(frame, number)...};
      },
      counts);
}

// The body of a thread over chunks, made of one over indices or chunks.
template <class Frame, class Body, class... Sizes>
auto over_chunks(std::tuple<ChunkCount<Sizes>...> counts, Body body) {
  constexpr auto kIndices = std::index_sequence_for<Sizes...>{};
  constexpr bool kChunks = takes_chunks<Body, Frame>(kIndices);
  constexpr bool kIndexed = takes_index<sizeof...(Sizes), Frame, Body>();
  static_assert(kChunks || kIndexed,
                "the body of a range with a grain takes (frame, one Chunk or one index for each "
                "dimension), where the frame may be left out");
  return [counts = std::move(counts), body = std::move(body)]<std::same_as<std::size_t>... Index>(
             Frame& frame, Index... number)
    requires(sizeof...(Index) == sizeof...(Sizes))
  {
    const auto chunks = chunks_of(counts, frame, number...);
    if constexpr (kChunks) {
      std::apply([&](const auto&... chunk) { call_with_frame(body, &frame, chunk...); }, chunks);
    } else if constexpr (kIndexed) {
      for_all_indices(body, &frame, chunks);
    }
  };
}

}  // namespace detail

}  // namespace raddle::ddm
